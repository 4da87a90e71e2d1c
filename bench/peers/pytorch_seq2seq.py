"""Copying with attention, in PyTorch, as a PyTorch user would write it.

Independent of Fovea: only the equations and the settings are shared. Trains one or more seeds and prints, for each, the
probe series and the first probe step at which token accuracy reaches 90 %, as one JSON line a seed.

    python bench/peers/pytorch_seq2seq.py --data permutation --seeds 0..19 > permutation.jsonl
"""

import argparse
import json
import time

import torch
from torch import nn


class Seq2Seq(nn.Module):
    """score_ts = (A d_t + a) . e_s;  c_t = P sum_s alpha_ts e_s + b;  o_t = tanh(U [d_t; c_t]);  logits = V o_t."""

    def __init__(self, vocab: int, hidden: int = 256, embedding: int = 256):
        super().__init__()
        self.embedding = nn.Embedding(vocab + 2, embedding)
        self.encoder = nn.LSTM(embedding, hidden, batch_first=True)
        self.decoder = nn.LSTM(embedding, hidden, batch_first=True)
        self.query = nn.Linear(hidden, hidden)
        self.context = nn.Linear(hidden, hidden)
        self.combine = nn.Linear(2 * hidden, hidden, bias=False)
        self.output = nn.Linear(hidden, vocab + 2, bias=False)

    def forward(self, source: torch.Tensor, decoder_input: torch.Tensor):
        e, state = self.encoder(self.embedding(source))
        d, _ = self.decoder(self.embedding(decoder_input), state)
        alpha = torch.softmax(self.query(d) @ e.transpose(1, 2), dim=-1)
        c = self.context(alpha @ e)
        o = torch.tanh(self.combine(torch.cat([d, c], dim=-1)))
        return self.output(o), alpha


def draw(data: str, vocab: int, length: int, count: int, generator: torch.Generator) -> torch.Tensor:
    """count sequences of `length` tokens, then the end token (id vocab)."""
    if data == "repeat":
        tokens = torch.randint(vocab, (count, length), generator=generator)
    else:
        tokens = torch.rand(count, vocab, generator=generator).argsort(dim=1)[:, :length]
    return torch.cat([tokens, torch.full((count, 1), vocab)], dim=1)


def decoder_input(target: torch.Tensor, vocab: int) -> torch.Tensor:
    start = torch.full((target.shape[0], 1), vocab + 1)
    return torch.cat([start, target[:, :-1]], dim=1)


def train(data: str, seed: int, vocab: int, length: int, hidden: int, steps: int, batch: int, every: int) -> dict:
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed + 10_000)
    model = Seq2Seq(vocab, hidden, hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    series = []
    began = time.perf_counter()
    for step in range(steps + 1):
        if step % every == 0:
            with torch.no_grad():
                probe = draw(data, vocab, length, 50, generator)
                logits, alpha = model(probe, decoder_input(probe, vocab))
                accuracy = (logits.argmax(-1) == probe).float().mean().item()
                peak = alpha.argmax(-1) - torch.arange(alpha.shape[1])
                near = [(peak == offset).float().mean().item() for offset in (-1, 0, 1)]
                series.append([step, accuracy, *near])
        if step == steps:
            break
        source = draw(data, vocab, length, batch, generator)
        logits, _ = model(source, decoder_input(source, vocab))
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), source.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    reached = next((row[0] for row in series if row[1] >= 0.9), None)
    return {
        "data": data,
        "vocab": vocab,
        "seed": seed,
        "steps_to_90": reached,
        "seconds": time.perf_counter() - began,
        "series": series,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", choices=["permutation", "subset", "repeat"], required=True)
    parser.add_argument("--seeds", default="0..19", help="first..last")
    parser.add_argument("--vocab", type=int, help="default: 60 for subset, else the length")
    parser.add_argument("--length", type=int, default=40)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--every", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    words = parser.parse_args()
    torch.set_num_threads(words.threads)
    first, last = (int(x) for x in words.seeds.split(".."))
    vocab = words.vocab or (60 if words.data == "subset" else words.length)
    for seed in range(first, last + 1):
        print(
            json.dumps(
                train(words.data, seed, vocab, words.length, words.hidden, words.steps, words.batch, words.every)
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
