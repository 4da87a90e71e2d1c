"""Attention with scikit-learn's manners: estimators that can be cloned, searched over and put into a pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine, checks
from .models import Model
from .pictures import needed
from .tasks import Task
from .training import run

needed("sklearn", "scikit-learn")

from sklearn.base import BaseEstimator, RegressorMixin  # noqa: E402
from sklearn.utils.validation import check_is_fitted, validate_data  # noqa: E402

from .text.classifier import AttentionClassifier  # noqa: E402

__all__ = ["AttentionClassifier", "NadarayaWatson"]

_WIDEST = 1e5  # spreads or bandwidths from the middle, where float32 still places a point to a hundredth of one


def _power_of(values: npt.NDArray[np.float64]) -> int:
    """The power of two next above them all."""
    return int(np.frexp(np.abs(values).max())[1])


class NadarayaWatson(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor by attention pooling: the mean of the known answers, weighted by exp(-‖(q - k) w‖² / 2).

    Parameters
    ----------
    bandwidth
        1 / w, or ``"learned"``: gradient descent on the leave-one-out error, in units of the spread of X.
    steps, rate
        Updates and learning rate of a learned bandwidth.

    Attributes
    ----------
    bandwidth_
        The bandwidth, in the units of X.
    model_
        The ``fovea.Model``.

    Examples
    --------
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
        """Keep the points and their answers, and learn the bandwidth.

        Parameters
        ----------
        X
            Points, (examples, features).
        y
            The answer at each point.

        Returns
        -------
        NadarayaWatson
            Itself.

        Raises
        ------
        WrongInput
            If a setting is out of range, or a point is more than 100 000 bandwidths or spreads from the centre.
        """
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
        """Return the predicted answer at each point.

        Parameters
        ----------
        X
            Points, (examples, features).

        Returns
        -------
        ndarray
            (examples,).

        Raises
        ------
        WrongInput
            If a point is more than 100 000 bandwidths or spreads from the centre.
        """
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
                f"X reaches more than {_WIDEST:g} {'spreads' if self.bandwidth == 'learned' else 'bandwidths'} from the middle of the fitted values,"
                " too far for float32 to distinguish neighbours",
                "use a larger bandwidth, or remove values so far away",
            )
        return np.asarray(scaled, np.float32)

    def _batch(self, queries: npt.NDArray[np.float32]) -> dict[str, Any]:
        batch = {"keys": self._keys, "values": self._values, "queries": queries}
        return {**batch, "answers": self._values} if queries is self._keys else batch
