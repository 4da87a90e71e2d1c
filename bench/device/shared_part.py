#!/usr/bin/env python3
"""Prints the share of a training by PyTorch that is not PyTorch: data, probes, optimiser and messages, by processor time.

    python3 bench/device/shared_part.py [ROUNDS]

It trains the quick forms of copy-subset and mws with `fovea run --engine torch`, on one thread. A run of one update is subtracted, so that the start
of both programs does not count. FOVEA_PROGRAM names the program (default: build/fovea), and FOVEA_PYTHON its Python.
"""

from __future__ import annotations

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("FOVEA_PROGRAM", "build/fovea")
UPDATES = {"copy-subset": 200, "mws": 500}
WRAPPER = f'#!/bin/sh\n{os.environ.get("FOVEA_PYTHON", sys.executable)} "$@"\ncode=$?\ntimes >$TIMES\nexit $code\n'


def spent(name: str, updates: int, seed: int, folder: pathlib.Path) -> tuple[float, float]:
    """Return the seconds of the processor of both programs, and of PyTorch."""
    python, times = folder / "python", folder / "times"
    python.write_text(WRAPPER)
    python.chmod(0o755)
    words = ["run", name, "--quick", "--engine", "torch", "--set", f"train.steps={updates}", "--set", f"seed={seed}"]
    home = {"FOVEA_PYTHON": str(python), "FOVEA_HOME": str(folder), "TIMES": str(times)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([PROGRAM, *words, "--quiet"], env={**os.environ, **home}, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    both = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    of_children = times.read_text().splitlines()[1]
    return both, sum(60 * float(m) + float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", of_children))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    for name, updates in UPDATES.items():
        for seed in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                start, whole = (spent(name, count, seed, pathlib.Path(folder)) for count in (1, updates))
            both, torch = (long - short for long, short in zip(whole, start))
            print(
                f"{name}, seed {seed}: {both:.2f} s, without PyTorch {both - torch:.2f} s: {1 - torch / both:.1%}",
                flush=True,
            )
    print("load average: {:.1f}, {:.1f}, {:.1f}".format(*os.getloadavg()))


if __name__ == "__main__":
    main()
