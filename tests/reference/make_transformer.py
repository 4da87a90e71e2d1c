"""Writes transformer.json: loss, gradients and the losses of AdamW steps of small transformers, by PyTorch in double precision.

    python3 tests/reference/make_transformer.py        (needs torch)

tests/model/transformer_test.cpp gives Fovea the same weights and the same batch, and compares.
"""

import json
import math
import pathlib

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(20250613)

VOCAB, SAID, PLACES = 6, 5, 7
USUAL = dict(
    layers=2,
    heads=2,
    width=4,
    mlp=0,
    activation="gelu",
    norm="pre",
    position="learned",
    attention="softmax",
    queries="separate",
    biases=True,
    gate=False,
    tied=False,
)


class Layer(nn.Module):
    def __init__(self, s):
        super().__init__()
        d, wide = s["width"], s["width"] if s["queries"] == "separate" else s["width"] * s["heads"]
        self.s, bias = s, s["biases"]
        if s["norm"] == "pre":
            self.norm1 = nn.LayerNorm(d, bias=bias)
        if s["queries"] != "identity":
            self.query = nn.Linear(d, wide, bias=bias)
        if s["queries"] != "merged":
            self.key = nn.Linear(d, wide, bias=bias)
        if s["position"] == "relative":
            self.position = nn.Embedding(PLACES, wide)
        if s["attention"] == "softmax-sink":
            self.sink = nn.Parameter(torch.zeros(s["heads"]))
        self.value = nn.Linear(d, d, bias=bias)
        if s["gate"]:
            self.gate = nn.Linear(d, d)
        self.output = nn.Linear(d, d, bias=bias)
        if s["mlp"]:
            if s["norm"] == "pre":
                self.norm2 = nn.LayerNorm(d, bias=bias)
            f = nn.GELU(approximate="tanh") if s["activation"] == "gelu" else nn.ReLU()
            self.mlp = nn.Sequential(nn.Linear(d, s["mlp"] * d, bias=bias), f, nn.Linear(s["mlp"] * d, d, bias=bias))

    def turned(self, x):
        places, width = x.shape[-2:]
        angle = torch.arange(places)[:, None] * 10000.0 ** (-torch.arange(0, width, 2) / width)[None, :]
        low, high = x[..., : width // 2], x[..., width // 2 :]
        return torch.cat([low * angle.cos() - high * angle.sin(), low * angle.sin() + high * angle.cos()], -1)

    def forward(self, h, scale):
        s, places = self.s, h.shape[1]
        u = self.norm1(h) if s["norm"] == "pre" else h
        split = lambda x: x.unflatten(-1, (s["heads"], -1)).transpose(1, 2)
        every = lambda x: x[:, None].expand(-1, s["heads"], -1, -1)
        q = split(self.query(u)) if s["queries"] != "identity" else every(u)
        k = split(self.key(u)) if s["queries"] != "merged" else every(u)
        if s["position"] == "rotary":
            q, k = self.turned(q), self.turned(k)
        scores = q @ k.transpose(-1, -2)
        if s["position"] == "relative":
            r = self.position.weight[:places].unflatten(-1, (s["heads"], -1)).transpose(0, 1)
            distance = torch.arange(places)[:, None] - torch.arange(places)[None, :]
            scores = scores + (q @ r.transpose(-1, -2)).gather(-1, distance.clamp(min=0).expand_as(scores))
        scores = scores / math.sqrt(q.shape[-1])
        later = torch.ones(places, places, dtype=torch.bool).triu(1)
        if s["attention"] == "softmax":
            a = scores.masked_fill(later, -torch.inf).softmax(-1)
        elif s["attention"] in ("softmax-one", "softmax-sink"):  # one more column, that brings nothing
            extra = self.sink if s["attention"] == "softmax-sink" else torch.zeros(s["heads"])
            column = extra[None, :, None, None].expand(len(h), -1, places, 1)
            a = torch.cat([scores.masked_fill(later, -torch.inf), column], -1).softmax(-1)[..., :-1]
        elif s["attention"] == "linear":
            a = scores.masked_fill(later, 0)
        else:
            a = scores.relu().masked_fill(later, 0) / torch.arange(1, places + 1)[:, None]
        if scale is not None:
            a = a * scale[:, None]
        y = (a @ split(self.value(u))).transpose(1, 2).flatten(-2)
        if s["gate"]:
            y = y * self.gate(u).sigmoid()
        h = h + self.output(y)
        if s["mlp"]:
            h = h + self.mlp(self.norm2(h) if s["norm"] == "pre" else h)
        return h


class Transformer(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, s["width"])
        if s["position"] == "learned":
            self.position = nn.Embedding(PLACES, s["width"])
        self.layer = nn.ModuleDict({str(i + 1): Layer(s) for i in range(s["layers"])})
        if s["norm"] == "pre":
            self.norm = nn.LayerNorm(s["width"], bias=s["biases"])
        if not s["tied"]:
            self.unembedding = nn.Linear(s["width"], SAID, bias=False)
        self.s = s

    def forward(self, tokens, scale=None):
        h = self.embedding(tokens)
        if self.s["position"] == "learned":
            h = h + self.position.weight[: tokens.shape[1]]
        for layer in self.layer.values():
            h = layer(h, scale)
        h = self.norm(h) if self.s["norm"] == "pre" else h
        return h @ self.embedding.weight.T if self.s["tied"] else self.unembedding(h)


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


def case(name, scaled=False, **changed):
    model = Transformer({**USUAL, **changed})
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape, generator=generator) * 0.7)
    tokens = torch.randint(VOCAB, (3, PLACES), generator=generator)
    target = torch.randint(SAID, (3, PLACES), generator=generator)
    target[torch.rand(target.shape, generator=generator) < 0.4] = -1
    result = {
        "name": name,
        "settings": changed,
        "source": tokens.flatten().tolist(),
        "target": target.flatten().tolist(),
        "parameters": {n: flat(p) for n, p in model.named_parameters()},
        "losses": [],
    }
    scale = None
    if scaled:  # the place before counts three times
        result["alignment"] = [max(t - 1, -1) for _ in range(3) for t in range(PLACES)]
        scale = 1 + 2 * torch.diag(torch.ones(PLACES - 1), -1).expand(3, -1, -1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
    for step in range(4):
        loss = nn.functional.cross_entropy(model(tokens, scale).flatten(0, 1), target.flatten(), ignore_index=-1)
        result["losses"].append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            result["gradients"] = {n: flat(p.grad) for n, p in model.named_parameters()}
        optimizer.step()
    result["after"] = {
        n: flat(p) for n, p in model.named_parameters() if "norm" in n or "query" in n or "unembedding" in n
    }
    return result


cases = [
    case("usual"),
    case("gelu", mlp=4),
    case("relu mlp", mlp=2, activation="relu"),
    case("no norm", norm="none", mlp=1),
    case("relative", position="relative", biases=False),
    case("rotary", position="rotary"),
    case("no position", position="none"),
    case("linear", attention="linear", layers=1, heads=1, mlp=4),
    case("relu attention", attention="relu"),
    case("merged", queries="merged", position="relative"),
    case("identity", queries="identity", norm="none", biases=False),
    case("scaled", scaled=True, attention="linear"),
    case("scaled softmax", scaled=True),
    case("tied", tied=True, mlp=2),
    case("softmax one", attention="softmax-one"),
    case("softmax sink", attention="softmax-sink", position="relative"),
    case("gate", gate=True, mlp=2, biases=False),
    case("gate and sink, rotary", gate=True, attention="softmax-sink", position="rotary", scaled=True),
]
path = pathlib.Path(__file__).with_name("transformer.json")
path.write_text(
    json.dumps({"made_with": f"torch {torch.__version__.split('+')[0]}", "cases": cases}, separators=(",", ":")) + "\n"
)
