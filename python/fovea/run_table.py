"""Many runs as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from . import _engine, checks, pictures
from .runs import Run
from .series import points_of


class RunTable(Sequence[Run]):
    """A list of runs, in order. In a notebook it is a table.

    ``table[0]`` is a run, ``table[:3]`` a shorter table.

    Examples
    --------
    >>> import fovea
    >>> table = fovea.sweep("toy-uniform", seeds=range(2), rate=[0.01, 0.02], steps=20)
    >>> len(table), len(table[:2]), table[-1].seed
    (4, 2, 1)
    >>> table.rows()[0][:5]
    ['run', 'experiment', 'seed', 'state', 'train.rate']
    >>> len(table.to_pandas()), table.plot("loss").get_xlabel()
    (4, 'step')
    """

    def __init__(self, runs: list[Run]) -> None:
        self._runs = runs

    @overload
    def __getitem__(self, place: int) -> Run: ...
    @overload
    def __getitem__(self, place: slice) -> RunTable: ...
    def __getitem__(self, place: int | slice) -> Run | RunTable:
        if isinstance(place, slice):
            return RunTable(self._runs[place])
        place = checks.whole("the place in a table of runs", place)
        if not -len(self) <= place < len(self):
            raise IndexError(f"there is no place {place} in a table of {len(self)} runs")
        return self._runs[place]

    def __len__(self) -> int:
        return len(self._runs)

    def rows(self) -> tuple[list[str], list[list[Any]]]:
        """Return the table as lists.

        Returns
        -------
        tuple
            The heads, and the rows: the run, the settings that differ between the runs, and the last metrics.
        """
        specs = [flat(run.spec) for run in self._runs]
        keys = sorted({key for spec in specs for key in spec} - {"seed"})
        differing = [key for key in keys if len({repr(spec.get(key)) for spec in specs}) > 1]
        metrics = sorted({metric for run in self._runs for metric in run.metrics})
        rows = [
            [
                run.id,
                run.experiment,
                run.seed,
                run.state,
                *(spec.get(key) for key in differing),
                *(run.metrics.get(m, np.nan) for m in metrics),
            ]
            for run, spec in zip(self._runs, specs)
        ]
        return ["run", "experiment", "seed", "state", *differing, *metrics], rows

    def to_pandas(self, *, points: bool = False) -> Any:
        """Return a DataFrame of the runs.

        Parameters
        ----------
        points
            False: a row for each run. True: a row for each point of each series.

        Returns
        -------
        DataFrame
            The runs, or their points.
        """
        if checks.flag("points", points):
            return points_of(run._as_series() for run in self._runs)
        heads, rows = self.rows()
        return pictures.needed("pandas", "pandas").DataFrame(rows, columns=heads)

    def plot(self, *metrics: str, ax: Any = None) -> Any:
        """Draw a thin line for each run with matplotlib.

        Parameters
        ----------
        *metrics
            The series to draw. None: those that show most.
        ax
            Axes of matplotlib. None: a new figure.

        Returns
        -------
        Any
            The axes.
        """
        every = sorted({metric for run in self._runs for metric in run.series})
        for metric in metrics:
            if checks.text("a metric", metric) not in every:
                raise KeyError(f"no run has a series '{metric}': {_engine.suggest_name(metric, every)}")
        telling = [metric for run in self._runs for metric in run._record.telling_metrics]
        return pictures.plot([run.series for run in self._runs], telling, metrics, ax)

    def __repr__(self) -> str:
        return pictures.table_text(*self.rows())

    def _repr_html_(self) -> str:
        return pictures.table_html(*self.rows())


def flat(spec: Mapping[str, Any], front: str = "") -> dict[str, Any]:
    """Settings by their full names."""
    settings: dict[str, Any] = {}
    for key, value in spec.items():
        if isinstance(value, Mapping):
            settings.update(flat(value, f"{front}{key}."))
        else:
            settings[front + key] = value
    return settings
