"""A kept result is shown for a claim only if the claim has not been changed since."""

import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import gallery
import results_page

CLAIM = {"name": "sink", "says": "The weight doubles.", "metric": "least(ratio | softmax)", "at_least": 2}
DEFINED = {"softmax": "model.attention = 'softmax'"}
KEPT = {"name": "sink", "claim": "The weight doubles.", "value": 2.5, "wanted": ">= 2", "held": True}


def verdict(kept, claim=CLAIM):
    return gallery.value_of(claim, [{"claims": [kept]}], DEFINED)


def test_result_of_todays_claim_is_shown():
    assert verdict(KEPT) == ("2.5", "supported")
    assert verdict(KEPT | {"metric": "least(ratio | model.attention = 'softmax')"}) == ("2.5", "supported")
    assert verdict(KEPT | {"wanted": "1 to 3"}, CLAIM | {"at_least": 1, "at_most": 3}) == ("2.5", "supported")


@pytest.mark.parametrize(
    "change", [{"wanted": ">= 0.25"}, {"wanted": "<= 2"}, {"wanted": "2 to 3"}, {"metric": "least(share | softmax)"}]
)
def test_result_of_another_threshold_or_metric_is_not_shown(change):
    assert verdict(KEPT | change) == ("–", "not run in full")


def test_changed_claim_is_not_counted_as_run():
    experiment = {"claim": [CLAIM | {"metric": "least(ratio | model.attention = 'softmax')"}]}
    kept = {"experiment": "sink", "claims": [KEPT]}
    assert not results_page.lacks_claims(kept, experiment, [])
    old = {"experiment": "sink", "claims": [KEPT | {"wanted": ">= 0.25"}]}
    assert results_page.lacks_claims(old, experiment, [])
    assert results_page.verdict_of(["sink", "sink"], False, [old], {"sink": experiment}) == "not run in full yet"
