"""Models with their weights, apart from any run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from . import _engine, checks
from .tasks import Task


class Model:
    """A model with given weights, apart from any run. It can be pickled.

    Parameters
    ----------
    spec
        The ``model`` of a spec.
    shape
        The kind and sizes of a task, as ``fovea.Task`` has them: ``{"kind": "labelled_tokens", "vocab": 9, "classes": 2}``.
    weights
        The parameters by name.
    double
        Whether to compute in double precision.

    Examples
    --------
    >>> import fovea
    >>> weights = fovea.run("copy-subset", quick=True, steps=5, vocab=9, length=4, keep=False).weights()
    >>> model = fovea.from_torch(weights)
    >>> model.apply({"source": [[1, 2, 3, 4, 8]], "target": [[1, 2, 3, 4, 8]]})["attention"].shape
    (1, 5, 5)
    >>> sorted(model.weights()) == sorted(weights)
    True
    """

    def __init__(
        self,
        spec: Mapping[str, Any],
        shape: Mapping[str, Any],
        weights: Mapping[str, npt.NDArray[Any]],
        *,
        double: bool = False,
    ) -> None:
        self.spec = checks.table("spec", spec, "name")
        self.shape = checks.table("shape", shape, "kind")
        if "kind" not in self.shape:
            raise _engine.wrong_input(
                "the shape has no kind",
                'as a Task has it: {"kind": "labelled_tokens", "vocab": 9, "classes": 2}',
            )
        self._weights = {
            name: values.copy() for name, values in checks.table("weights", weights, "output.weight").items()
        }
        for values in self._weights.values():
            values.flags.writeable = False  # the engine has them already
        self._double = checks.flag("double", double)
        self._applied = self._at_work()

    def weights(self) -> dict[str, npt.NDArray[Any]]:
        """Return the parameters.

        Returns
        -------
        dict
            Arrays by name, read-only.
        """
        return dict(self._weights)

    def apply(self, batch: Mapping[str, Any], *, beta: bool = False) -> dict[str, Any]:
        """Apply the model to a batch.

        Parameters
        ----------
        batch
            A dict of arrays, as ``fovea.Task`` describes it.
        beta
            Whether β is computed.

        Returns
        -------
        dict
            ``scores``, ``attention``, ``predictions``, ``loss`` and ``beta``. A part that the model does not have is None.
        """
        return self._applied.forward(checks.table("the batch", batch, "source"), checks.flag("beta", beta))

    def _at_work(self) -> _engine.Applied:
        with Task.of_shape(self.shape).lent() as key:
            spec = {"task": {"name": "python", "key": key}, "model": self.spec, "probe": {"names": []}}
            resolved = _engine.parse_experiment(spec, "model").resolve(False, {}, 0)
            return _engine.Applied(resolved.spec, self.shape, self._weights, self._double)

    def __getstate__(self) -> dict[str, Any]:
        return {"spec": self.spec, "shape": self.shape, "_weights": self._weights, "_double": self._double}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._applied = self._at_work()
