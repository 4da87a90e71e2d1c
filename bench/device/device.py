#!/usr/bin/env python3
"""Times the engine, and PyTorch on the processor and on a device, over a fixed list of trainings, and prints a table.

    python3 bench/device/device.py [--minutes 10]

Needs the Python package and PyTorch. Each training gets an equal part of the minutes. A rate is updates in a second of all seeds, without the
start of each run.
"""

from __future__ import annotations

import argparse
import tempfile
import time

import torch

import fovea

# name, experiment, settings, seeds
TRAININGS = [
    ("copying, 20 seeds", "copy-subset", {"quick": True}, 20),
    ("mws", "mws", {"quick": True}, 1),
    ("markov-icl", "markov-icl", {"quick": True}, 1),
    ("language", "language", {"quick": True}, 1),
]
WAYS = [
    ("engine", {}),
    ("torch, cpu", {"engine": "torch", "device": "cpu"}),
    ("torch, cuda", {"engine": "torch", "device": "cuda"}),
]
FIRST = 10  # updates of the run that measures how long one takes


def seconds(experiment: str, settings: dict, seeds: int, steps: int, store: str) -> float:
    begin = time.perf_counter()
    fovea.sweep(
        experiment, seeds=range(seeds), steps=steps, store=store, names=[], retrain=True, progress=False, **settings
    )
    return time.perf_counter() - begin


def rate(experiment: str, settings: dict, seeds: int, budget: float, store: str) -> float:
    """Updates in a second: of the difference between a long and a short sweep, so that starts do not count."""
    short = seconds(experiment, settings, seeds, FIRST, store)
    steps = FIRST + max(FIRST, int(FIRST * (budget - short) / (2 * short)))
    return seeds * (steps - FIRST) / max(1e-9, seconds(experiment, settings, seeds, steps, store) - short)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    minutes = parser.parse_args().minutes
    ways = [way for way in WAYS if way[1].get("device") != "cuda" or torch.cuda.is_available()]
    if len(ways) < len(WAYS):
        print("PyTorch finds no device 'cuda' here; its column is left out.\n")
    budget = 0.8 * 60 * minutes / len(TRAININGS) / len(ways)
    print("| training, updates/s | " + " | ".join(name for name, _ in ways) + " |\n|---|" + "---:|" * len(ways))
    with tempfile.TemporaryDirectory() as folder:
        for name, experiment, settings, seeds in TRAININGS:
            rates = [rate(experiment, {**settings, **way}, seeds, budget, f"{folder}/store.db") for _, way in ways]
            print(f"| {name} | " + " | ".join(f"{one:.3g}" for one in rates) + " |", flush=True)


if __name__ == "__main__":
    main()
