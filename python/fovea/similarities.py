"""Similarities in Python for attention pooling."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import Any, Union

from . import _engine, checks

Scores = Callable[..., Any]
Start = Union[float, Sequence[int]]


class Similarity:
    """A similarity that is a function of yours, for the model ``pooling``.

    It is given in place of a similarity's name. All arrays are float64: queries (M, D), keys (N, D). A run with such a similarity is
    not kept, because its spec does not describe it.

    Parameters
    ----------
    scores
        ``scores(queries, keys, **parameters)`` returns a number for each query and key, (M, N). ``-inf``: the key gets no weight.
    gradient
        ``gradient(queries, keys, d_scores, **parameters)`` returns ``{parameter: d loss / d parameter}``. ``d_scores`` is
        d loss / d scores. Without it the engine takes central differences: two calls for each number at each update, for up to
        64 numbers.
    **parameters
        What is learned. A number is the start of a number. A shape, as ``(3, 2)``, is an array that starts, by the seed of the run,
        uniformly in ±1/√(its last size).

    Raises
    ------
    WrongInput
        If a gradient is given and there is nothing to learn, or a start is neither a number nor a shape.

    Examples
    --------
    >>> import fovea, numpy as np
    >>> def gaussian(queries, keys, w):
    ...     return -(w * np.linalg.norm(queries[:, None] - keys, axis=-1)) ** 2 / 2
    >>> run = fovea.run({
    ...     "task": {"name": "curve"},
    ...     "model": {"name": "pooling", "similarity": fovea.Similarity(gaussian, w=1.0)},
    ...     "train": {"steps": 20, "batch": 1, "rate": 0.1},
    ...     "probe": {"names": ["pooling_error"]},
    ... })
    >>> bool(run.weights()["w"][0] > 1)
    True
    """

    def __init__(
        self, scores: Scores, gradient: Callable[..., Mapping[str, Any]] | None = None, **parameters: Start
    ) -> None:
        for what, function in (("scores", scores), ("gradient", gradient)):
            checks.function(what, function)
        if scores is None:
            raise checks.wrong_type("scores", scores, "a function")
        if gradient is not None and not parameters:
            raise _engine.wrong_input(
                "there is a gradient, but nothing to learn", "name the parameters, as in Similarity(f, df, w=1.0)"
            )
        self.name = str(getattr(scores, "__name__", type(scores).__name__))
        self._made_of = (scores, gradient, parameters)
        self.key = _engine.add_similarity(
            self.name, scores, gradient, [_parameter(*each) for each in parameters.items()]
        )
        weakref.finalize(self, _engine.remove_similarity, self.key)

    def __reduce__(self) -> Any:  # the engine knows each by a key of its own
        return _again, self._made_of

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Raise the exceptions of the functions during this time.

        Returns
        -------
        context manager
            For the time in which the engine calls the functions.
        """
        try:
            yield
        except _engine.WrongInput:
            raised = _engine.similarity_error(self.key)
            if raised is not None:
                raise raised from None
            raise


def _again(scores: Scores, gradient: Any, parameters: dict[str, Start]) -> Similarity:
    return Similarity(scores, gradient, **parameters)


def _parameter(name: str, start: Any) -> tuple[str, list[int], float]:
    if isinstance(start, Real):
        return name, [], checks.number(f"the parameter '{name}'", start)
    try:
        shape = [int(size.__index__()) for size in start]
    except (AttributeError, TypeError):
        shape = []
    if not shape or min(shape) < 1:
        raise _engine.wrong_input(
            f"the parameter '{name}' is {start!r}",
            "give its first value, or a shape as (3, 2) for an array that is drawn",
        )
    return name, shape, 0.0
