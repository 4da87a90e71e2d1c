"""Progress as tqdm shows it: a bar after the first second, on stderr or in the notebook, and none without a terminal."""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import Any

from . import _engine

with warnings.catch_warnings():  # that a notebook has no widgets, and so gets a plain bar
    warnings.simplefilter("ignore")
    from tqdm.auto import tqdm


class Bar:
    """A bar of ``unit``; ``show`` is the opposite of tqdm's ``disable``. None: if there is a terminal."""

    def __init__(self, unit: str, show: bool | None) -> None:
        self._unit = unit
        self._disable = None if show is None else not show
        self._bar: Any = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def reach(self, done: int, of: int, words: str = "") -> None:
        if of <= 0 or self._disable:
            return
        if self._bar is None:
            self._bar = tqdm(total=of, initial=done, unit=self._unit, disable=self._disable, delay=1, leave=False)
        if words:
            self._bar.set_postfix_str(words, refresh=False)
        self._bar.update(done - self._bar.n)

    def run(self, progress: _engine.Progress) -> None:
        """Show the steps of one run."""
        for run in progress.in_training:
            self.reach(run.step, run.of)

    def sweep(self, progress: _engine.Progress) -> None:
        """Show how many of the runs are done, and their states."""
        counts = (("found", progress.reused), ("failed", progress.failed), ("stopped", progress.stopped))
        words = ", ".join(f"{count} {what}" for what, count in counts if count)
        self.reach(progress.total - progress.left, progress.total, words)
