"""What looks at a training take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """What looks take, in seconds of the processor (of the day where a device computes), beside the training between two of them. Until that has been timed, an update is taken
    to be as long as three passes over the batch."""

    look: float  #: without β
    beta: Mapping[
        str, float
    ]  #: of one row of each example, of one head, by site; or of all rows, of a site where rows do not mix
    units: Mapping[str, int]  #: how many such there are, by site
    row: float  #: of one row of each example, at every head of every site
    update: float  #: one update of the training
    every: int  #: updates between two looks
    share: float | None  #: of the training time, which looks may take; None: whatever it takes
    timed: bool  #: whether ``update`` was timed

    @property
    def whole(self) -> float:
        """Of a look with all of β."""
        return self.look + sum(self.beta[name] * self.units[name] for name in self.beta)

    def __str__(self) -> str:
        between = self.every * self.update
        lines = [
            f"an update {_time(self.update)} ({'as timed' if self.timed else 'as long as three passes over the batch'}), {self.every} of them between looks",
            f"a look {_time(self.look)}: {_percent(self.look / between)} of the training",
        ]
        if self.beta:
            every_row = f"β of every row {_time(self.whole - self.look)} more, {_percent(self.whole / between)}"
            one = f"one row of each example {_time(self.row)}"
            lines.append(f"{every_row}; of {one}")
            if self.share is not None:
                left = self.share * between - self.look
                if left <= 0:
                    lines.append(
                        f"more than share={self.share:g} already, so β is not measured: every={_least(self.look, self)} has room for it"
                    )
                else:
                    looks = self.row / left
                    often = "at every look" if looks <= 1 else f"once in {looks:.1f} looks"
                    if self.whole <= self.share * between:
                        lines.append(f"all of that is within share={self.share:g}")
                    else:
                        lines.append(
                            f"within share={self.share:g} a row of each example is measured at every site and head {often}"
                        )
            else:
                lines.append("share=None: all of it is measured at every look")
        return "\n".join(lines)

    __repr__ = __str__


def _least(look: float, cost: Cost) -> int:
    return int(math.ceil((look + cost.row) / (cost.share or 1) / cost.update))


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")
