"""The audit: the five assumptions of the two-stage account, scored in one run."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass

from . import _engine, checks
from .pictures import number
from .run_store import Store
from .runs import Run, a_run
from .training import train_resolved


@dataclass(frozen=True)
class Assumption:
    """One assumption of the account of attention, with its score. An ``Audit`` lists five.

    Attributes
    ----------
    name
        ``local``, ``free``, ``separate``, ``uniform`` or ``mean``.
    assumes
        The assumption in words.
    score
        The score: 1 if it is true in full, below 0 if a prediction is worse than the mean, NaN if it was not measured.
    found
        What was found, with its figures.

    Examples
    --------
    >>> import fovea
    >>> fovea.Assumption("local", "a state depends on its word alone", 1.0, "").score
    1.0
    """

    name: str
    assumes: str
    score: float
    found: str


@dataclass(frozen=True)
class Audit:
    """The scores of the five assumptions in one run. ``fovea.audit`` makes it.

    ``audit["local"]`` is the assumption of that name.

    Attributes
    ----------
    run
        The run, or the same run trained again with the audit.
    assumptions
        The scores.

    Examples
    --------
    >>> import fovea
    >>> run = fovea.run("copy-subset", quick=True, keep=False, steps=20, vocab=9, length=6, hidden=8, embedding=8)
    >>> fovea.audit(run)["local"].name
    'local'
    """

    run: Run
    assumptions: list[Assumption]

    def __getitem__(self, name: str) -> Assumption:
        for assumption in self.assumptions:
            if assumption.name == name:
                return assumption
        names = [assumption.name for assumption in self.assumptions]
        raise KeyError(f"there is no assumption {name!r}: {_engine.suggest_name(str(name), names)}")

    def __repr__(self) -> str:
        return "\n".join(f"{number(a.score):>6}  {a.assumes}: {a.found}" for a in self.assumptions)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{number(a.score)}</td><td style='text-align:left'>{html.escape(a.assumes)}</td>"
            f"<td style='text-align:left'>{html.escape(a.found)}</td></tr>"
            for a in self.assumptions
        )
        return f"<table>{rows}</table>"


def audit(run: Run, *, store: str | os.PathLike[str] | Store | None = None, progress: bool | None = None) -> Audit:
    """Measure the assumptions of the two-stage account in a run.

    A run without the probe ``audit`` is trained again with it and kept as a second run. The numbers are the same.

    Parameters
    ----------
    run
        A run.
    store
        The store of the new run, or its file. None: the store of the run.
    progress
        Whether a bar is shown. None: in a terminal or a notebook.

    Returns
    -------
    Audit
        The scores, with the run that they are of.

    Raises
    ------
    WrongInput
        If the run cannot be trained again: another program made it, or its spec does not describe it.
    Failure
        If the run gives other numbers when it is trained again.

    Examples
    --------
    >>> import fovea
    >>> run = fovea.run("copy-subset", quick=True, keep=False, steps=20, vocab=9, length=6, hidden=8, embedding=8)
    >>> sorted(assumption.name for assumption in fovea.audit(run).assumptions)
    ['free', 'local', 'mean', 'separate', 'uniform']
    """
    a_run(run)
    checks.flag_or_none("progress", progress)
    again = run
    if not _engine.has_audit(run._record):
        if run.elsewhere:
            raise _engine.wrong_input(
                "this run of another program was observed without the audit, or no row of its attention has a choice",
                "follow it: fovea.observe(…, audit=True)",
            )
        if run._intervened or run._task is not None or run._similarity is not None:
            raise _engine.wrong_input(
                "a run with parts in Python cannot be trained again with the audit: its spec does not describe it",
                'train it with it: fovea.run(…, probes=["audit"])',
            )
        keep = run._store is not None
        audited = _engine.with_audit(run._record.spec)
        again = train_resolved(
            audited, run.experiment, keep=keep, reuse=True, store=store or run._store, progress=progress
        )
        differs = _engine.first_difference(run._record, again._record)
        if differs:
            raise _engine.failure(
                f"trained again, the run gives other numbers: {differs}",
                f"it was made by fovea {run._record.version}, this is {_engine.version}",
            )
    return Audit(again, [Assumption(*line) for line in _engine.audit_lines(again._record)])
