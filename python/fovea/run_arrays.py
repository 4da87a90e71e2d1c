"""Arrays that a run kept at its evaluations, and the errors for arrays that it did not keep."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine

Array = npt.NDArray[np.float32]


def attention_at(looks: Mapping[int, Array], step: int | None, name: str) -> Array:
    """Return the attention kept at a step, by default at the last step that has any."""
    if not looks:
        raise _engine.wrong_input(
            f"{name} has no attention kept",
            "its model may not attend; probe.keep is the number of examples that it is kept for",
        )
    if step is None:
        return looks[max(looks)]
    if step not in looks:
        raise _engine.wrong_input(f"{name} has no attention kept at step {step}", nearest_step(looks, step))
    return looks[step]


def kept_beta(looks: Mapping[int, Array], step: int | None, last: int, elsewhere: bool, name: str) -> Array | None:
    """Return the β kept at a step, by default at the last one; None if it follows from the weights at the end.

    Parameters
    ----------
    looks
        The β kept, by step.
    step
        The step asked for; None for the end of training.
    last
        The step at the end of training.
    elsewhere
        Whether another program made the run, so that its weights are not here.
    name
        The run in messages.
    """
    wanted = last if step is None else step
    if wanted in looks:
        return looks[wanted]
    if elsewhere:
        if step is None and looks:
            return looks[max(looks)]
        kept = (
            f"it is kept of steps {', '.join(map(str, sorted(looks)[:12]))}"
            if looks
            else "observe it with its β, and with time for it"
        )
        raise _engine.wrong_input(f"{name} has no β kept" + ("" if step is None else f" at step {step}"), kept)
    if wanted == last:
        return None
    if looks:
        raise _engine.wrong_input(f"{name} has no β kept at step {step}", nearest_step(looks, wanted))
    raise _engine.wrong_input(
        f"{name} has β at its end alone, step {last}, by its weights",
        'train it with probes=["kept_beta"] to have it at every look of attention_steps',
    )


def no_weights(state: str, elsewhere: bool, name: str) -> _engine.WrongInput:
    """Return the error for a run whose weights are not here."""
    if elsewhere:
        return _engine.wrong_input(f"{name} was made by another program, which has its weights", "")
    if state != "done":
        remedy = "see its error" if state == "failed" else "go on with it: fovea.resume"
        return _engine.wrong_input(f"{name} is {state}: weights are kept when a run is done", remedy)
    return _engine.wrong_input(f"the weights of {name} were not kept", 'train it again with keep_weights="always"')


def no_checkpoint(step: int, kept: list[int], name: str) -> _engine.WrongInput:
    """Return the error for a step whose weights are not here."""
    remedy = f"see checkpoints: {', '.join(map(str, kept))}" if kept else f"train it again with checkpoints=[{step}]"
    return _engine.wrong_input(f"{name} has no weights at step {step}", remedy)


def digest(weights: Mapping[str, npt.NDArray[Any]]) -> str:
    """Return the SHA-256 of arrays, one after the other in the order of their names."""
    return hashlib.sha256(b"".join(weights[name].tobytes() for name in sorted(weights))).hexdigest()


def nearest_step(looks: Mapping[int, Array], step: int) -> str:
    nearest = min(looks, key=lambda other: abs(other - step))
    return f"the nearest is step {nearest}; see attention_steps"
