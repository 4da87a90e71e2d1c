"""Watches that nobody closed: what they saw is kept as a stopped run when the interpreter ends. A watch that is dropped before
lets go of its model at once, and its run is kept when the next watch begins, if that is earlier."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..runs import Run
    from .watch import Watch


@dataclass(frozen=True)
class _Dropped:
    """What a watch saw, without its model."""

    key: str
    name: str
    looks: int
    updates: int
    keep: Callable[[], Run]


_open: weakref.WeakSet[Watch] = weakref.WeakSet()
_dropped: list[_Dropped] = []


def begun(watch: Watch) -> None:
    _keep_dropped()
    watch._unclosed = True
    _open.add(watch)


def closed(watch: Watch) -> None:
    """The run is this watch's: of others that had it, before it went on from their state, nothing is kept."""
    watch._unclosed = False
    _dropped[:] = [one for one in _dropped if one.key != watch._key or one.looks > len(watch._course.looks)]
    for other in list(_open):
        if other._key == watch._key and len(other._course.looks) <= len(watch._course.looks):
            other._unclosed = False


def dropped(watch: Watch) -> None:
    """While garbage is collected, too, when a store may be at work: nothing is written now."""
    if watch._unclosed and len(watch._course.looks) > watch._looks_before:
        _dropped.append(
            _Dropped(watch._key, watch._name, len(watch._course.looks), watch.number, watch._keeping("stopped", ""))
        )
    watch._unclosed = False


def _keep_dropped() -> None:
    """Of several that went on from one state, the one that came furthest is written last, and stands."""
    _dropped.sort(key=lambda one: one.looks)
    with contextlib.suppress(IndexError):
        while True:
            _keep(_dropped.pop(0))


def _keep(one: _Dropped) -> None:
    try:
        became = f"is kept as run {one.keep().id}, stopped at update {one.updates}"
    except Exception as error:
        became = f"could not be kept ({error})"
    looks = "1 look" if one.looks == 1 else f"{one.looks} looks"
    with contextlib.suppress(OSError, ValueError):  # nobody may be listening any more
        print(
            f"fovea: the watch of '{one.name}' was never closed: what it saw at {looks} {became}. "
            'Write "with fovea.observe(…) as watch:", which closes it',
            file=sys.stderr,
        )


@atexit.register
def _keep_all() -> None:
    for watch in list(_open):
        try:
            dropped(watch)
        except Exception as error:
            print(f"fovea: what the watch of '{watch._name}' saw could not be kept ({error})", file=sys.stderr)
    _keep_dropped()


def _in_child() -> None:
    """What a forked process inherits is its parent's to keep."""
    for watch in list(_open):
        watch._unclosed = False
    _dropped.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
