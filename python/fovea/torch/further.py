"""Batches that a watch evaluates, each with its answer and truth."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .. import _engine, checks

_PARTS = ("batch", "answer", "truth")


@dataclass(frozen=True)
class Shown:
    """A batch, its answer as a function of the module's output, and its truth."""

    batch: Any
    answer: Any
    truth: Any = None


def batches_of(batch: Any, answer: Any, truth: Any, batches: Any) -> tuple[Shown, dict[str, Shown]]:
    """Return the batch that has plain names, and the others by their names.

    Raises
    ------
    fovea.WrongInput
        If there is no batch, or a name or a part of one is wrong.
    """
    further = {
        name: _shown(name, one)
        for name, one in checks.table("batches", {} if batches is None else batches, "probe").items()
    }
    if batch is not None and answer is None:
        raise _engine.wrong_input(
            "there is no answer to evaluate",
            "give a function of the module's output: answer=lambda out: out.log_softmax(-1).gather(-1, target[..., None])[..., 0]",
        )
    if batch is not None:
        return Shown(batch, answer, truth), further
    if not further:
        raise _engine.wrong_input("there is no batch to evaluate", "give batch and answer, or batches=")
    if answer is not None or truth is not None:
        raise _engine.wrong_input(
            "answer or truth is given without a batch",
            'give them with each of the batches: batches={"train": {"batch": x, "answer": answer}}',
        )
    first, *others = further
    return further[first], {name: further[name] for name in others}


def _shown(name: str, given: Any) -> Shown:
    what = f"batches['{name}']"
    if not re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII):
        raise _engine.wrong_input(
            f"a batch is called '{name}'", "a name has letters, digits and '_', and begins with a letter"
        )
    parts = checks.table(what, given, "batch")
    for part in parts:
        if part not in _PARTS:
            raise _engine.wrong_input(f"{what} has '{part}'", _engine.suggest_name(part, _PARTS))
    if parts.get("batch") is None or parts.get("answer") is None:
        raise _engine.wrong_input(
            f"{what} has no {'batch' if parts.get('batch') is None else 'answer'}",
            'give a batch with its answer, as {"batch": x, "answer": answer}',
        )
    return Shown(parts["batch"], parts["answer"], parts.get("truth"))
