"""A kept result is shown for a claim only if the claim has not been changed since, and says if its settings have been."""

import json
import re
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import gallery
import gallery_captions
import kept_results
import results_page
import value_words
import verdict_counts
from experiment_claims import read_experiment
from kept_results import KEPT as RESULTS

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
    ("change", "changed"),
    [
        ({"wanted": ">= 0.25"}, "threshold"),
        ({"wanted": "<= 2"}, "threshold"),
        ({"wanted": "2 to 3"}, "threshold"),
        ({"metric": "least(share | softmax)"}, "metric"),
        ({"metric": "least(share | softmax)", "wanted": ">= 0.25"}, "metric and threshold"),
    ],
)
def test_result_of_another_threshold_or_metric_has_no_verdict(change, changed):
    assert verdict(KEPT | change) == ("2.5", f"{changed} changed since the run: [see below](#earlier-claims)")


def test_claim_without_a_kept_result_of_its_name_has_no_value():
    assert verdict(KEPT | {"name": "another"}) == ("–", "added since the run")


def test_changed_claim_is_not_counted_as_run():
    experiment = {"claim": [CLAIM | {"metric": "least(ratio | model.attention = 'softmax')"}]}
    kept = {"experiment": "sink", "claims": [KEPT]}
    assert not results_page.other_claims(kept, experiment, [])
    old = {"experiment": "sink", "claims": [KEPT | {"wanted": ">= 0.25"}]}
    assert results_page.other_claims(old, experiment, [])
    sentence = results_page.verdict_of(["sink", "sink"], False, [old], {"sink": experiment})
    assert sentence == "not run in full yet; with an earlier metric or threshold: 2.5, supported"


def test_result_with_a_removed_claim_is_listed_as_changed():
    kept = {"experiment": "sink", "claims": [KEPT, KEPT | {"name": "removed"}]}
    assert results_page.other_claims(kept, {"claim": [CLAIM]}, [])


def test_sentence_that_a_claim_states_itself_is_refuted(monkeypatch):
    monkeypatch.setattr(results_page, "changed_settings", lambda *_: {})
    kept = {"experiment": "sink", "claims": [KEPT]}
    for claim, verdict in ((CLAIM, "contradicted"), (CLAIM | {"expect": "refuted"}, "refuted")):
        sentence = results_page.verdict_of(["sink", "sink"], True, [kept], {"sink": {"claim": [claim]}})
        assert sentence == f"the sentence is {verdict}"


EARLIER = {"experiment": "sink", "begins": "The weight becomes", "name": "sink", "title": "Sink."}
REWORDED = {name: value for name, value in KEPT.items() if name != "name"} | {
    "claim": "The weight becomes twice as large."
}


@pytest.mark.parametrize(("metric", "made"), [("least(ratio | softmax)", True), ("least(share | softmax)", False)])
def test_reworded_claim_has_its_kept_result_if_metric_and_threshold_are_the_same(metric, made, monkeypatch):
    monkeypatch.setattr(kept_results, "earlier_claims", lambda: [EARLIER | {"metric": metric}])
    kept = kept_results.named("sink", REWORDED)
    assert results_page.still_made(kept, {"claim": [CLAIM]}) == made
    assert not results_page.still_made(kept | {"wanted": ">= 1"}, {"claim": [CLAIM]})
    assert kept["claim"] == "The weight becomes twice as large."


SPEC = """
title = "Sink"
task = { name = "sink" }
model = { name = "transformer", biases = true }
train = { steps = 20, threads = 2 }

[[claim]]
name = "sink"
says = "The weight doubles."
metric = "least(ratio)"
at_least = 2
"""
TODAY = {"task.name": "sink", "model.name": "transformer", "model.biases": True, "train.steps": 20}
CHANGED = {name: value for name, value in TODAY.items() if name != "model.biases"} | {"train.steps": 10}


def kept_with(spec):
    return {"experiment": "sink", "claims": [KEPT], "spec": spec, "seconds": 1, "runs": 1, "machines": []}


def tables(spec, monkeypatch):
    """What the table of claims, the lines above it, the list of sentences and the gallery's page have on a kept result."""
    kept, shipped = kept_with(spec), {"sink": read_experiment(SPEC)}
    monkeypatch.setattr(gallery, "kept_of", lambda name: [kept])
    return (
        "\n".join(results_page.claims_table([kept], shipped, [])),
        "\n".join(results_page.missing_line([kept], shipped, [])),
        results_page.verdict_of(["sink", "sink"], False, [kept], shipped),
        gallery.experiment_page("sink", SPEC, [], lambda title, *parts: "\n".join(parts)),
    )


def test_a_result_of_other_settings_says_so(monkeypatch):
    claims, lines, sentence, page = tables(CHANGED, monkeypatch)
    changed = "`model.biases` (not set then, true now), `train.steps` (10 then, 20 now)"
    assert "supported, with other settings than today's |" in claims and "changed since: 1." in claims
    assert f"The full form of these was run with other settings than today's, {changed}: `sink`." in lines
    assert sentence == "supported, with other settings than today's"
    assert f"The full form was run with other settings: {changed}." in page


def test_a_result_of_todays_settings_does_not(monkeypatch):
    for spec in (TODAY, TODAY | {"train.steps": 20.0}):
        assert not any("other settings" in text for text in tables(spec, monkeypatch))


@pytest.mark.parametrize("file", sorted(RESULTS.glob("*.json")), ids=lambda file: file.stem)
def test_every_kept_result_has_its_settings(file):
    assert {"task.name", "model.name"} <= json.loads(file.read_text())["spec"].keys()


def reworded(file):
    """The claims of a kept result whose sentences are not today's, or that were measured otherwise."""
    kept = json.loads(file.read_text())
    experiment = read_experiment((ROOT / "experiments" / f"{kept['experiment']}.toml").read_text())
    return [(kept["experiment"], one) for one in kept["claims"] if not results_page.still_made(one, experiment)]


def test_every_earlier_claim_has_one_name_and_each_name_a_claim():
    claims = [one for file in sorted(RESULTS.glob("*.json")) for one in reworded(file)]
    named = [kept_results.earlier_claim(experiment, kept) for experiment, kept in claims]
    assert sorted(map(str, named)) == sorted(map(str, kept_results.earlier_claims()))
    assert all(one["metric"] for one in named)


def test_an_earlier_claim_without_a_name_is_an_error():
    with pytest.raises(SystemExit, match=r"earlier.toml has no name for this claim of sink: The weight doubles\."):
        kept_results.earlier_claim("sink", KEPT)


def test_verdicts_of_sentences_are_counted_and_an_unknown_one_is_an_error():
    lines = [
        "- **a**",
        "    - supported: b",
        "    - supported, with other settings than today's: c",
        "    - **not tested**: needs d",
    ]
    rows = verdict_counts.counts_of_verdicts(lines)
    assert rows[2:4] == ["| supported | 2 |", "| supported on some corpora | 0 |"]
    assert rows[-1] == "| sentence without a test | 1 |"
    with pytest.raises(SystemExit, match="a verdict has no row"):
        verdict_counts.counts_of_verdicts([*lines, "    - perhaps: e"])


def test_every_sourced_claim_that_is_not_supported_is_in_the_list_of_sentences():
    sentences = results_page.tomllib.loads((RESULTS / "sentences.toml").read_text())["sentence"]
    listed = {tuple(test) for one in sentences for test in one.get("tests", [])}
    for kept in results_page.read_kept():
        experiment = read_experiment((ROOT / "experiments" / f"{kept['experiment']}.toml").read_text())
        sourced = {claim["name"] for claim in experiment["claim"] if "source" in claim}
        failed = {
            (kept["experiment"], claim["name"])
            for claim in kept["claims"]
            if not claim["held"] and claim.get("name") in sourced
        }
        assert failed <= listed


def test_causes_of_failures_count_every_failed_claim_and_findings_have_a_row_each():
    all_kept = results_page.read_kept()
    shipped = {file.stem: read_experiment(file.read_text()) for file in (ROOT / "experiments").glob("*.toml")}
    failed = sum(not claim["held"] for kept in all_kept for claim in kept["claims"])
    page = (ROOT / "docs" / "explanation" / "not-supported.md").read_text()
    assert "\n".join(results_page.failed_count(all_kept)) in page
    assert sum(map(int, re.findall(r"^\| \[[^\]]+\]\(#[^)]+\) \| (\d+) \|", page, re.M))) == failed
    findings = results_page.tomllib.loads((RESULTS / "findings.toml").read_text())["finding"]
    table = results_page.findings_table(findings, all_kept, shipped)
    assert len(table) == len(findings) + 2
    assert "\n".join(table) in (ROOT / "docs" / "explanation" / "findings.md").read_text()


@pytest.mark.parametrize(
    ("label", "figure", "named"),
    [
        ("accuracy, as trained, simple", {"by": ["model.score"]}, "accuracy, as trained, score = simple"),
        (
            "at first, later, relu",
            {"names": ["at first, later"], "panels": ["y", "hold"]},
            "at first, later, hold = relu",
        ),
        ("F1, linear-tagger, reach = 0", {"by": ["model.name", "model.reach"]}, "F1, model = linear-tagger, reach = 0"),
        ("loss", {}, "loss"),
    ],
)
def test_a_curve_names_the_settings_of_its_values(label, figure, named):
    assert gallery_captions.curve_name(label, figure) == named


def test_a_caption_has_the_runs_and_the_ends_of_the_curves():
    assert gallery_captions.drawn(
        "Lines over step, 5 runs. accuracy: median from 0.4 to 1. β: median from −0.25 to 2."
    ) == (5, "The horizontal axis is the training step.", [["accuracy", "0.4", "1"], ["β", "−0.25", "2"]])
    assert gallery_captions.drawn("Points of a over b, one for each of 60 runs.") == (60, "Points of a over b.", [])
    swept = {"quick": {"sweep.seed": "0..1"}}
    assert gallery_captions.form_of(5, swept, [{"runs": 20}]) == "quick"
    assert gallery_captions.form_of(20, swept, [{"runs": 20}]) == "full"
    assert (
        gallery_captions.form_of(20, {}, [{"runs": 20}]) == "" == gallery_captions.form_of(None, swept, [{"runs": 20}])
    )
    assert gallery_captions.size_text(32, "full", [{"runs": 160}]) == "32 of the 160 runs"
    assert gallery_captions.size_text(20, "full", [{"runs": 20}]) == "20 runs"


RUNS = {
    "values": {
        "settings": {"seed": [0, 1, 2, 3], "task.vocab": [20, 20, 30, 30]},
        "numbers": {"accuracy": [1, 0.4, 1, 1]},
    }
}


@pytest.mark.parametrize(
    ("metric", "words", "statistic"),
    [
        ("share(accuracy >= 0.9)", "0.75 (3 of 4 seeds)", "share"),
        ("share_low(accuracy >= 0.9 | task.vocab = 20)", "0.75 (1 of 2 seeds)", "share, lower end of interval"),
        ("least(accuracy)", "0.75", "smallest of the runs"),
        ("median(accuracy | task.vocab = 20) / median(accuracy | task.vocab = 30)", "0.75", "ratio of medians"),
        ("most(abs(step_of(p >= 1) - 3 / train.rate))", "0.75", "largest of the runs, in steps"),
        ("least(step_of(a > 1) / step_of(b > 1))", "0.75", "smallest of the runs"),
        ("deviation(a | b = 1) - deviation(a | b = 2)", "0.75", "difference of standard deviations"),
        ("share_low(a > 1) - share_high(b > 1)", "0.75", "lower end of one share − upper end of another"),
    ],
)
def test_a_value_has_the_seeds_that_it_counts_and_a_statistic(metric, words, statistic):
    claim = {"value": 0.75, "held": True}
    assert value_words.value_in_words(claim, metric, RUNS) == words
    assert value_words.statistic(metric) == statistic


def test_a_share_without_kept_runs_counts_seeds_if_each_run_has_its_own():
    claim = {"value": 0.8, "held": True}
    assert (
        value_words.value_in_words(claim, "share(a > 1)", {"runs": 5, "seeds": [0, 1, 2, 3, 4]}) == "0.8 (4 of 5 seeds)"
    )
    assert value_words.value_in_words(claim, "share(a > 1)", {"runs": 10, "seeds": [0, 1, 2, 3, 4]}) == "0.8"


def test_claims_on_agreement_have_a_column_for_each_corpus():
    claim = {
        "claim": "The interval of agreement 𝒜(α, β) is above the intervals of its rivals (shuffled).",
        "held": True,
    }
    kept = [
        {"corpus": "a", "claims": [claim | {"value": 0.5}]},
        {"corpus": "b", "claims": [claim | {"value": -0.1, "held": False}]},
    ]
    lines = gallery.agreement_claims(kept).splitlines()
    assert lines[-3] == "| claim | a | b |"
    assert lines[-1].endswith("| 0.5 | -0.1 (**not supported**) |")
