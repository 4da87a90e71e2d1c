"""scripts/fresh_seeds.py: how often claims fail on seeds that they were not stated on."""

import pathlib
import sys

import pytest
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import fresh_seeds  # noqa: E402

RATES = {"default": 0.05, "rate": {"words": {"noisy": 0.5}}}


def entry(claim, blocks, failed):
    return {"experiment": "words", "claim": claim, "blocks": list(range(blocks)), "failed": list(range(failed))}


def test_texts_count_the_quick_forms_and_claims_that_were_tried(monkeypatch):
    kept = {fresh_seeds.KEPT: [entry("clear", 2, 1), entry("agreement of α and β", 1, 0)]}
    kept[fresh_seeds.EARLIER] = [entry("large", 20, 8)]
    monkeypatch.setattr(fresh_seeds, "kept_tally", lambda file=fresh_seeds.KEPT: kept[file])
    claims = [{"name": "clear"}, {"name": "untried", "form": "quick"}, {"name": "large", "form": "full"}]
    experiments = {"words": {"claim": claims, "sweep": {"seed": "0..4"}}, "gate": {}, "machine": {}}
    tried = (
        "On fresh seeds, 1 of 2 claims of quick forms were tried, and 1 more that experiments on texts add. 1 of 3 trials failed.\n"
        "1 claims left the quick form, or were changed, after 8 of their 20 trials had failed."
    )
    assert fresh_seeds.tried_text(experiments) == tried
    runs = "1 of 3 quick forms were run again on other seeds. "
    assert fresh_seeds.experiments_text(experiments) == runs + "The other 2 train no seeds."
    open_one = {**experiments, "machine": {"sweep": {"seed": [0, 1]}}}
    assert (
        fresh_seeds.experiments_text(open_one) == runs + "1 more have not been tried, and the other 1 train no seeds."
    )


def test_the_quick_form_says_how_many_seeds_a_block_has():
    assert fresh_seeds.seeds_of({"sweep": {"seed": "0..19"}, "quick": {"sweep.seed": "0..4"}}) == 5
    assert fresh_seeds.seeds_of({"sweep": {"seed": [0, 1, 2]}}) == 3
    assert fresh_seeds.seeds_of({"sweep": {"model.scale": [1, 2]}}) == 0


def test_the_probability_is_the_binomial_tail():
    assert fresh_seeds.at_least_so_many(0, 20, 0.05) == pytest.approx(1)
    assert fresh_seeds.at_least_so_many(20, 20, 0.5) == pytest.approx(0.5**20)
    assert fresh_seeds.at_least_so_many(1, 20, 0.05) == pytest.approx(1 - 0.95**20)
    assert fresh_seeds.at_least_so_many(240, 5160, 0.05) == pytest.approx(0.884, abs=0.01)


def test_a_claim_that_fails_as_often_as_stated_passes_and_one_that_fails_more_often_is_named():
    assert fresh_seeds.too_many([entry("clear", 20, 3)], RATES) == []
    lines = fresh_seeds.too_many([entry("clear", 20, 8)], RATES)
    assert lines[0].startswith("words: 'clear' failed in 8 of 20 blocks; the stated rate is 0.05")
    assert fresh_seeds.too_many([entry("noisy", 20, 8)], RATES) == []


def test_claims_that_each_fail_a_little_too_often_are_noticed_together():
    lines = fresh_seeds.too_many([entry(f"claim-{i}", 1, i < 10) for i in range(40)], RATES)
    assert len(lines) == 1 and lines[0].startswith("all claims: 10 failures in 40 blocks; 2.0 are expected")


def test_blocks_add_up_and_a_changed_claim_begins_again():
    kept = fresh_seeds.added([], "words", 0, {"clear": ("a >= 1", True)})
    kept = fresh_seeds.added(kept, "words", 1, {"clear": ("a >= 1", False)})
    again = fresh_seeds.added(kept, "words", 1, {"clear": ("a >= 1", False)})
    assert again == kept and kept[0]["blocks"] == [0, 1] and kept[0]["failed"] == [1]
    changed = fresh_seeds.added(kept, "words", 2, {"clear": ("a >= 2", True)})
    assert changed[0]["blocks"] == [2] and changed[0]["failed"] == []


def test_every_kept_block_is_of_a_quick_claim_of_today():
    today = fresh_seeds.quick_claims(fresh_seeds.shipped())
    others = {(entry["experiment"], entry["claim"]) for entry in fresh_seeds.kept_tally()} - today
    assert [one for one in others if " " not in one[1] or not one[0].startswith("text-")] == []


def test_kept_blocks_fail_no_more_often_than_stated():
    if fresh_seeds.KEPT.exists():
        assert fresh_seeds.too_many(fresh_seeds.kept_tally(), tomllib.loads(fresh_seeds.RATES.read_text())) == []
