"""Tasks in Python: batches that a generator gives."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _engine, checks

Batch = Mapping[str, Any]
Batches = Callable[[str, int, int], Iterator[Batch]]


class Task:
    """A task whose batches a generator of yours makes.

    ``batches(split, seed, size)`` yields batches of ``size`` examples. The training batch of step 0 is the first. ``split`` is
    ``"train"``, ``"validation"`` or ``"test"``; of the last two the first batch is evaluated. A batch is a dict of arrays. The ``kind``
    decides which arrays a batch has, and which sizes the task states:

    ================  ==========================================================  =======================================
    kind              a batch: a dict of arrays                                   sizes
    ================  ==========================================================  =======================================
    labelled_tokens   source (B, L), -1 behind a row's end; labels (B);           vocab, classes
                      marked (B, L) if it is known
    token_pairs       source (B, S), target (B, T); alignment (B, T) if it is     vocab, target_vocab, start_token,
                      known                                                       end_token
    labelled_vectors  items (B, D), labels (B)                                    width, classes
    labelled_bags     items (B, N, D), labels (B), lengths (B) if they differ     width, classes, most_items
    token_streams     source (B, T), target (B, T): the answer at each position,  vocab, target_vocab, longest
                      -1 if nothing is asked; alignment (B, T) if it is known
    points            keys (N, D), values (N, V), queries (M, D), answers (M, V)  width, value_width
    ================  ==========================================================  =======================================

    A run of such a task is not kept, because its spec does not describe it. The same generator and seed give the same
    bits.

    Parameters
    ----------
    batches
        The generator function.
    kind
        What a batch is.
    name
        What messages call the task. None: the name of the function.
    **sizes
        The sizes of the kind, as in the table.

    Raises
    ------
    WrongInput
        If there is no such kind, a size is missing or unknown, or the function does not take three arguments.

    Examples
    --------
    >>> import fovea, numpy as np
    >>> def marked(split, seed, size):
    ...     random = np.random.default_rng([seed, len(split)])
    ...     while True:
    ...         source = random.integers(1, 9, (size, 6))
    ...         labels = random.integers(0, 2, size)
    ...         source[labels == 1, 2] = 0
    ...         yield {"source": source, "labels": labels}
    >>> run = fovea.run({
    ...     "task": fovea.Task(marked, vocab=9, classes=2),
    ...     "model": {"name": "gated-classifier", "hidden": 8, "embedding": 8},
    ...     "train": {"steps": 5, "batch": 4},
    ...     "probe": {"names": ["accuracy"]},
    ... })
    >>> run.steps
    5
    """

    def __init__(
        self, batches: Batches, *, kind: str = "labelled_tokens", name: str | None = None, **sizes: int
    ) -> None:
        if not callable(batches):
            raise _engine.wrong_type(
                f"batches is of type {type(batches).__name__}, which cannot be called", "give a generator function"
            )
        checks.text("kind", kind)
        self.name = (
            str(getattr(batches, "__name__", type(batches).__name__)) if name is None else checks.text("name", name)
        )
        _takes_three(self.name, batches)
        if kind in ("token_pairs", "token_streams"):
            sizes.setdefault("target_vocab", sizes.get("vocab", 0))
        needed = _SIZES.get(kind)
        if needed is None:
            raise _engine.wrong_input(f"there is no kind of task '{kind}'", _engine.suggest_name(kind, list(_SIZES)))
        for size in sizes:
            if size not in needed:
                raise _engine.wrong_input(f"'{size}' is no size of {kind}", _engine.suggest_name(size, needed))
        for size in needed:
            if size not in sizes:
                raise _engine.wrong_input(
                    f"a task of {kind} needs its {size}", f"Task(…, {', '.join(f'{s}=…' for s in needed)})"
                )
        self.shape = {"kind": kind, **sizes}
        self._batches = batches
        self._open: dict[tuple[str, int, int], _Course] = {}
        self._lock = threading.Lock()

    def batch(self, split: str, step: int, seed: int, size: int) -> dict[str, Any]:
        """Return the batch of a step, as the engine asks for it.

        Parameters
        ----------
        split
            ``"train"``, ``"validation"`` or ``"test"``.
        step
            The step. Validation and test always have the first batch.
        seed
            The seed of the run.
        size
            The number of examples.

        Returns
        -------
        dict
            Arrays by name.

        Raises
        ------
        WrongInput
            If the generator yields no dict.
        Failure
            If the generator ends.
        """
        if split != "train":
            step = 0
        with self._lock:
            course = self._open.get((split, seed, size))
            if course is None or step < course.step:
                course = self._open[(split, seed, size)] = _Course(self.name, split, self._batches(split, seed, size))
            batch = course.at(step)
        if not isinstance(batch, Mapping):
            raise _engine.wrong_input(
                f"task '{self.name}' gave {checks.shown(batch)}, not a batch", "a batch is a dict of arrays"
            )
        return dict(batch)

    def __getstate__(self) -> dict[str, Any]:
        """What can be pickled, if the generator function can be."""
        return {"name": self.name, "shape": self.shape, "_batches": self._batches}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open, self._lock = {}, threading.Lock()

    @classmethod
    def of_shape(cls, shape: Mapping[str, Any]) -> Task:
        """Make a task that only states its sizes, with one example, so that a model can be checked against it.

        Parameters
        ----------
        shape
            The kind and its sizes.

        Returns
        -------
        Task
            The task.
        """

        def one(split: str, seed: int, size: int) -> Iterator[Batch]:
            row, point = np.zeros((1, 1), np.int32), np.zeros((1, shape.get("width", 0)))
            value = np.zeros((1, shape.get("value_width", 0)))
            items = point[None] if shape["kind"] == "labelled_bags" else point
            yield {
                "source": row,
                "target": row,
                "labels": row[0],
                "keys": point,
                "values": value,
                "queries": point,
                "items": items,
            }

        sizes = {name: size for name, size in shape.items() if name != "kind"}
        return cls(one, kind=shape["kind"], **sizes)

    @contextmanager
    def lent(self) -> Iterator[str]:
        """Register the task with the engine for a while. An exception of the generator is raised at the end.

        Returns
        -------
        context manager
            It gives the key of the task in the engine.
        """
        key = _engine.add_task(self.name, self.shape, self.batch)
        self._open.clear()
        try:
            yield key
        except _engine.WrongInput:
            raised = _engine.remove_task(key)
            if raised is not None:
                raise raised from None
            raise
        finally:
            _engine.remove_task(key)


_SIZES = {
    "labelled_tokens": ["vocab", "classes"],
    "token_pairs": ["vocab", "target_vocab", "start_token", "end_token"],
    "labelled_vectors": ["width", "classes"],
    "labelled_bags": ["width", "classes", "most_items"],
    "token_streams": ["vocab", "target_vocab", "longest"],
    "points": ["width", "value_width"],
}


def _takes_three(name: str, batches: Batches) -> None:
    try:
        inspect.signature(batches).bind("train", 0, 1)
    except TypeError as error:
        raise _engine.wrong_input(
            f"task '{name}' cannot be called with (split, seed, size): {error}", "give it these three"
        ) from None
    except ValueError:  # nobody knows what it takes
        pass


class _Course:
    """A generator, and how far it has come."""

    def __init__(self, task: str, split: str, batches: Any) -> None:
        self._what = f"task '{task}'"
        if isinstance(batches, Mapping) or not hasattr(batches, "__iter__"):
            raise _engine.wrong_type(
                f"{self._what} gave {checks.shown(batches)}, and batches one after the other are needed",
                "let the function yield them",
            )
        self._split = split
        self._batches = iter(batches)
        self.step = -1
        self._last: Batch = {}

    def at(self, step: int) -> Batch:
        while self.step < step:
            try:
                self._last = next(self._batches)
            except StopIteration:
                count = self.step + 1
                raise _engine.failure(
                    f"{self._what} ended after {count} {'batch' if count == 1 else 'batches'} of '{self._split}', and more are wanted",
                    "let it yield for ever",
                ) from None
            self.step += 1
        return self._last
