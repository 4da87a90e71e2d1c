"""The engine's transformer as a module of PyTorch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .._engine import wrong_input
from ..pictures import needed

torch = needed("torch", "torch")

from torch import nn  # noqa: E402

from .modules import FromRun, Shapes  # noqa: E402
from .rules import Rule  # noqa: E402


class Layer(nn.Module):  # type: ignore[misc]
    def __init__(self, spec: Mapping[str, Any], longest: int) -> None:
        super().__init__()
        self.spec, d, bias = spec, spec["width"], spec["biases"]
        wide = d if spec["queries"] == "separate" else d * spec["heads"]
        normal = spec["norm"] == "pre"
        if normal:
            self.norm1 = nn.LayerNorm(d, bias=bias)
        if spec["queries"] != "identity":
            self.query = nn.Linear(d, wide, bias=bias)
        if spec["queries"] != "merged":
            self.key = nn.Linear(d, wide, bias=bias)
        if spec["position"] == "relative":
            self.position = nn.Embedding(longest, wide)
        if spec["attention"] == "softmax-sink":
            self.sink = nn.Parameter(torch.zeros(spec["heads"]))
        self.value = nn.Linear(d, d, bias=bias)
        if spec.get("gate", False):
            self.gate = nn.Linear(d, d)
        self.output = nn.Linear(d, d, bias=bias)
        if spec["mlp"]:
            if normal:
                self.norm2 = nn.LayerNorm(d, bias=bias)
            f = nn.GELU(approximate="tanh") if spec["activation"] == "gelu" else nn.ReLU()
            self.mlp = nn.Sequential(
                nn.Linear(d, spec["mlp"] * d, bias=bias), f, nn.Linear(spec["mlp"] * d, d, bias=bias)
            )

    def split(self, x: Any) -> Any:
        """(B, T, H K) as (B, H, T, K)."""
        return x.unflatten(-1, (self.spec["heads"], -1)).transpose(1, 2)

    def turned(self, x: Any) -> Any:
        """By rotary positions."""
        places, width = x.shape[-2:]
        rates = 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        angle = (torch.arange(places)[:, None] * rates[None, :]).to(x.device)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        low, high = x[..., : width // 2], x[..., width // 2 :]
        return torch.cat([low * cos - high * sin, low * sin + high * cos], -1)

    def by_distance(self, q: Any) -> Any:
        """q_i · r_(i-j): (B, H, T, T)."""
        places = q.shape[-2]
        r = self.position.weight[:places].unflatten(-1, (self.spec["heads"], -1)).transpose(0, 1)
        steps = torch.arange(places, device=q.device)
        distance = (steps[:, None] - steps[None, :]).clamp(min=0)
        products = q @ r.transpose(-1, -2)
        return products.gather(-1, distance.expand_as(products))

    def weights(self, u: Any, rules: list[Rule]) -> Any:
        """The attention of each head, (B, H, T, T)."""
        every = u[:, None].expand(-1, self.spec["heads"], -1, -1)
        q = self.split(self.query(u)) if self.spec["queries"] != "identity" else every
        k = self.split(self.key(u)) if self.spec["queries"] != "merged" else every
        if self.spec["position"] == "rotary":
            q, k = self.turned(q), self.turned(k)
        scores = q @ k.transpose(-1, -2)
        if self.spec["position"] == "relative":
            scores = scores + self.by_distance(q)
        scores = scores / math.sqrt(q.shape[-1])
        ruled = any(rule != Rule() for rule in rules)
        if ruled:
            scores = torch.stack([rule.changed(scores[:, h]) for h, rule in enumerate(rules)], 1)
        places = u.shape[1]
        later = torch.ones(places, places, dtype=torch.bool, device=u.device).triu(1)
        if self.spec["attention"] == "softmax":
            weights = scores.masked_fill(later, -torch.inf).softmax(-1)
        elif self.spec["attention"] in ("softmax-one", "softmax-sink"):
            nothing = self.sink if self.spec["attention"] == "softmax-sink" else scores.new_zeros(self.spec["heads"])
            nothing = nothing[:, None, None].expand(*scores.shape[:-1], 1)
            weights = torch.cat([scores.masked_fill(later, -torch.inf), nothing], -1).softmax(-1)[..., :-1]
        elif self.spec["attention"] == "linear":
            weights = scores.masked_fill(later, 0)
        elif self.spec["attention"] == "relu":
            weights = scores.relu().masked_fill(later, 0) / torch.arange(1, places + 1, device=u.device)[:, None]
        else:
            raise wrong_input(
                f"attention '{self.spec['attention']}' has no module of PyTorch", "use attention 'softmax'"
            )
        if ruled:
            weights = torch.stack([rule.applied(weights[:, h], ~later) for h, rule in enumerate(rules)], 1)
        return weights

    def forward(self, h: Any, rules: list[Rule]) -> tuple[Any, Any]:
        normal = self.spec["norm"] == "pre"
        u = self.norm1(h) if normal else h
        attention = self.weights(u, rules)
        attended = (attention @ self.split(self.value(u))).transpose(1, 2).flatten(-2)
        if self.spec.get("gate", False):
            attended = self.gate(u).sigmoid() * attended
        h = h + self.output(attended)
        if self.spec["mlp"]:
            h = h + self.mlp(self.norm2(h) if normal else h)
        return h, attention


class Transformer(FromRun):
    """``module(source)`` gives scores (B T, vocabulary) and the attention of each layer and head, (layers, B, heads, T, T)."""

    answers = "target"

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        vocab, width = shapes["embedding.weight"]
        self.embedding = nn.Embedding(vocab, width)
        if self.spec["position"] == "learned":
            self.position = nn.Embedding(*shapes["position.weight"])
        longest = shapes.get("layer.1.position.weight", (0, 0))[0]
        self.layer = nn.ModuleDict({str(i + 1): Layer(self.spec, longest) for i in range(self.spec["layers"])})
        if self.spec["norm"] == "pre":
            self.norm = nn.LayerNorm(width, bias=self.spec["biases"])
        if not self.spec.get("tied", False):
            self.unembedding = nn.Linear(width, shapes["unembedding.weight"][0], bias=False)

    def forward(self, source: Any) -> tuple[Any, Any]:
        h = self.embedding(source.clamp(min=0))
        if self.spec["position"] == "learned":
            h = h + self.position.weight[: source.shape[1]]
        maps = []
        rules: list[Rule] = []
        for number, layer in enumerate(self.layer.values(), 1):
            rules = [self.rules.get((number, head), Rule()) for head in range(1, self.spec["heads"] + 1)]
            h, attention = layer(h, rules)
            maps.append(attention)
        if self.spec["norm"] == "pre":
            h = self.norm(h)
        logits = h @ self.embedding.weight.T if self.spec.get("tied", False) else self.unembedding(h)
        for head, rule in enumerate(rules):
            if rule.copy:
                logits = logits + rule.copy * (maps[-1][:, head] @ one_hot(source, logits))
        return logits.flatten(0, 1), torch.stack(maps)


def one_hot(source: Any, logits: Any) -> Any:
    """Return the tokens of a stream as rows of the width of logits; 0 for a token that cannot be answered."""
    classes = torch.arange(logits.shape[-1], device=source.device)
    return (source[..., None] == classes).to(logits.dtype)
