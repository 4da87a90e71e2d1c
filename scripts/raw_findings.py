#!/usr/bin/env python3
"""Computes findings from exported arrays of attention and β and from losses, without a probe or a metric of Fovea.

    fovea sweep copy-order --quick --set probe.every=5 --set probe.keep=140 --set 'probe.names=["attention_points_right","beta_points_right","knowledge","offsets","kept_beta"]'
    fovea export --where 'experiment = "copy-order"' -o runs.npz
    scripts/raw_findings.py runs.npz

The script needs NumPy alone. The probe `kept_beta` stores β and the positions that decide an answer. Of each run the script prints every
quantity that it computed from arrays, and its largest difference from the probe's number over all evaluations. Then it prints the number
of the finding. Probes measure fresh examples at each evaluation, and arrays are of examples that are kept, so that the two differ by
chance. 140 kept examples of copying differ by a few hundredths.

    copy-order             share of seeds whose words are right by rank before attention is
    intervene-oracle       share of rows with the largest β right after 40 steps of right attention, worst seed
    sink                   final / first weight on the first position where none is needed, worst softmax seed
    markov-icl             weight after earlier copies: share of the way from uniform weight to 1, worst run
    toy-lowloss            lowest loss before training
    linear-icl-separate    distance of the loss from the plateau that the eigenvalues give, as a share of it, median seed

Six other findings are of accuracies, which no array contains. The exit code is 1 if a quantity differs by more than 0.1.
"""

import argparse
import ast
import math
import statistics
import sys
from collections import defaultdict

import numpy as np

APART = 0.1  # more than samples of fifty examples differ by chance


class Run:
    """A run of an exported file: its settings, its series as {name: (steps, values)}, and its arrays in the same form."""

    def __init__(self, data, prefix):
        facts = {name: str(data[prefix + name]) for name in ("experiment", "seed", "spec")}
        self.experiment, self.seed = facts["experiment"], int(facts["seed"])
        self.settings = dict(line.split(" = ", 1) for line in facts["spec"].splitlines())
        self.series, self.arrays = self.tables(data, prefix, "series/"), self.tables(data, prefix, "arrays/")

    @staticmethod
    def tables(data, prefix, kind):
        begin = prefix + kind
        names = {key[len(begin) :].rsplit("/", 1)[0] for key in data.files if key.startswith(begin)}
        return {name: (data[f"{begin}{name}/steps"], data[f"{begin}{name}/values"]) for name in names}

    def first(self, array):
        return self.arrays[array][1][0]


def runs_of(file):
    data = np.load(file)
    return [Run(data, key.removesuffix("spec")) for key in data.files if key == "spec" or key.endswith("/spec")]


# Quantities, each at one evaluation. Arrays are (examples, rows, positions).


def of_copying(attention, beta, truth):
    answers = truth.sum(axis=2) > 0
    right = truth.argmax(axis=2)[answers]
    alpha, beta = attention[answers].astype(float), beta[answers].astype(float)
    row, positions = np.arange(len(right)), alpha.shape[1]

    def beside(offset):
        inside = (right + offset >= 0) & (right + offset < positions)
        return row[inside], right[inside] + offset

    points = [np.mean(alpha.argmax(axis=1)[rows] == at) for rows, at in map(beside, (-1, 0, 1))]
    return {
        "attention_points_one_before": points[0],
        "attention_points_right": points[1],
        "attention_points_one_after": points[2],
        "beta_points_right": np.mean(beta.argmax(axis=1) == right),
        "knowledge": np.exp(beta[row, right]).mean(),
        "diagonal_knowledge": max(np.exp(beta[beside(offset)]).mean() for offset in (-1, 0, 1)),
        "diagonal_weight": max(alpha[beside(offset)].mean() for offset in (-1, 0, 1)),
    }


def of_head(attention, source, target, needed):
    """Shares of the weight that rows with a target, but the first, have up to themselves."""
    sums = defaultdict(list)
    for weights, tokens, answers, right in zip(np.abs(attention.astype(float)), source, target, needed):
        for i in range(1, len(tokens)):
            if answers[i] < 0:
                continue
            row = weights[i, : i + 1]
            row = row / row.sum() if row.sum() > 0 else row
            after_copies = np.flatnonzero(tokens[:i] == tokens[i]) + 1
            sums["weight_on_previous"].append(row[i - 1])
            sums["weight_on_first"].append(row[0])
            if len(after_copies):
                sums["induction"].append(row[after_copies].sum())
                sums["induction_chance"].append(len(after_copies) / (i + 1))
            if right[i].any():
                sums["weight_on_needed"].append(row[right[i, : i + 1] > 0].sum())
            else:
                sums["weight_on_first_unneeded"].append(row[0])
    if "weight_on_needed" not in sums:  # of tasks that do not name the needed positions
        del sums["weight_on_first_unneeded"]
    return {name: np.mean(values) for name, values in sums.items()}


def of_streams(run, at):
    """The largest mean of all heads, as models with one head have it."""
    heads = sorted(name for name in run.arrays if name.startswith("attention.layer.")) or ["attention"]
    source, target = run.first("attention_source"), run.first("attention_target")
    truth = run.first("attention_truth") if "attention_truth" in run.arrays else np.zeros(run.first("attention").shape)
    found = [of_head(run.arrays[head][1][at], source, target, truth) for head in heads]
    return {name: max(one[name] for one in found) for name in found[0]}


def quantities_of(run):
    """{name: (steps, values)} from the run's arrays."""
    if "attention" not in run.arrays:
        return {}
    steps, attention = run.arrays["attention"]
    if "attention_beta" in run.arrays:
        beta, truth = run.arrays["attention_beta"][1], run.first("attention_truth")
        rows = [of_copying(alpha, one, truth) for alpha, one in zip(attention, beta)]
    else:
        rows = [of_streams(run, at) for at in range(len(steps))]
    return {name: (steps, np.array([row[name] for row in rows])) for name in rows[0]}


def largest_difference(mine, probe):
    """Over the steps that both have."""
    both = [(a, b) for a, b in ((np.flatnonzero(mine[0] == step), i) for i, step in enumerate(probe[0])) if len(a)]
    return max((abs(float(mine[1][a[0]]) - float(probe[1][b])) for a, b in both), default=math.nan)


# Findings


def first_step(series, level):
    reached = np.flatnonzero(series[1] >= level)
    return series[0][reached[0]] if len(reached) else math.inf


def at(series, step):
    return series[1][series[0] <= step][-1]


def words_first(runs):
    shares = []
    for _, found in runs:
        names = ("attention_points_one_before", "attention_points_right", "attention_points_one_after")
        diagonal = (found[names[0]][0], np.max([found[name][1] for name in names], axis=0))
        shares.append(first_step(found["beta_points_right"], 0.5) < first_step(diagonal, 0.5) < math.inf)
    return np.mean(shares)


def words_if_shown(runs):
    return min(at(found["beta_points_right"], 40) for run, found in runs if '"truth"' in run.settings["intervene"])


def sink_growth(runs):
    weights = [
        found["weight_on_first_unneeded"][1] for run, found in runs if run.settings["model.attention"] == '"softmax"'
    ]
    return min(one[-1] / one[0] for one in weights)


def induction_share(runs):
    shares = [(found["induction"][1][-1], found["induction_chance"][1][0]) for _, found in runs]
    return min((weight - chance) / (1 - chance) for weight, chance in shares)


def lowest_loss(runs):
    return min(at(run.series["loss"], 0) for run, _ in runs)


def plateau_distance(runs):
    """Between the first two drops, of the loss after one eigenvalue is learned."""
    distances = []
    for run, _ in runs:
        eigenvalues = sorted(ast.literal_eval(run.settings["task.eigenvalues"]), reverse=True)
        pairs, trace, (steps, loss) = int(run.settings["task.pairs"]), sum(eigenvalues), run.series["loss"]
        falls = [one / (1 + (1 + trace / one) / pairs) for one in eigenvalues]
        plateaus = [trace - sum(falls[:m]) for m in range(3)]
        drops = [steps[np.flatnonzero(loss < (a + b) / 2)[0]] for a, b in zip(plateaus, plateaus[1:])]
        between = [drops[0] + part * (drops[1] - drops[0]) for part in (0.25, 0.75)]
        distances.append(max(abs(at((steps, loss), step) / plateaus[1] - 1) for step in between))
    return statistics.median(distances)


FINDINGS = {
    "copy-order": words_first,
    "intervene-oracle": words_if_shown,
    "sink": sink_growth,
    "markov-icl": induction_share,
    "toy-lowloss": lowest_loss,
    "linear-icl-separate": plateau_distance,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE.npz", help="what fovea export wrote")
    apart, by_experiment = False, defaultdict(list)
    for file in parser.parse_args().files:
        for run in runs_of(file):
            found = quantities_of(run)
            by_experiment[run.experiment].append((run, found))
            for name in sorted(found.keys() & run.series.keys()):
                difference = largest_difference(found[name], run.series[name])
                apart = apart or not difference <= APART
                print(f"{run.experiment}, seed {run.seed}: {name} differs by at most {difference:.4f}")
    for experiment, runs in by_experiment.items():
        if experiment in FINDINGS:
            print(f"{experiment}: {FINDINGS[experiment](runs):.9g} from {len(runs)} runs")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
