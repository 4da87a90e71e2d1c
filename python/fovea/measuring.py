"""Measures across runs: agreement of attention with the evidence of single words, and differences between groups of runs."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Union

from . import _engine, checks, pictures
from .run_store import Store
from .run_store import store as store_of
from .run_table import RunTable
from .runs import Run, a_run

Group = Union[Run, RunTable, Sequence[Run], str]

_NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*")
_OF_ANY_RUN = re.compile(
    r"id|experiment|state|steps|seconds|started|tags|note|hold|interventions|steps_to_\d+|infinity|true|false"
)


class _Document:
    """A result with its text and its figures."""

    def __init__(self, document: str, text: str) -> None:
        self._document, self._text = document, text

    def to_dict(self) -> dict[str, Any]:
        """Return every number.

        Returns
        -------
        dict
            The document that the program prints with ``--json``.
        """
        found: dict[str, Any] = json.loads(self._document)
        return found

    def __repr__(self) -> str:
        return self._text.rstrip()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


class Measures(_Document):
    """The agreement of the attention of a run with other quantities. ``fovea.measure`` makes it.

    Attributes
    ----------
    sentences
        The findings.

    Examples
    --------
    >>> import fovea
    >>> runs = fovea.sweep("text-classify", quick=True, attention="learned", steps=20, seeds=range(2))
    >>> len(fovea.measure(runs[0]).sentences) > 0
    True
    """

    def __init__(self, document: str, text: str, sentences: list[str]) -> None:
        super().__init__(document, text)
        self.sentences = sentences

    def to_pandas(self) -> Any:
        """Return the agreement of each pair of quantities.

        Returns
        -------
        DataFrame
            A row for each pair: its agreement, the chance of that, τ-b and ρ, with intervals.
        """
        rows = []
        for row in self.to_dict()["agreement"]:
            flat: dict[str, Any] = {"a": row["a"], "b": row["b"], "clear": row["clear"]}
            for name in ("agreement", "chance", "tau", "rho"):
                flat[name], flat[f"{name}_low"], flat[f"{name}_high"] = row[name]
            rows.append(flat)
        return pictures.needed("pandas", "pandas").DataFrame(rows)


class Comparison(_Document):
    """The differences of two runs, or groups of runs. ``fovea.compare`` makes it.

    Attributes
    ----------
    metrics
        The difference of each metric.

    Examples
    --------
    >>> import fovea
    >>> table = fovea.sweep("toy-uniform", seeds=range(2), rate=[0.01, 0.02], steps=20)
    >>> "loss" in fovea.compare("train.rate = 0.01", "train.rate = 0.02", "loss").metrics
    True
    """

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Differences by metric: ``mean_a``, ``mean_b``, ``difference`` (b − a) with ``low`` and ``high``, ``p``, and the ``differences`` of
        the pairs."""
        return {metric["metric"]: metric for metric in self.to_dict()["metrics"]}


def measure(run: Run, *others: Run, only: str = "") -> Measures:
    """Measure how far the attention of a run agrees with β, with influence, with other seeds and with predictions from the data.

    The runs are of one store, and were trained with the probe ``evidence``.

    Parameters
    ----------
    run
        A run.
    *others
        Runs to measure it against. None: the store is searched for the same spec with other seeds, with uniform attention, and
        for word-mean models of the same task.
    only
        A class, to measure its texts only.

    Returns
    -------
    Measures
        The findings.

    Raises
    ------
    WrongInput
        If the runs are not in one store, or lack the probe.

    Examples
    --------
    >>> import fovea, tempfile
    >>> settings = {"quick": True, "steps": 20, "store": tempfile.mkdtemp() + "/runs.db"}
    >>> runs = fovea.sweep("text-classify", seeds=range(2), attention="learned", **settings)
    >>> found = fovea.measure(runs[0])
    >>> len(found.sentences) > 0, len(found.to_pandas()) == len(found.to_dict()["agreement"])
    (True, True)
    >>> [row["b"] for row in fovea.measure(runs[0]).to_dict()["agreement"] if row["a"] == "α"][:2]
    ['α of other seeds', 'β']
    """
    kept = [a_run(one) for one in (run, *others)]
    for one in kept:
        if one._store is None or one._store != kept[0]._store:
            raise _engine.wrong_input(
                "runs that are measured must be in one store", "train them without keep=False, with the same store"
            )
    return Measures(*_engine.measure(str(kept[0]._store), [one.id for one in kept], checks.text("only", only)))


def compare(a: Group, b: Group, *metrics: str, store: Any = None) -> Comparison:
    """Compare two runs, or two groups of runs: their settings and their metrics.

    Groups are paired over seeds and all other settings that vary in both. Each difference has the p of the two-sided sign-flip
    permutation test, exact up to 20 pairs. From six pairs on it also has a 95 % bootstrap interval.

    Parameters
    ----------
    a, b
        A run, a list or a table of runs, or a condition that finds runs in the store.
    *metrics
        Metrics or expressions to compare. None: those that both groups have.
    store
        The store of conditions, or its file. None: the store of the program.

    Returns
    -------
    Comparison
        The differences.

    Raises
    ------
    WrongInput
        If no run meets a condition, or has a metric.

    Examples
    --------
    >>> import fovea
    >>> a, b = (fovea.sweep("toy-uniform", seeds=range(3), rate=rate, steps=20) for rate in (0.01, 0.02))
    >>> found = fovea.compare(a, b, "loss")
    >>> found.metrics["loss"]["difference"] < 0, found.to_dict()["pairs"]
    (True, 3)
    """
    names = [checks.text("a metric", metric) for metric in metrics]
    left, right = _group("a", a, store), _group("b", b, store)
    _require_known(names, [*left[1], *right[1]])
    return Comparison(*_engine.compare(left, right, names))


def _require_known(names: list[str], records: list[_engine.Record]) -> None:
    """A name alone must be in some run; names inside an expression are not checked."""
    metrics = {metric for record in records for metric in record.series_names}
    settings = {setting for record in records for setting in _settings(record.spec.table())}
    for name in names:
        if not _NAME.fullmatch(name) or _OF_ANY_RUN.fullmatch(name) or name in metrics or name in settings:
            continue
        remedy = _engine.suggest_name(name, sorted(settings if "." in name else metrics))
        raise _engine.wrong_input(f"no run of a or b has a metric or setting '{name}'", remedy)


def _settings(spec: Mapping[str, Any]) -> Iterator[str]:
    for section, value in spec.items():
        if isinstance(value, Mapping):
            yield from (f"{section}.{name}" for name in _settings(value))
        else:
            yield section


def _group(name: str, runs: Any, store: Any) -> tuple[str, list[_engine.Record]]:
    if isinstance(runs, Run):
        return f"run {runs.id}" if runs.id else name, [runs._record]
    if isinstance(runs, str):
        found = (store if isinstance(store, Store) else store_of(store)).runs(runs)
        if not found:
            raise _engine.wrong_input(f"no run meets the condition '{runs}'", "see: fovea.store().runs()")
        return runs, [run._record for run in found]
    if not isinstance(runs, Sequence) or not all(isinstance(run, Run) for run in runs):
        raise checks.wrong_type(name, runs, "a run, a list of runs, or a condition as store.runs takes it")
    return name, [run._record for run in runs]
