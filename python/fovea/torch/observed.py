"""What is observed of a training: a model, the batch that it is evaluated on, and the sites at which it attends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..notices import teller
from ..pictures import needed
from .arguments import ladder_of, require_answer, require_rows, truth_of
from .base_pass import Answer, Base
from .clamps import asked_rows, of_rows
from .finding import found
from .further import Shown
from .model import Model
from .recorder import MOST_AT_ONCE
from .scope import Key, Outputs, Plan, Seen
from .sites import chosen, name_of, named

torch = needed("torch", "torch")

from torch.overrides import TorchFunctionMode  # noqa: E402

Array = npt.NDArray[Any]


class Observed:
    """A model, the batch that it is evaluated on, and the sites at which it is observed.

    Parameters
    ----------
    model : Model
        The module and its batch.
    answer : Answer
        Reads the log-probability of the right answer from the module's output.
    sites : str or sequence of str
        Patterns of the names of the sites that are observed.
    rows : iterable of int
        Rows that some site must have.
    truth : array-like or None
        The position that each row should attend to, (examples, rows), -1 for none.
    rungs : mapping
        Log-probabilities that simpler models give, by name.

    Attributes
    ----------
    sites : dict
        The names of the observed sites, by their keys.
    numbers : dict
        The number of each site of the model, from 1.
    shapes, every_shape : dict
        (examples, heads, rows, positions) of the observed sites, and of all.
    heads : dict
        How many heads each site of the model has, by its name.
    often : mapping
        How often each module calls a softmax or attention in a pass.
    unseen : dict
        What looks like attention and cannot be seen: why, by the module's name.
    """

    def __init__(
        self,
        model: Model,
        answer: Answer,
        sites: str | Sequence[str],
        rows: Iterable[int],
        truth: Any,
        rungs: Mapping[str, Any],
    ) -> None:
        self.model, self.answer = model, answer
        with Lookups() as lookups:
            whole = found(model, None)
        self.often = whole.often
        with torch.no_grad():
            answers: Array = answer(whole.output).cpu().numpy()
        self.asked_at_first = ~np.isnan(answers)
        if not self.asked_at_first.any():
            raise _engine.wrong_input(
                "answer(output) is not a number anywhere",
                "nan is for rows without a question only; check the model and the batch",
            )
        self.examples = len(answers)
        by_example = found(model, self.examples)
        seen, self.numbers, self.unseen = by_example.sites, by_example.numbers, by_example.unseen
        self.every_shape = {key: tuple(one.attention.shape) for key, one in seen.items()}
        self.heads = {name_of(key): shape[1] for key, shape in self.every_shape.items()}
        names = set(chosen(list(self.heads), sites, "sites"))
        self.sites: dict[Key, str] = {key: name_of(key) for key in seen if name_of(key) in names}
        self.shapes = {key: self.every_shape[key] for key in self.sites}
        self.real = {key: _real_rows(seen[key]) for key in self.sites}  # (examples, rows) that are no padding
        all_shapes = list(self.every_shape.values())
        require_answer(answers, {name: self.shapes[key] for key, name in self.sites.items()}, all_shapes)
        require_rows(rows, self.shapes.values())
        self.truth = truth_of(truth, self.examples, self.shapes.values(), all_shapes)
        self.rungs = ladder_of(rungs, answers)
        tokens, self.table = tokens_of(lookups.found, model.tensors(), self.examples)
        self.tokens = None if tokens is None else tokens.cpu().numpy().astype(np.int32)

    @property
    def last(self) -> Key:
        """The site that attends last."""
        return list(self.sites)[-1]

    @property
    def several(self) -> bool:
        """Whether there is more than one head."""
        return len(self.sites) > 1 or any(shape[1] > 1 for shape in self.shapes.values())

    def suffix(self, key: Key, head: int) -> str:
        """Return the ending of the series of a head, which is counted from 0."""
        return f"_l{self.numbers[key]}_h{head + 1}"

    def head_name(self, key: Key, head: int) -> str:
        """Return the name of a head in arrays, as ``layer.2.head.1``; ``head`` is counted from 0."""
        return f"layer.{self.numbers[key]}.head.{head + 1}"

    def examples_kept(self, keep: int, silent: bool) -> int:
        """Return of how many examples there is room for maps, at most ``keep``."""
        sizes = {self.sites[key]: rows * places for key, (_, _, rows, places) in self.shapes.items()}
        large = [name for name, size in sizes.items() if size > MOST_AT_ONCE]
        if large and keep > 0 and not silent:
            teller()(
                f"maps of '{large[0]}' have more than {MOST_AT_ONCE} numbers and are not kept; its series are. "
                "A shorter batch has room for them"
            )
        most: int = min([keep, *(MOST_AT_ONCE // size for size in sizes.values() if size <= MOST_AT_ONCE)])
        return most

    def spec(self) -> dict[str, Any]:
        """Return the description of the model for the run."""
        spec: dict[str, Any] = {
            "class": type(self.model.module).__name__,
            "sites": list(self.sites.values()),
            "heads": [shape[1] for shape in self.shapes.values()],
        }
        layers = [self.numbers[key] for key in self.sites]
        if layers != list(range(1, len(layers) + 1)):
            spec["layers"] = layers
        if self.unseen:
            spec["unseen"] = list(self.unseen)
        return spec

    def other(self, name: str, shown: Shown, sites: str | Sequence[str]) -> Observed:
        """Return a further batch of the same model, which attends at the same sites."""
        other = Observed(self.model.showing(shown.batch), Answer(shown.answer), sites, (), shown.truth, {})
        if other.sites != self.sites:
            raise _engine.wrong_input(
                f"on the batch '{name}' the model attends at {named([*other.sites.values()])}, and on the first at {named([*self.sites.values()])}",
                "give batches that the model takes the same way, or sites=",
            )
        return other

    def base(self, plan: Plan | None = None, log: bool = False, outputs: Outputs | None = None) -> Base:
        """Pass the batch through the model, and read its attention and its answers."""
        return Base(self.model, self.answer, list(self.sites), self.examples, plan, log, outputs)

    def diverged(self, base: Base) -> bool:
        """Return whether an answer that was a number at first is none now."""
        return bool((np.isnan(base.answers.cpu().numpy()) & self.asked_at_first).any())

    def asked(self, key: Key, answers: Array) -> Array:
        """Return (examples, rows) of a site that count."""
        rows = self.shapes[key][2]
        asked = asked_rows(answers, rows)
        return asked if of_rows(answers.shape[1], rows) else asked & self.real[key]

    def truth_at(self, key: Key) -> Array | None:
        """Return the true positions of a site's rows, if the truth has as many rows."""
        rows = self.shapes[key][2]
        if self.truth is None or not of_rows(self.truth.shape[1], rows):
            return None
        return np.pad(self.truth, ((0, 0), (0, rows - self.truth.shape[1])), constant_values=-1)


def _real_rows(seen: Seen) -> Array:
    """(examples, rows) of a site that are no padding: where positions look at one another, those that some row may look at."""
    allowed = seen.allowed
    examples, _, rows, places = allowed.shape
    itself = rows == places and _looks_at_itself(seen)
    real: Array = allowed.any(1).any(1).cpu().numpy() if itself else np.ones((examples, rows), bool)
    return real


def _looks_at_itself(seen: Seen) -> bool:
    """Whether its module is called with one sequence: queries that are the keys, or nothing else of such a shape."""
    if seen.within is None:
        return False
    sequences = [
        one for one in seen.within[1] if isinstance(one, torch.Tensor) and one.dim() == 3 and one.is_floating_point()
    ]
    return len({id(one) for one in sequences}) == 1


class Lookups(TorchFunctionMode):  # type: ignore[misc]
    """Each table that something is looked up in within, and for what."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[Any, Any]] = []

    def __torch_function__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.nn.functional.embedding:
            ids, table = (*args, *(kwargs or {}).values())[:2]
            self.found.append((table, ids))
        return func(*args, **(kwargs or {}))


def tokens_of(asked: list[tuple[Any, Any]], tensors: list[Any], examples: int) -> tuple[Any, Any]:
    """Return the batch's tensor of tokens, and the table that they were looked up in first. Without a lookup it is the only tensor."""
    whole = [
        one
        for one in tensors
        if not one.is_floating_point() and one.dtype != torch.bool and one.dim() == 2 and one.size(0) == examples
    ]
    for table, ids in asked:
        for one in whole:
            if isinstance(ids, torch.Tensor) and ids.shape == one.shape and bool((ids.cpu() == one.cpu()).all()):
                return one, table
    return (whole[0] if len(tensors) == len(whole) == 1 else None), None
