"""What becomes of a watch: its state in a checkpoint of the training, and its run in the store."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Mapping
from typing import Any

from .. import _engine
from ..notices import teller
from ..pictures import needed
from ..run_store import Store
from ..runs import Run
from ..settings import merged
from .arguments import require_state
from .holds import Hold
from .schedule import Budget

torch = needed("torch", "torch")

MEANWHILE = 60  # seconds


class Keeping(Budget):
    """A watch's looks, where they are kept."""

    _unseen: dict[str, str]
    _holds: list[Hold]
    _held_before: list[dict[str, Any]]  # what was held by the training that is gone on with
    _resumed_at: int
    _name: str
    _settings: dict[str, Any]
    _seed: int
    _store: Store
    _key: str
    _started: str
    _begun: float
    _before: float  # seconds of the training before it was resumed
    _kept_at: float
    _looks_before: int
    _last: list[Any]  # arrays of the newest look

    def _open(self) -> None:
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint of the training has to hold for the watch to go on (``torch.save`` takes it)."""
        course = self._course.state_dict()
        course["arrays"] = [[step, name, torch.tensor(values)] for step, name, values in course["arrays"]]
        seconds = self._before + time.perf_counter() - self._begun
        state = {
            "number": self.number,
            "sites": list(self._sites.values()),
            "key": self._key,
            "started": self._started,
            "seconds": seconds,
            "measured": None if self._clamps is None else (self._clamps.examples, self._clamps.rows),
            "course": course,
        }
        memory = self._audit.of_rows.memory() if self._audit else self._audit_memory
        return {**state, "holds": self._all_holds(), "audit": torch.tensor(memory, dtype=torch.float64)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on where ``state_dict`` was taken: its looks, its holds by the number of the update, and its place in the store."""
        self._open()
        state = require_state(state, list(self._sites.values()))
        self.number, self._key, self._started = int(state["number"]), str(state["key"]), str(state["started"])
        self._earned_until = float(self.number)
        self._before = float(state["seconds"])
        if self._clamps and state.get("measured"):
            self._clamps.examples, self._clamps.rows = state["measured"]
        self._audit, self._audit_memory = None, state["audit"].tolist() if "audit" in state else []
        self._held_before, self._resumed_at = list(state.get("holds", [])), self.number
        course = dict(state["course"])
        course["arrays"] = [[step, name, values.numpy()] for step, name, values in course["arrays"]]
        went_back = len(self._course.looks) > 0  # all that it has now is this watch's to keep
        self._course.load_state_dict(course)
        self._looks_before = 0 if went_back else len(self._course.looks)

    def _all_holds(self) -> list[dict[str, Any]]:
        """Of what was held before the training was resumed, what is not said anew, too."""
        now_said = [hold.table() for hold in self._holds]
        over = [one for one in self._held_before if one not in now_said and one["from"] < self._resumed_at]
        return [
            *({**one, "until": min(one.get("until", self._resumed_at), self._resumed_at)} for one in over),
            *now_said,
        ]

    def _keep_meanwhile(self) -> None:
        """From time to time, for a process that is ended from outside: a stopped run, which that of close() replaces."""
        if time.perf_counter() - self._kept_at < MEANWHILE:
            return
        self._kept_at = time.perf_counter()
        try:
            self._keeping("stopped", "")()
        except _engine.Error as why:
            teller()(f"what was seen up to update {self.number} could not be kept meanwhile ({why})")

    def _keeping(self, state: str, error: str) -> Callable[[], Run]:
        """Keeps the run as it is now, and holds nothing of the model."""
        observed: dict[str, Any] = {"beta": "clamp" if self._clamps else "none"}
        if self._clamps:
            observed.update(rows=self._rows, heads=self._heads, share="none" if self._share is None else self._share)
        if self._model.autocast and self._model.autocast.dtype:
            observed["autocast"] = str(self._model.autocast.dtype).removeprefix("torch.")
        program = {"program": "PyTorch", "observed": observed}
        heads = [shape[1] for shape in self._shapes.values()]
        layers = [self._numbers[key] for key in self._sites]
        model = {"class": type(self._model.module).__name__, "sites": list(self._sites.values()), "heads": heads}
        if layers != list(range(1, len(layers) + 1)):
            model["layers"] = layers
        if self._unseen:
            model["unseen"] = list(self._unseen)
        settings = {
            "model": model,
            "probe": {"every": self._every, "keep": self._keep},
            "intervene": self._all_holds(),
            "seed": self._seed,
        }
        return functools.partial(
            self._store.add,
            self._name,
            merged(settings, {"train": program}, self._settings),
            dict(self._course.series),
            self._course.all_arrays(self._last),
            state,
            key=self._key,
            error=error,
            started=self._started,
            seconds=self._before + time.perf_counter() - self._begun,
            steps=self.number,
        )
