"""A run as Python sees it: numbers as NumPy arrays that share the engine's memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine

Floats = npt.NDArray[np.float64]
Steps = npt.NDArray[np.int64]


class SeriesTable(Mapping[str, Floats]):
    """The series of a run: ``series["accuracy"]`` are its values, ``series.steps("accuracy")`` the steps they were taken at."""

    def __init__(self, record: _engine.Record) -> None:
        self._record = record
        self._names = record.series_names

    def __getitem__(self, name: str) -> Floats:
        return self._points(name)[1]

    def steps(self, name: str) -> Steps:
        return self._points(name)[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"SeriesTable({', '.join(self._names)})"

    def _points(self, name: str) -> tuple[Steps, Floats]:
        if name not in self._names:
            raise KeyError(f"the run has no series '{name}': {_engine.suggest_name(name, self._names)}")
        return self._record.series(name)


class Run:
    """A run: what it was (``spec``, ``seed``), what it came to (``metrics``) and how it went (``series``).

    >>> import fovea
    >>> run = fovea.run("toy-uniform", seed=0, keep=False)
    >>> run.state
    'done'
    >>> run.series["p"].dtype
    dtype('float64')
    """

    def __init__(self, record: _engine.Record, store: str | None) -> None:
        self._record = record
        self._store = store  # the file it is kept in, if it is
        self.series = SeriesTable(record)

    @property
    def id(self) -> int:
        """Its number in the store; 0 for a run that is not kept."""
        return self._record.id

    @property
    def experiment(self) -> str:
        return self._record.experiment

    @property
    def seed(self) -> int:
        return self._record.spec.seed

    @property
    def state(self) -> str:
        """``done``, ``stopped`` (it can go on), ``failed`` (see ``error``) or ``running``."""
        return self._record.state

    @property
    def error(self) -> str:
        """Why a failed run failed."""
        return self._record.error

    @property
    def steps(self) -> int:
        """Updates done."""
        return self._record.steps

    @property
    def seconds(self) -> float:
        return self._record.seconds

    @property
    def spec(self) -> dict[str, Any]:
        """Everything that was set, defaults included: ``run.spec["task"]["vocab"]``."""
        return self._record.spec.table()

    @property
    def metrics(self) -> dict[str, float]:
        """The last value of each series."""
        return self._record.metrics

    def __repr__(self) -> str:
        kept = f"run {self.id}" if self.id else "a run that is not kept"
        return f"<{kept}: {self.experiment}, seed {self.seed}, {self.state} after {self.steps} steps>"
