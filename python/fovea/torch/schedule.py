"""When a training is evaluated, and of how many rows β is measured, within a share of its time."""

from __future__ import annotations

import math

import numpy as np

from ..notices import teller
from . import clock
from .clamps import Base, Clamps
from .cost import Cost
from .evaluation import Evaluator

EVERY = 50  # updates between two evaluations, where nothing else is given
EARNED = 0.8  # of the share is spent: no pass takes what the last one took, and keeping the run is not in it
BACKWARD = 3  # an update costs about as much as so many passes forward


class Schedule:
    """Seconds that evaluations have earned, as a share of those of the updates, and have not taken.

    Parameters
    ----------
    evaluator : Evaluator
    every : int or None
        Updates between two evaluations; None: as often as there is time for, at multiples of 50.
    share : float or None
        Of the time of the training, what evaluations may take; None: whatever they take.
    """

    def __init__(self, evaluator: Evaluator, every: int | None, share: float | None) -> None:
        self._evaluator = evaluator
        self.every, self.share = every or EVERY, share
        self._adapts = every is None and share is not None  # how often it evaluates
        self._durations: list[float] = []  # seconds of the newest updates
        self._stepped: float | None = None  # when the newest began
        self._credit = 0.0
        self._saved = 0.0  # of the credit, for β
        self._earned_until = 0.0  # updates
        self._warned_of_beta = self._warned_of_less = False

    # ---- updates

    def updated(self, evaluated: bool) -> None:
        """An update begins; the one before is timed, if no evaluation was within."""
        if not evaluated and self._stepped is not None:
            self._durations = [*self._durations[-99:], clock.seconds() - self._stepped]

    def stepped(self) -> None:
        self._stepped = clock.seconds()

    def go_on(self, number: int) -> None:
        """The training goes on at this update."""
        self._earned_until = float(number)

    def update(self) -> tuple[float, bool]:
        """Return the seconds of an update, and whether it was timed: until then it is taken to be as long as three passes."""
        if len(self._durations) >= 3:
            return float(np.median(self._durations)), True
        return BACKWARD * self._evaluator.price()[1], False

    # ---- evaluations

    def interval(self) -> int:
        """Return the updates between two evaluations that are within the share."""
        if not self._adapts:
            return self.every
        look, update = self._evaluator.price()[0], self.update()[0]
        look += min(look, self._price_of_beta())
        return self.every * max(1, math.ceil(look / (EARNED * (self.share or 1) * self.every * update)))

    def due(self, number: int, first: bool) -> bool:
        """Return whether this update is evaluated. Where how often is left to the schedule, it is when there is time for an evaluation and for
        one more, at the end."""
        if number % self.every:
            return False
        if not self._adapts or first:
            return True
        self.earn(number)
        if self._credit - min(self._saved, self._price_of_beta()) >= 2 * self._evaluator.price()[0]:
            return True
        if not self._warned_of_less and self.interval() > self.every:
            self._warned_of_less = True
            teller()(
                f"evaluations are made every {self.interval()} updates or so: more often they would take more than share={self.share:g} of the "
                "training. every=, or share=None, says how often"
            )
        return False

    def earn(self, number: int) -> None:
        """Earn what the updates up to this one allow."""
        earned = EARNED * (self.share or 0) * self.update()[0] * max(0.0, number - self._earned_until)
        self._credit += earned
        self._saved += earned / 2
        self._earned_until = max(self._earned_until, number)

    def earn_ahead(self) -> None:
        """Earn half of what the first updates will have earned, for the first evaluation."""
        self._earned_until += self.every / 2
        self._credit += EARNED * (self.share or 0) * self.update()[0] * self.every / 2

    def spend(self, seconds: float) -> None:
        self._credit -= seconds

    # ---- β

    def _price_of_beta(self) -> float:
        """Seconds of β of the rows that were chosen; 0 before they are."""
        clamps = self._evaluator.clamps
        return clamps.price() if clamps and clamps.examples is not None else 0.0

    def affords_beta(self, clamps: Clamps, base: Base, kept: float, last: bool) -> bool:
        """Return whether there is time for β of all rows that are measured, but for the seconds that are kept. Chooses these rows."""
        if clamps.examples is None and not self._chosen(clamps, base, last):
            return False
        if self.share is not None and clamps.price() > self._credit - kept:
            self._warn_if_never(clamps)
            return False
        self._saved = 0.0
        return True

    def _chosen(self, clamps: Clamps, base: Base, last: bool) -> bool:
        """Whether rows could be chosen: once updates are timed and some answer depends on a site, or if there is time for all rows. At the
        last evaluation they are chosen in any case."""
        if self.share is None:
            clamps.choose(base, math.inf)
            return True
        update, timed = self.update()
        look = self._evaluator.price()[0]
        left = max(EARNED * self.share * update * self.every - look, look if self._adapts else 0.0)
        if last:
            left = max(left, self._credit)
        elif clamps.unsure.issuperset(clamps.order) or (not timed and clamps.price_of_all() > left):
            return False
        clamps.choose(base, left)
        return True

    def _warn_if_never(self, clamps: Clamps) -> None:
        assert self.share is not None
        update, look, price = self.update()[0], self._evaluator.price()[0], clamps.price()
        if self._warned_of_beta or self._adapts or self.share * update * self.every > look + price / 20:
            return
        self._warned_of_beta = True
        teller()(
            f"β is hardly ever measured at this pace: one row of each example takes longer than share={self.share:g} of the "
            f"training leaves. every={math.ceil((look + price) / self.share / update)} has time for one at each evaluation; fewer examples or a "
            "larger share help, too"
        )

    def cost(self) -> Cost:
        """Return what evaluations take."""
        look, _ = self._evaluator.price()
        clamps, names = self._evaluator.clamps, self._evaluator.observed.sites
        update, timed = self.update()
        return Cost(
            look,
            {name: clamps.prices[key] for key, name in names.items()} if clamps else {},
            {name: clamps.units(key) for key, name in names.items()} if clamps else {},
            clamps.price(1) if clamps else 0.0,
            update,
            self.interval(),
            self.share,
            timed,
        )
