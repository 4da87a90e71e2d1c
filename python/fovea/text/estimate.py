"""What was measured, with how sure it is."""

from __future__ import annotations

from typing import NamedTuple


class Estimate(NamedTuple):
    """A mean over the test texts, and the interval that holds it with probability 0.95: the texts vary, the trained models do not."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"
