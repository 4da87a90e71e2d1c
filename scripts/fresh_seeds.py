#!/usr/bin/env python3
"""Reproduces quick forms on seeds that their claims were not stated on, and counts how often each claim fails.

    scripts/fresh_seeds.py --block 3               every experiment on block 3 of the seeds, about four minutes
    scripts/fresh_seeds.py --block 3 sink mws      these experiments
    scripts/fresh_seeds.py --block 0 --fifth       every fifth experiment, as ./test --all does
    scripts/fresh_seeds.py --block 3 --keep        adds the block to docs/results/fresh_seeds.jsonl
    scripts/fresh_seeds.py --check                 compares the kept blocks with the stated rates

Block n of an experiment that trains k seeds is seeds 10000 + n k to 10000 + n k + k - 1. Experiments without seeds are left out.
tests/claims/fresh_rates.toml states the rate at which a claim may fail. The script exits with 1 if a claim, or all claims together, failed
so often that the stated rate gives that a probability below 0.001. FOVEA_PROGRAM names the program (default: build/fovea).
"""

import argparse
import json
import math
import pathlib
import sys
import tempfile

import fingerprints
import tomllib
from experiment_claims import key_of, read_experiment
from peer_seeds import table

HERE = pathlib.Path(__file__).resolve().parent.parent
KEPT = HERE / "docs" / "results" / "fresh_seeds.jsonl"
EARLIER = (
    HERE / "docs" / "results" / "fresh_seeds_earlier.jsonl"
)  # claims that failed too often, and left the quick form
RATES = HERE / "tests" / "claims" / "fresh_rates.toml"
FIRST_SEED = 10_000
LEAST_PROBABILITY = 0.001


def seed_range(axis):
    """First and last seed of an axis, such as "0..4" or [0, 1]."""
    if isinstance(axis, str):
        first, last = axis.split("..")
        return int(first), int(last)
    return min(axis), max(axis)


def seeds_of(experiment):
    """How many seeds the quick form trains; 0 if it sweeps none."""
    axis = experiment.get("quick", {}).get("sweep.seed", experiment.get("sweep", {}).get("seed"))
    if isinstance(axis, str):
        first, last = seed_range(axis)
        return last - first + 1
    return len(axis or [])


def block_of(file, block, home):
    """{claim: (what it computes, whether it was supported)} of one experiment on a block of seeds."""
    count = seeds_of(read_experiment(file.read_text()))
    first = FIRST_SEED + block * count
    done = fingerprints.reproduced(file.stem, [f"sweep.seed={first}..{first + count - 1}"], home)
    return {key_of(claim): (f"{claim['metric']} {claim['wanted']}", claim["held"]) for claim in done["claims"]}


def at_least_so_many(failures, blocks, rate):
    """The probability of so many failures or more, if each block fails with this rate."""
    if rate == 0:
        return float(failures == 0)

    def log_of_ways(k):
        return math.lgamma(blocks + 1) - math.lgamma(k + 1) - math.lgamma(blocks - k + 1)

    return math.fsum(
        math.exp(log_of_ways(k) + k * math.log(rate) + (blocks - k) * math.log1p(-rate))
        for k in range(failures, blocks + 1)
    )


def kept_tally(file=KEPT):
    """The kept entries, one for each claim: on which blocks it was run, and on which it failed."""
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def shipped():
    """{name: experiment} of all files."""
    return {file.stem: read_experiment(file.read_text()) for file in sorted((HERE / "experiments").glob("*.toml"))}


def quick_claims(experiments):
    """(experiment, key) of each claim of a quick form that a file states. Experiments on texts add others."""
    return {
        (name, key_of(claim))
        for name, one in experiments.items()
        for claim in one.get("claim", [])
        if claim.get("form") != "full"
    }


def tried_text(experiments):
    """How many claims of the quick forms were tried on fresh seeds, and how many trials failed."""
    quick, tally = quick_claims(experiments), kept_tally()
    stated = sum((entry["experiment"], entry["claim"]) in quick for entry in tally)
    earlier = kept_tally(EARLIER)
    count = lambda name, entries: sum(len(entry[name]) for entry in entries)
    return (
        f"On fresh seeds, {stated} of {len(quick)} claims of quick forms were tried, and {len(tally) - stated} more that experiments on texts add. "
        f"{count('failed', tally)} of {count('blocks', tally)} trials failed.\n"
        f"{len(earlier)} claims left the quick form, or were changed, after {count('failed', earlier)} of their {count('blocks', earlier)} trials had failed."
    )


def experiments_text(experiments):
    """How many quick forms were run on fresh seeds, and how many were not."""
    tried = {entry["experiment"] for entry in kept_tally()}
    seedless = {name for name, one in experiments.items() if not seeds_of(one)}
    open_ones = len(experiments.keys() - tried - seedless)
    others = f"{open_ones} more have not been tried, and the" if open_ones else "The"
    return (
        f"{len(tried)} of {len(experiments)} quick forms were run again on other seeds. "
        f"{others} other {len(seedless)} train no seeds."
    )


def failed_rows(experiments):
    """Of each kept claim that failed on fresh seeds: experiment, title, how often, and the rate at which it may."""
    rates = tomllib.loads(RATES.read_text())
    claims_of = lambda entry: experiments.get(entry["experiment"], {}).get("claim", [])
    return [
        [
            entry["experiment"],
            next((one["title"] for one in claims_of(entry) if key_of(one) == entry["claim"]), entry["claim"]),
            f"{len(entry['failed'])} of {len(entry['blocks'])}",
            str(rate_of(rates, entry["experiment"], entry["claim"])),
        ]
        for entry in kept_tally()
        if entry["failed"]
    ]


def table_lines(experiments):
    """The table of docs/reference/results.md, after how many quick forms were run."""
    heads = ["experiment", "claim", "blocks that failed", "stated rate"]
    return [experiments_text(experiments), "", *table(heads, failed_rows(experiments))]


def rate_of(rates, experiment, claim):
    return rates.get("rate", {}).get(experiment, {}).get(claim, rates["default"])


def too_many(tally, rates):
    """One line for each claim that fails more often than stated, and one if all claims together do."""
    lines, blocks, failures, expected = [], 0, 0, 0.0
    for entry in tally:
        rate = rate_of(rates, entry["experiment"], entry["claim"])
        count, failed = len(entry["blocks"]), len(entry["failed"])
        blocks, failures, expected = blocks + count, failures + failed, expected + rate * count
        if (chance := at_least_so_many(failed, count, rate)) < LEAST_PROBABILITY:
            lines.append(
                f"{entry['experiment']}: '{entry['claim']}' failed in {failed} of {count} blocks; the stated rate is {rate}"
                f" (probability {chance:.1g})"
            )
    if blocks and (chance := at_least_so_many(failures, blocks, expected / blocks)) < LEAST_PROBABILITY:
        lines.append(
            f"all claims: {failures} failures in {blocks} blocks; {expected:.1f} are expected (probability {chance:.1g})"
        )
    return lines


def added(kept, name, block, outcome):
    """The kept tally with this block of an experiment. A claim that computes something else today begins again."""
    tally = {(entry["experiment"], entry["claim"]): entry for entry in kept}
    for claim, (computes, held) in outcome.items():
        old = tally.get((name, claim))
        if old is None or old["computes"] != computes:
            old = {"experiment": name, "claim": claim, "computes": computes, "blocks": [], "failed": []}
        if block not in old["blocks"]:
            failed = old["failed"] + ([] if held else [block])
            tally[name, claim] = {**old, "blocks": [*old["blocks"], block], "failed": failed}
    return [tally[key] for key in sorted(tally)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="EXPERIMENT", help="which ones (default: all)")
    parser.add_argument("--block", type=int, metavar="N", help="which block of seeds")
    parser.add_argument("--fifth", action="store_true", help="every fifth experiment alone")
    parser.add_argument("--keep", action="store_true", help="add the block to docs/results/fresh_seeds.jsonl")
    parser.add_argument("--check", action="store_true", help="compare the kept blocks with the stated rates")
    arguments = parser.parse_args()
    if arguments.check == (arguments.block is not None):
        parser.error("give --block N or --check")

    kept = kept_tally()
    tally = kept if arguments.check else []
    if not arguments.check:
        files = {file.stem: file for file in sorted((HERE / "experiments").glob("*.toml"))}
        if strange := sorted(set(arguments.names) - set(files)):
            parser.error(f"there is no experiment {', '.join(strange)}")
        seeded = [file for file in files.values() if seeds_of(read_experiment(file.read_text()))]
        chosen = [file for file in seeded[:: 5 if arguments.fifth else 1] if file.stem in (arguments.names or files)]
        with tempfile.TemporaryDirectory(prefix="fovea-fresh-") as home:
            for file in chosen:
                outcome = block_of(file, arguments.block, home)
                if arguments.keep:
                    kept = added(kept, file.stem, arguments.block, outcome)
                    KEPT.write_text("".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in kept))
                tally = added(tally, file.stem, arguments.block, outcome)
                for claim, (_, held) in outcome.items():
                    if not held:
                        print(f"{file.stem}: '{claim}' failed", flush=True)
                print(f"{file.stem}: {len(outcome)} claims", file=sys.stderr, flush=True)

    lines = too_many(tally, tomllib.loads(RATES.read_text()))
    failures, blocks = sum(len(entry["failed"]) for entry in tally), sum(len(entry["blocks"]) for entry in tally)
    print(f"{len(tally)} claims, {blocks} blocks of seeds, {failures} failures")
    print("\n".join(lines))
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
