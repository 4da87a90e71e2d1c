#!/usr/bin/env python3
"""Prints, for experiments, how far the first updates by PyTorch are from those of the engine.

    scripts/replication_table.py [EXPERIMENT …] [--updates 20]

Without names: every experiment. The first run of each quick form is trained twice, and evaluated after each update. Differences are relative to
the largest value of the series. Needs the Python package and PyTorch.
"""

from __future__ import annotations

import argparse

import numpy as np

import fovea


def largest_difference(ours: fovea.Run, theirs: fovea.Run) -> tuple[float, str]:
    """The largest over all series that both have, and its name."""
    worst = (0.0, "")
    for name in ours.series:
        a, b = ours.series[name], theirs.series[name]
        size = np.nanmax(np.abs(a), initial=0)
        if size > 0:
            worst = max(worst, (float(np.nanmax(np.abs(a - b), initial=0) / size), name))
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*")
    parser.add_argument("--updates", type=int, default=20)
    words = parser.parse_args()
    print("| experiment | train_loss | largest of all series | which |\n|---|---:|---:|---|")
    for name in words.experiments or [one["name"] for one in fovea.describe("experiments")]:
        settings = {"quick": True, "steps": words.updates, "every": 1, "keep": False, "progress": False}
        try:
            ours, theirs = fovea.run(name, **settings), fovea.run(name, engine="torch", **settings)
        except fovea.WrongInput as refusal:
            print(f"| {name} | refused: {refusal} | | |")
            continue
        a, b = ours.series["train_loss"], theirs.series["train_loss"]
        loss = np.nanmax(np.abs(a - b) / np.abs(a), initial=0)
        worst, which = largest_difference(ours, theirs)
        print(f"| {name} | {loss:.1e} | {worst:.1e} | {which} |", flush=True)


if __name__ == "__main__":
    main()
