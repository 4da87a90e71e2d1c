"""A classifier of texts with scikit-learn's manners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine, checks
from ..notices import teller
from ..pictures import needed
from .reading import DROPOUT, RATE, Vocabulary, fit, held_apart, read, reader, training, words_of
from .shading import Shading

needed("sklearn", "scikit-learn")

from sklearn.base import BaseEstimator, ClassifierMixin  # noqa: E402
from sklearn.utils import check_random_state  # noqa: E402
from sklearn.utils.multiclass import check_classification_targets  # noqa: E402
from sklearn.utils.validation import check_is_fitted  # noqa: E402


def _seed(random_state: Any) -> int:
    """As scikit-learn has it: a number is the seed, None draws one by NumPy's own generator, a RandomState by that."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        raise checks.wrong_type("random_state", random_state, "None, a whole number or a numpy.random.RandomState")
    return checks.whole("random_state", random_state, 0)


class AttentionClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of texts: a recurrent network with attention over its states.

    The network reads a text in both directions. Its logit is the sum of α·β over the words.

    A large α does not show that a word matters. On some data the answer hardly depends on where α is largest, and uniform
    attention classifies as well. A large α·β does not show it either. States contain earlier words, so the evidence of a word may
    be at its neighbours. ``fovea.check_attention`` tests both by deleting words.

    Parameters
    ----------
    embedding, hidden
        The width of embeddings, and of states.
    scored_by
        How attention scores a state: ``"mlp"``, or another score of the model ``gated-classifier``.
    bidirectional
        Whether the network reads in both directions.
    dropout
        The share of the units that training drops.
    epochs
        How often training reads the texts, in 800 steps at least.
    steps
        How many updates training makes, in place of ``epochs``.
    held_out
        The share of the texts that training holds out. The weights with the least loss on them are kept. 0: training uses
        all texts, to the end.
    patience
        Training ends when so many evaluations in a row, over 400 steps or more, find no smaller loss on the held-out texts. An
        evaluation follows each epoch, and 25 steps at least.
    batch, rate, decay
        Texts of an update, the learning rate and the weight decay.
    min_count
        How often a word must occur to be in the vocabulary.
    longest
        The most words of a text that are read. None: all.
    random_state
        The seed, a ``RandomState``, or None for a seed drawn by NumPy.

    Attributes
    ----------
    classes_
        The labels, in the order of ``predict_proba``.
    vocabulary_
        The number of each known word.
    model_
        The trained ``fovea.Model``.
    steps_
        The updates after which its weights were kept.
    held_out_loss_
        (step, loss) of each evaluation on the held-out texts.

    Warns
    -----
    UserWarning
        If no held-out loss was below the loss of the classes' frequencies.

    Examples
    --------
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
        dropout: float = DROPOUT,
        epochs: int = 12,
        steps: int | None = None,
        held_out: float = 0.1,
        patience: int = 3,
        batch: int = 32,
        rate: float = RATE,
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
        """Train on texts and their labels.

        Parameters
        ----------
        X
            Texts.
        y
            The label of each text.

        Returns
        -------
        AttentionClassifier
            Itself.

        Raises
        ------
        WrongInput
            If a setting is out of range, or the texts have fewer than two classes.
        """
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
                    f"nothing was learned that predicts the label: the loss on the held-out share was {least:.3g} at best, and the loss of the classes' "
                    f"frequencies alone is {by_shares:.3g}. Try a smaller rate (it is {rate:g}), or ask fovea.check_attention whether there is something to learn"
                )
        return self

    def decision_function(self, X: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the logits of texts.

        Parameters
        ----------
        X
            Texts.

        Returns
        -------
        ndarray
            (texts,) of two classes, (texts, classes) of more.
        """
        check_is_fitted(self)
        logits = read(self.model_, [self._ids(text) for text in self._texts(X)]).logits
        return logits[:, 1] if len(self.classes_) == 2 else logits

    def predict_proba(self, X: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        X
            Texts.

        Returns
        -------
        ndarray
            (texts, classes), in the order of ``classes_``.
        """
        check_is_fitted(self)
        return read(self.model_, [self._ids(text) for text in self._texts(X)]).chances()

    def predict(self, X: Sequence[str]) -> npt.NDArray[Any]:
        """Return the predicted class of each text.

        Parameters
        ----------
        X
            Texts.

        Returns
        -------
        ndarray
            (texts,).
        """
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(1)])

    def attention(self, text: str) -> Shading:
        """Return α of the words of a text.

        Parameters
        ----------
        text
            A text. Only its first ``longest`` words are read.

        Returns
        -------
        Shading
            The words, with a weight each.
        """
        return self._looked_at(text, "attention")

    def beta(self, text: str) -> Shading:
        """Return β of the words of a text: the evidence for the predicted class if all attention is on that word.

        β is a logit if there are two classes. With more, it is a log-probability minus the log-probability of equal classes.

        Parameters
        ----------
        text
            A text. Only its first ``longest`` words are read.

        Returns
        -------
        Shading
            The words, with a weight each.
        """
        return self._looked_at(text, "beta")

    def evidence(self, text: str) -> Shading:
        """Return α·β of the words of a text. With two classes they sum to the logit of the predicted class.

        Parameters
        ----------
        text
            A text. Only its first ``longest`` words are read.

        Returns
        -------
        Shading
            The words, with a weight each.
        """
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
