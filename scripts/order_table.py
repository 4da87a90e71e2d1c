#!/usr/bin/env python3
"""Prints, of every system with two stages, whether knowledge or attention is first: by rank and by size, beside what the flow predicts.

    fovea reproduce toy-uniform unigram-keyword keyword-lstm copy-order birth [--full]
    scripts/order_table.py [--program build/fovea] [--all]

Knowledge by rank: AUC of β, or the share of rows whose largest β is at the true position. By size: the probability of the right answer if
all attention is on its position. Attention by rank: AUC of the weights, or the share of rows whose largest weight is on a diagonal. By
size: the weight there. Read from the runs of the store ($FOVEA_HOME), at 10, 50 and 90 % of each one's own rise; with --all at absolute
levels, too, and each share with its 95 % interval (Wilson's).
"""

import argparse
import json
import math
import statistics
import subprocess

DIAGONAL = "max(attention_points_right, max(attention_points_one_before, attention_points_one_after))"
FLOW = ("predicted_time_to_knowledge_half", "predicted_time_to_attention_half")
# experiment, condition, by rank (knowledge, attention), by size (knowledge, attention), times of the flow
SYSTEMS = [
    ("toy-uniform", "", None, ("D", "p"), ("step_of_rise(D_flow, 0.5)", "step_of_rise(p_flow, 0.5)")),
    ("unigram-keyword", "", ("beta_auc", "attention_auc"), ("knowledge", "attention_on_answer"), FLOW),
    ("keyword-lstm", "", ("beta_auc", "attention_auc"), ("knowledge", "attention_on_answer"), FLOW),
    ("keyword-blog", "", ("beta_auc", "attention_auc"), ("knowledge", "attention_on_answer"), FLOW),
    ("copy-order", "", ("beta_points_right", DIAGONAL), ("diagonal_knowledge", "diagonal_weight"), FLOW),
    (
        "birth",
        "hold = 'none'",
        ("output_recalled", "previous_token_recalled"),
        ("output_recalled_weight", "induction_l2_h1"),
        None,
    ),
]
RISES, LEVELS = (0.1, 0.5, 0.9), (0.1, 0.5, 0.9)


def steps_of(program, experiment, where, expressions):
    """Of each run the values of these expressions; infinite where a level is not reached."""
    words = [program, "runs", experiment, "--json", "--limit", "-1", "--show", *expressions]
    done = subprocess.run(words + (["--where", where] if where else []), capture_output=True, text=True)
    if done.returncode:
        return []
    runs = json.loads(done.stdout)["runs"]
    return [[math.inf if run["shown"].get(e) is None else run["shown"][e] for e in expressions] for run in runs]


def wilson(count, of):
    z, share = 1.959964, count / of
    middle, width = share + z * z / (2 * of), z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - width) / (1 + z * z / of), (middle + width) / (1 + z * z / of)


def number(step):
    return "never" if math.isinf(step) else f"{step:.4g}"


def cell(pairs, with_steps):
    """Of these (knowledge, attention) steps: how often which is first."""
    known = [pair for pair in pairs if min(pair) < math.inf]
    if not known:
        return "–"
    first = sum(attention < knowledge for knowledge, attention in known)
    ties = sum(attention == knowledge for knowledge, attention in known)
    if with_steps:
        return " / ".join(number(statistics.median(column)) for column in zip(*known))
    low, high = wilson(first, len(known))
    return f"{first} of {len(known)} ({low:.2f}–{high:.2f})" + (f", {ties} at once" if ties else "")


def rows_of(program, system):
    experiment, where, rank, size, flow = system
    questions = []
    for kind, pair in (("rank", rank), ("size", size)):
        if pair:
            questions += [
                (f"by {kind}, {share:.0%} of the rise", [f"step_of_rise({of}, {share})" for of in pair])
                for share in RISES
            ]
            if experiment != "toy-uniform":
                questions += [
                    (f"by {kind}, level {level}", [f"step_of({of} >= {level})" for of in pair]) for level in LEVELS
                ]
    if flow:
        questions.append(("predicted by the flow, half", list(flow)))
    values = steps_of(program, experiment, where, [e for _, pair in questions for e in pair])
    return [
        (what, [tuple(run[2 * i : 2 * i + 2]) for run in values]) for i, (what, _) in enumerate(questions) if values
    ]


def short(pairs):
    """Median steps of knowledge / attention, and the share of seeds in which attention is first."""
    known = [pair for pair in pairs if min(pair) < math.inf]
    if not known:
        return "–"
    medians = " / ".join(number(statistics.median(column)) for column in zip(*known))
    return f"{medians}; {sum(attention < knowledge for knowledge, attention in known)} of {len(known)}"


def print_short(program):
    print("Median step of knowledge / attention; in how many seeds attention is first.\n")
    print("| system | measure | 10 % of the rise | 50 % | 90 % | predicted, half |\n|---|---|---|---|---|---|")
    for system in SYSTEMS:
        rows = dict(rows_of(program, system))
        for kind in ("rank", "size"):
            cells = [rows.get(f"by {kind}, {share:.0%} of the rise") for share in RISES]
            if not any(cells):
                continue
            flow = rows.get("predicted by the flow, half") if kind == "size" else None
            shown = [short(cell) if cell else "–" for cell in [*cells, flow]]
            print(f"| `{system[0]}` | {kind} | {' | '.join(shown)} |")


def print_all(program):
    print("| system | question | knowledge / attention, median step | attention is first, in how many seeds |")
    print("|---|---|---|---|")
    for system in SYSTEMS:
        for i, (what, pairs) in enumerate(rows_of(program, system)):
            print(f"| {'' if i else '`' + system[0] + '`'} | {what} | {cell(pairs, True)} | {cell(pairs, False)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/fovea")
    parser.add_argument("--all", action="store_true", help="absolute levels, too, and intervals")
    words = parser.parse_args()
    (print_all if words.all else print_short)(words.program)


if __name__ == "__main__":
    main()
