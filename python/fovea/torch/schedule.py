"""When a training is evaluated, and of how many rows β is measured, within a share of its time."""

from __future__ import annotations

import math
from collections import deque

from ..notices import teller
from . import clock
from .base_pass import Base
from .clamps import Clamps
from .cost import Cost
from .evaluation import Evaluator

EVERY = 50  # updates between two evaluations, at most, if nothing else is given
POINTS = 64  # evaluations of a training whose length is known, at even distances of the logarithm
BUDGET = 1.0  # seconds that evaluations may take of a short training
EARLY = 0.75  # of the budget is given at even distances of the logarithm of the step, and the rest evenly
EARNED = 0.8  # of the share is spent: passes vary, and an update after an evaluation takes longer
PARTS = {"regular": 0.4, "falls": 0.2, "beta": 0.4}  # of what is earned, if the schedule chooses the updates
FALL = 0.05  # of the loss: when it has fallen by so much since the last evaluation, another is due
APART = 1.2  # steps of β are at least so much apart, as a ratio, if the schedule chooses the updates
SMOOTH = 0.3  # of the newest loss, in the mean that is followed
BACKWARD = 3  # an update costs about as much as so many passes forward


class Schedule:
    """Chooses the updates that are evaluated, and the time for evaluations.

    With ``every``, evaluations are at fixed distances. Their time is paid from a share of the training's time, and β from the rest.
    Without it the schedule chooses: at equal distances of the logarithm of the step, and when the loss falls. The earned time is then
    divided into three accounts: for regular evaluations, for evaluations when the loss falls, and for β.

    Parameters
    ----------
    evaluator : Evaluator
    every : int or None
        Updates between two evaluations; None: the schedule chooses, or 50 if there is no share.
    share : float or None
        The share of the training's time for evaluations, or a second if that is more and the schedule chooses. None: no limit.
    steps : int or None
        How many updates the training has, if that is known.
    """

    def __init__(self, evaluator: Evaluator, every: int | None, share: float | None, steps: int | None) -> None:
        self._evaluator = evaluator
        self.every, self.share, self._steps = every or EVERY, share, steps
        self.chooses = every is None and share is not None  # which updates are evaluated
        self._durations: deque[float] = deque(maxlen=100)  # seconds of the newest updates
        self._median: float | None = None  # of them
        self._updates = 0  # that were timed
        self._stepped: float | None = None  # when the newest step() ended
        self._accounts = dict.fromkeys(PARTS, 0.0)
        self._pays = "regular" if self.chooses else "beta"  # the account that evaluations are paid from
        self._begun = 0  # the first update
        self._earned_until = 0.0  # updates
        self._earned = self._entitled = 0.0  # seconds, by the share and in all
        self._next = 0  # the next regular evaluation
        self._asked_again = 0  # the update at which accounts are read again, after one at which they had too little
        self._of_beta: int | None = None  # the newest evaluation with β
        self._loss: float | None = None  # of the training, smoothed
        self._loss_then: float | None = None  # at the newest evaluation
        self._warned_of_beta = self._warned_of_less = False
        self.spent = 0.0  #: seconds that observing has taken

    @property
    def fixed(self) -> int | None:
        """The updates between two evaluations; None if the schedule chooses them."""
        return None if self.chooses else self.every

    # ---- updates

    def updated(self, begun: float, evaluated: bool) -> None:
        """Note the end of a ``step`` that began at this time.

        The update before it is timed, if no evaluation was within. What ``step`` takes is paid for, too."""
        ended = clock.seconds()
        if not evaluated:
            self.spend(ended - begun, "all")
            if self._stepped is not None:
                self._durations.append(begun - self._stepped)
                if self._median is None or len(self._durations) < 16 or self._updates % 16 == 0:
                    self._median = sorted(self._durations)[len(self._durations) // 2]
                self._updates += 1
        self._stepped = ended

    def told(self, loss: float) -> None:
        """Note the loss of an update."""
        if math.isnan(loss):
            return
        self._loss = loss if self._loss is None else self._loss + SMOOTH * (loss - self._loss)
        if self._loss_then is None:
            self._loss_then = self._loss

    def go_on(self, number: int) -> None:
        """Go on at this update."""
        self._earned_until, self._next, self._begun = float(number), number, number
        self._asked_again = number

    def update(self) -> tuple[float, bool]:
        """Return the seconds of an update, and whether it was timed: until then it is taken to be as long as three passes."""
        if self._median is not None and len(self._durations) >= 3:
            return max(self._median, 1e-9), True  # a coarse clock may not see it
        return BACKWARD * self._evaluator.price()[1], False

    # ---- evaluations

    def interval(self) -> int:
        """Return the updates between two regular evaluations, late in the training."""
        if not self.chooses:
            return self.every
        earned = EARNED * (self.share or 1) * self._part("regular") * self.update()[0]
        return max(self.every, math.ceil(self._evaluator.price()[0] / earned))

    def _part(self, account: str) -> float:
        """Return the account's part of the earned time. If β is not measured, the others share its part."""
        if not self.chooses:
            return float(account == "beta")
        if self._evaluator.clamps:
            return PARTS[account]
        return 0.0 if account == "beta" else PARTS[account] / (1 - PARTS["beta"])

    def due(self, number: int, first: bool) -> bool:
        """Return whether this update is evaluated."""
        if not self.chooses:
            return number % self.every == 0
        falls = self._loss is not None and self._loss_then is not None and self._loss < (1 - FALL) * self._loss_then
        if first or number < self._asked_again or not (falls or number >= self._next):
            return first
        self.earn(number)
        look = self._evaluator.price()[0]
        if number >= self._next and self._accounts["regular"] >= 2 * look:  # for this one, and for the last
            self._pays = "regular"
            return True
        if falls and self._accounts["falls"] >= look:
            self._pays = "falls"
            return True
        self._asked_again = number + 1 + min(number // 32, 7)
        if number > self.every and not self._warned_of_less and self.interval() > self.every:
            self._warned_of_less = True
            teller()(
                f"evaluations are made every {self.interval()} updates or so: more often they would take more than share={self.share:g} of the "
                "training. every=, or share=None, sets how often"
            )
        return False

    def evaluated(self, number: int, loss: float) -> None:
        """Note an evaluation, and the loss that it found: when that falls, the next is sooner."""
        fell = self._loss is None and self._loss_then is not None and loss < (1 - FALL) * self._loss_then
        if self._pays != "falls" or number >= self._next:
            gap = self._gap(number)
            self._next = number + (max(1, gap // 4) if fell else gap)
        self._loss_then = loss if self._loss is None else self._loss

    def _gap(self, number: int) -> int:
        """Return the updates between two regular evaluations, at this step."""
        if self._steps is None:
            return max(1, min(self.every, number // 10))
        return max(1, min(self._steps // POINTS, int(number * (self._steps ** (1 / POINTS) - 1))))

    def earn(self, number: int, last: bool = False) -> None:
        """Earn the time of the updates up to this one. The last evaluation is given the rest of the budget."""
        self._earned += EARNED * (self.share or 0) * self.update()[0] * max(0.0, number - self._earned_until)
        self._earned_until = max(self._earned_until, number)
        given = 0.0
        if self.chooses:  # a training is given the budget until it has earned as much, most of it early
            done, whole = number - self._begun, BUDGET / ((self.share or 1) * self.update()[0])
            whole = max(1.0, min(whole, self._steps or whole))
            passed = EARLY * math.log1p(done) / math.log1p(whole) + (1 - EARLY) * done / whole
            given = EARNED * BUDGET * (1.0 if last else min(1.0, passed))
        self._divide(max(self._earned, given) - self._entitled)
        self._entitled = max(self._earned, given)

    def earn_ahead(self) -> None:
        """Earn half of the first updates' time in advance, for the first evaluation."""
        if not self.chooses:
            self._earned_until += self.every / 2
            self._divide(EARNED * (self.share or 0) * self.update()[0] * self.every / 2)

    def _divide(self, seconds: float) -> None:
        for account in self._accounts:
            self._accounts[account] += self._part(account) * seconds

    def spend(self, seconds: float, account: str | None = None) -> None:
        """Pay for an evaluation, from the account that its turn came by or from one that is named: ``"beta"``, or ``"all"``."""
        self.spent += seconds
        if account == "all":
            self._divide(-seconds)
        else:
            self._accounts[account or self._pays] -= seconds

    # ---- β

    def affords_beta(self, clamps: Clamps, base: Base, number: int, kept: float, last: bool) -> bool:
        """Return whether there is time for β of all rows that are measured, but for the seconds that are kept. Chooses these rows."""
        if self.chooses and not last and self._of_beta is not None and number < APART * self._of_beta:
            return False
        left = sum(self._accounts.values()) if last else self._accounts["beta"] - (0.0 if self.chooses else kept)
        start = clock.now()
        if not self._prepared(clamps, base, left, last):
            if self.update()[1]:
                self._warn_if_never(clamps.least(self._evaluator.price()[1]))
            return False
        if clamps.examples is None and not self._chosen(clamps, base, last):
            return False
        if self.share is not None and clamps.price() > left - (clock.now() - start):
            self._warn_if_never(clamps.price())
            return False
        self._of_beta = number
        return True

    def _prepared(self, clamps: Clamps, base: Base, left: float, last: bool = False) -> bool:
        """Prepare the sites that are not, if there is time for it and for β. Return whether all of them are.

        At the last evaluation there must be time for all of these sites, because no later one uses them."""
        one_pass, start, waiting = self._evaluator.price()[1], clock.now(), clamps.unprepared()
        for number, key in enumerate(waiting):
            sites = len(waiting) - number if last else 1
            needed = sites * clamps.preparing(one_pass) + clamps.least(one_pass)
            if self.share is not None and needed > left - (clock.now() - start):
                return False
            clamps.prepare(base, key)
        return True

    def _chosen(self, clamps: Clamps, base: Base, last: bool) -> bool:
        """Whether rows could be chosen: once updates are timed and some answer depends on a site, or if there is time for all rows. At the
        last evaluation they are chosen in any case."""
        if self.share is None:
            clamps.choose(base, math.inf)
            return True
        update, timed = self.update()
        look = self._evaluator.price()[0]
        earned = EARNED * self.share * update * self.every
        left = max(self._part("beta") * earned, look) if self.chooses else max(earned - look, 0.0)
        if last:
            left = max(left, sum(self._accounts.values()))
        elif clamps.unsure.issuperset(clamps.order) or (not timed and clamps.price_of_all() > left):
            return False
        clamps.choose(base, left)
        return True

    def _warn_if_never(self, price: float) -> None:
        if self.share is None:
            return
        update, look = self.update()[0], self._evaluator.price()[0]
        if self._warned_of_beta or self.chooses or self.share * update * self.every > look + price / 20:
            return
        self._warned_of_beta = True
        teller()(
            f"β is hardly ever measured at this pace: one row of each example takes longer than share={self.share:g} allows. "
            f"every={math.ceil((look + price) / self.share / update)} has time for one row at each evaluation. Fewer examples or a "
            "larger share help, too"
        )

    def warn_of_no_beta(self) -> None:
        """Warn at the end of a training in which there was never time for β."""
        clamps = self._evaluator.clamps
        if clamps is None or self.share is None or self._of_beta is not None or self._warned_of_beta:
            return
        if any(clamps.order.values()) and not clamps.unsure.issuperset(clamps.order):
            allowed = max(self._earned / EARNED, BUDGET if self.chooses else 0.0)
            one_pass, waiting = self._evaluator.price()[1], len(clamps.unprepared())
            needed = waiting * clamps.preparing(one_pass) + (clamps.least(one_pass) if waiting else clamps.price(1))
            teller()(
                f"β was not measured: share={self.share:g} of this training has no time for it. Observing took {self.spent:.2g} s of the "
                f"{allowed:.2g} s allowed, and the first β takes {needed:.2g} s. A larger share, a longer training or a "
                "smaller batch has time for it. beta=None leaves β out"
            )

    def cost(self) -> Cost:
        """Return the time of evaluations."""
        look, _ = self._evaluator.price()
        self._evaluator.prepare()
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
            dict(self._evaluator.parts),
            BUDGET if self.chooses else 0.0,
        )
