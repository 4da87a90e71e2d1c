"""What looks at a training may take of its time, and what is done with it: when a look is made, and of how many rows β is measured."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ..notices import teller
from .clamps import Base, now
from .evaluation import Looks
from .sites import Key

Array = npt.NDArray[Any]
EVERY = 50  # updates between two looks, where nothing else is said
EARNED = 0.8  # of the share is spent: no pass takes what the last one took, and keeping the run is not in it


class Budget(Looks):
    """Seconds that looks have earned as a share of those of the updates, and have not taken."""

    _every: int
    _share: float | None
    _adapts: bool
    _rows: Any
    _credit: float
    _saved: float  # of the credit, for β
    _earned_until: float  # updates
    _told: bool
    _told_of_less: bool

    def _interval(self) -> int:
        """Updates between two looks that are within the share."""
        if not self._adapts:
            return self._every
        look, update = self._price()[0], self._update()[0]
        look += min(look, self._price_of_beta())
        return self._every * max(1, int(np.ceil(look / (EARNED * (self._share or 1) * self._every * update))))

    def _price_of_beta(self) -> float:
        """Seconds of β of the rows that were chosen; 0 before they are."""
        return self._clamps.price() if self._clamps and self._clamps.examples is not None else 0.0

    def _due(self) -> bool:
        """Where how often is left to the watch, a look is made when there is time for it and for one more, at the end."""
        if self.number % self._every:
            return False
        if not self._adapts or not self._course.looks:
            return True
        self._earn()
        if self._credit - min(self._saved, self._price_of_beta()) >= 2 * self._price()[0]:
            return True
        if not self._told_of_less and self._interval() > self._every:
            self._told_of_less = True
            teller()(
                f"looks are made every {self._interval()} updates or so: more often they would take more than share={self._share:g} of the "
                "training. every=, or share=None, says how often"
            )
        return False

    def _earn(self) -> None:
        earned = EARNED * (self._share or 0) * self._update()[0] * max(0.0, self.number - self._earned_until)
        self._credit += earned
        self._saved += earned / 2
        self._earned_until = max(self._earned_until, self.number)

    def _beta(self, base: Base, kept: float) -> dict[Key, Array]:
        """Of the same rows each time, where there is time for all of them but for the seconds that are kept; else of none."""
        assert self._clamps is not None
        clamps = self._clamps
        if clamps.examples is None and not self._chosen(base, kept):
            return {}
        if self._share is not None and clamps.price() > self._credit - kept:
            self._tell_if_never()
            return {}
        start = now()
        beta = {key: np.full(self._shapes[key], np.nan, np.float32) for key in self._sites}
        for key, values in beta.items():
            clamps.measure(base, key, values)
        self._credit -= now() - start
        self._saved = 0.0
        return beta

    def _chosen(self, base: Base, kept: float) -> bool:
        """Whether rows could be chosen: once updates are timed and some answer depends on a site, or if there is time for all rows. At the
        last look they are chosen in any case."""
        assert self._clamps is not None
        clamps, least = self._clamps, self._price()[0]
        if self._share is None:
            clamps.choose(base, math.inf)
            return True
        update, timed = self._update()
        earned = EARNED * self._share * update * self._every
        left = max(earned - least, least) if self._adapts else max(earned - least, 0.0)
        last = kept == 0
        if last:
            left = max(left, self._credit)
        elif not timed and sum(clamps.prices[key] * clamps.units(key) for key in clamps.order) > left:
            return False
        elif clamps.unsure.issuperset(self._sites):
            return False
        clamps.choose(base, left)
        return True

    def _tell_if_never(self) -> None:
        assert self._clamps is not None and self._share is not None
        update, look, price = self._update()[0], self._price()[0], self._clamps.price()
        if self._told or self._adapts or self._share * update * self._every > look + price / 20:
            return
        self._told = True
        least = int(np.ceil((look + price) / self._share / update))
        teller()(
            f"β is hardly ever measured at this pace: one row of each example takes longer than share={self._share:g} of the "
            f"training leaves. every={least} has time for one at each look; fewer examples or a larger share help, too"
        )
