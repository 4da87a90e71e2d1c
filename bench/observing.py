"""What fovea.observe at its defaults takes of a training: the same loop observed and not, by turns.

    build/python/bin/python bench/observing.py [ROUNDS] [WIDTH[:UPDATES]…]        (with PyTorch installed)

Decoders as nanoGPT trains them on characters, with AdamW, on tokens that are drawn. Each round trains each model with and without a
watch, which is made and closed within the time. Observing may take a tenth of a training, or one second if that is more. Each round
has one line: processor time without and with the watch, the difference, what the watch says that it spent, and the ratio of wall-clock
times. The summary has medians. One thread.
"""

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
    128: dict(layers=3, heads=4, width=128, places=64, batch=16),
    256: dict(layers=4, heads=4, width=256, places=64, batch=16),
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
    """Seconds of the processor, wall-clock seconds, and the watch, if there is one, and its run."""
    torch.manual_seed(0)
    model = Decoder(layers, heads, width, places)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    drawn = torch.Generator().manual_seed(1)

    def texts():
        tokens = torch.randint(VOCAB, (batch, places + 1), generator=drawn)
        return tokens[:, :-1], tokens[:, 1:]

    x, y = texts()
    begun, watch = (time.process_time(), time.perf_counter()), None
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
    return time.process_time() - begun[0], time.perf_counter() - begun[1], watch, run


def compared(width, steps, rounds, store):
    """Print what observing takes of one training, round by round."""
    print(f"width {width}, {steps} updates: {SHAPES[width]}")
    more, ratios, clocks, shares = [], [], [], []
    for number in range(rounds):
        seconds, wall = {}, {}
        for observed in ((False, True), (True, False))[number % 2]:
            seconds[observed], wall[observed], watch, run = trained(observed, store, **SHAPES[width], steps=steps)
            if observed:
                spent, evaluations, with_beta = watch.spent, run.series["entropy"], run.series.get("agreement", ())
        more.append(seconds[True] - seconds[False])
        ratios.append(seconds[True] / seconds[False])
        clocks.append(wall[True] / wall[False])
        shares.append(more[-1] / max(SECONDS, SHARE * seconds[False]))
        print(
            f"  {seconds[False]:.2f} s, observed {seconds[True]:.2f} s: {more[-1]:+.2f} s, {spent:.2f} s by the watch; wall {clocks[-1]:.3f}; "
            f"{len(evaluations)} evaluations, {len(with_beta)} with β",
            flush=True,
        )
    print(
        f"  median {statistics.median(more):+.2f} s, ratio {statistics.median(ratios):.3f}, wall {statistics.median(clocks):.3f}: "
        f"{statistics.median(shares):.2f} of the allowed time, {max(shares):.2f} in the worst round",
        flush=True,
    )


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    asked = [tuple(map(int, word.split(":"))) for word in sys.argv[2:]] or [(width,) for width in SHAPES]
    torch.set_num_threads(1)
    store = pathlib.Path(tempfile.mkdtemp()) / "runs.db"
    for width, *updates in asked:
        trained(True, store, **SHAPES[width], steps=20)  # warms up
        for steps in updates or UPDATES:
            compared(width, steps, rounds, store)


if __name__ == "__main__":
    main()
