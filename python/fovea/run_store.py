"""The store: runs that were kept."""

from __future__ import annotations

import datetime
import math
import os
import pathlib
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine, checks
from .run_facts import ELSEWHERE
from .run_table import RunTable
from .runs import Run


class Store:
    """The runs of one folder, to find, add and remove. ``fovea.store`` makes it.

    ``store[12]`` is the run of that number, ``len(store)`` counts the runs, ``for run in store`` visits them in order of number, and
    ``run in store`` is whether the store has a run or a number. A store is a path for ``open`` too.

    Examples
    --------
    >>> import fovea, tempfile
    >>> store = fovea.store(tempfile.mkdtemp() + "/runs.db")
    >>> run = fovea.run("toy-uniform", seed=1, store=store)
    >>> store[run.id].metrics == run.metrics
    True
    >>> [found.seed for found in store.runs("seed = 1 and loss < 0")]
    [1]
    >>> store.experiments, "loss" in store.metrics, "train.rate" in store.settings
    (['toy-uniform'], True, True)
    >>> store.remove(run)
    >>> len(store)
    0
    """

    def __init__(self, file: str) -> None:
        self._file = file

    def __fspath__(self) -> str:
        return self._file

    def runs(self, where: str = "", *, experiment: str = "", sort: str = "", limit: int | None = None) -> RunTable:
        """Find runs by a condition, as ``fovea runs`` does.

        Parameters
        ----------
        where
            A condition on settings and metrics: ``"task.vocab = 40 and accuracy >= 0.9"``. Empty: every run.
        experiment
            The name of an experiment. Empty: any.
        sort
            A setting, a metric or an expression; ``"-accuracy"`` sorts from large to small. Empty: by number.
        limit
            The most runs to return. None: all.

        Returns
        -------
        RunTable
            The runs, with their series.

        Raises
        ------
        WrongInput
            If a name is one that no run has, or the condition is not valid.

        Examples
        --------
        >>> import fovea, tempfile
        >>> store = fovea.store(tempfile.mkdtemp() + "/runs.db")
        >>> run = fovea.run("toy-uniform", seed=1, store=store)
        >>> [found.seed for found in store.runs("seed = 1 and loss < 0", sort="loss")]
        [1]
        """
        for name, words in (("where", where), ("experiment", experiment), ("sort", sort)):
            checks.text(name, words)
        most = -1 if limit is None else checks.whole("limit", limit, 0)
        found = _engine.store_query(self._file, where=where, experiment=experiment, sort=sort, limit=most)
        return RunTable([Run(record, self._file) for record in found])

    def add(
        self,
        name: str,
        settings: Mapping[str, Any],
        series: Mapping[str, tuple[Sequence[int], Sequence[float]]],
        arrays: Iterable[tuple[str, int, npt.ArrayLike]] = (),
        state: str = "done",
        *,
        key: str = "",
        error: str = "",
        started: str = "",
        seconds: float = 0.0,
        steps: int | None = None,
    ) -> Run:
        """Keep a run that another program made.

        It is listed, compared, plotted and exported as other runs are. Its ``model.name`` and ``task.name`` are
        ``"another-program"``.

        Parameters
        ----------
        name
            The name of its experiment. A shipped experiment may have the same name.
        settings
            The settings, in the sections ``task``, ``model``, ``train``, ``probe``, ``intervene`` (a list) and ``seed``. Settings outside
            a section belong to ``train``.
        series
            (steps, values) by the name of the metric, with rising steps.
        arrays
            (name, step, values) of each array. The one called ``"attention"`` has the axes (examples, rows, positions).
        state
            ``"done"``, ``"stopped"`` or ``"failed"``.
        key
            A run with the key, name and settings of an earlier run replaces it. Empty: the run is a new one.
        error
            Why a failed run failed.
        started
            When it began, as ``"2026-01-31T12:00:00Z"``. Empty: now.
        seconds
            How long it took.
        steps
            Updates done. None: the last step of its series.

        Returns
        -------
        Run
            The run as the store has it.

        Raises
        ------
        WrongInput
            If a name, a step or a value is not valid.

        Examples
        --------
        >>> import fovea, tempfile
        >>> store = fovea.store(tempfile.mkdtemp() + "/runs.db")
        >>> run = store.add("mine", {"rate": 0.1}, {"loss": ([0, 10], [2.3, 1.1])})
        >>> store.runs("train.rate = 0.1")[0].metrics
        {'loss': 1.1}
        """
        name = name_of_own(name)
        if state not in ("done", "stopped", "failed"):
            raise _engine.wrong_input(
                f"a run that is added cannot be '{state}'",
                _engine.suggest_name(str(state), ["done", "stopped", "failed"]),
            )
        points = {
            checks.text("the name of a series", metric): _points(metric, given)
            for metric, given in checks.table("series", series, "loss").items()
        }
        kept = [_array(place, given) for place, given in enumerate(arrays)]
        last = max((steps_of[-1] for steps_of, _ in points.values() if steps_of), default=0)
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        facts = {
            "error": checks.text("error", error),
            "started": checks.text("started", started) or now,
            "seconds": checks.number("seconds", seconds, least=0),
            "steps": last if steps is None else checks.whole("steps", steps, 0),
        }
        key = checks.text("key", key) or uuid.uuid4().hex
        return self[_engine.store_add(self._file, name, spec_of(settings), key, points, kept, state, facts)]

    def remove(self, run: Run | int) -> None:
        """Put a run into the bin. The program can restore it from there.

        Parameters
        ----------
        run
            A run, or its number.

        Raises
        ------
        KeyError
            If the store has no such run.
        """
        number = run.id if isinstance(run, Run) else _number(run)
        if not _engine.store_remove(self._file, number):
            raise KeyError(f"there is no run {number}")

    @property
    def experiments(self) -> list[str]:
        """Names of the experiments of its runs."""
        return _engine.store_names(self._file)[0]

    @property
    def metrics(self) -> list[str]:
        """Metrics of its runs, by the names that conditions use."""
        return _engine.store_names(self._file)[1]

    @property
    def settings(self) -> list[str]:
        """Settings of its runs, by their full names."""
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

    def require_place(self) -> None:
        """Check before a training that this is a store, or that one can be made there."""
        len(self)
        nearest = next(folder for folder in pathlib.Path(self._file).absolute().parents if folder.exists())
        if not nearest.is_dir():
            raise _engine.wrong_input(
                f"'{self._file}' cannot be a store: '{nearest}' is a file, not a folder", "name another file"
            )
        try:
            tempfile.TemporaryFile(dir=nearest).close()
        except OSError as error:
            raise _engine.wrong_input(
                f"'{self._file}' cannot be a store: '{nearest}' cannot be written ({error.strerror})",
                "name another file",
            ) from None

    def __repr__(self) -> str:
        return f"<store of {len(self)} runs: {self._file}>"


def store(file: str | os.PathLike[str] | None = None) -> Store:
    """Open the store of this user, or the store of a file ``runs.db``.

    Parameters
    ----------
    file
        The file ``runs.db`` of a store. If it is missing, the store is empty. None: the store of the program.

    Returns
    -------
    Store
        The store.

    Raises
    ------
    WrongType
        If ``file`` is not a path.

    Examples
    --------
    The newest runs of this user's store (``Store.runs`` finds others):

    >>> import fovea, tempfile
    >>> for run in fovea.store().runs(sort="-id", limit=3):  # doctest: +SKIP
    ...     print(run.id, run.experiment, run.metrics.get("loss"))

    A file that is missing is an empty store:

    >>> len(fovea.store(tempfile.mkdtemp() + "/runs.db"))
    0
    """
    return Store(file_of(file))


def name_of_own(name: Any) -> str:
    """The name of a run that is added."""
    own: str = checks.text("name", name)
    if not own:
        raise _engine.wrong_input("the run has no name", "give it one")
    return own


_SECTIONS = ("task", "model", "train", "probe")


def spec_of(settings: Any) -> dict[str, Any]:
    """The settings of a run that is added, as a spec writes them."""
    given = checks.table("settings", settings, "rate")
    spec: dict[str, Any] = {
        section: dict(checks.table(f"settings['{section}']", given.pop(section, {}), "rate")) for section in _SECTIONS
    }
    holds = given.pop("intervene", [])
    if not isinstance(holds, (list, tuple)):
        raise checks.wrong_type("settings['intervene']", holds, "a list of holds")
    spec["intervene"] = [_plain(one) for one in holds]
    spec["seed"] = checks.whole("seed", given.pop("seed", 0), 0)
    spec["train"].update(given)
    for section in ("task", "model"):
        if spec[section].get("name", ELSEWHERE) != ELSEWHERE:
            raise _engine.wrong_input(
                f"settings have {section}.name = '{spec[section]['name']}', and this name marks the program of a run",
                f"call it {section}.kind, or the like",
            )
        spec[section]["name"] = ELSEWHERE
    return {section: _plain(value) for section, value in spec.items()}


def _plain(value: Any) -> Any:
    """A setting as a spec writes it: a value that is no number, text, list or table becomes its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(inner) for inner in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return _plain(value.tolist())
    if isinstance(value, type):
        return value.__name__
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def _points(metric: str, given: Any) -> tuple[list[int], list[float]]:
    try:
        steps, values = given
        rising, numbers = (
            [checks.whole(f"a step of '{metric}'", step, 0) for step in steps],
            [float(value) for value in values],
        )
    except (TypeError, ValueError) as error:
        if isinstance(error, _engine.Error):
            raise
        raise _engine.wrong_input(f"the series '{metric}' is not (steps, values)", "as ([0, 10], [2.3, 1.1])") from None
    if len(rising) != len(numbers) or any(b <= a for a, b in zip(rising, rising[1:])):
        raise _engine.wrong_input(
            f"the series '{metric}' has {len(rising)} steps and {len(numbers)} values"
            if len(rising) != len(numbers)
            else f"the steps of '{metric}' do not rise",
            "each value needs a later step than the value before",
        )
    return rising, numbers


def _array(place: int, given: Any) -> tuple[str, int, npt.NDArray[np.float32]]:
    try:
        name, step, values = given
        numbers = np.ascontiguousarray(values, np.float32)
    except (TypeError, ValueError):
        raise _engine.wrong_input(
            f"arrays[{place}] is not (name, step, values)", 'as ("attention", 100, numbers)'
        ) from None
    if numbers.ndim == 0 or math.prod(numbers.shape) == 0:
        raise _engine.wrong_input(f"arrays[{place}] has the shape {numbers.shape}", "leave it out")
    return (
        checks.text(f"the name of arrays[{place}]", name),
        checks.whole(f"the step of arrays[{place}]", step, 0),
        numbers,
    )


def _number(run: Any) -> int:
    return checks.whole("the number of a run", run)


def file_of(store: str | os.PathLike[str] | None) -> str:
    """The file of a store; None: this user's."""
    if store is None:
        return _engine.default_store()
    name = checks.path("store", store, "a file's path, or the result of fovea.store")
    if not name:
        raise _engine.wrong_input(
            "a store has an empty name", "name a file, or leave it out for the program's own store"
        )
    return name
