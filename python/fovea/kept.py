"""The store: runs that were kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from . import _engine, checks
from .runs import Run, RunTable


class Store:
    """The runs of one store, the program's own if no file is named.

    >>> import fovea, tempfile
    >>> store = fovea.store(tempfile.mkdtemp() + "/runs.db")
    >>> run = fovea.run("toy-uniform", seed=1, store=store)
    >>> store[run.id].metrics == run.metrics
    True
    >>> [found.seed for found in store.runs("seed = 1 and loss < 0")]
    [1]
    """

    def __init__(self, file: str) -> None:
        self._file = file

    def __fspath__(self) -> str:
        return self._file

    def runs(self, where: str = "", *, experiment: str = "", sort: str = "", limit: int | None = None) -> RunTable:
        """Runs that meet a condition, as ``fovea runs`` finds them: ``where="task.vocab = 40 and accuracy >= 0.9"``,
        ``sort="-accuracy"``."""
        for name, words in (("where", where), ("experiment", experiment), ("sort", sort)):
            checks.text(name, words)
        most = -1 if limit is None else checks.whole("limit", limit, 0)
        found = _engine.store_query(self._file, where=where, experiment=experiment, sort=sort, limit=most)
        return RunTable([Run(record, self._file) for record in found])

    def remove(self, run: Run | int) -> None:
        number = run.id if isinstance(run, Run) else _number(run)
        if not _engine.store_remove(self._file, number):
            raise KeyError(f"there is no run {number}")

    @property
    def experiments(self) -> list[str]:
        return _engine.store_names(self._file)[0]

    @property
    def metrics(self) -> list[str]:
        return _engine.store_names(self._file)[1]

    @property
    def settings(self) -> list[str]:
        return _engine.store_names(self._file)[2]

    def __getitem__(self, id: int) -> Run:
        record = _engine.store_find(self._file, _number(id))
        if record is None:
            raise KeyError(f"there is no run {id}")
        return Run(record, self._file)

    def __contains__(self, run: object) -> bool:
        if isinstance(run, Run):
            return run._store == self._file and _engine.store_find(self._file, run.id) is not None
        return _engine.store_find(self._file, _number(run)) is not None

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs())

    def __len__(self) -> int:
        return _engine.store_count(self._file)

    def __repr__(self) -> str:
        return f"<store of {len(self)} runs: {self._file}>"


def store(file: str | os.PathLike[str] | None = None) -> Store:
    """The store of this user, or that of a file."""
    return Store(file_of(file))


def _number(run: Any) -> int:
    return checks.whole("the number of a run", run)


def file_of(store: str | os.PathLike[str] | None) -> str:
    """The file of a store; None: this user's."""
    if store is None:
        return _engine.default_store()
    name = checks.path("store", store, "a file's path, or what fovea.store gives")
    if not name:
        raise _engine.wrong_input("a store has an empty name", "name a file, or leave it out for the program's own store")
    return name
