"""Measured values with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


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
