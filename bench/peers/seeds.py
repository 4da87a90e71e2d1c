"""Several seeds of copying, each trained and looked at as `fovea sweep copy-permutation` does, by a peer's fastest ways.

    python seeds.py torch-processes|jax-processes|jax-vmap SEEDS STEPS JOBS

processes: JOBS at a time, one thread each. vmap: all seeds in one program, on as many cores.
Prints the mean token accuracy at the end as one JSON line.
"""

import json
import os
import subprocess
import sys

import numpy as np

WORDS, LENGTH, HIDDEN, BATCH, EVERY, LOOK = 40, 40, 256, 128, 10, 50
SPEC = {
    "task": {"name": "copy", "vocab": WORDS, "length": LENGTH, "distinct": True, "shortest": 0},
    "model": {
        "name": "seq2seq",
        "hidden": HIDDEN,
        "embedding": HIDDEN,
        "layers": 1,
        "bidirectional": False,
        "combiner": "tanh",
        "dropout": 0,
    },
    "train": {"optimizer": "adam", "rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "batch": BATCH},
}


class Setting:
    """What a Case is made of, without numbers of Fovea's."""

    task, model, train = SPEC["task"], SPEC["model"], SPEC["train"]
    shape = {"vocab": WORDS + 2, "target_vocab": WORDS + 2, "start_token": WORDS + 1}


def draw(generator, size):
    words = generator.permuted(np.tile(np.arange(WORDS, dtype=np.int32), (size, 1)), axis=1)[:, :LENGTH]
    source = np.concatenate([words, np.full((size, 1), WORDS, np.int32)], 1)
    return {"source": source, "target": source}


def torch_seed(seed, steps):
    import torch
    from torch_models import Seq2Seq

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    generator = np.random.default_rng(seed)
    model = Seq2Seq(Setting)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3, fused=True)
    accuracy = 0.0
    for step in range(steps + 1):
        if step % EVERY == 0 or step == steps:
            with torch.no_grad():
                batch = {name: torch.from_numpy(value) for name, value in draw(generator, LOOK).items()}
                logits, weights = model.look(batch)
                accuracy = (logits.argmax(-1) == batch["target"]).float().mean().item()
                peak = weights.argmax(-1) - torch.arange(weights.shape[1])
                for offset in (-1, 0, 1):
                    (peak == offset).float().mean().item()
                -(weights * weights.clamp(min=1e-30).log()).sum(-1).mean().item()
        if step < steps:
            loss = model({name: torch.from_numpy(value) for name, value in draw(generator, BATCH).items()})
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    return accuracy


def jax_seeds(seeds, steps):
    """All of `seeds` at once, as one program over an axis of seeds."""
    import jax
    import jax.numpy as jnp
    from jax_models import seq2seq_look
    from jax_peer import make_update

    _, start_optimizer, update = make_update(Setting)

    def first(key):
        h, v = HIDDEN, WORDS + 2
        shapes = {
            "embedding.weight": (v, h),
            "attention.query.weight": (h, h),
            "attention.query.bias": (h,),
            "attention.context.weight": (h, h),
            "attention.context.bias": (h,),
            "combine.weight": (h, 2 * h),
            "output.weight": (v, h),
        }
        for side in ("encoder", "decoder"):
            shapes |= {
                f"{side}.weight_ih_l0": (4 * h, h),
                f"{side}.weight_hh_l0": (4 * h, h),
                f"{side}.bias_ih_l0": (4 * h,),
                f"{side}.bias_hh_l0": (4 * h,),
            }
        keys = jax.random.split(key, len(shapes))
        bounds = {name: 1 / np.sqrt(2 * h if name == "combine.weight" else h) for name in shapes}
        p = {
            name: jax.random.uniform(k, shape, minval=-bounds[name], maxval=bounds[name])
            for k, (name, shape) in zip(keys, shapes.items())
        }
        p["embedding.weight"] = jax.random.normal(keys[0], (v, h))
        return p, start_optimizer(p)

    many = len(seeds) > 1
    over = jax.vmap if many else lambda function: function
    keys = jax.vmap(jax.random.key)(jnp.array(seeds))
    state = jax.jit(jax.vmap(first))(keys) if many else jax.jit(first)(keys[0])
    move = jax.jit(over(lambda s, b: update(s, b, None)), donate_argnums=0)
    see = jax.jit(over(lambda s, b: seq2seq_look(Setting, s[0], b)))
    generators = [np.random.default_rng(seed) for seed in seeds]

    def drawn(size):
        batches = [draw(generator, size) for generator in generators]
        return {name: np.stack([b[name] for b in batches]) for name in batches[0]} if many else batches[0]

    for step in range(steps + 1):
        if step % EVERY == 0 or step == steps:
            numbers = np.asarray(see(state, drawn(LOOK)))
        if step < steps:
            state, _ = move(state, drawn(BATCH))
    return float(np.mean(numbers[..., 0]))


def main():
    way, seeds, steps, jobs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    if way == "jax-vmap":
        print(json.dumps({"accuracy": jax_seeds(list(range(seeds)), steps)}))
        return
    if way.endswith("-share"):
        share = range(int(sys.argv[5]), seeds, jobs)
        one = (
            (lambda seed: torch_seed(seed, steps))
            if way.startswith("torch")
            else (lambda seed: jax_seeds([seed], steps))
        )
        print(json.dumps([one(seed) for seed in share]))
        return
    os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
    cores = sorted(os.sched_getaffinity(0))
    processes = []
    for job in range(jobs):
        words = [sys.executable, __file__, way.split("-")[0] + "-share", str(seeds), str(steps), str(jobs), str(job)]
        processes.append(
            subprocess.Popen(
                words,
                stdout=subprocess.PIPE,
                text=True,
                preexec_fn=lambda core=cores[job % len(cores)]: os.sched_setaffinity(0, {core}),
            )
        )
    accuracies = []
    for process in processes:
        out, _ = process.communicate()
        if process.returncode:
            raise SystemExit(1)
        accuracies += json.loads(out)
    print(json.dumps({"accuracy": float(np.mean(accuracies))}))


main()
