"""What is kept of a training: its series, and maps of some of its evaluations."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..pictures import needed

torch = needed("torch", "torch")

Array = npt.NDArray[Any]

MOST_AT_ONCE = 1 << 16  # numbers of one array
MOST_IN_ALL = (
    1 << 22
)  # bytes of all arrays: in a long run, those of every second evaluation are dropped as often as need be


class Recorder:
    """Series and arrays as they grow, within bounds for the arrays.

    Attributes
    ----------
    series : dict
        Steps and values, by the name of the series.
    evaluations : list of int
        The steps that were evaluated.
    """

    def __init__(self) -> None:
        self.series: dict[str, tuple[array[int], array[float]]] = {}  # eight bytes each
        self.evaluations: list[int] = []
        self._arrays: dict[int, list[tuple[str, Array]]] = {}
        self._every = 1  # one of so many evaluations keeps its arrays
        self._newest: list[tuple[str, Array]] = []

    def number(self, step: int, name: str, value: float) -> None:
        """Record a value; of a step that has one, it is replaced."""
        steps, values = self.series.get(name) or self.series.setdefault(name, (array("q"), array("d")))
        if steps and steps[-1] == step:
            values[-1] = float(value)
        else:
            steps.append(step)
            values.append(float(value))

    def numbers(self, step: int, numbers: Mapping[str, float]) -> None:
        """Record the values of several names."""
        for name, value in numbers.items():
            self.number(step, name, value)

    def evaluated(self, step: int, arrays: Sequence[tuple[str, Array]]) -> None:
        """Record the arrays of an evaluation.

        The first evaluation keeps all, because it describes rows and positions. Later ones keep as many as there is room for."""
        self.evaluations.append(step)
        self._newest = [one for one in arrays if one[1].size <= MOST_AT_ONCE]
        if (len(self.evaluations) - 1) % self._every == 0:
            self._arrays[step] = [(name, np.array(values, _kept_as(name))) for name, values in self._newest]
        while (
            sum(values.nbytes for kept in self._arrays.values() for _, values in kept) > MOST_IN_ALL
            and len(self._arrays) > 2
        ):
            self._every *= 2
            self._arrays = {
                step: kept for step, kept in self._arrays.items() if self.evaluations.index(step) % self._every == 0
            }

    def arrays(self) -> list[tuple[str, int, Array]]:
        """Return the stored arrays, with the arrays of the newest evaluation."""
        kept = dict(self._arrays)
        if self.evaluations:
            kept[self.evaluations[-1]] = kept.get(self.evaluations[-1]) or self._newest
        return [(name, step, values) for step in sorted(kept) for name, values in kept[step]]

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint."""
        return {
            "series": {name: [list(steps), list(values)] for name, (steps, values) in self.series.items()},
            "arrays": [
                [step, name, torch.tensor(values)] for step, kept in self._arrays.items() for name, values in kept
            ],
            "every": self._every,
            "looks": list(self.evaluations),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.series = {
            name: (array("q", steps), array("d", values)) for name, (steps, values) in state["series"].items()
        }
        self._arrays = {}
        for step, name, values in state["arrays"]:
            self._arrays.setdefault(int(step), []).append((str(name), values.numpy()))
        self._every, self.evaluations = int(state["every"]), list(state["looks"])


def _kept_as(name: str) -> Any:
    """Attention as halves, as the store keeps it."""
    return np.float16 if re.fullmatch(r"attention(_on_\w+)?(\..*)?", name) else np.float32
