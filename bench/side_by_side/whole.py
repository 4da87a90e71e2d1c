"""What is measured by whole programs: twenty seeds of copying, courses of descent, the LSTM layer, start-up, probes, memory."""

import json
import os
import subprocess
import time

from side_by_side.environment import PEERS, SOURCE, fail, say
from side_by_side.steps import on_cores


def timed(words, cores=None, **more):
    """Runs a program to its end -> (seconds, peak memory in bytes, stdout)."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [str(w) for w in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=on_cores(cores) if cores else None,
        **more,
    )
    with process.stdout, process.stderr:
        out, complaints = process.stdout.read(), process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        fail(f"'{' '.join(map(str, words))}' ended with {process.returncode}: {complaints.strip().splitlines()[-1:]}")
    return seconds, usage.ru_maxrss * 1024, out


def micro(environment, program, pattern, rounds, threads=1):
    """Google Benchmark's programs, their rounds in random order -> {name: [value of the counter or items per second]}."""
    _, _, out = timed(
        [
            environment.program(program),
            f"--benchmark_filter={pattern}",
            f"--benchmark_repetitions={rounds}",
            "--benchmark_enable_random_interleaving=true",
            "--benchmark_format=json",
        ],
        threads,
        env={**os.environ, "OMP_NUM_THREADS": str(threads)},
    )
    rates = {}
    for one in json.loads(out)["benchmarks"]:
        if one.get("error_occurred"):
            fail(f"{one['name']}: {one['error_message']}")
        if one["run_type"] == "iteration":
            rates.setdefault(one["run_name"], []).append(one.get("items_per_second") or one["GF/s"] * 1e9)
    return rates


def compare_cell(environment, rounds, threads):
    """oneDNN's LSTM beside our layer, in operations per second."""
    rows = []
    say(f"an LSTM layer, {threads} thread{'s' * (threads > 1)}")
    rates = micro(environment, "cell_bench", f"/{threads}/real_time", rounds, threads)
    for shape in ("copying", "text", "keyword"):
        ours = rates[f"fovea_lstm/{shape}/{threads}/real_time"]
        theirs = rates.get(f"onednn_lstm/{shape}/{threads}/real_time")
        row = {"system": f"lstm layer, {shape}", "threads": threads, "rates": {"fovea": ours}, "unit": "operations/s"}
        if theirs:
            row["rates"]["onednn"] = theirs
        rows.append(row)
    return rows


def compare_course(environment, system, benchmark, peer_rates, rounds):
    """Descent in one call: theory/ beside a compiled loop. peer_rates come from compare_steps of the loop."""
    say(f"{system}: the whole course in one call")
    ours = micro(environment, "theory_bench", benchmark, rounds)[benchmark]
    return {"system": f"{system}, a course in one call", "threads": 1, "rates": {"fovea": ours, **peer_rates}}


def compare_seeds(environment, peers, rounds, seeds, jobs, steps, whole):
    """Seeds of copying, each with its probes, all cores at work. Unless `whole`, runs of two lengths are timed, and the line through
    them is followed to 200 steps: start-up, compilation and the first look count once."""
    full = 200
    lengths = [full] if whole else [steps, 2 * steps]
    fovea = [
        environment.program("fovea"),
        "sweep",
        "copy-permutation",
        "--set",
        "task.vocab=40",
        "--seeds",
        f"0..{seeds - 1}",
        "--jobs",
        jobs,
        "--retrain",
        "--quiet",
    ]
    peer = [environment.python, PEERS / "seeds.py"]
    programs = {
        "fovea": lambda n: timed([*fovea, "--set", f"train.steps={n}"], jobs, env=environment.fovea_environment())
    }
    for name in peers:
        programs[name] = lambda n, name=name: timed([*peer, name, seeds, n, jobs], jobs)
    rates, memory, notes = {name: [] for name in programs}, {name: 0 for name in programs}, {}
    for turn in range(rounds):
        for name, program in programs.items():
            seconds = []
            for length in lengths:
                took, peak, _ = program(length)
                seconds.append(took)
                memory[name] = max(memory[name], peak)
            total = seconds[0] if whole else seconds[0] + (full - steps) * (seconds[1] - seconds[0]) / steps
            rates[name].append(1 / total)
            notes.setdefault(name, []).append(total)
        say(
            f"{seeds} seeds of copying, round {turn + 1} of {rounds}: "
            + ", ".join(f"{name} {times[-1]:.0f} s" for name, times in notes.items())
        )
    return {
        "system": f"{seeds} seeds of copying, {'whole' if whole else f'projected from {lengths} steps'}",
        "threads": jobs,
        "rates": rates,
        "unit": "sweeps/s",
        "peak_memory_bytes": memory,
    }


def compare_beam(environment, rounds, threads, settings=(), sentences=200, beams=5, longest=20):
    """Sentences said by beam search, in sentences per second. The peer says the same words, but for those that are as likely."""
    say(f"beam search, {threads} thread{'s' * (threads > 1)}")
    precision = settings[-1].partition("=")[2] if settings else "float"
    file = environment.work / "said.safetensors"
    ours = [environment.program("say_sentences"), sentences, beams, longest, threads, precision]
    timed([*ours, file], threads)
    complaints = environment.work / "beam.log"
    with open(complaints, "w") as errors:
        peer = subprocess.Popen(
            [str(environment.python), str(PEERS / "beam.py"), str(threads), str(file)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            preexec_fn=on_cores(threads),
        )
        about = peer.stdout.readline()
        if not about:
            fail(f"beam.py ended without a word: {complaints.read_text().strip().splitlines()[-1:]}")
        about = json.loads(about)
        if about["same"] < 0.98:
            fail(f"beam.py says other words than we do: only {about['same']:.1%} are the same")
        rates, memory = {"fovea": [], "torch-eager": []}, {"fovea": 0, "torch-eager": 0}
        for _ in range(rounds):
            _, peak, out = timed(ours, threads)
            rates["fovea"].append(sentences / json.loads(out)["seconds"])
            peer.stdin.write("\n")
            peer.stdin.flush()
            theirs = json.loads(peer.stdout.readline())
            rates["torch-eager"].append(sentences / theirs["seconds"])
            memory = {
                "fovea": max(memory["fovea"], peak),
                "torch-eager": max(memory["torch-eager"], theirs["peak_memory_bytes"]),
            }
        peer.stdin.close()
        peer.wait()
        peer.stdout.close()
    file.unlink()
    say(
        f"{about['same']:.2%} of the words are the same; PyTorch is fastest with {about['at_a_time']} sentences at a time"
    )
    return {
        "system": f"beam search, {sentences} sentences, {beams} beams",
        "threads": threads,
        "settings": list(settings),
        "rates": rates,
        "unit": "sentences/s",
        "peers": {"torch-eager": {"version": about["version"]}},
        "same_words": about["same"],
        "peak_memory_bytes": memory,
    }


def start_up(environment, rounds):
    """Milliseconds from the shell's view; peers for scale: what their import alone takes."""
    say("start-up")
    programs = {
        "fovea --help": [environment.program("fovea"), "--help"],
        "fovea run toy-uniform": [environment.program("fovea"), "run", "toy-uniform", "--quiet"],
        "import torch": [environment.python, "-c", "import torch"],
        "import jax": [environment.python, "-c", "import jax"],
    }
    times = {name: [] for name in programs}
    for turn in range(rounds + 1):  # the first one fills the disk's cache
        for name, words in programs.items():
            seconds, _, _ = timed(words, 1, env=environment.fovea_environment())
            if turn > 0:
                times[name].append(1000 * seconds)
    return {
        "what": "start-up",
        "unit": "ms",
        "values": times,
        "wanted": {"fovea --help": 30, "fovea run toy-uniform": 100},
    }


def probes(environment, rounds, steps):
    """The copying run with its probes and recorder, and with neither, by turns: how much longer it takes."""
    say(f"probes on and off, {steps} steps of copying")
    run = [environment.program("fovea"), "run", "copy-permutation", "--quiet", "--set", f"train.steps={steps}"]
    off = [
        "--set",
        "probe.names=[]",
        "--set",
        "probe.keep=0",
        "--set",
        f"probe.every={steps}",
        "--set",
        "probe.examples=1",
    ]
    more = []
    for _ in range(rounds):
        on = timed(run, 1, env=environment.fovea_environment())[0]
        more.append(100 * (on / timed([*run, *off], 1, env=environment.fovea_environment())[0] - 1))
    return {
        "what": "probes",
        "unit": "%",
        "values": {"longer with probes and recorder": more},
        "wanted": {"longer with probes and recorder": 5},
    }


def pooling_memory(environment, full):
    """Memory over that of the data: of 20 000 x 20 000 beside a pooling of few points, and that 10^6 x 10^4 ends."""
    say("the memory of pooling")
    bench = [environment.program("fovea"), "bench", "--quiet", "--json", "--seconds", "0.01"]
    values = {}
    for kind in ("gaussian", "general"):
        words = [*bench, "--system", f"pooling-{kind}", "--set"]
        small, large = (timed([*words, f"task.points={n}"], 1)[1] for n in (16, 20000))
        data = 4 * 20000 * (16 + 1) * 2  # keys, values, queries, answers
        values[f"pooling-{kind}: MB over the data"] = [(large - small - data) / 1e6]
    if full:
        seconds, peak, _ = timed(
            [environment.program("fovea"), "run", SOURCE / "bench" / "pooling-large.toml", "--quiet"],
            1,
            env=environment.fovea_environment(),
        )
        values["a million keys, ten thousand queries: seconds"] = [seconds]
        values["a million keys, ten thousand queries: MB"] = [peak / 1e6]
    return {
        "what": "memory of pooling",
        "unit": "",
        "values": values,
        "wanted": {f"pooling-{kind}: MB over the data": 64 for kind in ("gaussian", "general")},
    }
