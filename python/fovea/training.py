"""Training one run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Union

from . import _engine, checks
from .notices import tell_first, teller
from .old_names import take
from .probes import causes_shown
from .progress import Bar
from .run_store import file_of
from .runs import Run
from .settings import Probes, SpecLike, dotted, experiment_of, own_similarity, own_task, with_probes

# Words of the two calls that are no settings.
OF_BOTH = ("quick", "set", "probes", "ignore_checkpoint", "store", "checkpoint_every", "progress")
OF_RUN = ("seed", "on_step", "intervene", "keep", "reuse")
OF_SWEEP = ("seeds", "axes", "draws", "jobs", "retrain", "retry_failed")


def _seed(seed: Any, otherwise: int) -> int:
    if seed is None:
        return otherwise
    return checks.whole("seed", seed, 0)


def no_words_of(call: str, other: str, words: Iterable[str], settings: Mapping[str, Any]) -> None:
    for word in words:
        if word in settings:
            raise _engine.wrong_input(f"{call} takes no '{word}'", f"give it to {other}, which does")


def flags(**given: Any) -> None:
    for name, value in given.items():
        checks.flag(name, value)


OnStep = Callable[[_engine.Step], None]
Intervene = Callable[[int], Union[Mapping[str, Any], Sequence[Mapping[str, Any]], None]]


def run(
    spec: SpecLike,
    *,
    seed: int | None = None,
    quick: bool = False,
    set: Mapping[str, Any] | None = None,
    probes: Probes = (),
    on_step: OnStep | None = None,
    intervene: Intervene | None = None,
    keep: bool | None = None,
    reuse: bool = False,
    ignore_checkpoint: bool = False,
    store: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    progress: bool | None = None,
    **settings: Any,
) -> Run:
    """Train one run and keep it in the store, as ``fovea run`` does.

    The same spec and seed give the same bits. A run that was interrupted continues from its last checkpoint when it
    is asked for again.

    Parameters
    ----------
    spec
        An experiment's name, the path of a spec file, or a dict with the content of one. If an experiment is a sweep, the
        first value of each axis is used.
    seed
        The seed of the run. None: the seed of the experiment.
    quick
        Whether to train the quick form of the experiment.
    set
        Settings by their full names: ``{"task.vocab": 60}``.
    probes
        Probes in addition to the probes of the spec: names, as ``"kept_beta"``, and ``fovea.Probe``.
    on_step
        Called as ``on_step(step)`` at every update, when its gradients are computed and before the parameters change.
    intervene
        Called as ``intervene(number)`` before every update. It returns None, or the content of ``intervene`` in a spec:
        ``{"hold": "uniform"}``. An evaluation is made under the hold of the update that follows it. Metrics whose names end in
        ``_held`` are measured under the hold. Such a run is not kept, because its spec does not describe it.
    keep
        False trains without a store, and so without checkpoints. None: True, except for runs that no spec describes.
    reuse
        Whether to take the run if the store already has it.
    ignore_checkpoint
        Whether to start at step 0 if there is a checkpoint.
    store
        The store, or its file. None: the store of the program.
    checkpoint_every
        Seconds between checkpoints.
    progress
        Whether a bar is shown. None: in a terminal or a notebook.
    **settings
        Settings by their short names: ``vocab=60``, or ``task__vocab=60`` if several parts have a setting of that name.

    Returns
    -------
    Run
        The run, done.

    Raises
    ------
    WrongInput
        If a setting is wrong. Nothing is kept.
    Failure
        If training failed, as by NaN. What was measured until then is kept.
    KeyboardInterrupt
        After Ctrl-C. The run is kept as stopped.

    Examples
    --------
    >>> import fovea
    >>> run = fovea.run("toy-uniform", seed=0, keep=False)
    >>> round(run.metrics["loss"], 3) < 0
    True
    >>> losses = []
    >>> run = fovea.run("toy-uniform", keep=False, steps=5, on_step=lambda step: losses.append(step.loss))
    >>> len(losses)
    5
    """
    if "seeds" in settings:
        raise _engine.wrong_input(
            "a run has one seed, and takes no 'seeds'", "write seed=…, or train them all: fovea.sweep(…, seeds=…)"
        )
    no_words_of("fovea.run", "fovea.sweep", OF_SWEEP, settings)
    ignore_checkpoint = take(settings, "fresh", ignore_checkpoint)
    flags(quick=quick, reuse=reuse, ignore_checkpoint=ignore_checkpoint)
    checks.flag_or_none("keep", keep)
    task, similarity = own_task(spec), own_similarity(spec)
    with (
        nullcontext("") if task is None else task.lent() as key,
        nullcontext() if similarity is None else similarity.at_work(),
    ):
        experiment = experiment_of(spec, key)
        wanted = dotted(experiment, settings, set, OF_BOTH + OF_RUN)
        first = experiment.first_values(quick, wanted)
        wanted = with_probes(experiment, quick, {**wanted, **first}, probes)
        tell_left_out(experiment, quick, wanted)
        resolved = experiment.resolve(quick, wanted, _seed(seed, experiment.seed))
        spec_says_all = intervene is None and task is None and similarity is None
        if keep and not spec_says_all:
            what = "that is intervened in from Python"
            if task is not None or similarity is not None:
                what = "of a task in Python" if task is not None else "by a similarity in Python"
            raise _engine.wrong_input(f"a run {what} cannot be kept: its spec does not describe it", "leave keep out")
        tell_first(experiment.name, first, f"All of them: fovea.sweep({experiment.name!r})")
        made = train_resolved(
            resolved,
            experiment.name,
            on_step=on_step,
            intervene=intervene,
            keep=spec_says_all if keep is None else keep,
            reuse=reuse,
            ignore_checkpoint=ignore_checkpoint,
            store=store,
            checkpoint_every=checkpoint_every,
            progress=progress,
        )
    made._task, made._similarity, made._intervened = task, similarity, intervene is not None
    _tell_cost(made)
    return made


def resume(
    run: Run | int,
    *,
    store: str | os.PathLike[str] | None = None,
    on_step: OnStep | None = None,
    progress: bool | None = None,
) -> Run:
    """Continue a run of the store that was stopped or killed.

    Parameters
    ----------
    run
        The run, or its number.
    store
        The store, or its file. None: the store of the run, or of the program.
    on_step, progress
        As in ``fovea.run``.

    Returns
    -------
    Run
        The run, done.

    Raises
    ------
    WrongInput
        If there is no such run, or it is done, or failed.

    Examples
    --------
    >>> import fovea
    >>> def stop(step):
    ...     if step.number == 7:
    ...         raise KeyboardInterrupt
    >>> try:
    ...     fovea.run("toy-uniform", steps=20, on_step=stop)
    ... except KeyboardInterrupt:
    ...     stopped = fovea.store().runs("steps < 20")[0]
    >>> stopped.state, fovea.resume(stopped, progress=False).state
    ('stopped', 'done')
    """
    if isinstance(run, Run) and not run.id:
        raise _engine.wrong_input(
            "this run is not kept: there is nothing to go on from", "train it again, without keep=False"
        )
    file = run._store if isinstance(run, Run) and store is None else file_of(store)
    number = run.id if isinstance(run, Run) else checks.whole("the number of a run", run)
    record = _engine.store_find(file, number) if file is not None else None
    if record is None:
        raise _engine.wrong_input(f"there is no run {number}", "see: fovea.store().runs()")
    if isinstance(run, Run) and record.hash != run._record.hash:
        raise _engine.wrong_input(f"run {number} of that store is another one", "see: fovea.store().runs()")
    if record.state in ("done", "failed"):
        raise _engine.wrong_input(f"run {number} is {record.state}: there is nothing to go on with", "")
    return train_resolved(
        _engine.ResolvedRun(record.spec), record.experiment, on_step=on_step, store=file, progress=progress
    )


def train_resolved(
    run: _engine.ResolvedRun,
    experiment: str,
    *,
    on_step: OnStep | None = None,
    intervene: Intervene | None = None,
    keep: bool = True,
    reuse: bool = False,
    ignore_checkpoint: bool = False,
    store: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    progress: bool | None = None,
) -> Run:
    """Train a run that is resolved."""
    for what, callback in (("on_step", on_step), ("intervene", intervene)):
        checks.function(what, callback)
    checkpoint_every = checks.number("checkpoint_every", checkpoint_every, above=0)
    checks.flag_or_none("progress", progress)
    with causes_shown(), Bar("step", progress) as bar:
        if not keep:
            record, weights, error = _engine.run_apart(
                run, experiment, progress=bar.reach, on_step=on_step, intervene=intervene
            )
            if error is not None:
                raise error
            return _checked(Run(record, None, weights))
        file = file_of(store)
        reached, _, weights, error = _engine.run_kept(
            file,
            experiment,
            run,
            retrain=not reuse,
            ignore_checkpoint=ignore_checkpoint,
            checkpoint_every=checkpoint_every,
            progress=bar.run,
            notice=teller(),
            on_step=on_step,
        )
        listed = bool(run.spec.table()["train"].get("checkpoints"))  # then the weights of each are in the store
        made = Run(reached[0], file, None if listed else weights) if reached[0] is not None else None
        if isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt(_where_it_stopped(made)) from None
        if error is not None:
            raise error
        if made is None:
            raise _engine.failure("the run was stopped before its first step, and nothing is kept", "run it again")
        return _checked(made)


def tell_left_out(experiment: _engine.Experiment, quick: bool, settings: dict[str, Any]) -> None:
    """Warn of settings of the experiment's own model that another model lacks."""
    lacking = experiment.left_out(quick, settings)
    if lacking:
        teller()(
            f"the model '{settings['model.name']}' has no {', '.join(lacking)}, which {experiment.name} sets for its own; left out"
        )


def _tell_cost(run: Run) -> None:
    """Warn of a probe in Python that took a second or more, and over a tenth of the run."""
    for name, seconds in run.probe_seconds.items():
        if seconds >= 1 and seconds > run.seconds / 10:
            teller()(
                f"the probe '{name}' took {seconds:.1f} s, {seconds / run.seconds:.0%} of the run; "
                "evaluate less often (every=…) or measure less"
            )


def _where_it_stopped(run: Run | None) -> str:
    if run is None:
        return "stopped before the first step; nothing is kept"
    if run.state == "done":
        return f"run {run.id} was done before it could be stopped, and is kept"
    return f"stopped after {run.steps} steps; the run is stored as run {run.id}, and the same call continues it"


def _checked(run: Run) -> Run:
    if run.state == "failed":
        kept = f"the measurements until then are kept as run {run.id}" if run.id else ""
        raise _engine.failure(run.error.rstrip("."), kept)
    return run
