"""What is done to attention from outside, for one head in one pass: the equations of the engine's rules."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from .. import _engine
from ..pictures import needed

torch = needed("torch", "torch")


@dataclass(frozen=True)
class Rule:
    """The rule of one head. Weights are (B, T, S): T rows of an example, S columns.

    Parameters
    ----------
    pattern : str
        What rows are held at, as a hold of a spec names it; ``"learned"``: nothing, by scores.
    scale : float
        The factor of weights on true positions.
    ablated : bool
        Whether the head gives nothing.
    copy : float
        How strongly the head copies tokens.
    factor : float
        The factor of scores.
    shift : torch.Tensor or None
        What is added to scores after the factor, (B, T, T).
    right : torch.Tensor or None
        The right positions of each row, (B T, n), -1 behind the last.
    """

    pattern: str = "learned"
    scale: float = 1.0
    ablated: bool = False
    copy: float = 0.0
    factor: float = 1.0
    shift: Any = None
    right: Any = None

    def changed(self, scores: Any) -> Any:
        """Return the scores (B, T, T) as the rule changes them."""
        if self.factor != 1:
            scores = scores * self.factor
        return scores if self.shift is None else scores + self.shift

    def is_right(self, weights: Any) -> Any:
        """Return which columns are right, (B, T, S)."""
        rows, columns = weights.shape[0] * weights.shape[1], weights.shape[2]
        if self.right is None:
            return torch.zeros(weights.shape, dtype=torch.bool, device=weights.device)
        right = self.right[:rows].long()
        marks = torch.zeros(rows, columns + 1, dtype=torch.bool, device=weights.device)
        marks.scatter_(1, torch.where(right < 0, columns, right), True)
        return marks[:, :columns].view(weights.shape)

    def held(self, weights: Any, present: Any) -> Any:
        """Return the weights of the pattern: 0 at columns that it does not name or that are not present."""
        if self.pattern == "uniform":
            there = present.expand(weights.shape).to(weights.dtype)
            return there / there.sum(-1, keepdim=True).clamp(min=1)
        if self.pattern == "truth":
            right = (self.is_right(weights) & present).to(weights.dtype)
            return right / right.sum(-1, keepdim=True).clamp(min=1)
        return (pattern_rows(self.pattern, weights, True) * present).expand(weights.shape)

    def applied(self, weights: Any, present: Any) -> Any:
        """Return the weights as the rule has them; ``present`` marks the columns that are there."""
        if self.pattern == "truth":
            weights = torch.where(self.is_right(weights).any(-1, keepdim=True), self.held(weights, present), weights)
        elif self.pattern != "learned":
            weights = self.held(weights, present)
        if self.scale != 1:
            weights = torch.where(self.is_right(weights), weights * self.scale, weights)
        return torch.zeros_like(weights) if self.ablated else weights


def pattern_rows(pattern: str, like: Any, causal: bool) -> Any:
    """Return the engine's rows of a pattern that all examples share, (T, S) of weights (…, T, S)."""
    return _pattern_rows(pattern, like.shape[-2], like.shape[-1], causal, like.dtype, like.device)


@functools.lru_cache(maxsize=32)
def _pattern_rows(pattern: str, rows: int, columns: int, causal: bool, dtype: Any, device: Any) -> Any:
    return torch.as_tensor(_engine.pattern_rows(pattern, rows, columns, causal), dtype=dtype, device=device)


def softmax(scores: Any, present: Any) -> Any:
    """Return weights over the columns that are present; 0 in a row that has none."""
    low = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(~present, low), -1).masked_fill(~present, 0)
