"""Settings as they are written in Python, and as a spec names them.

A spec has ``task.vocab``. In Python that is ``vocab=60`` if only one part has a setting of that name,
``task__vocab=60`` if several have one, or an entry of ``set={"task.vocab": 60}``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _engine, checks
from .probes import Probe, spec_names
from .similarities import Similarity
from .tasks import Task

Probes = Union[str, Probe, Iterable[Union[str, Probe]]]
SpecLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]

_PARTS = ("task", "model", "train", "probe")


def describe(what: str) -> list[_engine.Description]:
    """List the parts that a spec can name, each with its settings.

    Parameters
    ----------
    what
        ``"tasks"``, ``"models"``, ``"probes"``, ``"interventions"``, ``"settings"`` or ``"experiments"``.

    Returns
    -------
    list
        Dicts with the ``name``, the ``summary`` and the ``settings`` of each part.

    Raises
    ------
    WrongInput
        If there is no such list.

    Examples
    --------
    >>> import fovea
    >>> [setting["name"] for task in fovea.describe("tasks") if task["name"] == "copy" for setting in task["settings"]][:2]
    ['vocab', 'length']
    """
    return _engine.describe(
        checks.text("what", what, '"tasks", "models", "probes", "interventions", "settings" or "experiments"')
    )


def own_task(spec: SpecLike) -> Task | None:
    """The task in Python that a dict names, if it does."""
    task = spec.get("task") if isinstance(spec, Mapping) else None
    return task if isinstance(task, Task) else None


def own_similarity(spec: SpecLike) -> Similarity | None:
    """The similarity in Python that the model of a dict names, if it does."""
    model = spec.get("model") if isinstance(spec, Mapping) else None
    similarity = model.get("similarity") if isinstance(model, Mapping) else None
    return similarity if isinstance(similarity, Similarity) else None


def experiment_of(spec: SpecLike, key: str = "") -> _engine.Experiment:
    """A shipped experiment by its name, a file by its path, or a dict with the content of a file; ``key`` is the key of
    its own task."""
    if isinstance(spec, Mapping):
        fields = checks.table("the spec", spec, "task")
        if own_task(spec) is not None:
            fields["task"] = {"name": "python", "key": key}
        similarity = own_similarity(spec)
        if similarity is not None:
            fields["model"] = _pooling_by(similarity, fields["model"])
        if isinstance(fields.get("probe"), Mapping):
            fields["probe"] = _with_spec_names(fields["probe"])
        name = checks.text("the spec's name", fields.pop("name", "python"))
        if not name:
            raise _engine.wrong_input("the spec's name is empty", "give it one, or leave it out")
        if any(name == known["name"] for known in _engine.describe("experiments")):
            raise _engine.wrong_input(
                f"there is a shipped experiment '{name}', and this is another", "give it a name of its own"
            )
        return _engine.parse_experiment(fields, name)
    return _engine.find_experiment(checks.path("the spec", spec, "an experiment's name, a spec file's path, or a dict"))


def _pooling_by(similarity: Similarity, model: Mapping[str, Any]) -> dict[str, Any]:
    if model.get("name") != "pooling":
        raise _engine.wrong_input(
            f"a model '{model.get('name')}' takes no similarity in Python", "model 'pooling' does"
        )
    rest = {key: value for key, value in model.items() if key not in ("name", "similarity")}
    return {"name": "python-pooling", "key": similarity.key, **rest}


def _with_spec_names(probe: Mapping[str, Any]) -> dict[str, Any]:
    """A spec's ``probe`` whose probes in Python are named."""
    return {
        key: spec_names(value)
        if isinstance(value, (list, tuple)) and any(isinstance(one, Probe) for one in value)
        else value
        for key, value in probe.items()
    }


def dotted(
    experiment: _engine.Experiment, given: Mapping[str, Any], also: Mapping[str, Any] | None, words: Iterable[str] = ()
) -> dict[str, Any]:
    """Keyword settings by their full names, then the settings of ``also``; ``words`` are the other arguments of the call."""
    more = {} if also is None else checks.table("set", also, "task.vocab")
    settings: dict[str, Any] = {}
    known: dict[str, list[str]] | None = None
    for word, value in given.items():
        if "__" in word:
            settings[word.replace("__", ".")] = value
            continue
        if known is None:
            known = _owners(experiment)
        owners = known.get(word)
        if owners is None:
            raise _engine.wrong_input(
                f"'{word}' is no setting of {experiment.name}", _engine.suggest_name(word, sorted({*known, *words}))
            )
        if len(owners) > 1:
            ways = " or ".join(f"{owner}__{word}" for owner in owners)
            raise _engine.wrong_input(f"'{word}' is a setting of {' and of '.join(owners)}", f"write {ways}")
        settings[f"{owners[0]}.{word}"] = value
    settings.update(more)
    return settings


def with_probes(
    experiment: _engine.Experiment, quick: bool, settings: dict[str, Any], probes: Probes
) -> dict[str, Any]:
    """The settings with these probes and the experiment's probes."""
    more = spec_names(probes)
    if not more:
        return settings
    there = experiment.probe_table(quick, settings)
    names = [*there["names"], *there["optional"]]
    return {**settings, "probe.names": [*there["names"], *(name for name in more if name not in names)]}


def takes_list(experiment: _engine.Experiment, setting: str) -> bool:
    """Whether a list is one value of the setting."""
    part, _, name = setting.partition(".")
    chosen = (
        experiment.task.get("name") if part == "task" else experiment.model.get("name") if part == "model" else part
    )
    return any(
        one["kind"].startswith("list of")
        for description in _engine.describe(part + "s" if part in ("task", "model") else "settings")
        if description["name"] == chosen
        for one in description["settings"]
        if one["name"] == name
    )


def dotted_task(given: Mapping[str, Any], also: Mapping[str, Any] | None) -> dict[str, Any]:
    """The same if all settings are the task's."""
    return {
        **{word.replace("__", ".") if "__" in word else f"task.{word}": value for word, value in given.items()},
        **(also or {}),
    }


def _owners(experiment: _engine.Experiment) -> dict[str, list[str]]:
    """Which parts of the experiment have a setting of each name."""
    chosen = {"task": experiment.task.get("name"), "model": experiment.model.get("name")}
    owners: dict[str, list[str]] = {}

    def add(part: str, settings: Iterable[_engine.SettingDescription]) -> None:
        for setting in settings:
            if "." not in setting["name"]:
                owners.setdefault(setting["name"], []).append(part)

    for part in ("task", "model"):
        for description in _engine.describe(part + "s"):
            if description["name"] == chosen[part]:
                add(part, description["settings"])
    for description in _engine.describe("settings"):
        if description["name"] in _PARTS:
            add(description["name"], description["settings"])
    return owners


def merged(*tables: Mapping[str, Any]) -> dict[str, Any]:
    """Merge all into one table. The last one wins."""
    whole: dict[str, Any] = {}
    for table in tables:
        for key, value in table.items():
            both = isinstance(value, Mapping) and isinstance(whole.get(key), Mapping)
            whole[key] = {**whole[key], **value} if both else value
    return whole
