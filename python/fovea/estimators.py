"""Attention with scikit-learn's manners: estimators that can be cloned, searched over and put into a pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine, checks
from .models import Model
from .notices import teller
from .pictures import needed
from .prediction import Shading
from .reading import Vocabulary, fit, held_apart, read, reader, training, words_of
from .tasks import Task
from .training import run

needed("sklearn", "scikit-learn")

from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # noqa: E402
from sklearn.utils import check_random_state  # noqa: E402
from sklearn.utils.multiclass import check_classification_targets  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402

_WIDEST = 1e5  # spreads or bandwidths from the middle, where float32 still places a point to a hundredth of one


def _seed(random_state: Any) -> int:
    """As scikit-learn has it: a number is the seed, None draws one by NumPy's own generator, a RandomState by that."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        raise checks.wrong_type("random_state", random_state, "None, a whole number or a numpy.random.RandomState")
    return checks.whole("random_state", random_state, 0)


class AttentionClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classifies texts by a recurrent network that reads both ways, and attention over its states.

    Its logit is the sum of α·β over the words: ``attention(text)`` is α, ``beta(text)`` what each word says for the answer,
    ``evidence(text)`` their product. α alone need not name a word that matters: on some data the answer hardly depends on where α
    is largest, and uniform attention does as well. Nor need α·β: states carry along what was read, so that the credit of a word may go
    to its neighbours. ``fovea.believe`` deletes the words that are named and tells, for texts and labels of yours.

    A share of the texts, ``held_out``, is not trained on: the weights kept are those of the least loss on it, and training ends after
    ``patience`` looks, after an epoch or 25 steps each, and 400 steps that found none better; where none was better than the classes'
    frequencies, a warning says so. 0 trains on all to the end.
    ``epochs`` are 800 steps at least; ``steps`` takes their place.

    >>> from fovea.estimators import AttentionClassifier
    >>> texts = ["a good film", "a bad film", "good fun", "bad luck"] * 10
    >>> model = AttentionClassifier(steps=60, hidden=16, embedding=16, rate=1e-2).fit(texts, ["+", "-"] * 20)
    >>> model.predict(["so good", "so bad"]).tolist()
    ['+', '-']
    >>> model.evidence("bad film").words
    ['bad', 'film']
    >>> model.predict_proba(["so good"]).shape, bool(model.decision_function(["so good"])[0] < 0)
    ((1, 2), True)
    >>> alpha, beta = model.attention("bad film").weights, model.beta("bad film").weights
    >>> bool(abs(alpha * beta - model.evidence("bad film").weights).max() < 1e-6), model.score(["good", "bad"], ["+", "-"])
    (True, 1.0)
    """

    def __init__(
        self,
        *,
        embedding: int = 64,
        hidden: int = 64,
        scored_by: str = "mlp",
        bidirectional: bool = True,
        dropout: float = 0.7,
        epochs: int = 12,
        steps: int | None = None,
        held_out: float = 0.1,
        patience: int = 3,
        batch: int = 32,
        rate: float = 3e-3,
        decay: float = 0.0,
        min_count: int = 2,
        longest: int | None = 400,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.embedding = embedding
        self.hidden = hidden
        self.scored_by = scored_by
        self.bidirectional = bidirectional
        self.dropout = dropout
        self.epochs = epochs
        self.steps = steps
        self.held_out = held_out
        self.patience = patience
        self.batch = batch
        self.rate = rate
        self.decay = decay
        self.min_count = min_count
        self.longest = longest
        self.random_state = random_state

    def fit(self, X: Sequence[str], y: Any) -> AttentionClassifier:
        """Trains on texts and the label of each."""
        seed = _seed(self.random_state)
        min_count = checks.whole("min_count", self.min_count, 1)
        steps = None if self.steps is None else checks.whole("steps", self.steps, 1)
        epochs = checks.whole("epochs", self.epochs, 1)
        patience = checks.whole("patience", self.patience, 1)
        held_out = checks.number("held_out", self.held_out, least=0)
        if held_out >= 1:
            raise _engine.wrong_input(
                f"held_out is {self.held_out}", "it must be less than 1: the share of the texts that is not trained on"
            )
        batch = checks.whole("batch", self.batch, 1)
        if self.longest is not None:
            checks.whole("longest", self.longest, 1)
        rate, decay = checks.number("rate", self.rate, least=0), checks.number("decay", self.decay, least=0)
        texts = self._texts(X)
        labels = np.asarray(y)
        check_classification_targets(labels)
        if len(texts) != len(labels):
            raise _engine.wrong_input(f"there are {len(texts)} texts and {len(labels)} labels", "give one for each")
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise _engine.wrong_input(
                f"every text has the label '{self.classes_[0]}'", "give texts of two classes or more"
            )
        held = held_apart(numbers, held_out, seed)
        words = [words_of(text) for text in texts]
        self._vocabulary = Vocabulary(words, min_count)
        self.vocabulary_ = self._vocabulary.numbers
        fitted = fit(
            "AttentionClassifier",
            [self._vocabulary.row(each, self.longest) for each in words],
            numbers,
            held,
            vocab=len(self._vocabulary),
            model=reader(
                embedding=self.embedding,
                hidden=self.hidden,
                score=self.scored_by,
                bidirectional=self.bidirectional,
                dropout=self.dropout,
            ),
            train={"batch": batch, **training(rate=rate, decay=decay)},
            epochs=epochs,
            steps=steps,
            patience=patience,
            seed=seed,
        )
        self.model_, self.steps_, self.held_out_loss_ = fitted.model, fitted.steps, fitted.losses
        if fitted.losses:
            least, shares = min(loss for _, loss in fitted.losses), np.bincount(numbers) / len(numbers)
            by_shares = float(-np.log(shares)[numbers[held]].mean())
            if least >= by_shares:
                teller()(
                    f"nothing was learned that predicts the label: the loss on the held-out share was {least:.3g} at best, and that of the classes' "
                    f"frequencies alone is {by_shares:.3g}. Try a smaller rate (it is {rate:g}), or ask fovea.believe whether there is something to learn"
                )
        return self

    def decision_function(self, X: Sequence[str]) -> npt.NDArray[np.float64]:
        """Logits: one a text for two classes, else one for each class."""
        check_is_fitted(self)
        logits = read(self.model_, [self._ids(text) for text in self._texts(X)]).logits
        return logits[:, 1] if len(self.classes_) == 2 else logits

    def predict_proba(self, X: Sequence[str]) -> npt.NDArray[np.float64]:
        """The probability of each class, (texts, classes), in the order of ``classes_``."""
        check_is_fitted(self)
        return read(self.model_, [self._ids(text) for text in self._texts(X)]).chances()

    def predict(self, X: Sequence[str]) -> npt.NDArray[Any]:
        """The class of each text."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(1)])

    def attention(self, text: str) -> Shading:
        """The words of a text with α: the weight that each had, whatever it said. Of a text longer than ``longest`` its beginning."""
        return self._looked_at(text, "attention")

    def beta(self, text: str) -> Shading:
        """The words of a text with β: what each says for the answer that the model gives, were all of the attention on it. Above 0 it
        speaks for it: a logit for two classes; for more, a log-probability less that of all classes alike."""
        return self._looked_at(text, "beta")

    def evidence(self, text: str) -> Shading:
        """The words of a text with α·β: for two classes they add up to the logit of the answer."""
        return self._looked_at(text, "evidence")

    def _looked_at(self, text: str, what: str) -> Shading:
        check_is_fitted(self)
        checks.text("text", text)
        row = self._ids(text)
        answer = read(self.model_, [row]).logits.argmax(1)
        seen = read(self.model_, [row], answer, look=True)
        values = {"attention": seen.attention, "beta": seen.beta, "evidence": seen.evidence()}[what][0]
        words = words_of(text)[: self.longest]
        return Shading(words, [], values[: len(words)][None])

    def _ids(self, text: str) -> list[int]:
        return self._vocabulary.row(words_of(text), self.longest)

    @staticmethod
    def _texts(X: Any) -> list[str]:
        if isinstance(X, str):
            raise _engine.wrong_input("X is one text, and many are needed", "give a list of texts")
        if isinstance(X, (bytes, Mapping)) or not isinstance(X, Iterable):
            raise checks.wrong_type("X", X, "a list of texts")
        dimensions = getattr(X, "ndim", 1)
        if dimensions != 1:
            raise _engine.wrong_input(
                f"X has {dimensions} dimensions, and texts have one", 'give one column, as X["text"]'
            )
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
        """Keeps the points (examples, features) and their answers, and learns the bandwidth where that is to be learned."""
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
            "train": {
                "steps": steps if learned else 1,
                "batch": 1,
                "rate": checks.number("rate", self.rate, least=0),
                "schedule": "cosine",
                "precision": "double",
            },
            "probe": {"every": max(1, steps), "keep": 0, "names": ["pooling_error"]},
        }
        made = run(spec, progress=False)
        self.model_ = Model(made.spec["model"], spec["task"].shape, made.weights(), double=True)
        w = abs(float(made.weights()["w"][0])) if learned else 1.0
        self.bandwidth_ = float(np.ldexp(self._spread / w, self._power)) if w else np.inf
        return self

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """The answer at each point, (examples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        answers = self.model_.apply(self._batch(self._scaled(np.ldexp(X, -self._power))))["predictions"][:, 0].astype(
            float
        )
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
