"""What is kept of a training elsewhere: the library's measures of its attention, their courses, and a few maps."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine

Array = npt.NDArray[Any]

MOST_AT_ONCE = 1 << 16  # numbers of one array
MOST_IN_ALL = 1 << 22  # bytes of all arrays: of a long course, every second look's are dropped as often as need be
_LARGEST = (
    "previous_token",
    "first_token",
    "induction",
)  # of many heads one is meant to do it; of the rest the mean is told


class Course:
    """Series and arrays as they grow, within bounds for the arrays."""

    def __init__(self) -> None:
        self.series: dict[str, tuple[array[int], array[float]]] = {}  # steps and values, eight bytes each
        self.arrays: dict[int, list[tuple[str, Array]]] = {}
        self.every = 1  # of the looks, how many keep their arrays
        self.looks: list[int] = []

    def number(self, step: int, name: str, value: float) -> None:
        steps, values = self.series.get(name) or self.series.setdefault(name, (array("q"), array("d")))
        if steps and steps[-1] == step:
            values[-1] = float(value)
        else:
            steps.append(step)
            values.append(float(value))

    def keep(self, step: int, arrays: Iterable[tuple[str, Array]]) -> None:
        """Of the first look all, since it says what the maps are over; of later ones as many as there is room for."""
        self.looks.append(step)
        if (len(self.looks) - 1) % self.every == 0:
            self.arrays[step] = [
                (name, np.array(values, _kept_as(name))) for name, values in arrays if values.size <= MOST_AT_ONCE
            ]
        while (
            sum(values.nbytes for kept in self.arrays.values() for _, values in kept) > MOST_IN_ALL
            and len(self.arrays) > 2
        ):
            self.every *= 2
            self.arrays = {look: kept for look, kept in self.arrays.items() if self.looks.index(look) % self.every == 0}

    def all_arrays(self, last: Sequence[tuple[str, Array]]) -> list[tuple[str, int, Array]]:
        """Those of the last look among them."""
        kept = dict(self.arrays)
        if self.looks:
            kept[self.looks[-1]] = kept.get(self.looks[-1]) or [one for one in last if one[1].size <= MOST_AT_ONCE]
        return [(name, step, values) for step in sorted(kept) for name, values in kept[step]]

    def state_dict(self) -> dict[str, Any]:
        return {
            "series": {name: [list(steps), list(values)] for name, (steps, values) in self.series.items()},
            "arrays": [[step, name, values] for step, kept in self.arrays.items() for name, values in kept],
            "every": self.every,
            "looks": list(self.looks),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.series = {
            name: (array("q", steps), array("d", values)) for name, (steps, values) in state["series"].items()
        }
        self.arrays = {}
        for step, name, values in state["arrays"]:
            self.arrays.setdefault(int(step), []).append((str(name), np.array(values)))
        self.every, self.looks = int(state["every"]), list(state["looks"])


def _kept_as(name: str) -> Any:
    """Attention as halves, as the store keeps it."""
    return np.float16 if name == "attention" or name.startswith("attention.") else np.float32


class Rows:
    """Rows of one head's attention (examples, rows, places) that count: those that are asked and have a choice, each over the
    places that it may look at, which stand first."""

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
        self.on_truth = _engine.Probes(["attention_on_truth", "attention_accuracy"], "token_pairs")
        self.top = _engine.Probes(["beta_top1"], "token_pairs")
        self.heads = _engine.Probes(["heads"], "token_streams")

    def of_attention(
        self, attention: Array, allowed: Array, asked: Array, truth: Array | None, first: bool
    ) -> dict[str, float]:
        """Of one head: (examples, rows, places)."""
        rows = Rows(allowed, asked, truth)
        if len(rows.lengths) == 0:
            return {}
        parts = rows.parts(attention)
        numbers = self.spread.measure(first, parts)
        if rows.alignment is not None:
            on_truth = self.on_truth.measure(first, parts)
            numbers.update(
                {name: on_truth[name] for name in ("attention_on_truth", "attention_accuracy") if name in on_truth}
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
        """Of the rows whose β was measured, of one head or of several: (…, rows, places)."""
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
    """NAME of all maps, and NAME_lL_hH of each where there are several."""
    numbers: dict[str, float] = {}
    for name in dict.fromkeys(name for numbers_of_one in of_maps.values() for name in numbers_of_one):
        values = {suffix: one[name] for suffix, one in of_maps.items() if name in one}
        numbers[name] = max(values.values()) if name in _LARGEST else float(np.mean(list(values.values())))
        if len(of_maps) > 1 and not name.endswith("_chance"):
            numbers.update({name + suffix: value for suffix, value in values.items()})
    return numbers
