#!/usr/bin/env python3
"""Whether today's program still gives the numbers that the kept results (docs/results/) were made with.

    scripts/fingerprints.py               names the kept results that are to be run again, within a minute
    scripts/fingerprints.py NAME ...      the same of these experiments

A result is kept with a fingerprint: the numbers that the program which made it printed of the experiment's quick form cut short, by the
first line of tests/claims/breaks.toml that is of it (a single update, for most). It is small and quick, and passes through task, start, model,
gradients, optimiser, probes and claims. Where today's program prints other numbers, the result is of another program. The same numbers
after one update do not prove those of a whole training: a schedule, or what begins at a later step, is not seen.

tests/claims/break_claims, which runs these breaks, compares them too. FOVEA_PROGRAM names the program (default: build/fovea).
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import tomllib

HERE = pathlib.Path(__file__).resolve().parent.parent
KEPT = HERE / "docs" / "results"
PROGRAM = os.environ.get("FOVEA_PROGRAM", str(HERE / "build" / "fovea"))


def printed(home, *words):
    """What the program prints as JSON, with this store."""
    environment = {**os.environ, "FOVEA_HOME": home} if home else None
    done = subprocess.run([PROGRAM, *words, "--json"], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"{' '.join([PROGRAM, *words])} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def reproduced(name, settings, home, form="quick"):
    """An experiment in this form with these settings, as `fovea reproduce` prints it."""
    return printed(
        home, "reproduce", name, f"--{form}", "--quiet", *(word for one in settings for word in ("--set", one))
    )


def first_break(name):
    table = tomllib.loads((HERE / "tests" / "claims" / "breaks.toml").read_text())
    return next(entry["set"] for entry in table["break"] if name in entry["of"] and "form" not in entry)


def numbers_of(done, home):
    """{metric: mean over the runs of its last value}, and the values of the claims, by their expressions, to six digits."""
    own = {one for entry in done["experiments"] for one in entry["runs"]}
    near = f"id >= {min(own)} and id <= {max(own)}"  # by number: an experiment trained before may have left a run that this one has too
    told = [
        run["metrics"] for run in printed(home, "runs", "--where", near, "--limit", "-1")["runs"] if run["run"] in own
    ]
    means = {
        name: [run[name] for run in told if run.get(name) is not None]
        for name in sorted({name for run in told for name in run})
    }
    found = {name: sum(values) / len(values) for name, values in means.items() if values}
    found |= {claim["metric"]: claim["value"] for claim in done["claims"] if claim["value"] is not None}
    return {name: float(f"{value:.6g}") for name, value in found.items() if math.isfinite(value)}


def fingerprint_of(name, settings, home, done=None):
    done = done or reproduced(name, settings, home)
    return {"set": settings, "numbers": numbers_of(done, home)}


def other_numbers(kept, now):
    """The names, that both have, of numbers that differ by more than another processor's rounding makes of one update."""
    both = kept["numbers"].keys() & now["numbers"].keys()
    return sorted(
        name
        for name in both
        if not math.isclose(kept["numbers"][name], now["numbers"][name], rel_tol=1e-3, abs_tol=1e-6)
    )


def compared(names, fingerprint):
    """Lines that name the kept results of these experiments (none: of all) that are of other numbers than today's, which
    fingerprint(name, settings) gives."""
    lines, unknown, files = [], [], 0
    for file in sorted(KEPT.glob("*.json")):
        kept = json.loads(file.read_text())
        if names and kept["experiment"] not in names:
            continue
        files += 1
        if "fingerprint" not in kept:
            unknown.append(file.stem)
        elif other := other_numbers(kept["fingerprint"], fingerprint(kept["experiment"], kept["fingerprint"]["set"])):
            lines.append(f"TO RUN AGAIN  {file.stem}: {', '.join(other[:4])}{' …' if len(other) > 4 else ''}")
    stale = len(lines)
    if unknown:
        lines.append(f"Kept without a fingerprint: {', '.join(unknown)}")
    lines.append(
        f"{files - stale - len(unknown)} of {files} kept results are of today's numbers, {stale} are to be run again, {len(unknown)} have no fingerprint."
    )
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", help="experiments; none: all that are kept")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fovea-fingerprints-") as home:
        print("\n".join(compared(words.experiments, lambda name, settings: fingerprint_of(name, settings, home))))


if __name__ == "__main__":
    main()
