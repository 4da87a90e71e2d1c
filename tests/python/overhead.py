"""What Python costs: a run from Python against the same one of the program, and a callback at every update.

    python tests/python/overhead.py        (FOVEA_PROGRAM names the program)

Processor time, in alternating pairs, medians; exits with 1 where a run costs 2 % more, or a callback 20 µs. What else the machine
does is felt in the medians, too, by about as much; but it comes and goes, so only what is measured three times over counts.
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import fovea

PAIRS = 11
SETTINGS = {
    "train.steps": 200,
    "task.vocab": 40,
    "task.length": 20,
    "model.hidden": 64,
    "model.embedding": 64,
    "train.batch": 32,
}
TINY = dict(
    quick=True,
    names=["accuracy"],
    steps=10_000,
    every=10_000,
    vocab=9,
    length=3,
    hidden=4,
    embedding=4,
    batch=1,
    keep=False,
)


def spent(work, whose=resource.RUSAGE_SELF):
    """Seconds of the processor, in this process or in those that it starts."""
    before = resource.getrusage(whose)
    work()
    after = resource.getrusage(whose)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_a_run(program):
    """By how much more processor time Python takes, in percent, and what both take."""
    words = [word for key, value in SETTINGS.items() for word in ("--set", f"{key}={value}")]
    ways = [
        lambda: spent(
            lambda: subprocess.run(
                [program, "run", "copy-subset", "--quick", "--quiet", *words], check=True, stdout=subprocess.DEVNULL
            ),
            resource.RUSAGE_CHILDREN,
        ),
        lambda: spent(lambda: fovea.run("copy-subset", quick=True, set=SETTINGS)),
    ]
    times = [[], []]
    for pair in range(-1, PAIRS):  # the first pair warms up
        for way in ((0, 1), (1, 0))[pair % 2]:
            seconds = ways[way]()
            if pair >= 0:
                times[way].append(seconds)
    programs, pythons = map(statistics.median, times)
    return 100 * (pythons / programs - 1), programs, pythons


def of_a_callback(callback):
    """Microseconds a step."""
    costs = []
    for pair in range(-1, PAIRS):
        times = {}
        for watched in ((False, True), (True, False))[pair % 2]:
            times[watched] = spent(lambda: fovea.run("copy-subset", on_step=callback if watched else None, **TINY))
        if pair >= 0:
            costs.append((times[True] - times[False]) / TINY["steps"] * 1e6)
    return statistics.median(costs)


def look(step):
    step.attention, step.gradients["output.weight"], step.loss


def main():
    program = os.environ.get("FOVEA_PROGRAM", pathlib.Path(__file__).resolve().parents[2] / "build" / "fovea")
    with tempfile.TemporaryDirectory() as home:
        os.environ["FOVEA_HOME"] = home
        for _ in range(3):
            share, programs, pythons = of_a_run(program)
            print(
                f"a run takes {programs:.3f} s of the processor from the command line, {pythons:.3f} s from Python: {share:+.2f} %"
            )
            nothing, looking = of_a_callback(lambda step: None), of_a_callback(look)
            print(
                f"a callback costs {nothing:.1f} µs a step; one that takes attention, gradients and the loss {looking:.1f} µs"
            )
            if share < 2 and nothing < 20:
                return
    sys.exit("that is more than 2 % of a run, or 20 µs a step")


if __name__ == "__main__":
    main()
