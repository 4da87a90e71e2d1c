"""Training steps per second of one system: ours and the peers', by turns, on the same cores."""

import json
import os
import subprocess
import time

from side_by_side.environment import PEERS, fail, say

# What is checked differs from what is timed in this: nobody draws our dropout, nor our places (tests/reference checks what they are
# rewarded with), and among the millions of inputs that a ReLU has in
# a batch of long texts some are always 0 but for rounding.
CHECKED_WITH = {
    "translation": ["model.dropout=0"],
    "text-classifier": ["train.batch=4", "task.length=50", "task.shortest=10"],
    "glimpse": ["model.first=centre", "model.spread=1e-6", "model.reward_weight=0"],
}


def on_cores(threads):
    """The last cores we may use (interrupts prefer the first); for a process to be started."""
    cores = sorted(os.sched_getaffinity(0))[-threads:]
    return lambda: os.sched_setaffinity(0, cores)


class Fovea:
    name = "fovea"

    def __init__(self, environment, system, settings, threads):
        self.environment, self.threads = environment, threads
        self.words = ["bench", "--system", system, "--threads", str(threads), "--json", "--quiet"]
        for setting in settings:
            self.words += ["--set", setting]

    def measure(self, seconds):
        done = subprocess.run(
            [self.environment.program("fovea"), *self.words, "--seconds", str(seconds)],
            text=True,
            capture_output=True,
            preexec_fn=on_cores(self.threads),
            env=self.environment.fovea_environment(),
        )
        if done.returncode:
            fail(done.stderr.strip())
        all_of_it = json.loads(done.stdout)
        system = all_of_it["systems"][0]
        return {
            "rate": system["steps"] / system["seconds"],
            "processor_rate": system["steps"] / system["processor_seconds"],
            "peak_memory_bytes": system["peak_memory_bytes"],
            "operations_per_step": system.get("operations_per_step"),
            "product_rate": all_of_it["product_operations_per_second"],
        }

    def close(self):
        pass


class Peer:
    """A worker that has compiled and warmed up, and waits to be told to make steps."""

    def __init__(self, environment, name, checks, timed, threads):
        self.name = name
        words = [environment.python, str(PEERS / "worker.py"), name, str(threads), str(timed), *map(str, checks)]
        self.errors_file = open(environment.work / f"{name}.log", "w+")
        self.process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors_file,
            text=True,
            preexec_fn=on_cores(threads),
        )
        self.about = self.answer()

    def answer(self):
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        self.process.wait()
        self.errors_file.seek(0)
        last = self.errors_file.read().strip().splitlines()[-5:]
        raise RuntimeError(f"{self.name}: {' / '.join(last) or 'ended without a word'}")

    def measure(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        result = self.answer()
        return {
            "rate": result["steps"] / result["seconds"],
            "processor_rate": result["steps"] / result["processor_seconds"],
            "peak_memory_bytes": result["peak_memory_bytes"],
        }

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.errors_file.close()


def export(environment, system, settings, name):
    file = environment.work / f"{name}.safetensors"
    done = subprocess.run(
        [environment.program("export_step"), system, str(file), *settings], text=True, capture_output=True
    )
    if done.returncode:
        fail(done.stderr.strip())
    return file


def compare_steps(environment, system, peers, threads, rounds, seconds, settings=()):
    """One row: rates of every program by round. Peers that do not compute what we compute are an error; we do not time them."""
    settings = list(settings)
    say(f"{system}, {threads} thread{'s' * (threads > 1)}: the peers are started, checked and warmed up")
    timed = export(environment, system, settings, "timed")
    # Where the input of a ReLU is 0 but for rounding, a gradient may go either way: another draw settles it.
    checked = [*settings, *CHECKED_WITH.get(system, [])]
    checks = [export(environment, system, [*checked, f"seed={seed}"], f"check-{seed}") for seed in range(3)]
    programs = [Fovea(environment, system, settings, threads)]
    row = {"system": system, "threads": threads, "settings": settings, "peers": {}, "rates": {}}
    for name in peers:
        peer = Peer(environment, name, checks, timed, threads)
        row["peers"][name] = peer.about
        programs.append(peer)
    for file in (timed, *checks):
        file.unlink()
    measured = {program.name: [] for program in programs}
    for turn in range(rounds):
        for program in programs:
            time.sleep(0.3)  # the threads of the one before go to sleep
            measured[program.name].append(program.measure(seconds))
        say(
            f"{system}, {threads} thread{'s' * (threads > 1)}, round {turn + 1} of {rounds}: "
            + ", ".join(f"{name} {results[-1]['rate']:.4g}/s" for name, results in measured.items())
        )
    for program in programs:
        program.close()
    row["rates"] = {name: [m["rate"] for m in results] for name, results in measured.items()}
    row["processor_rates"] = {name: [m["processor_rate"] for m in results] for name, results in measured.items()}
    row["peak_memory_bytes"] = {
        name: max(m["peak_memory_bytes"] for m in results) for name, results in measured.items()
    }
    ours = measured["fovea"]
    if ours[0]["operations_per_step"]:
        row["operations_per_step"] = ours[0]["operations_per_step"]
        row["product_rate"] = max(m["product_rate"] for m in ours)
        row["share_of_products"] = [m["rate"] * m["operations_per_step"] / row["product_rate"] for m in ours]
    return row
