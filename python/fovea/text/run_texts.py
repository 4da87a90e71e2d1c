"""A run on labelled texts, applied to other texts."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..models import Model
from ..pictures import shaded
from .reading import UNKNOWN, Read, read
from .shading import Shading


@dataclass(frozen=True)
class Words:
    """The names of tokens and classes of a run on texts: ``run.words.source[17]``.

    Attributes
    ----------
    source
        The word of each token of a source.
    target
        The word of each token of a translation. Without translations, the same as ``source``.
    classes
        The name of each class of labelled texts.

    Examples
    --------
    >>> import fovea
    >>> run = fovea.run("text-classify", quick=True, attention="learned", steps=2, keep=False)
    >>> run.words.classes, run.words.source == run.words.target
    (['negative', 'positive'], True)
    """

    source: list[str]
    target: list[str]
    classes: list[str]

    def __repr__(self) -> str:
        names = ", ".join(self.classes[:12]) + (f", … ({len(self.classes)})" if len(self.classes) > 12 else "")
        classes = f", classes {names}" if self.classes else ""
        return f"<{len(self.source)} words{classes}>"


@dataclass(frozen=True)
class Inspection:
    """The answer of a run for one text, with the weight of each word. ``run.inspect(text)`` makes it.

    Attributes
    ----------
    words
        The words of the text, as the task of the run cuts it.
    known
        Whether each word is in the run's vocabulary.
    answer
        The predicted class.
    chances
        The probability of each class.
    attention
        α of each word. Empty if the model has no attention.
    beta
        β of each word: the evidence for the answer if all attention is on that word.
    evidence
        α·β of each word. Empty if the model has no attention.

    Examples
    --------
    >>> import fovea
    >>> run = fovea.run("text-classify", quick=True, attention="learned", steps=60, keep=False)
    >>> run.inspect("a dull plot").words
    ['a', 'dull', 'plot']
    """

    words: list[str]
    known: list[bool]
    answer: str
    chances: dict[str, float]
    attention: npt.NDArray[np.float64]
    beta: npt.NDArray[np.float64]
    evidence: npt.NDArray[np.float64]

    def _rows(self) -> list[tuple[str, npt.NDArray[np.float64]]]:
        return [
            (name, values)
            for name, values in (("α", self.attention), ("β", self.beta), ("α·β", self.evidence))
            if values.size
        ]

    def _head(self) -> str:
        unknown = [word for word, known in zip(self.words, self.known) if not known]
        return f"{self.answer}, with probability {self.chances[self.answer]:.3f}" + (
            f"; not known: {', '.join(unknown)}" if unknown else ""
        )

    def __repr__(self) -> str:
        rows = self._rows()
        shading = Shading(
            self.words,
            [name for name, _ in rows],
            np.array([values for _, values in rows], float).reshape(len(rows), len(self.words)),
        )
        return f"{self._head()}\n{shading!r}"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><b>{name}</b></td><td style='text-align:left'>{shaded(self.words, values.tolist())}</td></tr>"
            for name, values in self._rows()
        )
        return f"<div>{html.escape(self._head())}<table>{rows}</table></div>"


class Reader:
    """The model of a run with its vocabulary."""

    def __init__(
        self, name: str, of_run: _engine.Spec, words: Words, weights: Callable[[], dict[str, npt.NDArray[Any]]]
    ) -> None:
        self.task = _engine.TextTask(of_run)
        self.words = words
        spec = of_run.table()
        if not self.task.labelled or not self.words.classes or "lower_case" not in spec["task"]:
            raise _engine.wrong_input(
                f"{name} was trained on task '{spec['task']['name']}', which is not one of labelled texts",
                "apply its model to a batch: run.apply",
            )
        self.ids = {word: number for number, word in enumerate(self.words.source)}
        self.unknown = UNKNOWN  # the library's vocabularies, too, begin with it
        self.longest = int(spec["task"].get("longest", 0)) or None
        shape = {"kind": "labelled_tokens", **{size: self.task.sizes[size] for size in ("vocab", "classes")}}
        self.model = Model(spec["model"], shape, weights(), double=spec["train"]["precision"] == "double")

    def row(self, text: str) -> tuple[list[str], list[int]]:
        """A text without a word is one unknown word."""
        words = self.task.cut(text)[: self.longest]
        return words, [self.ids.get(word, self.unknown) for word in words] or [self.unknown]

    def chances(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return (
            read(self.model, [self.row(text)[1] for text in texts]).chances()
            if texts
            else np.zeros((0, len(self.words.classes)))
        )

    def inspect(self, text: str) -> Inspection:
        words, ids = self.row(text)
        chances = read(self.model, [ids]).chances()[0]
        answer = int(chances.argmax())
        seen: Read = read(self.model, [ids], np.array([answer]), look=True)
        names = self.words.classes
        empty: Any = np.zeros(0)
        attention = seen.attention[0]
        return Inspection(
            words or ["(no word)"],
            [number != self.unknown for number in ids],
            names[answer],
            dict(zip(names, chances.tolist())),
            attention,
            seen.beta[0],
            attention * seen.beta[0] if attention.size else empty,
        )


def words_html(known: Words, arrays: Mapping[str, Mapping[int, npt.NDArray[Any]]], rows: npt.NDArray[Any]) -> str:
    """The words of the example whose attention is ``rows``: shaded if one row has it, else a row for each asking position."""

    def spelled(name: str, words: list[str]) -> list[str]:
        looks = arrays.get(name, {})
        numbers = looks[max(looks)][0].astype(int).ravel() if looks else ()
        return [words[number] for number in numbers if 0 <= number < len(words)]

    words = spelled("attention_source", known.source)
    asks = [""] if len(rows) == 1 else spelled("attention_target", known.target)
    lines = (
        f"<tr><td><b>{html.escape(ask)}</b></td><td style='text-align:left'>{shaded(words, row[: len(words)].tolist())}</td></tr>"
        for ask, row in zip(asks, rows)
    )
    return f"<table>{''.join(lines)}</table>"
