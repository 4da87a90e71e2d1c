"""The series of runs: measurements by name, step and value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine, checks, pictures
from .old_names import today

Floats = npt.NDArray[np.float64]
Steps = npt.NDArray[np.int64]


class SeriesTable(Mapping[str, Floats]):
    """Map the name of a series to its values: ``series["accuracy"]``, at the steps ``series.steps("accuracy")``."""

    def __init__(self, record: _engine.Record) -> None:
        self._record = record
        self._names = record.series_names

    def __getitem__(self, name: str) -> Floats:
        return self._points(name)[1]

    def name_now(self, name: str) -> str:
        """The name of today, if this is an old one."""
        return today("metric", name) if isinstance(name, str) and name not in self._names else name

    def steps(self, name: str) -> Steps:
        return self._points(name)[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"SeriesTable({', '.join(self._names)})"

    def _points(self, name: str) -> tuple[Steps, Floats]:
        name = self.name_now(name)
        if name not in self._names:
            remedy = checks.suggestion(str(name), self._names, "list(run.series)")
            raise KeyError(f"the run has no series {name!r}: {remedy}")
        return self._record.series(name)


def points_of(runs: Iterable[tuple[int, str, int, SeriesTable]]) -> Any:
    """A DataFrame with a row for each point, of runs as (number, experiment, seed, series)."""
    pandas = pictures.needed("pandas", "pandas")
    columns: dict[str, list[Any]] = {name: [] for name in ("run", "experiment", "seed", "metric", "step", "value")}
    for number, experiment, seed, series in runs:
        for metric, values in series.items():
            for name, value in (("run", number), ("experiment", experiment), ("seed", seed), ("metric", metric)):
                columns[name] += [value] * len(values)
            columns["step"].extend(series.steps(metric))
            columns["value"].extend(values)
    return pandas.DataFrame(columns)
