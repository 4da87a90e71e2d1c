"""What fovea.observe at its defaults takes of a training: the same loop observed and not, side by side.

    build/python/bin/python bench/observing.py [ROUNDS] [WIDTH[:UPDATES]…]        (with PyTorch installed)

Decoders as nanoGPT trains them on characters, with AdamW, on tokens that are drawn. Each round trains each model twice at the same time, in
two processes on one core, with and without a watch, which is made and closed within the time. Other work on the machine slows both equally.
Observing may take a tenth of a training, or one second if that is more. Each round has one line: processor time without and with the watch,
the difference, and what the watch says that it spent. The summary has medians. One thread for each process.
"""

import concurrent.futures
import multiprocessing
import os
import pathlib
import statistics
import sys
import tempfile
import time

import torch
from torch import nn
from torch.nn import functional as F

import fovea

# What is trained, by its width.
SHAPES = {
    32: dict(layers=2, heads=2, width=32, places=32, batch=16),
    64: dict(layers=4, heads=4, width=64, places=32, batch=12),
    128: dict(layers=3, heads=4, width=128, places=64, batch=4),
    256: dict(layers=2, heads=4, width=256, places=64, batch=4),
}
UPDATES = (300, 2000)
SHARE, SECONDS = 0.1, 1.0  # that observing may take
VOCAB = 65


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.qkv, self.out, self.heads = (
            nn.Linear(width, 3 * width, bias=False),
            nn.Linear(width, width, bias=False),
            heads,
        )

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        return self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention, self.before, self.between = Attention(width, heads), nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.before(x))
        return x + self.mlp(self.between(x))


class Decoder(nn.Module):
    def __init__(self, layers, heads, width, places):
        super().__init__()
        self.tokens, self.places = nn.Embedding(VOCAB, width), nn.Embedding(places, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.end, self.said = nn.LayerNorm(width), nn.Linear(width, VOCAB, bias=False)

    def forward(self, tokens):
        return self.said(self.end(self.blocks(self.tokens(tokens) + self.places(torch.arange(tokens.shape[1])))))


def trained(observed, store, *, layers, heads, width, places, batch, steps):
    """Seconds of the processor, what the watch says that it spent, and how often it measured attention and β."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Decoder(layers, heads, width, places)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    drawn = torch.Generator().manual_seed(1)

    def texts():
        tokens = torch.randint(VOCAB, (batch, places + 1), generator=drawn)
        return tokens[:, :-1], tokens[:, 1:]

    x, y = texts()
    begun, watch = time.process_time(), None
    if observed:
        watch = fovea.observe(
            model, x, lambda out: out.log_softmax(-1).gather(-1, y[..., None])[..., 0], name="observing", store=store
        )
    for _ in range(steps):
        source, target = texts()
        loss = F.cross_entropy(model(source).flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        if watch is not None:
            watch.step(loss=loss)
        optimizer.step()
    run = None if watch is None else watch.close()
    seconds = time.process_time() - begun
    if run is None:
        return seconds, 0.0, 0, 0
    return seconds, watch.spent, len(run.series["entropy"]), len(run.series.get("agreement", ()))


def on_core(core, warm, store, observed, shape, steps):
    """What trained() gives, on one core, after a short training that warms up."""
    if core is not None:
        os.sched_setaffinity(0, {core})
    trained(observed, warm, **shape, steps=20)
    return trained(observed, store, **shape, steps=steps)


def compared(width, steps, rounds, folder, core):
    """Print what observing takes of one training, round by round."""
    print(f"width {width}, {steps} updates: {SHAPES[width]}")
    more, ratios, shares = [], [], []
    for _ in range(rounds):
        with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
            plain, watched = (
                pool.submit(on_core, core, folder / "warm.db", folder / "runs.db", observed, SHAPES[width], steps)
                for observed in (False, True)
            )
            without, (seconds, spent, evaluations, with_beta) = plain.result()[0], watched.result()
        more.append(seconds - without)
        ratios.append(seconds / without)
        shares.append(more[-1] / max(SECONDS, SHARE * without))
        print(
            f"  {without:.2f} s, observed {seconds:.2f} s: {more[-1]:+.2f} s, {spent:.2f} s by the watch; "
            f"{evaluations} evaluations, {with_beta} with β",
            flush=True,
        )
    print(
        f"  median {statistics.median(more):+.2f} s, ratio {statistics.median(ratios):.3f}: "
        f"{statistics.median(shares):.2f} of the allowed time, {max(shares):.2f} in the worst round",
        flush=True,
    )


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    asked = [tuple(map(int, word.split(":"))) for word in sys.argv[2:]] or [(width,) for width in SHAPES]
    core = max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    with tempfile.TemporaryDirectory() as folder:
        for width, *updates in asked:
            for steps in updates or UPDATES:
                compared(width, steps, rounds, pathlib.Path(folder), core)


if __name__ == "__main__":
    main()
