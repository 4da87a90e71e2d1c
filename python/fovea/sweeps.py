"""Training many runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import _engine, checks
from .notices import teller
from .old_names import take
from .probes import causes_shown
from .progress import Bar
from .run_store import file_of
from .run_table import RunTable
from .runs import Run
from .settings import Probes, SpecLike, dotted, experiment_of, own_similarity, own_task, takes_list, with_probes
from .training import OF_BOTH, OF_RUN, OF_SWEEP, flags, no_words_of, tell_left_out


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
    retrain: bool = False,
    ignore_checkpoint: bool = False,
    retry_failed: bool = False,
    store: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    progress: bool | None = None,
    **settings: Any,
) -> RunTable:
    """Train many runs, several at a time. Stored runs are not trained again.

    A setting with a list, a range or an array of values is an axis: ``vocab=[40, 60]``. A setting that itself is a list is an axis if
    it is given a list of lists. Without any axis, the axes of the experiment are run.

    Parameters
    ----------
    spec, quick, set, probes, ignore_checkpoint, store, checkpoint_every, progress, **settings
        As in ``fovea.run``; ``set`` has settings that do not vary.
    seeds
        The axis of seeds: ``range(20)``, a list, or ``"0..19"``.
    axes
        Axes as a spec's ``sweep`` writes them: ``{"train.rate": "log(1e-4..1e-2)"}``.
    draws
        How many settings are drawn from axes of random values.
    jobs
        How many runs train at a time. None: one on each core.
    retrain
        Whether to train runs that are already stored.
    retry_failed
        Whether to train runs that failed in this version.

    Returns
    -------
    RunTable
        The runs, in the order of the axes.

    Raises
    ------
    WrongInput
        If a setting is wrong.
    KeyboardInterrupt
        After Ctrl-C. The same call continues.

    Examples
    --------
    >>> import fovea
    >>> table = fovea.sweep("toy-uniform", seeds=range(3), rate=[0.01, 0.02], steps=10)
    >>> len(table)
    6
    >>> sorted({run.spec["train"]["rate"] for run in table})
    [0.01, 0.02]
    """
    if own_task(spec) is not None or own_similarity(spec) is not None:
        raise _engine.wrong_input(
            "a sweep keeps its runs, and one of a task or by a similarity in Python cannot be kept: its spec does not describe it",
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
    no_words_of("fovea.sweep", "fovea.run", [word for word in OF_RUN if word != "keep"], settings)
    retrain, ignore_checkpoint = take(settings, "again", retrain), take(settings, "fresh", ignore_checkpoint)
    flags(quick=quick, retrain=retrain, ignore_checkpoint=ignore_checkpoint, retry_failed=retry_failed)
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
    named = dotted(experiment, settings, None, OF_BOTH + OF_SWEEP)
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
    tell_left_out(experiment, quick, fixed)
    plan = experiment.plan(quick, fixed, {key: _axis(key, value) for key, value in varied.items()}, draws)
    file = file_of(store)
    with causes_shown(), Bar("run", progress) as bar:
        reached, counts, _, error = _engine.sweep_kept(
            file,
            experiment.name,
            plan,
            jobs=at_a_time,
            retrain=retrain,
            ignore_checkpoint=ignore_checkpoint,
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
