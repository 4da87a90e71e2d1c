"""Writes addresses.json: the model `address-attention` as PyTorch computes it, in double precision.

    python3 tests/reference/make_addresses.py        (needs torch)

tests/model/addresses/address_attention_test.cpp feeds the same accesses and weights to Fovea and compares: attention, loss, gradients.
"""

import json
import pathlib

import torch
from torch import nn
from torch.nn import functional

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(3)
COUNTERS, PAGES, OFFSETS, COUNTER_WIDTH, WIDTH, HIDDEN, FACTOR = 3, 5, 7, 2, 3, 4, 0.7
WINDOWS, STEPS, EXPERTS = 4, 3, 4


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


class Model(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention = attention
        self.counter = nn.Embedding(COUNTERS, COUNTER_WIDTH)
        self.page = nn.Embedding(PAGES, WIDTH)
        self.offset = nn.Embedding(OFFSETS, EXPERTS * WIDTH)
        self.page_lstm = nn.LSTM(COUNTER_WIDTH + 2 * WIDTH, HIDDEN, batch_first=True)
        self.offset_lstm = nn.LSTM(COUNTER_WIDTH + 2 * WIDTH, HIDDEN, batch_first=True)
        self.page_head = nn.Linear(HIDDEN, PAGES)
        self.offset_head = nn.Linear(HIDDEN, OFFSETS)
        with torch.no_grad():
            for weight in self.parameters():
                weight.copy_((torch.randn(weight.shape, generator=generator) * 0.5e4).round() / 1e4)

    def forward(self, source):
        p = self.page(source[..., 1])
        experts = self.offset(source[..., 2]).unflatten(-1, (EXPERTS, WIDTH))
        scores = FACTOR * torch.einsum("bte,btke->btk", p, experts)
        alpha = torch.softmax(scores * (self.attention == "learned"), -1)
        v = torch.einsum("btk,btke->bte", alpha, experts)
        x = torch.cat([self.counter(source[..., 0]), p, v], -1)
        return self.page_head(self.page_lstm(x)[0][:, -1]), self.offset_head(self.offset_lstm(x)[0][:, -1]), alpha


def draw(below, *shape):
    return torch.randint(below, shape, generator=generator)


def case(attention):
    model = Model(attention)
    source = torch.stack([draw(below, WINDOWS, STEPS) for below in (COUNTERS, PAGES, OFFSETS)], -1)
    target = torch.stack([draw(below, WINDOWS) for below in (PAGES, OFFSETS)], -1)
    page, offset, alpha = model(source)
    loss = (functional.cross_entropy(page, target[:, 0]) + functional.cross_entropy(offset, target[:, 1])) / 2
    loss.backward()
    return {
        "attention": attention,
        "windows": WINDOWS,
        "steps": STEPS,
        "experts": EXPERTS,
        "source": source.flatten().tolist(),
        "target": target.flatten().tolist(),
        "weights": {name: flat(x) for name, x in model.named_parameters()},
        "loss": loss.item(),
        "attention_weights": flat(alpha),
        "gradients": {name: flat(x.grad) for name, x in model.named_parameters()},
    }


reference = {"cases": [case("learned"), case("uniform")]}
pathlib.Path(__file__).with_name("addresses.json").write_text(json.dumps(reference, indent=0) + "\n")
