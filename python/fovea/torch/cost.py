"""What evaluations of a training take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Cost:
    """The time of evaluations, and of the training between two of them.

    Times are in seconds of the processor, or wall-clock seconds if a device computes. Until an update has been timed, it counts as
    three passes over the batch.
    """

    look: float  #: of an evaluation without β
    beta: Mapping[
        str, float
    ]  #: of one row of each example, of one head, by site; or of all rows, of a site whose rows do not mix
    units: Mapping[str, int]  #: how many such there are, by site
    row: float  #: of one row of each example, at every head of every site
    update: float  #: of one update of the training
    every: int  #: updates between two evaluations
    share: float | None  #: of the training time, which evaluations may take; None: whatever they take
    timed: bool  #: whether ``update`` was timed
    parts: Mapping[str, float] = field(default_factory=dict)  #: what of ``look`` was asked for besides, by its name
    budget: float = 0.0  #: seconds that evaluations may take of a short training

    @property
    def whole(self) -> float:
        """Return the time of an evaluation with all of β."""
        return self.look + sum(self.beta[name] * self.units[name] for name in self.beta)

    def __str__(self) -> str:
        between = self.every * self.update
        lines = [
            f"an update {_time(self.update)} ({'as timed' if self.timed else 'as long as three passes over the batch'}), {self.every} of them between evaluations",
            f"an evaluation {_time(self.look)}: {_percent(self.look / between)} of the training",
        ]
        lines += [f"  {_time(seconds)} of it for {name}" for name, seconds in self.parts.items()]
        if self.budget and self.share:
            lines.append(f"evaluations may take {_percent(self.share)}, or {_time(self.budget)} if that is more")
        if not self.beta:
            return "\n".join(lines)
        all_rows = f"β of every row {_time(self.whole - self.look)} more, {_percent(self.whole / between)}"
        lines.append(f"{all_rows}; of one row of each example {_time(self.row)}")
        if self.share is None:
            return "\n".join([*lines, "share=None: all of it is measured at every evaluation"])
        left = self.share * between - self.look
        if left <= 0:
            least = math.ceil((self.look + self.row) / self.share / self.update)
            lines.append(f"more than share={self.share:g} already, so β is not measured: every={least} has room for it")
        elif self.whole <= self.share * between:
            lines.append(f"all of that is within share={self.share:g}")
        else:
            often = "at every evaluation" if self.row <= left else f"once in {self.row / left:.1f} evaluations"
            lines.append(
                f"within share={self.share:g} a row of each example is measured at every site and head {often}"
            )
        return "\n".join(lines)

    __repr__ = __str__


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")
