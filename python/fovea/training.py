"""Training: one run."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

from . import _engine
from .progress import Bar
from .runs import Run
from .settings import SpecLike, dotted, experiment_of


def _say(text: str) -> None:
    warnings.warn(text, stacklevel=3)


def _seed(seed: Any, otherwise: int) -> int:
    if seed is None:
        return otherwise
    try:
        number = int(seed.__index__())
    except AttributeError:
        raise _engine.wrong_input(f"the seed must be an integer, not {seed!r}", "seeds are 0, 1, 2, …") from None
    if not 0 <= number < 2**62:
        raise _engine.wrong_input(f"the seed must be 0 or more, and less than 2**62, not {number}", "")
    return number


def run(
    spec: SpecLike,
    *,
    seed: int | None = None,
    quick: bool = False,
    set: Mapping[str, Any] | None = None,
    keep: bool = True,
    reuse: bool = False,
    fresh: bool = False,
    store: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    progress: bool | None = None,
    **settings: Any,
) -> Run:
    """Trains one run and keeps it in the store, as ``fovea run`` does: the same spec and seed give the same bits.

    ``spec`` is an experiment's name, a spec file's path, or a dict that says what a file would. Settings are keywords:
    ``vocab=60``, or ``task__vocab=60`` where several parts have a setting of that name, or ``set={"task.vocab": 60}``.

    A run that was interrupted goes on from its last checkpoint when it is asked for again (``fresh=True``: begins anew).
    ``reuse=True`` takes a run that the store already holds. ``keep=False`` trains without a store, and so without
    checkpoints. ``progress``: None shows a bar where a person looks at it.

    >>> import fovea
    >>> run = fovea.run("toy-uniform", seed=0, keep=False)
    >>> round(run.metrics["loss"], 3) < 0
    True
    """
    experiment = experiment_of(spec)
    resolved = experiment.resolve(quick, dotted(experiment, settings, set), _seed(seed, experiment.seed))
    with Bar("step", progress) as bar:
        if not keep:
            record, error = _engine.run_apart(resolved, experiment.name, bar.reach)
            if error is not None:
                raise error
            return _checked(Run(record, None))
        file = _engine.default_store() if store is None else os.fspath(store)
        reached, _, error = _engine.run_kept(
            file,
            experiment.name,
            resolved,
            again=not reuse,
            fresh=fresh,
            checkpoint_every=checkpoint_every,
            progress=bar.run,
            notice=_say,
        )
    made = Run(reached[0], file) if reached[0] is not None else None
    if isinstance(error, KeyboardInterrupt):
        raise KeyboardInterrupt(_where_it_stopped(made)) from None
    if error is not None:
        raise error
    if made is None:
        raise _engine.failure("the run was stopped before its first step, and nothing is kept", "run it again")
    return _checked(made)


def _where_it_stopped(run: Run | None) -> str:
    if run is None:
        return "stopped before the first step; nothing is kept"
    if run.state == "done":
        return f"run {run.id} was done before it could be stopped, and is kept"
    return f"stopped after {run.steps} steps, and kept as run {run.id}; the same call goes on from there"


def _checked(run: Run) -> Run:
    if run.state == "failed":
        kept = f"what was measured until then is kept as run {run.id}" if run.id else ""
        raise _engine.failure(run.error.rstrip("."), kept)
    return run
