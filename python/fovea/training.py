"""Training: one run, and many."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Union

from . import _engine, checks
from .notices import tell_first, teller
from .probes import causes_shown
from .progress import Bar
from .run_store import file_of
from .run_table import RunTable
from .runs import Run
from .settings import Probes, SpecLike, dotted, experiment_of, own_similarity, own_task, takes_list, with_probes

# Words of the two calls that are no settings.
_OF_BOTH = ("quick", "set", "probes", "fresh", "store", "checkpoint_every", "progress")
_OF_RUN = ("seed", "on_step", "intervene", "keep", "reuse")
_OF_SWEEP = ("seeds", "axes", "draws", "jobs", "again", "retry_failed")


def _seed(seed: Any, otherwise: int) -> int:
    if seed is None:
        return otherwise
    return checks.whole("seed", seed, 0)


def _seeds(given: Any) -> Any:
    """An axis of seeds: a range in words, or whole numbers."""
    if isinstance(given, str):
        return given
    if isinstance(given, (bytes, Mapping)) or getattr(given, "ndim", 1) > 1:
        raise checks.wrong_type("seeds", given, 'whole numbers, as range(10), or "0..9"')
    if not isinstance(given, Iterable):
        return [checks.whole("seeds", given, 0)]
    seeds = [checks.whole(f"seeds[{place}]", seed, 0) for place, seed in enumerate(given)]
    if not seeds:
        raise _engine.wrong_input("there are no seeds", "give some, as in seeds=range(10)")
    return seeds


def _no_words_of(call: str, other: str, words: Iterable[str], settings: Mapping[str, Any]) -> None:
    for word in words:
        if word in settings:
            raise _engine.wrong_input(f"{call} takes no '{word}'", f"give it to {other}, which does")


def _flags(**given: Any) -> None:
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
    fresh: bool = False,
    store: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    progress: bool | None = None,
    **settings: Any,
) -> Run:
    """Trains one run and keeps it in the store, as ``fovea run`` does. In one build the same spec and seed give the same bits.

    ``spec`` is an experiment's name, a spec file's path, or a dict that says what a file would. Settings are keywords:
    ``vocab=60``, or ``task__vocab=60`` where several parts have a setting of that name, or ``set={"task.vocab": 60}``.
    ``probes=["kept_beta"]`` measures more than the spec says; ``fovea.Probe`` makes one of a function of yours.

    ``on_step(step)`` is called at every update, when its gradients are there and before the parameters move.
    ``intervene(number)`` says how that update is made: None, or what the spec's ``intervene`` would hold, as
    ``{"hold": "uniform"}``. While attention is held, metrics are of the model as it attends by itself, and those whose names end
    in ``_held`` under the hold; an evaluation is made under the hold of the update that follows it. A run that is
    intervened in from Python is not what its spec says, and so is not kept.

    Of an experiment that is a sweep over settings, it is the run with the first value of each.

    A run that was interrupted goes on from its last checkpoint when it is asked for again (``fresh=True``: begins anew).
    ``reuse=True`` takes a run that the store already holds. ``keep=False`` trains without a store, and so without
    checkpoints. ``progress``: None shows a bar where a person looks at it.

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
    _no_words_of("fovea.run", "fovea.sweep", _OF_SWEEP, settings)
    _flags(quick=quick, reuse=reuse, fresh=fresh)
    checks.flag_or_none("keep", keep)
    task, similarity = own_task(spec), own_similarity(spec)
    with (
        nullcontext("") if task is None else task.lent() as key,
        nullcontext() if similarity is None else similarity.at_work(),
    ):
        experiment = experiment_of(spec, key)
        wanted = dotted(experiment, settings, set, _OF_BOTH + _OF_RUN)
        first = experiment.first_values(quick, wanted)
        wanted = with_probes(experiment, quick, {**wanted, **first}, probes)
        _tell_left_out(experiment, quick, wanted)
        resolved = experiment.resolve(quick, wanted, _seed(seed, experiment.seed))
        spec_says_all = intervene is None and task is None and similarity is None
        if keep and not spec_says_all:
            what = "that is intervened in from Python"
            if task is not None or similarity is not None:
                what = "of a task in Python" if task is not None else "by a similarity in Python"
            raise _engine.wrong_input(
                f"a run {what} cannot be kept: its spec does not say what it is", "leave keep out"
            )
        tell_first(experiment.name, first, "this run the first", f"All of them: fovea.sweep({experiment.name!r})")
        made = train_spec(
            resolved,
            experiment.name,
            on_step=on_step,
            intervene=intervene,
            keep=spec_says_all if keep is None else keep,
            reuse=reuse,
            fresh=fresh,
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
    """Goes on with a run of the store that was stopped or killed.

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
            "this run is not kept: there is nothing to go on from", "train it anew, without keep=False"
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
    return train_spec(record.spec, record.experiment, on_step=on_step, store=file, progress=progress)


def train_spec(
    spec: _engine.Spec,
    experiment: str,
    *,
    on_step: OnStep | None = None,
    intervene: Intervene | None = None,
    keep: bool = True,
    reuse: bool = False,
    fresh: bool = False,
    store: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    progress: bool | None = None,
) -> Run:
    """The run of a spec that is resolved."""
    for what, callback in (("on_step", on_step), ("intervene", intervene)):
        checks.function(what, callback)
    checkpoint_every = checks.number("checkpoint_every", checkpoint_every, above=0)
    checks.flag_or_none("progress", progress)
    with causes_shown(), Bar("step", progress) as bar:
        if not keep:
            record, weights, error = _engine.run_apart(
                spec, experiment, progress=bar.reach, on_step=on_step, intervene=intervene
            )
            if error is not None:
                raise error
            return _checked(Run(record, None, weights))
        file = file_of(store)
        reached, _, weights, error = _engine.run_kept(
            file,
            experiment,
            spec,
            again=not reuse,
            fresh=fresh,
            checkpoint_every=checkpoint_every,
            progress=bar.run,
            notice=teller(),
            on_step=on_step,
        )
        made = Run(reached[0], file, weights) if reached[0] is not None else None
        if isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt(_where_it_stopped(made)) from None
        if error is not None:
            raise error
        if made is None:
            raise _engine.failure("the run was stopped before its first step, and nothing is kept", "run it again")
        return _checked(made)


def sweep(
    spec: SpecLike,
    *,
    seeds: Any = None,
    quick: bool = False,
    set: Mapping[str, Any] | None = None,
    probes: Probes = (),
    axes: Mapping[str, Any] | None = None,
    draws: int | None = None,
    jobs: int | None = None,
    again: bool = False,
    fresh: bool = False,
    retry_failed: bool = False,
    store: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    progress: bool | None = None,
    **settings: Any,
) -> RunTable:
    """Trains many runs, several at a time; those that the store holds are not trained again.

    A setting with a list, a range or an array of values is an axis: ``vocab=[40, 60]``, ``seeds=range(20)``; one that itself is a list
    is an axis where it is given a list of lists. Without any, the experiment's own are run. ``probes`` are as in ``run``. ``axes={"train.rate": "log(1e-4..1e-2)"}`` takes what a spec's ``sweep`` would, ``set`` what does not vary.
    ``jobs`` says how many are trained at a time; None: one on each core.

    >>> import fovea
    >>> table = fovea.sweep("toy-uniform", seeds=range(3), rate=[0.01, 0.02], steps=10)
    >>> len(table)
    6
    >>> sorted({run.spec["train"]["rate"] for run in table})
    [0.01, 0.02]
    """
    if own_task(spec) is not None or own_similarity(spec) is not None:
        raise _engine.wrong_input(
            "a sweep keeps its runs, and one of a task or by a similarity in Python cannot be kept: its spec does not say what it is",
            "train them one by one: [fovea.run(spec, seed=seed) for seed in range(10)]",
        )
    if "seed" in settings:
        raise _engine.wrong_input(
            "a sweep has many seeds, and takes no 'seed'", "write seeds=range(10), or seeds=3 for one"
        )
    if isinstance(settings.get("keep"), bool):
        raise _engine.wrong_input(
            "a sweep keeps its runs, and takes no 'keep'", "give them a store of their own: store=…"
        )
    _no_words_of("fovea.sweep", "fovea.run", [word for word in _OF_RUN if word != "keep"], settings)
    _flags(quick=quick, again=again, fresh=fresh, retry_failed=retry_failed)
    checkpoint_every = checks.number("checkpoint_every", checkpoint_every, above=0)
    checks.flag_or_none("progress", progress)
    at_a_time = (
        0
        if jobs is None
        else checks.whole("jobs", jobs, 1, remedy="it must be 1 or more; left out, one is trained on each core")
    )
    if draws is not None:
        draws = checks.whole("draws", draws, 1)
    more_axes = {} if axes is None else checks.table("axes", axes, "train.rate")
    experiment = experiment_of(spec)
    named = dotted(experiment, settings, None, _OF_BOTH + _OF_SWEEP)
    varied = {
        key: value
        for key, value in named.items()
        if _is_axis(value) and not (takes_list(experiment, key) and _is_flat(value))
    }
    fixed = {key: value for key, value in named.items() if key not in varied}
    fixed = with_probes(
        experiment, quick, {**fixed, **({} if set is None else checks.table("set", set, "task.vocab"))}, probes
    )
    varied.update(more_axes)
    if seeds is not None:
        varied["seed"] = _seeds(seeds)
    _tell_left_out(experiment, quick, fixed)
    plan = experiment.plan(quick, fixed, {key: _axis(key, value) for key, value in varied.items()}, draws)
    file = file_of(store)
    with causes_shown(), Bar("run", progress) as bar:
        reached, counts, _, error = _engine.sweep_kept(
            file,
            experiment.name,
            plan,
            jobs=at_a_time,
            again=again,
            fresh=fresh,
            retry_failed=retry_failed,
            checkpoint_every=checkpoint_every,
            progress=bar.sweep,
            notice=teller(),
        )
    if isinstance(error, KeyboardInterrupt):
        there = counts.done + counts.reused
        raise KeyboardInterrupt(
            f"stopped with {there} of {counts.total} runs done; the same call goes on from there"
        ) from None
    if error is not None:
        raise error
    return RunTable([Run(record, file) for record in reached if record is not None])


def _tell_left_out(experiment: _engine.Experiment, quick: bool, settings: dict[str, Any]) -> None:
    """Of another model than the experiment's own, what that one is set to and this one lacks."""
    lacking = experiment.left_out(quick, settings)
    if lacking:
        teller()(
            f"the model '{settings['model.name']}' has no {', '.join(lacking)}, which {experiment.name} sets for its own; left out"
        )


def _tell_cost(run: Run) -> None:
    """Of a probe in Python that took a second or more, and over a tenth of the run."""
    for name, seconds in run.probe_seconds.items():
        if seconds >= 1 and seconds > run.seconds / 10:
            teller()(
                f"the probe '{name}' took {seconds:.1f} s, {seconds / run.seconds:.0%} of the run; "
                "evaluate less often (every=…) or measure less"
            )


def _is_axis(value: Any) -> bool:
    return isinstance(value, (list, tuple, range)) or getattr(value, "ndim", 0) == 1


def _is_flat(value: Any) -> bool:
    return not any(_is_axis(element) for element in value)


def _axis(key: str, value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable):
        raise checks.wrong_type(f"the axis '{key}'", value, 'a list of values, or a range as "0..9"')
    return list(value)


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
