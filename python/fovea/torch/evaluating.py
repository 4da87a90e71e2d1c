"""One evaluation of a watch: the order of its measurements, and the seconds that each of them takes."""

from __future__ import annotations

from functools import partial
from typing import Any

from . import clock
from .base_pass import Base
from .evaluation import Evaluator
from .holds import HoldSchedule
from .schedule import Schedule


class Evaluation:
    """Measures a model at one update, within the seconds that the schedule allows.

    Attributes
    ----------
    numbers : dict
        The measured numbers by their names.
    arrays : list
        The arrays that are kept, with their names.
    """

    def __init__(self, evaluator: Evaluator, schedule: Schedule, holds: HoldSchedule, step: int) -> None:
        self._evaluator, self._schedule, self._holds, self._step = evaluator, schedule, holds, step
        self.numbers: dict[str, float] = {}
        self.arrays: list[tuple[str, Any]] = []

    def measure(self, first: bool, last: bool) -> bool:
        """Measure everything. If answers became NaN, keep the loss alone and return False."""
        start = clock.now()
        evaluator, schedule = self._evaluator, self._schedule
        with evaluator.observed.model.at_rest():
            base = evaluator.base()
            if evaluator.observed.diverged(base):
                self.numbers["loss"] = float("nan")
                schedule.spend(clock.now() - start)
                return False
            self._measure(base, start, first, last)
        return True

    def _measure(self, base: Base, start: float, first: bool, last: bool) -> None:
        evaluator, schedule, step = self._evaluator, self._schedule, self._step
        self._add(evaluator.attention(base, first))
        held, more = evaluator.held(self._holds.plan(step, evaluator.observed.truth))
        self.numbers.update(more)
        self._add(evaluator.besides(base, step, first, partial(self._holds.plan, step)))
        took = clock.now() - start
        evaluator.took(base, took)
        schedule.earn(step, last)
        if first:
            schedule.earn_ahead()
        schedule.spend(clock.now() - start, "all" if first else None)
        start = clock.now()
        beta = {}
        if evaluator.clamps and schedule.affords_beta(evaluator.clamps, base, step, 0.0 if last else took, last):
            beta = evaluator.beta(base)
            self._add(evaluator.agreement(base, beta))
        schedule.spend(clock.now() - start, "beta")
        start = clock.now()
        if evaluator.audit:
            self.numbers.update(evaluator.audit.measure(base, base.answers.cpu().numpy(), step, first, beta))
        self._add(evaluator.probed(base, held, step, beta, self.numbers))
        schedule.spend(clock.now() - start)
        evaluator.took_more(clock.now() - start)

    def _add(self, measured: tuple[dict[str, float], list[tuple[str, Any]]]) -> None:
        numbers, arrays = measured
        self.numbers.update(numbers)
        self.arrays += arrays


def watch_spec(evaluator: Evaluator, every: int | None, keep: int, seed: int) -> dict[str, Any]:
    """Return the spec of the run of a watch, as it begins. ``every`` is None if the schedule chooses the evaluations."""
    probe: dict[str, Any] = {"keep": keep} if every is None else {"every": every, "keep": keep}
    if evaluator.probes:
        probe["names"] = evaluator.probes.names
    if evaluator.further:
        probe["batches"] = list(evaluator.further)
    return {"model": evaluator.observed.spec(), "probe": probe, "seed": seed}
