"""What is kept of an experiment's full form in docs/results/: its claims, runs, machines, and a fingerprint of its numbers.

For scripts/results_page.py, which writes the tables of results in docs/reference from these files.
"""

import csv
import functools
import json
import math
import pathlib
import tempfile

import fingerprints
import recompute
import tomllib
from experiment_claims import expanded
from ledger import settings_of

KEPT_OF_CLAIM = ("name", "claim", "metric", "value", "wanted", "held", "control")
HERE = pathlib.Path(__file__).resolve().parent.parent
KEPT = HERE / "docs" / "results"


def kept_of(entry, claims, changes, by_id, reached):
    """An experiment's claims, what was set beside its file (words of --set), and of its runs what the page tells."""
    own = [by_id[i] for i in entry["runs"] if i in by_id]
    if len(own) < len(entry["runs"]):
        raise SystemExit(
            f"{entry['experiment']} has {len(entry['runs'])} runs, and --runs names {len(own)} of them: print it with --limit -1"
        )
    steps = [run["steps"] for run in own]
    kept = {
        "experiment": entry["experiment"],
        "claims": [kept_claim(claim) for claim in claims],
        "runs": len(own),
        "seeds": sorted({run["seed"] for run in own}),
        "steps": [min(steps), max(steps)],
        "seconds": round(sum(run["seconds"] for run in own), 1),
        "machines": sorted({run["machine"] for run in own}),
        "versions": sorted({run["version"] for run in own}),
        "spec": settings_of(tomllib.loads((HERE / "experiments" / f"{entry['experiment']}.toml").read_text())),
    }
    corpora = {run["settings"]["task"].get("corpus") for run in own} - {None, ""}
    if corpora:
        kept["corpus"] = corpora.pop()
        if changes := [words for words in changes if not words.startswith("task.corpus=")]:
            kept["set"] = changes
    if measures := entry.get("measures"):
        kept["measures"] = {key: value for key, value in measures.items() if key != "runs"} | {
            "runs": len(measures["runs"])
        }
    with tempfile.TemporaryDirectory(prefix="fovea-fingerprints-") as home:
        kept["fingerprint"] = fingerprints.fingerprint_of(
            entry["experiment"], fingerprints.first_break(entry["experiment"]), home
        )
    kept["values"] = {
        "settings": {name: [short(one) for one in column] for name, column in entry["values"]["settings"].items()},
        "numbers": {
            name: one_if_equal(list(map(short, column))) for name, column in entry["values"]["numbers"].items()
        },
    }
    if lines := recompute.differences(kept)[1]:
        raise SystemExit(f"{entry['experiment']}: its values of runs give other claims:\n" + "\n".join(lines))
    if reached is not None:
        kept["copying"] = [line for run in own for line in copying_line(run, reached)]
    return kept


def kept_claim(claim):
    """With what scripts/recompute.py needs to compute it again: its metric and filter, without names of definitions."""
    kept = {key: claim[key] for key in KEPT_OF_CLAIM if claim.get(key, "") != ""}
    if "where" in claim:
        kept["where"] = expanded(claim["where"], claim["define"])
    if claim.get("expect") == "refuted":
        kept["expect"] = "refuted"
    return kept


def short(value):
    return float(f"{value:.9g}") if isinstance(value, float) else value


def one_if_equal(column):
    return column if column[1:] != column[:-1] else column[0]


def first_steps(series, level):
    """Of each run's accuracy: the first step at which it is at least `level`."""
    reached = {}
    with open(series, newline="") as lines:
        for row in csv.DictReader(lines):
            if row["metric"] == "accuracy" and float(row["value"]) >= level:
                step = int(row["step"])
                reached[int(row["run"])] = min(step, reached.get(int(row["run"]), step))
    return reached


def copying_line(run, reached):
    """Of a run that has the settings of the peer's program: a line like those that it prints. The peer trains for 200 steps."""
    task, model, train = (run["settings"][part] for part in ("task", "model", "train"))
    data = {60: "subset", 40: "permutation"}.get(task["vocab"])
    if data and (task["length"], model["hidden"], train["batch"]) == (40, 256, 128) and train["steps"] >= 200:
        step = reached.get(run["run"], math.inf)
        yield {"data": data, "seed": run["seed"], "steps_to_90": step if step <= 200 else None}


def kept_text(kept):
    """As JSON with a line for each claim and each column, so that what changed can be seen."""

    def columns(table):
        return "{\n   " + ",\n   ".join(f"{json.dumps(key)}: {json.dumps(one)}" for key, one in table.items()) + "\n  }"

    def value(what):
        if isinstance(what, list) and what and isinstance(what[0], dict):
            return "[\n  " + ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in what) + "\n ]"
        if isinstance(what, dict) and all(isinstance(one, dict) for one in what.values()):
            return "{\n  " + ",\n  ".join(f'"{key}": {columns(one)}' for key, one in what.items()) + "\n }"
        return json.dumps(what, ensure_ascii=False)

    return "{\n " + ",\n ".join(f'"{key}": {value(what)}' for key, what in kept.items()) + "\n}\n"


def keep(full, runs, series):
    by_id = {run["run"]: run for run in runs["runs"]}
    reached = first_steps(series, 0.9) if series else None
    KEPT.mkdir(exist_ok=True)
    for entry in full["experiments"]:
        kept = kept_of(
            entry, [c for c in full["claims"] if c["experiment"] == entry["experiment"]], full["set"], by_id, reached
        )
        name = "-".join(filter(None, [kept["experiment"], kept.get("corpus")]))
        (KEPT / f"{name}.json").write_text(kept_text(kept))


def read_kept():
    """All kept results, by file. A claim that was kept without its name has the name and the metric of earlier.toml."""
    all_kept = [json.loads(file.read_text()) for file in sorted(KEPT.glob("*.json"))]
    for kept in all_kept:
        kept["claims"] = [named(kept["experiment"], claim) for claim in kept["claims"]]
    return all_kept


def named(experiment, claim):
    earlier = None if "name" in claim else find_earlier(experiment, claim)
    return {"name": earlier["name"], "metric": earlier["metric"]} | claim if earlier else claim


@functools.cache
def earlier_claims():
    return tomllib.loads((KEPT / "earlier.toml").read_text())["claim"]


def find_earlier(experiment, kept):
    starts = lambda one: one["experiment"] == experiment and kept["claim"].startswith(one["begins"])
    return next(filter(starts, earlier_claims()), None)


def earlier_claim(experiment, kept):
    """Name and title of a kept claim that its experiment no longer has in this form."""
    if one := find_earlier(experiment, kept):
        return one
    raise SystemExit(f"docs/results/earlier.toml has no name for this claim of {experiment}: {kept['claim']}")


def bounds_of(text):
    """The least and the most value that a kept result's threshold allows, such as ">= 2" and "-0.4 to 0.4"."""
    if text[:2] in (">=", "<="):
        bound = float(text[2:])
        return (bound, math.inf) if text[0] == ">" else (-math.inf, bound)
    least, _, most = text.partition(" to ")
    return (float(least), float(most)) if most else None


def answers(kept, claim):
    """Whether a kept result is of the claim as it is today: with its threshold, and with its metric if one is kept."""
    today = claim.get("at_least", -math.inf), claim.get("at_most", math.inf)
    kept_bounds = bounds_of(kept["wanted"])
    if not kept_bounds or not all(map(math.isclose, kept_bounds, today)):
        return False
    return kept.get("metric", claim["metric"]) == claim["metric"]


def duration(seconds):
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def name_of(kept):
    return kept["experiment"] + (f" on {kept['corpus']}" if "corpus" in kept else "")
