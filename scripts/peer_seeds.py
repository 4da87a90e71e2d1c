"""The table of docs/reference/results-compared.md that sets the seeds of copying beside those of PyTorch."""

import math
import random

SEEDS = 20  # of each program and kind of data, beside each other


def number(value):
    if value is None:
        return "none"
    return f"{value:.4g}"


def table(heads, rows):
    return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)] + [
        "| " + " | ".join(row) + " |" for row in rows
    ]


# The tables


def quantile_step(steps, share):
    """Of steps that are None for a seed that never got there in its run: such a seed counts as later than all others.

    Between two places the mean of both is taken, and with a seed among them that never got there: never."""
    ordered = sorted(math.inf if s is None else s for s in steps)
    place = share * (len(ordered) - 1)
    return (ordered[math.floor(place)] + ordered[math.ceil(place)]) / 2


def quantile_text(steps, share):
    step = quantile_step(steps, share)
    return "never" if math.isinf(step) else number(step)


def chance_of_difference(ours, theirs, shuffles=20000):
    """How often seeds dealt out at random to two programs differ as much as these do, in the mean of their ranks.

    A seed that never got there ranks behind all others; equal steps share a rank."""
    values = [math.inf if s is None else s for s in ours + theirs]
    ordered = sorted(values)
    rank = {v: ordered.index(v) + (ordered.count(v) - 1) / 2 for v in set(values)}
    ranks, n = [rank[v] for v in values], len(ours)
    middle = sum(ranks) * n / len(ranks)
    seen = abs(sum(ranks[:n]) - middle)
    dealer, as_far = random.Random(0), 0
    for _ in range(shuffles):
        as_far += abs(sum(dealer.sample(ranks, n)) - middle) >= seen - 1e-9
    return as_far / shuffles


def peer_table(all_kept, peers):
    own = [line for kept in all_kept for line in kept.get("copying", [])]
    rows, said = [], []
    for data in ("subset", "permutation"):
        both = {
            who: [line["steps_to_90"] for line in lines if line["data"] == data]
            for who, lines in (("Fovea", own), ("PyTorch", peers))
        }
        for who, steps in both.items():
            if not steps:
                continue
            there = sorted(s for s in steps if s is not None)
            spread = f"{there[0]} to {there[-1]}" if there else "–"
            rows.append(
                [
                    data,
                    who,
                    f"{len(steps)} of {SEEDS}",
                    str(len(there)),
                    spread,
                    quantile_text(steps, 0.25),
                    quantile_text(steps, 0.5),
                ]
            )
        if all(both.values()):
            ours, peer = (quantile_step(steps, 0.5) for steps in both.values())
            if math.isinf(ours) or math.isinf(peer):
                apart = "both medians are never" if ours == peer else "only one of the medians is never"
            else:
                apart = f"the medians differ by {abs(ours / peer - 1):.0%}"
            chance = chance_of_difference(*both.values())
            said.append(
                f"On {data} {apart}; seeds dealt out at random would differ as much in {chance:.0%} of the cases."
            )
    if not rows:
        return ["Not measured yet."]
    heads = ["data", "by", "seeds", "reached 90 %", "at steps", "first quartile", "median"]
    return table(heads, rows) + [""] + said
