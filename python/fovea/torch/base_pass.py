"""One pass of a model as it is, which clamped passes are compared with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine, checks
from ..pictures import needed
from .model import Model
from .scope import Key, Outputs, Plan, Scope, Seen
from .sites import Tap

torch = needed("torch", "torch")


class Answer:
    """The right answer, as the caller reads it from the model's output.

    It has log-probabilities (examples, rows), NaN for rows without a question."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        checks.function("answer", read)
        self.read = read

    def __call__(self, out: Any) -> Any:
        given = self.read(out)
        if not isinstance(given, torch.Tensor):
            raise checks.wrong_type(
                "the result of answer(output)", given, "a tensor of log-probabilities, (examples, rows)"
            )
        if given.dim() == 1:
            given = given[:, None]
        if given.dim() != 2 or given.numel() == 0 or not given.is_floating_point():
            raise _engine.wrong_input(
                f"answer(output) has the shape {tuple(given.shape)} and the type {str(given.dtype).removeprefix('torch.')}",
                "it must be (examples, rows), the log-probability of the right answer",
            )
        given = given.detach().float()
        if bool((given > 1e-3).any()):
            raise _engine.wrong_input(
                f"answer(output) has {given.nan_to_num(-torch.inf).max().item():.4g}, and the logarithm of a probability is 0 at most",
                "take log_softmax of the scores before you pick the right ones; rows without a question have NaN",
            )
        return given


def loss_of(answers: npt.NDArray[Any]) -> float:
    """Return minus the mean of the answers, without rows that have no question."""
    return -float(np.nanmean(answers))


class Base:
    """One unchanged pass, with the output of each module."""

    def __init__(
        self,
        model: Model,
        answer: Answer,
        sites: Sequence[Key],
        examples: int | None,
        plan: Plan | None = None,
        log: bool = False,
        outputs: Outputs | None = None,
    ) -> None:
        with Scope(model.names, log) as scope:
            tap = Tap(scope, dict.fromkeys(sites), examples, plan, outputs=outputs)
            with tap:
                out = model()
            self.ended = dict(scope.ended)
        self.output = out
        self.seen: dict[Key, Seen] = tap.seen
        self.answers = answer(out)
        for key in sites:
            if key not in self.seen:
                raise _engine.failure(
                    f"attention at '{key[0]}' did not run in this forward pass",
                    "observe a model that runs the same attention layers in every forward pass",
                )
