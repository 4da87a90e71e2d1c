#!/usr/bin/env python3
"""Compares experiments trained by PyTorch with the same experiments trained by the engine, in their quick form.

    scripts/replication_table.py toy-uniform sink   these experiments: adds them to docs/results/replication.jsonl
    scripts/replication_table.py --all              every experiment
    scripts/replication_table.py --table            prints the summary of what is kept

Of each experiment it keeps the verdicts and values of its claims, the largest difference of a series over the first updates, and whether
the means over seeds agree. Runs in the store are not trained again. Needs the Python package and PyTorch. FOVEA_PROGRAM names the program.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
import warnings
from typing import Any

import fingerprints
import numpy as np
from experiment_claims import key_of

import fovea

KEPT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results" / "replication.jsonl"
ROUNDING = 1e-4  # a relative difference of means that is of rounding, whatever its interval is


def first_updates(name: str, updates: int) -> dict[str, Any]:
    """Return the largest differences over the first updates, of train_loss and of all series, relative to the largest value of the series."""
    warnings.filterwarnings("ignore", ".* is a sweep", UserWarning)  # its first values are meant
    settings = {"quick": True, "steps": updates, "every": 1, "keep": False, "progress": False}
    ours, theirs = fovea.run(name, **settings), fovea.run(name, engine="torch", **settings)
    worst = (0.0, "")
    for series, a in ours.series.items():
        if (size := np.nanmax(np.abs(a), initial=0)) > 0:
            worst = max(worst, (float(np.nanmax(np.abs(theirs.series[series] - a), initial=0) / size), series))
    a, b = ours.series["train_loss"], theirs.series["train_loss"]
    loss = float(np.nanmax(np.abs(b - a)) / (np.nanmax(np.abs(a)) or 1))
    return {"updates": updates, "train_loss": loss, "largest": worst[0], "series": worst[1]}


def over_seeds(ours: list[int], theirs: list[int]) -> dict[str, Any]:
    """Return how many last values of metrics have a mean over runs that both engines agree on, and the names of the others.

    The 95 % interval of the paired differences has 0, or the means differ by rounding.
    """
    runs = {run.id: run for run in fovea.store().runs(f"id >= {min(ours + theirs)} and id <= {max(ours + theirs)}")}
    compared = fovea.compare([runs[one] for one in ours], [runs[one] for one in theirs]).metrics
    apart = [
        name
        for name, one in compared.items()
        if one["low"] is not None
        and not one["low"] <= 0 <= one["high"]
        and abs(one["difference"]) > ROUNDING * max(abs(one["mean_a"]), abs(one["mean_b"]))
    ]
    return {"metrics": len(compared), "apart": sorted(apart)}


def replicated(name: str, updates: int) -> dict[str, Any]:
    ours, theirs = (fingerprints.reproduced(name, settings, None) for settings in ([], ["train.engine=torch"]))
    runs = [[one for entry in done["experiments"] for one in entry["runs"]] for done in (ours, theirs)]
    claims = [
        {"claim": key_of(a), "wanted": a["wanted"], "engine": [a["value"], a["held"]], "torch": [b["value"], b["held"]]}
        for a, b in zip(ours["claims"], theirs["claims"])
    ]
    found = {"experiment": name, "runs": len(runs[0]), "claims": claims, "first": first_updates(name, updates)}
    return found | ({"seeds": over_seeds(*runs)} if len(runs[0]) > 1 else {})


def difference(claim: dict[str, Any]) -> float | None:
    """Return the difference of a claim's values, relative to the larger one."""
    a, b = claim["engine"][0], claim["torch"][0]
    return None if a is None or b is None else abs(a - b) / (max(abs(a), abs(b)) or 1)


def summary(kept: list[dict[str, Any]]) -> str:
    claims = [(entry["experiment"], one) for entry in kept for one in entry["claims"]]
    differ = [(name, one) for name, one in claims if one["engine"][1] != one["torch"][1]]
    values = [one for _, claim in claims if (one := difference(claim)) is not None]
    losses = [entry["first"]["train_loss"] for entry in kept]
    largest = max(kept, key=lambda entry: entry["first"]["largest"])
    seeds = [entry["seeds"] for entry in kept if "seeds" in entry]
    metrics, apart = sum(one["metrics"] for one in seeds), sum(len(one["apart"]) for one in seeds)
    rows = [
        ("experiments", len(kept)),
        ("claims", len(claims)),
        ("claims with the same verdict", len(claims) - len(differ)),
        ("claims with the same value to 1 in 1000", sum(one <= 1e-3 for one in values)),
        ("`train_loss` of the first updates: median difference", f"{statistics.median(losses):.1e}"),
        ("`train_loss` of the first updates: largest difference", f"{max(losses):.1e}"),
        (
            f"largest difference of a series (`{largest['first']['series']}` of {largest['experiment']})",
            f"{largest['first']['largest']:.1e}",
        ),
        ("means over runs compared", metrics),
        ("means over runs that agree", metrics - apart),
    ]
    lines = ["| by both engines | |", "|---|---:|", *(f"| {name} | {value} |" for name, value in rows)]
    if differ:
        lines += ["", "| experiment | claim | threshold | engine | torch |", "|---|---|---|---:|---:|"]
        lines += [
            f"| {name} | {one['claim']} | {one['wanted']} | {one['engine'][0]:.4g} | {one['torch'][0]:.4g} |"
            for name, one in differ
        ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*")
    parser.add_argument("--all", action="store_true", help="every experiment")
    parser.add_argument("--table", action="store_true", help="print the summary of what is kept")
    parser.add_argument("--updates", type=int, default=20)
    words = parser.parse_args()
    kept = {}
    if KEPT.exists():
        kept = {(entry := json.loads(line))["experiment"]: entry for line in KEPT.read_text().splitlines()}
    for name in [one["name"] for one in fovea.describe("experiments")] if words.all else words.experiments:
        try:
            kept[name] = replicated(name, words.updates)
        except fovea.WrongInput as refusal:
            sys.exit(f"{name}: {refusal}")
        print(summary([kept[name]]), flush=True)
        KEPT.write_text("".join(json.dumps(kept[one], ensure_ascii=False) + "\n" for one in sorted(kept)))
    if words.table:
        print(summary(list(kept.values())))


if __name__ == "__main__":
    main()
