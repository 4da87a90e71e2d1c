"""Predictions of attention from the data, before training."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _engine, checks
from .notices import tell_first
from .settings import dotted_task
from .text.shading import Shading
from .trace_prediction import TracePrediction


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
    """The predictions of attention on data. ``fovea.predict`` makes it.

    Examples
    --------
    >>> import fovea
    >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
    >>> prediction = fovea.predict(texts, ["+", "-"] * 100)
    >>> prediction.verdict, prediction.examples, 0.9 < prediction.signal <= 1, len(prediction.because) > 0
    ('early', 200, True, True)
    >>> prediction.trust
    "Attention is predicted to move to 'good' and 'bad'. Measure it after training."
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
        """The number of examples that the prediction was made from."""
        return self._predicted.examples

    @property
    def signal(self) -> float:
        """The share of the outputs that the bag of inputs determines, from 0 to 1."""
        return self._predicted.signal

    @property
    def trust(self) -> str:
        """Whether to trust attention on these data, in a sentence. Empty for translations."""
        return str(self._as_json()["trust"])

    @property
    def leak(self) -> str:
        """A warning of words that each give a label. Empty if there is none.

        Such a word is in 90 % of the texts of a class. At most 5 % of the texts with the word are of another class.

        Examples
        --------
        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "fine")]
        >>> fovea.predict(texts, ["+", "-"] * 100).leak
        "Each of 'good', 'fine' alone gives a label. Remove them and check again."
        """
        return str(self._as_json()["leak"])

    @property
    def repeated(self) -> dict[str, int]:
        """How often each verdict came out on ten draws of four fifths of the texts. If fewer than nine agree, the verdict is ``unsure``.

        Examples
        --------
        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
        >>> fovea.predict(texts, ["+", "-"] * 100).repeated
        {'early': 10, 'slow': 0, 'hard': 0, 'unsure': 0}
        """
        return dict(self._as_json()["repeated"])

    @property
    def evidence(self) -> dict[str, list[WordEvidence]]:
        """For each class the words that indicate it, the likeliest first, whether attention is predicted to move to them or not.

        Examples
        --------
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
        """Texts whose label is probably wrong.

        Two models of single words give another class in each of several splits that left the text out, and the label is wrong with a
        probability of 0.7 or more.

        Examples
        --------
        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
        >>> labels = ["+", "-"] * 100
        >>> labels[4] = "-"
        >>> [(one.text, one.label, one.instead) for one in fovea.predict(texts, labels).doubtful]
        [(4, '-', '+')]
        """
        found = self._as_json()["labels"]["doubtful"]
        return [DoubtfulLabel(one["text"] - 1, one["label"], one["instead"], one["words"]) for one in found]

    @property
    def label_check(self) -> dict[str, Any]:
        """The check of labels, without its list ``doubtful``.

        Returns
        -------
        dict
            ``accuracy`` of a regression on held-out texts, the ``majority`` share, the number of ``repeats`` (0: labels were not checked),
            whether anything was ``learned``, and the expected number of ``false_alarms`` among ``doubtful``.

        Examples
        --------
        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
        >>> check = fovea.predict(texts, ["+", "-"] * 100).label_check
        >>> check["learned"], check["accuracy"], check["false_alarms"]
        (True, 1.0, 0.0)
        """
        return {name: value for name, value in self._as_json()["labels"].items() if name != "doubtful"}

    def _as_json(self) -> dict[str, Any]:
        return dict(json.loads(self._predicted.json))

    @property
    def words(self) -> dict[str, list[tuple[str, float]]]:
        """For each output the words that attention is predicted to move to, the surest first.

        Each comes with the number of standard deviations by which it occurs with the output more than by chance. A word of a class has more
        than its uniform share of attention at the end of the predicted course, so ``shade`` shades it.
        """
        return {output: words for output, _, words, *_ in self._predicted.outputs}

    @property
    def candidates(self) -> dict[str, list[tuple[str, float, float, float]]]:
        """For each class the words that more examples may make sure, the likeliest first.

        Each is the word, its standard deviations, the probability that it goes with the class, and how many examples would make it sure.

        Examples
        --------
        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(20) for word in ("good", "bad")]
        >>> word, deviations, likely, settled_by = fovea.predict(texts, ["+", "-"] * 20).candidates["+"][0]
        >>> word, deviations > 2, likely > 0.6, settled_by > 40
        ('good', True, True, True)
        """
        return {output: candidates for output, _, _, candidates, _ in self._predicted.outputs}

    @property
    def together(self) -> list[tuple[str, str]]:
        """Pairs of such words that hardly occur apart. Attention may go to either.

        Examples
        --------
        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("san francisco", "new york")]
        >>> ("francisco", "san") in [tuple(sorted(pair)) for pair in fovea.predict(texts, ["+", "-"] * 100).together]
        True
        """
        return [pair for *_, pairs in self._predicted.outputs for pair in pairs]

    @property
    def course(self) -> dict[str, npt.NDArray[np.float64]]:
        """Curves over the time of gradient flow.

        ``knowledge``, ``attention`` and ``correct`` are of the examples that the flow was fitted to. ``accuracy``, of classes, is of other examples.
        """
        return self._predicted.course()

    def shade(self, text: str, answer: str = "") -> Shading:
        """Predict the attention on a text.

        Parameters
        ----------
        text
            A text.
        answer
            The words of a translation. Attention differs for each.

        Returns
        -------
        Shading
            The words and their weights, a row for each word of the answer.

        Raises
        ------
        WrongInput
            If the prediction is of translations, and there is no answer.

        Examples
        --------
        >>> import fovea
        >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
        >>> fovea.predict(texts, ["+", "-"] * 100).shade("so good a film").words
        ['so', 'good', 'a', 'film']
        """
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
            "a prediction cannot be pickled", "keep the parts that you need, as .verdict and .words, or predict again"
        )

    def __repr__(self) -> str:
        return self._predicted.text().rstrip()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._predicted.text())}</pre>"


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
    """Predict attention from the data alone.

    Parameters
    ----------
    data
        A list of texts or of sentences, or the name of a task or experiment of words or of memory accesses. If it is a sweep, the first
        value of each axis is used. For token streams use the program: ``fovea predict birth``.
    labels
        The class of each text.
    targets
        The translation of each sentence.
    quick
        Whether an experiment is taken in its quick form.
    seed
        The seed of a task.
    draws
        How many examples of a task are read.
    top
        The most words that are named of each class.
    threads
        How many threads work. None: one for each core.
    set
        Settings of a task by their full names: ``{"task.vocab": 60}``.
    **settings
        Settings of a task: ``vocab=60``.

    Returns
    -------
    Prediction
        For a task of memory accesses, a ``TracePrediction``. Labelled texts are cut into words as classifiers cut them, translations at spaces.
        Texts that are the same count once, and their order changes nothing.

    Raises
    ------
    WrongInput
        If texts come without labels and targets, their numbers differ, or a name or setting is unknown.
    Failure
        If a file of the task cannot be read.

    Examples
    --------
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
    draws = checks.whole("draws", draws, 1, remedy="a prediction needs at least one example")
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
