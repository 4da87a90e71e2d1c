"""One peer on one system, for bench/compare: checks itself against Fovea, then makes training steps when it is told to.

    python worker.py PEER THREADS TIMED.safetensors CHECK.safetensors...

PEER is torch-eager, torch-compile or jax-jit. With "-cuda" behind it works on the first GPU; batches are drawn on the processor as
for all. With "-medium" PyTorch may multiply in bfloat16 or TF32 once it was checked, which it always is in single precision.

TIMED and the CHECKs are the same system by bench/export_step; it must agree with one of the CHECKs. Prints a JSON line when it is
ready, and one for every line "seconds" that it reads.
"""

import json
import os
import resource
import sys
import time

from case import Case, Disagreement


def on_gpu(peer):
    return peer.endswith("-cuda")


def make(peer, case):
    library, mode, *_ = peer.split("-")
    if library == "torch":
        from torch_peer import TorchPeer

        return TorchPeer(case, mode, "cuda" if on_gpu(peer) else "cpu")
    from jax_peer import JaxPeer

    return JaxPeer(case, mode)


def prepare(peer, threads):
    """Chooses single precision, and for JAX processor or GPU -> the library's version."""
    if not peer.startswith("torch"):
        os.environ["JAX_PLATFORMS"] = "cuda" if on_gpu(peer) else "cpu"
        import jax

        jax.config.update("jax_default_matmul_precision", "highest")  # counts on a GPU alone
        try:
            jax.devices()
        except Exception:
            if not on_gpu(peer):
                raise
            raise SystemExit(
                "JAX finds no GPU here. Leave this peer out, or install jax[cuda] and the GPU's driver"
            ) from None
        return jax.__version__
    import torch

    torch.set_num_threads(threads)
    torch.backends.cudnn.allow_tf32 = False
    if on_gpu(peer) and not torch.cuda.is_available():
        raise SystemExit(
            "PyTorch finds no GPU here. Leave this peer out, or install the GPU's driver and a PyTorch built for it"
        )
    return torch.__version__


def let_products_be_coarse():
    import torch

    torch.set_float32_matmul_precision("medium")
    torch.backends.cudnn.allow_tf32 = True


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
    version = prepare(peer_name, threads)
    errors = checked(peer_name, [Case(file) for file in check_files])
    if "-medium" in peer_name:
        let_products_be_coarse()
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
        say(
            steps=calls * peer.steps_a_call,
            seconds=passed,
            processor_seconds=time.process_time() - began_cpu,
            peak_memory_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        )


main()
