"""Attention with scikit-learn's manners: estimators that can be cloned, searched over and put into a pipeline."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine, checks
from .models import Model
from .pictures import needed
from .prediction import Shading
from .tasks import Task
from .training import run

needed("sklearn", "scikit-learn")

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # noqa: E402
from sklearn.utils import check_random_state  # noqa: E402
from sklearn.utils.multiclass import check_classification_targets  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402

_UNKNOWN = 0
_WIDEST = 1e5  # spreads or bandwidths from the middle, where float32 still places a point to a hundredth of one


def _seed(random_state: Any) -> int:
    """As scikit-learn has it: a number is the seed, None draws one by NumPy's own generator, a RandomState by that."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        raise checks.wrong_type("random_state", random_state, "None, a whole number or a numpy.random.RandomState")
    return checks.whole("random_state", random_state, 0)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+(?:['’]\w+)*|[^\w\s]", text.lower())


class AttentionClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifies texts by a recurrent network and attention over its states; ``attention(text)`` says which words decided.

    >>> from fovea.estimators import AttentionClassifier
    >>> texts = ["a good film", "a bad film", "good fun", "bad luck"] * 10
    >>> model = AttentionClassifier(steps=60, hidden=16, embedding=16, rate=1e-2).fit(texts, ["+", "-"] * 20)
    >>> model.predict(["so good", "so bad"]).tolist()
    ['+', '-']
    >>> model.attention("bad film").words
    ['bad', 'film']
    """

    def __init__(
        self,
        *,
        embedding: int = 64,
        hidden: int = 64,
        scored_by: str = "linear",
        bidirectional: bool = False,
        steps: int = 300,
        batch: int = 32,
        rate: float = 1e-3,
        min_count: int = 1,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.embedding = embedding
        self.hidden = hidden
        self.scored_by = scored_by
        self.bidirectional = bidirectional
        self.steps = steps
        self.batch = batch
        self.rate = rate
        self.min_count = min_count
        self.random_state = random_state

    def fit(self, X: Sequence[str], y: Any) -> AttentionClassifier:
        seed = _seed(self.random_state)
        min_count = checks.whole("min_count", self.min_count, 1)
        steps = checks.whole("steps", self.steps, 0)
        texts = self._texts(X)
        labels = np.asarray(y)
        check_classification_targets(labels)
        if len(texts) != len(labels):
            raise _engine.wrong_input(f"there are {len(texts)} texts and {len(labels)} labels", "give one for each")
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise _engine.wrong_input(f"every text has the label {self.classes_[0]!r}", "give texts of two classes or more")
        counts = Counter(word for text in texts for word in _words(text))
        known = sorted((word for word, count in counts.items() if count >= min_count), key=lambda word: (-counts[word], word))
        self.vocabulary_ = {word: place + 1 for place, word in enumerate(known)}
        rows = [self._ids(text) for text in texts]

        def batches(split: str, seed: int, size: int) -> Iterator[dict[str, Any]]:
            random = np.random.default_rng(seed)
            size = min(size, len(rows))
            while True:
                order = random.permutation(len(rows))
                for begin in range(0, len(rows) - size + 1, size):
                    chosen = order[begin : begin + size]
                    yield {"source": _padded([rows[i] for i in chosen]), "labels": numbers[chosen].astype(np.int32)}

        spec: dict[str, Any] = {
            "name": "AttentionClassifier",
            "task": Task(batches, vocab=len(known) + 1, classes=len(self.classes_)),
            "model": {
                "name": "gated-classifier",
                "embedding": self.embedding,
                "hidden": self.hidden,
                "score": self.scored_by,
                "bidirectional": self.bidirectional,
            },
            "train": {"steps": steps, "batch": self.batch, "rate": checks.number("rate", self.rate, least=0)},
            "probe": {"every": max(1, steps), "keep": 0, "names": ["accuracy"]},
        }
        made = run(spec, seed=seed, progress=False)
        self.model_ = Model(made.spec["model"], spec["task"].shape, made.weights())
        return self

    def decision_function(self, X: Sequence[str]) -> npt.NDArray[np.float64]:
        """Logits: one a text for two classes, else one for each class."""
        check_is_fitted(self)
        logits = [self._apply(text)["scores"][0] for text in self._texts(X)]
        scores = np.array(logits, float).reshape(len(logits), -1)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X: Sequence[str]) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        logits = self.decision_function(X)
        if len(self.classes_) == 2:
            logits = np.stack([np.zeros_like(logits), logits], 1)
        odds = np.exp(logits - logits.max(1, keepdims=True))
        return np.asarray(odds / odds.sum(1, keepdims=True), float)

    def predict(self, X: Sequence[str]) -> npt.NDArray[Any]:
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(1)])

    def attention(self, text: str) -> Shading:
        """The words of a text, with the weight that each had."""
        check_is_fitted(self)
        checks.text("text", text)
        return Shading(_words(text), [], self._apply(text)["attention"][0].astype(float))

    def _apply(self, text: str) -> dict[str, Any]:
        return self.model_.apply({"source": _padded([self._ids(text)]), "labels": np.zeros(1, np.int32)})

    def _ids(self, text: str) -> list[int]:
        return [self.vocabulary_.get(word, _UNKNOWN) for word in _words(text)] or [_UNKNOWN]

    @staticmethod
    def _texts(X: Any) -> list[str]:
        if isinstance(X, str):
            raise _engine.wrong_input("X is one text, and many are needed", "give a list of texts")
        if isinstance(X, (bytes, Mapping)) or not isinstance(X, Iterable):
            raise checks.wrong_type("X", X, "a list of texts")
        dimensions = getattr(X, "ndim", 1)
        if dimensions != 1:
            raise _engine.wrong_input(f"X has {dimensions} dimensions, and texts have one", 'give one column, as X["text"]')
        texts = list(X)
        for place, text in enumerate(texts):
            if not isinstance(text, str):
                raise _engine.wrong_type(f"X[{place}] is of type {type(text).__name__}, not str", "give texts")
        if not texts:
            raise _engine.wrong_input("there are no texts", "give some")
        return texts

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags


def _padded(rows: list[list[int]]) -> npt.NDArray[np.int32]:
    source = np.full((len(rows), max(map(len, rows))), -1, np.int32)
    for row, ids in enumerate(rows):
        source[row, : len(ids)] = ids
    return source


def _power_of(values: npt.NDArray[np.float64]) -> int:
    """The power of two next above them all."""
    return int(np.frexp(np.abs(values).max())[1])


class NadarayaWatson(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Regression by attention pooling: an average of the known answers, weighted by exp(-‖(q - k) w‖²/2).

    ``bandwidth`` is 1/w, or ``"learned"``: by gradient descent on the leave-one-out error, in units of the spread of X.

    >>> import numpy as np
    >>> from fovea.estimators import NadarayaWatson
    >>> X = np.linspace(0, 5, 50)[:, None]
    >>> model = NadarayaWatson().fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]]) - np.sin(1.5)) < 0.05)
    True
    """

    def __init__(self, bandwidth: float | str = "learned", *, steps: int = 400, rate: float = 0.1) -> None:
        self.bandwidth = bandwidth
        self.steps = steps
        self.rate = rate

    def fit(self, X: Any, y: Any) -> NadarayaWatson:
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        learned = isinstance(self.bandwidth, str)
        if learned and self.bandwidth != "learned":
            raise _engine.wrong_input(f"there is no bandwidth '{self.bandwidth}'", 'give a number, or "learned"')
        bandwidth = 1.0 if isinstance(self.bandwidth, str) else checks.number("bandwidth", self.bandwidth, above=0)
        steps = checks.whole("steps", self.steps, 0)
        # What is learned does not depend on the units of X and y; powers of two change no digit, and let squares be numbers.
        self._power, power = _power_of(X), _power_of(y)
        X, y = np.ldexp(X, -self._power), np.ldexp(y, -power)
        self._centre = X.mean(0)
        self._spread = (float(X.std()) or 1.0) if learned else float(np.ldexp(bandwidth, -self._power))
        self._mean, self._scale, self._power_of_y = float(y.mean()), float(y.std()) or 1.0, power
        self._keys = self._scaled(X)
        self._values = ((y - self._mean) / self._scale)[:, None].astype(np.float32)
        width = X.shape[1]

        def whole(split: str, seed: int, size: int) -> Iterator[dict[str, Any]]:
            while True:
                yield self._batch(self._keys)

        similarity: dict[str, Any] = {"similarity": "gaussian-learned"}
        if not learned:
            similarity = {"similarity": "gaussian", "w": 1.0}
        spec: dict[str, Any] = {
            "name": "NadarayaWatson",
            "task": Task(whole, kind="points", width=width, value_width=1),
            "model": {"name": "pooling", **similarity},
            "train": {"steps": steps if learned else 1, "batch": 1, "rate": checks.number("rate", self.rate, least=0), "schedule": "cosine", "precision": "double"},
            "probe": {"every": max(1, steps), "keep": 0, "names": ["pooling_error"]},
        }
        made = run(spec, progress=False)
        self.model_ = Model(made.spec["model"], spec["task"].shape, made.weights(), twice=True)
        w = abs(float(made.weights()["w"][0])) if learned else 1.0
        self.bandwidth_ = float(np.ldexp(self._spread / w, self._power)) if w else np.inf
        return self

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        answers = self.model_.apply(self._batch(self._scaled(np.ldexp(X, -self._power))))["predictions"][:, 0].astype(float)
        return np.asarray(np.ldexp(answers * self._scale + self._mean, self._power_of_y), float)

    def _scaled(self, X: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        with np.errstate(all="ignore"):
            scaled = (X - self._centre) / self._spread
        if not (np.abs(scaled) <= _WIDEST).all():
            raise _engine.wrong_input(
                f"X reaches more than {_WIDEST:g} {'spreads' if self.bandwidth == 'learned' else 'bandwidths'} from the middle of what is fitted,"
                " where float32 tells neighbours no longer apart",
                "take a larger bandwidth, or leave out what lies so far away",
            )
        return np.asarray(scaled, np.float32)

    def _batch(self, queries: npt.NDArray[np.float32]) -> dict[str, Any]:
        batch = {"keys": self._keys, "values": self._values, "queries": queries}
        return {**batch, "answers": self._values} if queries is self._keys else batch
