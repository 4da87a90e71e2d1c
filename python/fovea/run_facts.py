"""What every run has: its settings, its numbers and its arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine, checks
from .old_names import Metrics
from .probes import names_in
from .run_arrays import digest, no_checkpoint, no_weights
from .series import SeriesTable
from .similarities import Similarity
from .tasks import Task
from .text.run_texts import Reader, Words

Array = npt.NDArray[np.float32]

ELSEWHERE = "another-program"  # the name of the model and of the task of a run that another program made


class RunFacts:
    """Read the facts of a run's record. ``fovea.Run`` adds the methods for attention, weights and texts."""

    def __init__(
        self, record: _engine.Record, store: str | None, weights: dict[str, npt.NDArray[Any]] | None = None
    ) -> None:
        self._record = record
        self._weights = weights
        self._task: Task | None = None  # in Python
        self._similarity: Similarity | None = None
        self._intervened = False  # from Python, which its spec does not say
        self._applied: _engine.Applied | None = None
        self._words: Words | None = None
        self._reader: Reader | None = None
        self._store = store  # the file it is kept in, if it is
        self.series = SeriesTable(record)
        self._arrays: dict[str, dict[int, Array]] | None = None

    @property
    def id(self) -> int:
        """The number of the run in its store; 0 if the run is not kept."""
        return self._record.id

    @property
    def experiment(self) -> str:
        """The name of the experiment, or of the spec."""
        return self._record.experiment

    @property
    def elsewhere(self) -> bool:
        """Whether another program made the run, by ``fovea.observe`` or ``Store.add``."""
        return bool(self.spec["model"].get("name") == ELSEWHERE)

    @property
    def seed(self) -> int:
        """The seed of the data, of the initial weights, and of everything else that is drawn."""
        return self._record.spec.seed

    @property
    def state(self) -> str:
        """``done``, ``stopped`` (also after a kill; it can go on), ``failed`` (see ``error``) or ``running``."""
        return self._record.state

    @property
    def error(self) -> str:
        """Why a failed run failed."""
        return self._record.error

    @property
    def steps(self) -> int:
        """Updates done."""
        return self._record.steps

    @property
    def seconds(self) -> float:
        """The seconds of training."""
        return self._record.seconds

    @property
    def spec(self) -> dict[str, Any]:
        """Every setting, with defaults: ``run.spec["task"]["vocab"]``."""
        return self._record.spec.table()

    @property
    def metrics(self) -> dict[str, float]:
        """The last value of each series."""
        return Metrics(self._record.metrics)

    def __getstate__(self) -> dict[str, Any]:
        """The whole run with its arrays in the store, because a reader may not have the store."""
        arrays = None if self._store is None else self.arrays  # else the record has them
        self._every_weight()
        return {**self.__dict__, "_applied": None, "_reader": None, "_arrays": arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        kept = [values for looks in (self._arrays or {}).values() for values in looks.values()]
        for values in [*kept, *(self._weights or {}).values()]:
            values.flags.writeable = False

    def __repr__(self) -> str:
        kept = f"run {self.id}" if self.id else "a run that is not kept"
        costs = "".join(
            f"; probe {name}: {seconds:.3g} s, {seconds / max(self.seconds, seconds):.1%} of the run"
            for name, seconds in self.probe_seconds.items()
        )
        return f"<{kept}: {self.experiment}, seed {self.seed}, {self.state} after {self.steps} steps{costs}>"

    @property
    def probe_seconds(self) -> dict[str, float]:
        """The seconds that each probe in Python took, of the ``seconds`` of the run.

        Examples
        --------
        >>> import fovea
        >>> probe = fovea.Probe(lambda batch, outcome, model: {"half": 0.5}, name="half")
        >>> run = fovea.run("toy-uniform", steps=20, keep=False, probes=[probe])
        >>> 0 < run.probe_seconds["half"] < run.seconds
        True
        """
        took = {}
        for probe in names_in(self.spec):
            name = f"probe_seconds.{probe}"
            if self._store is None or self._arrays is not None:
                looks = list(self.arrays.get(name, {}).values())
            else:  # without the other arrays
                looks = [values for _, _, values in _engine.store_arrays(self._store, self.id, name).arrays()]
            took[probe] = float(sum(each.sum() for each in looks))
        return took

    @property
    def arrays(self) -> Mapping[str, Mapping[int, Array]]:
        """The arrays that probes kept, by name and step: ``arrays["attention"][200]``.

        Examples
        --------
        >>> import fovea
        >>> run = fovea.run("copy-subset", quick=True, steps=20, keep=False)
        >>> run.attention_steps, run.arrays["attention"][20].shape == run.attention().shape
        ([0, 10, 20], True)
        """
        if self._arrays is None:
            record = self._record
            if self._store is not None:
                kept = _engine.store_find(self._store, self.id)
                if kept is None or kept.hash != record.hash:
                    raise _engine.failure(
                        f"run {self.id} is no longer in {self._store}, which had its arrays", "train it again"
                    )
                record = _engine.store_arrays(self._store, self.id, "")
            found: dict[str, dict[int, Array]] = {}
            for name, step, values in record.arrays():
                found.setdefault(name, {})[step] = values
            self._arrays = found
        return self._arrays

    def weights(self, step: int | None = None) -> dict[str, npt.NDArray[Any]]:
        """Return the parameters at the end of training, or at a checkpoint, laid out as PyTorch lays them out.

        Weights of a stored run are read from the folder of the store. ``train.keep_weights`` decides whether they are kept.

        Parameters
        ----------
        step
            One of ``checkpoints``. None: the end.

        Returns
        -------
        dict
            Arrays by name.

        Raises
        ------
        WrongInput
            If the weights were not kept, or not at this step.

        Examples
        --------
        >>> import fovea
        >>> number = fovea.run("pooling-learned", steps=20).id
        >>> fovea.store()[number].weights()["w"].shape
        (1,)
        """
        step = checks.step(step)
        if step is None:
            found = {name: values for name, values in self._every_weight().items() if "/" not in name}
            if self._weights is None:  # a model without parameters has none to keep
                raise no_weights(self.state, self.elsewhere, self._name())
            return found
        front = f"{step}/"
        found = {
            name.removeprefix(front): values for name, values in self._every_weight().items() if name.startswith(front)
        }
        if not found:
            raise no_checkpoint(step, list(self.checkpoints), self._name())
        return found

    @property
    def checkpoints(self) -> dict[int, str]:
        """The steps of ``train.checkpoints``, and the SHA-256 of the weights at each.

        The digest is of the bytes of all arrays of ``weights(step)``, one after the other in the order of their names.

        Examples
        --------
        >>> import fovea
        >>> run = fovea.run("pooling-learned", steps=20, keep=False, checkpoints=[0, 5])
        >>> list(run.checkpoints), run.weights(5)["w"].shape
        ([0, 5], (1,))
        """
        steps = sorted({int(name.split("/")[0]) for name in self._every_weight() if "/" in name})
        return {step: digest(self.weights(step)) for step in steps}

    def _every_weight(self) -> dict[str, npt.NDArray[Any]]:
        """The weights at the end by their names, and the weights of a checkpoint as STEP/NAME."""
        if self._weights is None and self._store is not None:
            self._weights = _engine.store_weights(self._store, self._record)
        return self._weights or {}

    def _name(self) -> str:
        return f"run {self.id}" if self.id else "this run"
