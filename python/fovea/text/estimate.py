"""Measured values with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _engine

Array = npt.NDArray[Any]

_STUDENT = (
    12.71,
    4.3,
    3.18,
    2.78,
    2.57,
    2.45,
    2.36,
    2.31,
    2.26,
    2.0,
)  # 97.5 % of Student's t, from one degree of freedom on


class Estimate(NamedTuple):
    """A mean over the test texts, and its 95 % interval over test texts and, with several seeds, over trainings."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


class Spread(NamedTuple):
    """A mean over trainings, with the least and the most of them; no interval, since there are few."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        known = [value for value in values if not math.isnan(value)]
        if not known:
            return cls(math.nan, math.nan, math.nan)
        return cls(sum(known) / len(known), min(known), max(known))

    def __str__(self) -> str:
        return f"{self.mean:.2f} (from {self.low:.2f} to {self.high:.2f})"


def over_trainings(of_seeds: Sequence[Array], of_texts: Estimate) -> Estimate:
    """Wider than over texts alone, by how much the trainings differ: both half widths are added in quadrature."""
    if len(of_seeds) < 2:
        return of_texts
    spread = float(np.std([np.mean(values) for values in of_seeds], ddof=1)) / np.sqrt(len(of_seeds))
    wide = _STUDENT[min(len(of_seeds) - 1, len(_STUDENT)) - 1] * spread
    low, high = (float(np.hypot(bound - of_texts.mean, wide)) for bound in (of_texts.low, of_texts.high))
    return Estimate(of_texts.mean, of_texts.mean - low, of_texts.mean + high)


def difference(values: Array, seed: int) -> Estimate:
    """The mean of answers that are right, or changed, in one case and not in another. The interval is at least as wide as the one of a
    share of 0 in as many texts, since a bootstrap of texts of which none differs has no width."""
    found = Estimate(*_engine.bootstrap_mean(np.asarray(values, float), seed))
    open_ = float(_engine.share_interval(0, len(values))[2])
    return Estimate(found.mean, min(found.low, found.mean - open_), max(found.high, found.mean + open_))
