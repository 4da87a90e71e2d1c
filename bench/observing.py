"""What fovea.observe at its defaults takes of a training: processor time of the same loop observed and not, by turns.

    build/python/bin/python bench/observing.py [ROUNDS] [WIDTH…]        (with PyTorch installed)

Decoders as nanoGPT trains them on characters, with AdamW, on tokens that are drawn. Each round trains each model with and without a
watch, which is made and closed within the time. Observing may take a tenth of a training, or one second if that is more: beside each
round stands what it took of that, and at the end the largest. On one thread.
"""

import math
import pathlib
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
    """Seconds of the processor, and the run where there is one."""
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
    return time.process_time() - begun, run


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    widths = [int(word) for word in sys.argv[2:]] or list(SHAPES)
    torch.set_num_threads(1)
    store = pathlib.Path(tempfile.mkdtemp()) / "runs.db"
    for width in widths:
        trained(True, store, **SHAPES[width], steps=20)  # warms up
        for steps in UPDATES:
            print(f"width {width}, {steps} updates: {SHAPES[width]}")
            ratios, worst = [], 0.0
            for number in range(rounds):
                seconds, run = {}, None
                for observed in ((False, True), (True, False))[number % 2]:
                    seconds[observed], made = trained(observed, store, **SHAPES[width], steps=steps)
                    run = made or run
                looks, rows = len(run.series["entropy"]), len(run.series.get("agreement", ()))
                ratios.append(seconds[True] / seconds[False])
                worst = max(worst, (seconds[True] - seconds[False]) / max(SECONDS, SHARE * seconds[False]))
                print(
                    f"  {seconds[False]:.2f} s, observed {seconds[True]:.2f} s: {ratios[-1]:.3f} ({looks} looks, {rows} of them with β)",
                    flush=True,
                )
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"  mean share {mean:.3f}; worst run: {worst:.2f} of the allowed time")


if __name__ == "__main__":
    main()
