#!/usr/bin/env python3
"""Writes the tables of docs/results.md from what the program printed.

    fovea reproduce --all --full --json > full.json              (or one file for each experiment)
    fovea list experiments --json > list.json
    fovea runs --json --limit -1 > runs.json
    fovea export --all --format csv -o series.csv
    python3 bench/peers/pytorch_seq2seq.py --data subset > subset.jsonl        (and permutation)
    scripts/results_page.py full.json --list list.json --runs runs.json --series series.csv \\
        --peer subset.jsonl --peer permutation.jsonl

Each table stands between its two marks (<!-- NAME --> and <!-- end of NAME -->); everything else on the page is written
by hand and stays as it is. With --print the tables are printed and the page stays as it is; what is not given is left out.
"""

import argparse
import csv
import json
import math
import pathlib
import random
import re


SEEDS = 20  # of each program and kind of data, beside each other


def number(value):
    if value is None:
        return "none"
    return f"{value:.4g}"


def duration(seconds):
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def seeds_text(seeds):
    """0..4 where they follow each other, else all of them."""
    seeds = sorted(set(seeds))
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]}..{seeds[-1]}"
    return ", ".join(str(s) for s in seeds)


def table(heads, rows):
    return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)] + ["| " + " | ".join(row) + " |" for row in rows]


def claims_table(full):
    held = sum(c["held"] for c in full["claims"])
    rows = []
    for claim in full["claims"]:
        verdict = "held" if claim["held"] else "**not held**"
        rows.append([claim["experiment"], claim["claim"].replace("|", "\\|"), number(claim["value"]), claim["wanted"], verdict])
    heads = ["experiment", "claim", "value", "wanted", "verdict"]
    return [f"{held} of {len(full['claims'])} claims held.", ""] + table(heads, rows)


def runs_table(full, runs):
    by_id = {run["run"]: run for run in runs["runs"]}
    rows, machines, versions = [], set(), set()
    for entry in full["experiments"]:
        own = [by_id[i] for i in entry["runs"] if i in by_id]
        if not own:
            continue
        steps = sorted({run["steps"] for run in own})
        spread = str(steps[0]) if len(steps) == 1 else f"{steps[0]} to {steps[-1]}"
        time = duration(sum(run["seconds"] for run in own))
        rows.append([entry["experiment"], str(len(own)), seeds_text(run["seed"] for run in own), spread, time])
        machines |= {run["machine"] for run in own}
        versions |= {run["version"] for run in own}
    heads = ["experiment", "runs", "seeds", "steps each", "time of all runs"]
    return table(heads, rows) + ["", f"Machine: {'; '.join(sorted(machines))}. Version: {', '.join(sorted(versions))}."]


def missing_line(full, known):
    done = {entry["experiment"] for entry in full["experiments"]}
    missing = [entry["name"] for entry in known["experiments"] if entry["name"] not in done]
    if not missing:
        return ["The full form of every experiment has been run."]
    return [f"The full form of these has not been run yet: {', '.join(f'`{name}`' for name in missing)}."]


def agreement_tables(full, runs):
    """Of each corpus that was measured: how attention agrees with what words alone say."""
    by_id = {run["run"]: run for run in runs["runs"]}
    lines = []
    for entry in full["experiments"]:
        measures = entry.get("measures")
        if not measures:
            continue
        own = [by_id[run["run"]] for run in measures["runs"] if run["run"] in by_id]
        corpus = own[0]["settings"]["task"].get("corpus", "") if own else ""
        name = "BLEU" if measures["performance"] == "bleu" else "accuracy"
        rows = []
        for row in measures["agreement"]:
            agreement, chance = ("{:.3f} [{:.3f}, {:.3f}]".format(*row[key]) for key in ("agreement", "chance"))
            most = "{agreement:.3f} at {step}".format(**row["most"]) if "most" in row else ""
            reach = row.get("xi")
            xi = "" if not reach else "never" if reach["step"] < 0 else "{performance:.3f} at {step}".format(**reach)
            rows.append([row["a"], row["b"], agreement, chance, "yes" if row["clear"] else "**no**",
                         number(row["tau"][0]), number(row["rho"][0]), most, xi])
        heads = ["a", "b", "𝒜(a, b)", "by chance", "clear", "τ-b", "ρ", "most", "ξ(b)"]
        lines += [f"### {entry['experiment']} on {corpus}", "",
                  f"{measures['examples']} examples, {measures['rows']} rows; best {name} of the reference run {measures['best']:.4g} at step "
                  f"{measures['best_step']}; {len(own)} runs in {duration(sum(run['seconds'] for run in own))}. "
                  f"`fovea reproduce {entry['experiment']} --full --set task.corpus={corpus}`", ""]
        lines += table(heads, rows) + [""]
    return lines[:-1] or ["Not measured yet."]


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


def first_steps(series, level):
    """Of each run's accuracy: the first step at which it is at least `level`."""
    reached = {}
    with open(series, newline="") as lines:
        for row in csv.DictReader(lines):
            if row["metric"] == "accuracy" and float(row["value"]) >= level:
                step = int(row["step"])
                reached[int(row["run"])] = min(step, reached.get(int(row["run"]), step))
    return reached


def fovea_steps(runs, reached):
    """By the kind of data, of every finished run that has the settings of the peer's program: seed -> step or None."""
    steps = {"subset": {}, "permutation": {}}
    for run in runs["runs"]:
        if run["experiment"] not in ("copy-subset", "copy-permutation") or run["state"] != "done":
            continue
        task, model, train = (run["settings"][part] for part in ("task", "model", "train"))
        data = {60: "subset", 40: "permutation"}.get(task["vocab"])
        if data and (task["length"], model["hidden"], train["batch"], train["steps"]) == (40, 256, 128, 200):
            steps[data][run["seed"]] = reached.get(run["run"])
    return steps


def peer_table(runs, series, peers):
    own = fovea_steps(runs, first_steps(series, 0.9))
    rows, said = [], []
    for data in ("subset", "permutation"):
        theirs = {row["seed"]: row["steps_to_90"] for row in peers if row["data"] == data}
        both = {"Fovea": list(own[data].values()), "PyTorch": list(theirs.values())}
        for who, steps in both.items():
            if not steps:
                continue
            there = sorted(s for s in steps if s is not None)
            spread = f"{there[0]} to {there[-1]}" if there else "–"
            rows.append([data, who, f"{len(steps)} of {SEEDS}", str(len(there)), spread, quantile_text(steps, 0.25), quantile_text(steps, 0.5)])
        if all(both.values()):
            ours, peer = (quantile_step(steps, 0.5) for steps in both.values())
            if math.isinf(ours) or math.isinf(peer):
                apart = "both medians are never" if ours == peer else "only one of the medians is never"
            else:
                apart = f"the medians differ by {abs(ours / peer - 1):.0%}"
            chance = chance_of_difference(*both.values())
            said.append(f"On {data} {apart}; seeds dealt out at random would differ as much in {chance:.0%} of the cases.")
    if not rows:
        return ["Not measured yet."]
    heads = ["data", "by", "seeds", "reached 90 %", "at steps", "first quartile", "median"]
    return table(heads, rows) + [""] + said


def put(page, name, lines):
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.S)
    if not marks.search(page):
        raise SystemExit(f"docs/results.md has no place for '{name}': write <!-- {name} --> and <!-- end of {name} -->, each on a line")
    return marks.sub(lambda m: m[1] + "\n".join(lines) + "\n" + m[2], page)


def read(name):
    try:
        return pathlib.Path(name).read_text()
    except OSError as error:
        raise SystemExit(f"{name} can not be read: {error.strerror}")


def read_json(name):
    try:
        return json.loads(read(name))
    except json.JSONDecodeError as error:
        raise SystemExit(f"{name}:{error.lineno}:{error.colno}: this is not JSON ({error.msg}); print it with --json")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("full", nargs="*", help="what fovea reproduce --full --json printed")
    parser.add_argument("--list", help="what fovea list experiments --json printed")
    parser.add_argument("--runs", required=True, help="what fovea runs --json --limit -1 printed")
    parser.add_argument("--series", help="what fovea export --all --format csv wrote")
    parser.add_argument("--peer", action="append", default=[], help="lines that bench/peers/pytorch_seq2seq.py printed")
    parser.add_argument("--print", action="store_true", dest="show", help="print the tables, and leave the page as it is")
    words = parser.parse_args()
    runs = read_json(words.runs)
    full = {"experiments": [], "claims": []}
    for part in map(read_json, words.full):
        full["experiments"] += part["experiments"]
        full["claims"] += part["claims"]
    tables = {}
    if words.list:
        known = read_json(words.list)
        order = {entry["name"]: i for i, entry in enumerate(known["experiments"])}
        for part in full.values():
            part.sort(key=lambda entry: order.get(entry["experiment"], len(order)))
        tables["missing"] = missing_line(full, known)
    if words.full:
        tables["claims"] = claims_table(full)
        tables["runs"] = runs_table(full, runs)
        tables["agreement"] = agreement_tables(full, runs)
    if words.series:
        peers = [json.loads(line) for name in words.peer for line in read(name).splitlines() if line]
        tables["peer"] = peer_table(runs, words.series, peers)
    if words.show:
        for name, lines in tables.items():
            print(f"{name}\n\n" + "\n".join(lines) + "\n")
        return
    place = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results.md"
    page = place.read_text()
    for name, lines in tables.items():
        page = put(page, name, lines)
    place.write_text(page)


if __name__ == "__main__":
    main()
