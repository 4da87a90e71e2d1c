"""The audit of the last site over the evaluations of a training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..pictures import needed
from .assumptions import Assumptions
from .base_pass import Base
from .clamps import Clamps
from .observed import Observed
from .scope import Key, Seen

torch = needed("torch", "torch")

Array = npt.NDArray[Any]


class Audit:
    """How far the assumptions of the two-stage account are true at the last site.

    Parameters
    ----------
    observed : Observed
    clamps : Clamps or None
        What measures β, in whose order rows are followed.
    together : bool
        Whether all heads are clamped together: their mean is followed.
    """

    def __init__(self, observed: Observed, clamps: Clamps | None, together: bool) -> None:
        self._observed, self._clamps, self._together = observed, clamps, together
        self._followed: Assumptions | None = None
        self._memory: list[float] = []  # of a training that goes on

    def measure(
        self, base: Base, answers: Array, step: int, first: bool, beta: Mapping[Key, Array]
    ) -> dict[str, float]:
        """Return the numbers of one evaluation."""
        if self._followed is None:
            self._followed = self._assumptions(base, answers)
            if self._memory:
                self._followed.of_rows.remember(self._memory)
        return self._measured(self._followed, base, step, first, beta)

    def trial(self, base: Base, answers: Array) -> None:
        """Do the work of an evaluation to time it. Nothing is kept."""
        self._measured(self._assumptions(base, answers), base, 0, True, {})

    def whole(self) -> dict[str, float]:
        """Return the audit of all evaluations together."""
        return self._followed.whole() if self._followed else {}

    def memory(self) -> list[float]:
        """Return the state for a checkpoint."""
        return self._followed.of_rows.memory() if self._followed else self._memory

    def go_on(self, memory: list[float]) -> None:
        """Go on from the memory of a checkpoint."""
        self._followed, self._memory = None, memory

    def _assumptions(self, base: Base, answers: Array) -> Assumptions:
        key, heads = self._observed.last, slice(1) if self._together else slice(None)
        allowed, asked = base.seen[key].allowed.cpu().numpy()[:, heads], self._observed.asked(key, answers)
        if self._clamps:
            order: Any = [
                (example, head, rows[turn])
                for turn in range(self._clamps.most(key))
                for example, rows in enumerate(self._clamps.order[key])
                if turn < len(rows)
                for head in range(self._clamps.heads[key])
            ]
        else:
            order = np.argwhere((allowed.sum(-1) >= 2) & asked[:, None])
        return Assumptions(np.array(order, int).reshape(-1, 3), allowed, asked, self._observed.truth_at(key))

    def _measured(
        self, assumptions: Assumptions, base: Base, step: int, first: bool, beta: Mapping[Key, Array]
    ) -> dict[str, float]:
        key = self._observed.last
        attention, measured = base.seen[key].attention.float().cpu().numpy(), beta.get(key)
        if self._together:
            attention, measured = attention.mean(1, keepdims=True), None if measured is None else measured[:, :1]
        numbers = assumptions.measure(step, first, attention, measured)
        states, tokens, table = _states_of(base.seen[key]), self._observed.tokens, self._observed.table
        if states is not None and tokens is not None and tokens.shape == states.shape[:2]:
            embedding = None if table is None else table.detach().float().cpu().numpy()
            numbers.update(assumptions.measure_states(tokens, states, embedding))
        return numbers


def _states_of(seen: Seen) -> Array | None:
    """(examples, positions, width) that a site attends to: the last that its module is called with, as keys and values come last."""
    if seen.within is None:
        return None
    module, given = seen.within
    examples, _, _, places = seen.attention.shape
    layouts = [((examples, places), False), ((places, examples), True)]
    if not getattr(module, "batch_first", True):
        layouts.reverse()
    for one in reversed(given):
        if not isinstance(one, torch.Tensor) or one.dim() != 3 or not one.is_floating_point():
            continue
        turned = next((turned for shape, turned in layouts if tuple(one.shape[:2]) == shape), None)
        if turned is not None:
            return np.ascontiguousarray((one.transpose(0, 1) if turned else one).detach().float().cpu().numpy())
    return None
