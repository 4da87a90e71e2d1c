"""NewestUpdate: the numbers that a training gave of its newest update. A Watch has one, and asks it at evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..notices import teller
from .arguments import as_float
from .evaluation import Evaluator


class NewestUpdate:
    """Keep the numbers of the update, and warn once of a missing gradient and once of an answer that is NaN."""

    def __init__(self) -> None:
        self.given: Mapping[str, Any] = {}
        self._warned: set[str] = set()

    @contextmanager
    def having(self, given: Mapping[str, Any]) -> Iterator[None]:
        """Keep these numbers inside of the block alone, because a loss keeps its graph."""
        self.given = given
        try:
            yield
        finally:
            self.given = {}

    def numbers(self, evaluator: Evaluator, number: int, last: bool) -> dict[str, float]:
        """Return the numbers of this update, and the norms of its gradient if it is not the last."""
        norms = {} if last else evaluator.gradients()
        if not norms and not last:
            self.warn(
                f"at update {number} step() found no gradient, so its norm is not kept. Call it after backward(), before zero_grad()",
                "gradient",
            )
        return {**{f"train_{name}": as_float(value) for name, value in self.given.items()}, **norms}

    def warn_of_nan(self, number: int) -> None:
        """Warn of an answer that was a number, and is none any more."""
        self.warn(
            f"at update {number} the answer is NaN in rows that had a number; loss is kept as nan, and nothing else is measured",
            "nan",
        )

    def warn(self, text: str, kind: str) -> None:
        """Warn once of each kind."""
        if kind not in self._warned:
            self._warned.add(kind)
            teller()(text)
