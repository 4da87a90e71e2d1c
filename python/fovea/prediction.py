"""Prediction: what attention will do on data, before any is trained."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _engine, checks
from .notices import tell_first
from .settings import dotted_task
from .text.shading import Shading


class WordEvidence(NamedTuple):
    """A word that goes with a class, and the evidence for it."""

    word: str
    here: int  #: texts of the class that hold the word
    elsewhere: int  #: other texts that hold it
    deviations: float  #: by how many standard deviations ``here`` exceeds chance
    evidence: str  #: ``strong``, ``probable``, ``possible`` or ``weak``
    likely: float  #: probability that the word goes with the class in all texts like these
    attended: float | None  #: predicted attention as a multiple of uniform attention; None where it is not predicted
    alone: bool  #: strong evidence, and no other text holds the word: it may give the label away


class DoubtfulLabel(NamedTuple):
    """A text whose label no model agrees with."""

    text: int  #: its place in the list of texts, from 0
    label: str
    instead: str  #: the class that all models give it
    words: str  #: the words of the text


class Prediction:
    """``verdict`` (early, slow, hard or unsure), ``because``, ``words`` for each output, the ``course`` of both stages, and ``shade``.

    >>> import fovea
    >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
    >>> prediction = fovea.predict(texts, ["+", "-"] * 100)
    >>> prediction.verdict, prediction.examples, 0.9 < prediction.signal <= 1, len(prediction.because) > 0
    ('early', 200, True, True)
    >>> prediction.trust
    'Attention is predicted to move to 2 of 2 words that indicate the class. Measure it after training.'
    >>> sorted(prediction.course)
    ['accuracy', 'attention', 'correct', 'knowledge', 'time']
    >>> shading = prediction.shade("so good a film")
    >>> shading.words[int(shading.weights[0].argmax())], prediction.words["+"][0][0]
    ('good', 'good')
    """

    def __init__(self, predicted: _engine.Predicted) -> None:
        self._predicted = predicted

    @property
    def verdict(self) -> str:
        """``early``, ``slow``, ``hard`` or ``unsure``: whether attention will be learned, and when."""
        return self._predicted.verdict

    @property
    def because(self) -> str:
        """The verdict in a sentence, with its figures."""
        return self._predicted.because

    @property
    def examples(self) -> int:
        """How many examples it was made from."""
        return self._predicted.examples

    @property
    def signal(self) -> float:
        """How much the bag of inputs tells of the outputs, from 0 to 1."""
        return self._predicted.signal

    @property
    def trust(self) -> str:
        """Whether attention is to be trusted on these data, in a sentence; empty for translations."""
        return str(self._as_json()["trust"])

    @property
    def repeated(self) -> dict[str, int]:
        """How often each verdict came out on ten draws of four fifths of the texts; the verdict is ``unsure`` where fewer than nine agree.

        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
        >>> fovea.predict(texts, ["+", "-"] * 100).repeated
        {'early': 10, 'slow': 0, 'hard': 0, 'unsure': 0}
        """
        return dict(self._as_json()["repeated"])

    @property
    def evidence(self) -> dict[str, list[WordEvidence]]:
        """For each class the words that go with it, the likeliest first, whether attention is predicted to come to them or not.

        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
        >>> word = fovea.predict(texts, ["+", "-"] * 100).evidence["+"][0]
        >>> word.word, word.here, word.elsewhere, word.evidence, word.alone
        ('good', 100, 0, 'strong', True)
        """
        return {
            output["output"]: [
                WordEvidence(**{name: one[name] for name in WordEvidence._fields}) for one in output["candidates"]
            ]
            for output in self._as_json()["outputs"]
        }

    @property
    def doubtful(self) -> list[DoubtfulLabel]:
        """Texts whose label disagrees with two models of single words in each of several splits that left the text out.

        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
        >>> labels = ["+", "-"] * 100
        >>> labels[4] = "-"
        >>> [(one.text, one.label, one.instead) for one in fovea.predict(texts, labels).doubtful]
        [(4, '-', '+')]
        """
        found = self._as_json()["labels"]["doubtful"]
        return [DoubtfulLabel(one["text"] - 1, one["label"], one["instead"], one["words"]) for one in found]

    def _as_json(self) -> dict[str, Any]:
        return dict(json.loads(self._predicted.json))

    @property
    def words(self) -> dict[str, list[tuple[str, float]]]:
        """For each output the words that attention will come to, the surest first, with the number of standard deviations
        by which they go together more than by chance; of a class those that have more than their even share of attention at the
        end of its course, so that ``shade`` shades them."""
        return {output: words for output, _, words, *_ in self._predicted.outputs}

    @property
    def candidates(self) -> dict[str, list[tuple[str, float, float, float]]]:
        """For each class the words that may be sure one day, the likeliest first: the word, its standard deviations, the chance that
        it goes with the class, and how many examples would make it sure.

        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(20) for word in ("good", "bad")]
        >>> word, deviations, likely, settled_by = fovea.predict(texts, ["+", "-"] * 20).candidates["+"][0]
        >>> word, deviations > 2, likely > 0.6, settled_by > 40
        ('good', True, True, True)
        """
        return {output: candidates for output, _, _, candidates, _ in self._predicted.outputs}

    @property
    def together(self) -> list[tuple[str, str]]:
        """Pairs of such words that hardly stand apart: attention may go to either.

        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("san francisco", "new york")]
        >>> ("francisco", "san") in [tuple(sorted(pair)) for pair in fovea.predict(texts, ["+", "-"] * 100).together]
        True
        """
        return [pair for *_, pairs in self._predicted.outputs for pair in pairs]

    @property
    def course(self) -> dict[str, npt.NDArray[np.float64]]:
        """Curves over the time of gradient flow: ``knowledge``, ``attention``, ``correct``, of the examples that it was fitted to; and for
        classes ``accuracy``, of examples that it was not."""
        return self._predicted.course()

    def shade(self, text: str, answer: str = "") -> Shading:
        """Where attention will lie on a text; for translations, for each word of the ``answer``."""
        checks.text("text", text)
        checks.text("answer", answer)
        if not self._predicted.classes and not answer:
            raise _engine.wrong_input(
                "the words of the answer are missing", "give them: shade(text, answer); attention differs for each"
            )
        words, answers, rows = self._predicted.shade(text, answer)
        return Shading(words, answers, np.array(rows, float).reshape(len(rows), len(words)))

    def __deepcopy__(self, memo: dict[int, Any]) -> Prediction:
        return self  # nothing of it changes

    def __reduce__(self) -> Any:
        raise _engine.wrong_type(
            "a prediction cannot be pickled", "keep what you need of it, as .verdict and .words, or predict again"
        )

    def __repr__(self) -> str:
        return self._predicted.text().rstrip()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._predicted.text())}</pre>"


@dataclass(frozen=True)
class TracePrediction:
    """What a trace of memory accesses tells of itself: shares of the windows of validation.

    >>> import fovea
    >>> trace = fovea.predict("prefetch-list")
    >>> round(trace.told, 2), trace.enough, round(trace.interval[0], 3)
    (1.0, True, 0.997)
    >>> sorted(trace.tables)
    ['ghb', 'markov_address', 'markov_delta', 'stride']
    """

    trained_on: int  #: windows
    asked: int
    fitted: tuple[int, int]  #: the accesses that it is told of, from 1, and those that it is asked of: first and last
    scored: tuple[int, int]
    told: float  #: of which the surest contexts in training say page and offset of the next access
    told_page: float  #: of which they say the page
    told_offset: float
    in_window: float  #: of which the window itself says both
    interval: tuple[float, float]  #: 95 %, of the larger of the two, were the windows drawn one by one
    enough: bool  #: whether so many windows can tell if the trace is hard
    new_pages: float  #: of which the next page followed no window of training
    tables: dict[str, float]  #: what each table of a hardware prefetcher has right
    _text: str

    def __repr__(self) -> str:
        return self._text.rstrip()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


def predict(
    data: str | Iterable[str],
    labels: Iterable[Any] | None = None,
    *,
    targets: Iterable[str] | None = None,
    quick: bool = False,
    seed: int = 0,
    draws: int = 20_000,
    top: int = 8,
    threads: int | None = None,
    set: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Prediction | TracePrediction:
    """What attention will do, from the data alone: texts and their ``labels``, sentences and their ``targets``, or a task or
    experiment by name with its settings (of one that is a sweep, with the first value of each). Labelled texts are cut into words as classifiers read them, translations at
    spaces. Of labelled texts that are the same the first alone counts, and their order changes nothing. ``top`` words, at most, are told of each class. Of a task of memory accesses
    (``fovea.predict("address-trace", corpus="app")``) a ``TracePrediction``.

    >>> import fovea
    >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
    >>> prediction = fovea.predict(texts, ["+", "-"] * 100)
    >>> prediction.verdict
    'early'
    >>> prediction.words["+"][0][0]
    'good'
    >>> fovea.predict("copy", vocab=6, length=6).verdict
    'hard'
    """
    workers = (os.cpu_count() or 1) if threads is None else checks.whole("threads", threads, 1)
    checks.flag("quick", quick)
    seed = checks.whole("seed", seed, 0)
    draws = checks.whole("draws", draws, 1, remedy="a prediction is made from one example at least")
    top = checks.whole("top", top, 1)
    words = {} if set is None else checks.table("set", set, "task.vocab")
    if isinstance(data, str):
        if labels is not None or targets is not None:
            raise _engine.wrong_input(
                f"the data are one text, {data[:20]!r}", "give a list of texts, or the name of a task alone"
            )
        found, first = _engine.predict_task(data, quick, dotted_task(settings, words), seed, draws, workers, top)
        tell_first(data, first, "Others are predicted if settings name them.")
        if isinstance(found, _engine.Predicted):
            return Prediction(found)
        told = {name: getattr(found, name) for name in TracePrediction.__dataclass_fields__ if name != "_text"}
        return TracePrediction(**told, _text=found.text())
    if settings or words:
        raise _engine.wrong_input(
            f"'{next(iter({**settings, **words}))}' is a setting, and texts have none", "leave it out"
        )
    if not isinstance(data, Iterable):
        raise checks.wrong_type("data", data, "a list of texts, or the name of a task")
    texts = checks.text_list("texts", data)
    if (labels is None) == (targets is None):
        raise _engine.wrong_input("texts need their labels, or their translations", "give labels=…, or targets=…")
    if targets is not None:
        answers = checks.text_list("targets", targets)
    elif labels is not None:
        answers = checks.label_texts(labels)
    if len(answers) != len(texts):
        raise _engine.wrong_input(f"there are {len(texts)} texts and {len(answers)} answers", "give one for each")
    return Prediction(_engine.predict_texts(texts, answers, targets is None, workers, top))
