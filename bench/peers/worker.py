"""One peer on one system, for bench/compare: checks itself against Fovea, then makes training steps when it is told to.

    python worker.py PEER THREADS TIMED.safetensors CHECK.safetensors...

TIMED and the CHECKs are the same system by bench/export_step; it must agree with one of the CHECKs. Prints a JSON line when it is
ready, and one for every line "seconds" that it reads.
"""

import json
import os
import resource
import sys
import time

from case import Case, Disagreement


def make(peer, case):
    library, mode = peer.split("-", 1)
    if library == "torch":
        from torch_peer import TorchPeer

        return TorchPeer(case, mode)
    from jax_peer import JaxPeer

    return JaxPeer(case, mode)


def say(**words):
    print(json.dumps(words), flush=True)


def checked(peer_name, cases):
    for case in cases[:-1]:
        try:
            return make(peer_name, case).check()
        except Disagreement:
            pass
    return make(peer_name, cases[-1]).check()


def main():
    peer_name, threads, timed_file, *check_files = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
    os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(threads)
    if peer_name.startswith("torch"):
        import torch

        torch.set_num_threads(threads)
        version = torch.__version__
    else:
        import jax

        version = jax.__version__
    errors = checked(peer_name, [Case(file) for file in check_files])
    peer = make(peer_name, Case(timed_file))
    began = time.perf_counter()
    for _ in range(3):  # compiles, and makes memory
        peer.step()
    peer.finish()
    say(version=version, errors=errors, warm_up_seconds=time.perf_counter() - began)
    for line in sys.stdin:
        wanted, calls, more = float(line), 0, 1
        began, began_cpu = time.perf_counter(), time.process_time()
        while more > 0:
            for _ in range(more):
                peer.step()
            peer.finish()
            calls += more
            passed = time.perf_counter() - began
            more = min(calls, int(calls * (wanted - passed) / passed + 0.5))
        say(steps=calls * peer.steps_a_call, seconds=passed, processor_seconds=time.process_time() - began_cpu,
            peak_memory_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


main()
