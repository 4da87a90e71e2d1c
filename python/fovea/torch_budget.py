"""What looks at a training may take of its time, and what is done with it: when a look is made, and of how many rows β is measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .notices import teller
from .torch_clamps import Base, now
from .torch_looks import Looks
from .torch_sites import Key

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
    _earned_until: float  # updates
    _told: bool
    _told_of_less: bool

    def _interval(self) -> int:
        """Updates between two looks that are within the share."""
        if not self._adapts:
            return self._every
        look, update = self._price()[0], self._update()[0]
        return self._every * max(1, int(np.ceil(look / (EARNED * (self._share or 1) * self._every * update))))

    def _due(self) -> bool:
        """Where how often is left to the watch, a look is made when there is time for it and for one more, at the end."""
        if self.number % self._every:
            return False
        if not self._adapts or not self._course.looks:
            return True
        self._earn()
        if self._credit >= 2 * self._price()[0]:
            return True
        if not self._told_of_less and self._interval() > self._every:
            self._told_of_less = True
            teller()(
                f"looks are made every {self._interval()} updates or so: more often they would take more than share={self._share:g} of the "
                "training. every=, or share=None, says how often"
            )
        return False

    def _earn(self) -> None:
        self._credit += EARNED * (self._share or 0) * self._update()[0] * max(0.0, self.number - self._earned_until)
        self._earned_until = max(self._earned_until, self.number)

    def _beta(self, base: Base, kept: float) -> dict[Key, Array]:
        """Of as many rows as there is time for, but for the seconds that are kept; of all sites or of none."""
        assert self._clamps is not None
        clamps = self._clamps
        beta: dict[Key, Array] = {}
        done: set[Key] = set()
        unit = 0
        while len(done) < len(self._sites):
            done |= {key for key in self._sites if unit >= clamps.units(key)}
            keys = [key for key in self._sites if key not in done]
            if keys and self._share is not None and sum(clamps.prices[key] for key in keys) > self._credit - kept:
                if unit == 0:
                    self._tell_if_never(max(keys, key=clamps.prices.__getitem__))
                return beta
            for key in keys:
                shape = self._shapes[key]
                start = now()
                whole = clamps.measure(base, key, unit, beta.setdefault(key, np.full(shape, np.nan, np.float32)))
                self._credit -= now() - start
                if whole and unit + 1 >= (1 if self._heads == "all" else shape[1]):
                    done.add(key)
            unit += 1
        return beta

    def _tell_if_never(self, key: Key) -> None:
        assert self._clamps is not None and self._share is not None
        update, look = self._update()[0], self._price()[0]
        if self._told or self._share * update * self._every > look + self._clamps.prices[key] / 20:
            return
        self._told = True
        least = int(np.ceil((look + self._clamps.prices[key]) / self._share / update))
        teller()(
            f"β of '{self._sites[key]}' is hardly ever measured at this pace: one row of each example takes longer than share={self._share:g} of the "
            f"training leaves. every={least} has time for one at each look; fewer examples or a larger share help, too"
        )
