"""Models that give each word a tag, as modules of PyTorch."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..pictures import needed

torch = needed("torch", "torch")

from torch import nn  # noqa: E402

from .modules import FromRun, Shapes, encoded, recurrent  # noqa: E402
from .moving_models import linear  # noqa: E402
from .rules import softmax  # noqa: E402
from .word_models import parameter  # noqa: E402


class Tagger(FromRun):
    """x_n = E[w_n] + Σ_i G[f_ni], 0 on padding."""

    inputs, answers = ("source", "features"), "target"

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.embedding = nn.Embedding(*shapes["embedding.weight"])
        if "feature_embedding.weight" in shapes:
            self.feature_embedding = nn.Embedding(*shapes["feature_embedding.weight"])

    def vectors(self, source: Any, features: Any) -> Any:
        x = rows(self.embedding, source)
        return x if features is None else x + rows(self.feature_embedding, features).sum(2)


def rows(table: Any, numbers: Any) -> Any:
    """Return the rows of a table; 0 for -1."""
    return table(numbers.clamp(min=0)) * (numbers >= 0)[..., None]


def around(parts: Any) -> Any:
    """Return ``parts[:, t + j, j]`` at each position t and offset j, (B, S, 2 R + 1, …); 0 outside."""
    positions, width = parts.shape[1:3]
    padded = nn.functional.pad(parts, (0, 0) * (parts.dim() - 2) + (width // 2, width // 2))
    return torch.stack([padded[:, j : j + positions, j] for j in range(width)], 2)


class LinearTagger(Tagger):
    """logit_t = b + Σ_s x_s,(s-t): each word has a part of x for each offset."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.bias = parameter(shapes, "bias")

    def forward(self, source: Any, features: Any = None) -> tuple[Any, Any]:
        parts = self.vectors(source, features).unflatten(-1, (-1, len(self.bias)))
        return (self.bias + around(parts).sum(2)).flatten(0, 1), None


class WindowTagger(Tagger):
    """logit_t = U Σ_s α_ts v_s + b with v_s = tanh(W_(s-t) x_s + b_(s-t)), and α the softmax of w · v_s."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.reach = self.spec["reach"]
        names = [str(j) for j in range(-self.reach, self.reach + 1)]
        self.offset = nn.ModuleDict({name: linear(shapes, f"offset.{name}") for name in names})
        self.score, self.output = linear(shapes, "score"), linear(shapes, "output")

    def forward(self, source: Any, features: Any = None) -> tuple[Any, Any]:
        x, width, positions = self.vectors(source, features), 2 * self.reach + 1, source.shape[1]
        v = around(torch.stack([torch.tanh(layer(x)) for layer in self.offset.values()], 2))
        there = source >= 0
        present = around(there[..., None].expand(-1, -1, width)) & there[..., None]
        columns = torch.arange(positions, device=source.device)[:, None] + torch.arange(width, device=source.device)
        rule = self.rule()
        if rule.right is not None:
            offsets = rule.right - columns[:, :1].repeat(len(source), 1) + self.reach
            near = (rule.right >= 0) & (offsets >= 0) & (offsets < width)
            rule = dataclasses.replace(rule, right=torch.where(near, offsets, -1))
        weights = rule.applied(softmax(rule.changed(self.score(v)[..., 0]), present), present)
        logits = self.output((weights[..., None, :] @ v)[..., 0, :])
        attention = weights.new_zeros(*source.shape, positions + 2 * self.reach)
        attention = attention.scatter(-1, columns.expand_as(weights), weights)
        return logits.flatten(0, 1), attention[..., self.reach : self.reach + positions]


class RecurrentTagger(Tagger):
    """logit_t = U h_t + b + C Σ_s α_ts h_s, with α the softmax of (A h_t + a) · h_s."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.encoder = recurrent(self.spec["cell"], self.embedding.embedding_dim, self.spec["hidden"], 1, True)
        self.attention = nn.ModuleDict({"query": linear(shapes, "attention.query")})
        self.output = nn.ModuleDict({name: linear(shapes, f"output.{name}") for name in ("state", "context")})

    def forward(self, source: Any, features: Any = None) -> tuple[Any, Any]:
        h, _, absent = encoded(self.encoder, self.vectors(source, features), source)
        attention = self.attend(self.attention["query"](h) @ h.transpose(1, 2), ~absent[:, None])
        return (self.output["state"](h) + self.output["context"](attention @ h)).flatten(0, 1), attention


TAGGERS = {"linear-tagger": LinearTagger, "window-tagger": WindowTagger, "recurrent-tagger": RecurrentTagger}
