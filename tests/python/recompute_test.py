"""scripts/recompute.py: kept claims, computed again from what their runs measured."""

import copy
import json
import pathlib
import random
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import kept_results  # noqa: E402
import recompute  # noqa: E402

KEPT = {file.stem: json.loads(file.read_text()) for file in (ROOT / "docs" / "results").glob("*.json")}
WITH_VALUES = sorted(name for name, kept in KEPT.items() if "values" in kept)


def run_script(*files):
    return subprocess.run([sys.executable, ROOT / "scripts" / "recompute.py", *files], capture_output=True, text=True)


def test_several_results_have_values_of_their_runs():
    assert len(WITH_VALUES) >= 3


@pytest.mark.parametrize("name", WITH_VALUES)
def test_a_kept_result_gives_its_claims_again(name):
    claims, lines = recompute.differences(KEPT[name])
    assert claims and not lines


def changed_column(name, column):
    """Other numbers, in an order of this column: a rank correlation depends on the order alone."""
    if isinstance(column, list):
        return [changed_column(name, one) for one in random.Random(name).sample(column, len(column))]
    return 2 * column + 1 if isinstance(column, (int, float)) else 0


@pytest.mark.parametrize("name", WITH_VALUES)
def test_other_values_give_other_claims(name):
    changed = copy.deepcopy(KEPT[name])
    numbers = changed["values"]["numbers"]
    for column in numbers:
        numbers[column] = changed_column(column, numbers[column])
    assert recompute.differences(changed)[1]


@pytest.mark.parametrize("part", ["value", "held", "values"])
def test_the_script_fails_on_a_file_that_was_changed(tmp_path, part):
    kept = copy.deepcopy(KEPT[WITH_VALUES[0]])
    claim = kept["claims"][0]
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(kept))
    done = run_script(file)
    assert done.returncode == 0 and "claims are the same" in done.stdout, done.stdout + done.stderr
    if part == "values":
        kept["values"]["numbers"] = {name: changed_column(name, one) for name, one in kept["values"]["numbers"].items()}
    else:
        claim[part] = not claim["held"] if part == "held" else (claim["value"] or 0) + 0.01
    file.write_text(json.dumps(kept))
    done = run_script(file)
    assert done.returncode == 1 and "is kept; the runs give" in done.stdout, done.stdout + done.stderr


def test_results_without_values_are_named_and_other_files_refused(tmp_path):
    old = tmp_path / "old.json"
    old.write_text(json.dumps({"experiment": "old", "claims": []}))
    done = run_script(old)
    assert done.returncode == 0 and "No values of runs are kept of: old." in done.stdout
    old.write_text("{}")
    assert run_script(old).returncode == 2
    assert "cannot be read" in run_script(tmp_path / "none.json").stderr


# Together their claims use every function over runs and of a series that shipped claims use, but those of long trainings.
@pytest.mark.parametrize("name", ["toy-phase", "lookup", "unigram-gate", "pooling-average", "max-margin"])
def test_quick_forms_give_the_values_that_the_program_computed(name, program):
    done = program("reproduce", name, "--quick", "--quiet")
    entry = done["experiments"][0]
    kept = {"claims": [kept_results.kept_claim(claim) for claim in done["claims"]], "values": entry["values"]}
    assert len(entry["values"]["settings"]["seed"]) == len(entry["runs"])
    claims, lines = recompute.differences(kept)
    assert len(claims) == len(done["claims"]) and not lines


def runs(**columns):
    return recompute.runs_of({"settings": {"seed": [0, 1, 2, 3], "task.vocab": [20, 20, 40, 40]}, "numbers": columns})


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("median(x | task.vocab = 20)", 1.5),
        ("least(x) - most(x) / 2 * 2", -3),
        ("share(x > 1 and not y = 4)", 0.5),
        ("share(z > 0)", 0.25),
        ("count(z > 0 or x = 4)", 2),
        ("median(z)", None),
        ("median(z | x < 2)", 5),
        ("median(step_of(y < 1))", 30),
        ("deviation(x)", 1.2909944487358056),
        ("rank_correlation(x, y)", 1),
        ("rank_correlation(x, -y + 0 * x)", -1),
        ("log_slope(x, x * x)", 2),
        ("median_rank_correlation(x, y)", 1),
        ("share_low(x > 0)", 0.5101091635454035),
        ("share_high(x < 0)", 0.4898908364545965),
        ("max(mean(x), 1e1) + abs(-2) + .5", 12.5),
        ("mean(1 / 0 | kind = 'late')", float("inf")),
    ],
)
def test_an_expression_is_computed_as_its_definition_says(metric, value):
    table = runs(
        x=[1, 2, 3, 4],
        y=[1, 4, 9, 16],
        z=[5, None, None, None],
        kind="late",
        **{"step_of(y < 1)": [10, 20, 40, "infinity"]},
    )
    found = recompute.Metric(metric)(table)
    assert found != found if value is None else found == pytest.approx(value)


def test_a_text_that_is_no_expression_is_refused():
    for text in ("median(x", "x y", "median(x) +"):
        with pytest.raises(ValueError):
            recompute.Metric(text)(runs(x=[1, 2, 3, 4]))


def test_a_sentence_is_refuted_by_enough_seeds_and_with_its_control():
    def kept(values, control=1.0):
        seeds = list(range(len(values)))
        return {
            "claims": [
                {
                    "name": "sentence",
                    "claim": "",
                    "metric": "median(x)",
                    "wanted": ">= 1",
                    "value": 0,
                    "held": True,
                    "expect": "refuted",
                    "control": "can",
                },
                {
                    "name": "can",
                    "claim": "",
                    "metric": "median(can)",
                    "wanted": ">= 1",
                    "value": control,
                    "held": control >= 1,
                },
            ],
            "values": {"settings": {"seed": seeds}, "numbers": {"x": values, "can": control}},
        }

    assert recompute.differences(kept([0] * 6))[1] == []
    for other in (kept([0] * 5), kept([0] * 4 + [3] * 3), kept([0] * 6, control=0.0)):
        assert "the runs give 0, not supported" in recompute.differences(other)[1][0]
