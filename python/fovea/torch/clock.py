"""The clock by which a watch measures the time of evaluations and updates."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ..pictures import needed

torch = needed("torch", "torch")

_APPLE = torch.backends.mps.is_available()


def seconds() -> float:
    """Return seconds of the processor in this thread, which other programs do not change. If a device may be computing, return wall-clock
    seconds.

    The thread waits for the threads that share its work. Seconds of all of them would count an update more than an evaluation."""
    return time.perf_counter() if _APPLE or torch.cuda.is_initialized() else time.thread_time()


def now() -> float:
    """Return seconds after the device has finished its work."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
    return seconds()


def timed(work: Callable[[], Any]) -> float:
    """Return the seconds that some work takes."""
    start = now()
    work()
    return now() - start
