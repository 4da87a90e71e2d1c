"""The library's measures of attention, by its probes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine

Array = npt.NDArray[Any]

# Of many heads one is meant to do it; of the rest the mean is told.
_LARGEST = ("weight_on_previous", "weight_on_first", "induction")


class Rows:
    """Select the rows of one head's attention (examples, rows, positions) that count: asked rows that have a choice.

    Each has the positions that it may attend to, first."""

    def __init__(self, allowed: Array, asked: Array, truth: Array | None) -> None:
        self.count = asked & (allowed.sum(-1) >= 2)
        ok = allowed[self.count]
        self.lengths = ok.sum(-1).astype(np.int32)
        in_front = np.arange(ok.shape[-1]) < self.lengths[:, None]
        self.order = None if np.array_equal(ok, in_front) else np.argsort(~ok, axis=-1, kind="stable")
        self.alignment = None
        if truth is not None:
            at = truth[self.count].astype(np.int64)
            there = (at >= 0) & np.take_along_axis(ok, np.maximum(at, 0)[:, None], -1)[:, 0]
            places = np.take_along_axis(np.cumsum(ok, -1), np.maximum(at, 0)[:, None], -1)[:, 0] - 1
            self.alignment = np.where(there, places, -1).astype(np.int32)[:, None]

    def __call__(self, weights: Array) -> Array:
        rows = weights[self.count]
        packed: Array = rows if self.order is None else np.take_along_axis(rows, self.order, -1)
        return packed

    def parts(self, weights: Array, which: Array | None = None) -> dict[str, Array]:
        """As the probes of the library take them."""
        which = np.ones(len(self.lengths), bool) if which is None else which
        rows = self(weights)[which]
        parts = {
            "attention": rows[:, None],
            "source": np.zeros(rows.shape, np.int32),
            "lengths": self.lengths[which],
            "asked": np.ones((len(rows), 1), np.int32),
        }
        return parts if self.alignment is None else {**parts, "alignment": self.alignment[which]}


class Measures:
    """Numbers of one look, by the probes of the library."""

    def __init__(self, tokens: Array | None) -> None:
        self.tokens = tokens
        self.spread = _engine.Probes(["entropy"], "token_pairs")
        self.on_truth = _engine.Probes(["attention_on_answer", "attention_points_right"], "token_pairs")
        self.top = _engine.Probes(["beta_points_right"], "token_pairs")
        self.heads = _engine.Probes(["heads"], "token_streams")

    def of_attention(
        self, attention: Array, allowed: Array, asked: Array, truth: Array | None, first: bool
    ) -> dict[str, float]:
        """Measure one head: (examples, rows, positions)."""
        rows = Rows(allowed, asked, truth)
        if len(rows.lengths) == 0:
            return {}
        parts = rows.parts(attention)
        numbers = self.spread.measure(first, parts)
        if rows.alignment is not None:
            on_truth = self.on_truth.measure(first, parts)
            numbers.update(
                {name: on_truth[name] for name in ("attention_on_answer", "attention_points_right") if name in on_truth}
            )
        if looks_back(allowed):
            numbers.update(self._of_stream(attention, allowed, asked, first))
        return numbers

    def _of_stream(self, attention: Array, allowed: Array, asked: Array, first: bool) -> dict[str, float]:
        examples, places = attention.shape[0], attention.shape[2]
        tokens = self.tokens
        if tokens is None or tokens.shape != (examples, places):  # nothing is known to be alike
            tokens = np.broadcast_to(np.arange(places, dtype=np.int32), (examples, places))
        parts = {
            "attention": attention,
            "source": np.maximum(tokens, 0),
            "lengths": np.full(examples, places, np.int32),
            "asked": (asked & (allowed.sum(-1) >= 2)).astype(np.int32),
        }
        return self.heads.measure(first, parts)

    def of_beta(
        self, attention: Array, beta: Array, allowed: Array, asked: Array, truth: Array | None
    ) -> dict[str, float]:
        """Measure the rows that have β, of one head or several: (…, rows, positions)."""
        rows = Rows(allowed, asked & ~(np.isnan(beta) & allowed).any(-1), truth)
        if len(rows.lengths) == 0:
            return {}
        numbers = _engine.agreement(rows(attention), rows(beta), rows.lengths)
        if rows.alignment is not None:
            numbers.update(self.top.measure(False, {**rows.parts(attention), "beta": rows(beta)[:, None]}))
        return numbers


def looks_back(allowed: Array) -> bool:
    """Whether rows are places, each of which looks at itself and at those before it."""
    square = allowed.shape[-1] == allowed.shape[-2] > 1
    return square and not allowed[..., np.triu(np.ones(allowed.shape[-2:], bool), 1)].any()


def in_all(of_maps: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return NAME of all maps, and NAME_lL_hH of each if there are several."""
    numbers: dict[str, float] = {}
    for name in dict.fromkeys(name for numbers_of_one in of_maps.values() for name in numbers_of_one):
        values = {suffix: one[name] for suffix, one in of_maps.items() if name in one}
        numbers[name] = max(values.values()) if name in _LARGEST else float(np.mean(list(values.values())))
        if len(of_maps) > 1 and not name.endswith("_chance"):
            numbers.update({name + suffix: value for suffix, value in values.items()})
    return numbers
