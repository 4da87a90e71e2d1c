"""Checks of a watch's arguments against the sites of the model."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine, checks
from ..pictures import needed
from .clamps import of_rows

torch = needed("torch", "torch")

Array = npt.NDArray[Any]
Shapes = Collection[tuple[int, ...]]  # (examples, heads, rows, places) of each site


def require_rows(rows: Iterable[int], shapes: Shapes) -> None:
    """Rows that some site has, from either end."""
    most = max(shape[2] for shape in shapes)
    for row in rows:
        if not -most <= row < most:
            raise _engine.wrong_input(
                f"rows has {row}, and attention has {most} rows", "count from 0, or from the end by -1"
            )


def require_answer(answers: Array, observed: Mapping[str, tuple[int, ...]], shapes: Shapes) -> None:
    """Return an answer for each row of some site, or one for each example.

    If an example has one row of attention, all its answers belong to this row. ``shapes`` has the shapes of all sites."""
    examples, rows = answers.shape
    for name, shape in observed.items():
        if shape[0] != examples:
            raise _engine.wrong_input(
                f"answer(output) has {examples} rows of examples, and '{name}' attends for {shape[0]}",
                "it must be (examples, rows), a row of log-probabilities for each example of the batch",
            )
    if rows > 1 and not any(shape[2] == 1 or of_rows(rows, shape[2]) for shape in shapes):
        raise _engine.wrong_input(
            f"answer(output) has the shape {answers.shape}, and attention has {_counts(shapes)} rows",
            f"it must be {_fitting(examples, shapes)}, nan for rows without a question, or ({examples},), one for each example",
        )


def truth_of(truth: Any, examples: int, observed: Shapes, shapes: Shapes) -> Array | None:
    """Return the truth. ``shapes`` has the shapes of all sites, because an unobserved site can be held at it."""
    if truth is None:
        return None
    values = _array(
        "truth", truth, "whole numbers, (examples, rows): the position that each row should attend to, -1 for none"
    )
    if values.dtype.kind not in "iu" or values.ndim != 2 or len(values) != examples:
        raise _engine.wrong_input(
            f"truth has the shape {values.shape} and the type {values.dtype}",
            f"it must be whole numbers, ({examples}, rows): the position that each row should attend to, -1 for none",
        )
    seen, fit = ([shape[3] for shape in of if of_rows(values.shape[1], shape[2])] for of in (observed, shapes))
    if not fit:
        raise _engine.wrong_input(
            f"truth has the shape {values.shape}, and attention has {_counts(shapes)} rows",
            f"it must be {_fitting(examples, shapes)}: the position that each row should attend to, -1 for none",
        )
    places = min(seen or fit)
    outside = values[(values < -1) | (values >= places)]
    if outside.size:
        raise _engine.wrong_input(
            f"truth has a position {outside[0]}, and attention has {places} positions",
            "positions count from 0; -1 means none",
        )
    return values.astype(np.int64)


def ladder_of(rungs: Mapping[str, Any], answers: Array) -> dict[str, float]:
    """Return rung_NAME, the loss of a model with these predictions: (examples, rows), or one number for all."""
    heights = {}
    asked = ~np.isnan(answers)
    for name, said in rungs.items():
        values = _array(f"the rung '{name}'", said, "log-probabilities, or one number for all", float)
        if values.shape not in ((), answers.shape):
            raise _engine.wrong_input(
                f"the rung '{name}' has the shape {values.shape}",
                f"give its log-probability of the right answer, {answers.shape} as answer(output) does, or one number for all",
            )
        of_asked = np.broadcast_to(values, answers.shape)[asked]
        if not (of_asked <= 1e-3).all():
            raise _engine.wrong_input(
                f"the rung '{name}' has {of_asked.max():.4g}, and the logarithm of a probability is 0 at most",
                "give the log-probability of the right answer: minus the predicted loss plateau",
            )
        heights["rung_" + checks.text("a rung's name", name).replace("-", "_")] = -float(of_asked.mean())
    return heights


def _array(what: str, given: Any, wanted: str, kind: Any = None) -> Array:
    try:
        return np.asarray(given.detach().cpu() if isinstance(given, torch.Tensor) else given, kind)
    except (TypeError, ValueError):
        raise checks.wrong_type(what, given, wanted) from None


def require_number(name: str, value: Any) -> None:
    """Something of an update; its value, which a device may still be computing, is not waited for."""
    if isinstance(value, torch.Tensor) and value.dim() == 0:
        return
    if not hasattr(value, "__float__"):
        raise checks.wrong_type(f"step({name}=…)", value, "a number, or a tensor of one")
    shape = tuple(getattr(value, "shape", ()))
    if math.prod(shape) != 1:
        raise _engine.wrong_input(
            f"step({name}=…) has the shape {shape}", "it must be one number, such as the mean of these"
        )


def as_float(value: Any) -> float:
    """Return the value of a number or of a tensor of one."""
    return float(value.item() if isinstance(value, torch.Tensor) else value)


def require_state(state: Any, sites: list[str]) -> dict[str, Any]:
    """What ``state_dict`` of a watch of these sites gave."""
    given = checks.table("the state of a watch", state, "number")
    for part in [part for part in ("number", "key", "started", "seconds", "course") if part not in given]:
        raise _engine.wrong_input(f"the state of a watch has no '{part}'", "give the result of state_dict() of a watch")
    if given.get("sites", sites) != sites:
        raise _engine.wrong_input(
            f"the state is of a watch of {len(given['sites'])} sites ({', '.join(given['sites'][:4])}), and this one has {len(sites)} ({', '.join(sites[:4])})",
            "go on with the same model, and the same sites=",
        )
    return given


def _counts(shapes: Shapes) -> str:
    return " or ".join(str(rows) for rows in sorted({shape[2] for shape in shapes}))


def _fitting(examples: int, shapes: Shapes) -> str:
    """The shapes of rows that some site has."""
    most = sorted({shape[2] for shape in shapes})
    fit = sorted({rows for shape in most for rows in (shape, shape - 1) if of_rows(rows, shape)}, reverse=True)
    return " or ".join(f"({examples}, {rows})" for rows in fit)
