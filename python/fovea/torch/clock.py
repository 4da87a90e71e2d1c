"""The clock by which a watch measures the time of evaluations and updates."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from ..pictures import needed

torch = needed("torch", "torch")


def seconds() -> float:
    """Return seconds of the processor, which other programs do not change. If a device may be computing, return wall-clock seconds."""
    device = torch.backends.mps.is_available() or (torch.cuda.is_available() and torch.cuda.is_initialized())
    return time.perf_counter() if device else time.process_time()


def now() -> float:
    """Return seconds after the device has finished its work."""
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
    return seconds()


def timed(work: Callable[[], Any]) -> float:
    """Return the seconds that some work takes."""
    start = now()
    work()
    return now() - start
