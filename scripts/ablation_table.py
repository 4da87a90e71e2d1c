#!/usr/bin/env python3
"""Prints, of each setting of copy-ablations, how many seeds are late: below 90 % accuracy after 200 and after 2 000 steps.

    fovea sweep copy-ablations --full
    for change in model.hidden=32 model.hidden=128 model.layers=2 train.rate=2e-3 train.rate=8e-3 train.start=0; do
      fovea sweep copy-ablations --full --set sweep.model.biases=true --set $change
    done
    scripts/ablation_table.py [--program build/fovea]

Read from the runs of the store ($FOVEA_HOME). In brackets the share's 95 % interval (Wilson's). Subsets are the
control: the last column is their median step.
"""

import argparse
import math

from order_table import steps_of, wilson

# A change of the usual setting, as a condition on runs; the seed of the start is of the start's weights alone.
SETTINGS = {
    "as it is": "",
    "no biases": "model.biases = false",
    "width 32": "model.hidden = 32",
    "width 128": "model.hidden = 128",
    "two layers": "model.layers = 2",
    "rate 0.002": "train.rate = 0.002",
    "rate 0.008": "train.rate = 0.008",
    "one start for all seeds": "train.start = 0",
}
USUAL = ["model.biases = true", "model.hidden = 64", "model.layers = 1", "train.rate = 0.004", "train.start = seed"]


def share(times, limit):
    late = sum(not time <= limit for time in times)
    low, high = wilson(late, len(times))
    return f"{late} of {len(times)} ({low:.2f}–{high:.2f})"


def median(times):
    if not times:
        return "–"
    middle = sorted(times)[len(times) // 2]
    return "never" if math.isinf(middle) else f"{middle:.0f}"


def condition(change):
    """Of runs with this change and all else as usual."""
    key = change.split(" ")[0]
    rest = [one for one in USUAL if one.split(" ")[0] != key]
    return " and ".join(([change] if change else []) + rest)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/fovea")
    words = parser.parse_args()
    print("| change | late at 200 steps | late at 2 000 steps | median step to 90 % | of subsets |")
    print("|---|---|---|---|---|")
    for name, change in SETTINGS.items():
        times = {}
        for vocab in (20, 30):
            where = f"{condition(change)} and task.vocab = {vocab} and train.steps = 2000 and state = 'done'"
            runs = steps_of(words.program, "copy-ablations", where, ["step_of(accuracy >= 0.9)"])
            times[vocab] = [time for (time,) in runs]
        if times[20]:
            print(
                f"| {name} | {share(times[20], 200)} | {share(times[20], 2000)} | {median(times[20])} | {median(times[30])} |"
            )


if __name__ == "__main__":
    main()
