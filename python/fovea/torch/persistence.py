"""The run of a watch in the store, and its place there."""

from __future__ import annotations

import datetime
import functools
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from .. import _engine
from ..notices import teller
from ..run_store import name_of_own, spec_of
from ..run_store import store as store_of
from ..runs import Run
from ..settings import merged
from .open_watches import Unkept
from .recorder import Recorder

MEANWHILE = 60  # seconds


class Persistence:
    """Keeps the run of a watch in the store, without a reference to the model.

    Parameters
    ----------
    name : str
        The name of the run.
    settings : mapping
        Settings of the training.
    store : path or None
        The store of the run.
    recorder : Recorder
        The recorded numbers and arrays.
    """

    def __init__(self, name: str, settings: Mapping[str, Any], store: Any, recorder: Recorder) -> None:
        self.name = name_of_own(name)
        spec_of(settings)
        self._settings, self._store, self._recorder = dict(settings), store_of(store), recorder
        self.key = uuid.uuid4().hex
        self._started = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._begun = self._kept_at = time.perf_counter()
        self._before = 0.0  # seconds of the training before it was resumed
        self._evaluations_before = 0

    def require_store(self) -> None:
        """Require a store, before the training rather than at its end."""
        self._store.require_place()

    @property
    def own_evaluations(self) -> int:
        """How many evaluations are of this watch, not of one whose state it went on from."""
        return len(self._recorder.evaluations) - self._evaluations_before

    @property
    def _seconds(self) -> float:
        return self._before + time.perf_counter() - self._begun

    def saver(self, spec: Mapping[str, Any], updates: int, state: str, error: str = "") -> Callable[[], Run]:
        """Return a function that keeps the run as it is now."""
        return functools.partial(
            self._store.add,
            self.name,
            merged(spec, self._settings),
            dict(self._recorder.series),
            self._recorder.arrays(),
            state,
            key=self.key,
            error=error,
            started=self._started,
            seconds=self._seconds,
            steps=updates,
        )

    def unkept(self, spec: Mapping[str, Any], updates: int) -> Unkept:
        """Return the data to keep of a watch that is never closed."""
        saver = self.saver(spec, updates, "stopped")
        return Unkept(self.key, self.name, len(self._recorder.evaluations), self.own_evaluations, updates, saver)

    def keep_meanwhile(self, spec: Callable[[], Mapping[str, Any]], updates: int) -> None:
        """Keep a stopped run from time to time, for a process that is killed. The run of the end replaces it."""
        if time.perf_counter() - self._kept_at < MEANWHILE:
            return
        self._kept_at = time.perf_counter()
        try:
            self.saver(spec(), updates, "stopped")()
        except _engine.Error as why:
            teller()(f"the data up to update {updates} could not be kept yet ({why})")

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint."""
        return {"key": self.key, "started": self._started, "seconds": self._seconds}

    def load_state_dict(self, state: Mapping[str, Any], went_back: bool) -> None:
        """Take the place in the store of the watch whose state this is; ``went_back``: that watch is this one."""
        self.key, self._started, self._before = str(state["key"]), str(state["started"]), float(state["seconds"])
        self._evaluations_before = 0 if went_back else len(self._recorder.evaluations)
