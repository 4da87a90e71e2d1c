"""Watches that nobody closed: their evaluations are kept as a stopped run when the interpreter ends.

A watch that is dropped before releases its model at once. Its run is kept when the next watch begins, if that is earlier."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..runs import Run


@dataclass(frozen=True)
class Unkept:
    """What a watch saw, without its model."""

    key: str
    name: str
    evaluations: int
    own: int  # of these, not of the watch whose state it went on from
    updates: int
    keep: Callable[[], Run]


class Watching(Protocol):
    """A watch, as it is seen here."""

    _unclosed: bool  # whether its run is still to be kept

    def _unkept(self) -> Unkept: ...

    def __hash__(self) -> int: ...


_open: weakref.WeakSet[Watching] = weakref.WeakSet()
_dropped: list[Unkept] = []


def begun(watch: Watching) -> None:
    """Note a watch that is to be closed."""
    _keep_dropped()
    watch._unclosed = True
    _open.add(watch)


def closed(watch: Watching) -> None:
    """Note that a run is kept: of other watches that had it, before this one went on from their state, nothing is."""
    watch._unclosed = False
    this = watch._unkept()
    for one in list(_dropped):
        if one.key == this.key and one.evaluations <= this.evaluations:
            with contextlib.suppress(ValueError):
                _dropped.remove(one)
    for other in list(_open):
        its = other._unkept()
        if its.key == this.key and its.evaluations <= this.evaluations:
            other._unclosed = False


def dropped(watch: Watching) -> None:
    """Note a watch that is dropped. Garbage may be collected while a store is at work: nothing is written now."""
    if watch._unclosed:
        one = watch._unkept()
        if one.own > 0:
            _dropped.append(one)
    watch._unclosed = False


def _keep_dropped() -> None:
    """Write several watches that continued from one state. The one with the most updates is written last, and stays.

    Another thread may append a watch at any time, so watches are taken one by one."""
    waiting = []
    with contextlib.suppress(IndexError):
        while True:
            waiting.append(_dropped.pop(0))
    for one in sorted(waiting, key=lambda one: one.evaluations):
        _keep(one)


def _keep(one: Unkept) -> None:
    try:
        became = f"is kept as run {one.keep().id}, stopped at update {one.updates}"
    except Exception as error:
        became = f"could not be kept ({error})"
    evaluations = "1 evaluation" if one.evaluations == 1 else f"{one.evaluations} evaluations"
    with contextlib.suppress(OSError, ValueError):  # nobody may be listening any more
        print(
            f"fovea: the watch of '{one.name}' was never closed: its data of {evaluations} {became}. "
            'Write "with fovea.observe(…) as watch:", which closes it',
            file=sys.stderr,
        )


@atexit.register
def _keep_all() -> None:
    for watch in list(_open):
        try:
            dropped(watch)
        except Exception as error:
            print(f"fovea: the data of a watch that was never closed could not be kept ({error})", file=sys.stderr)
    _keep_dropped()


def _in_child() -> None:
    """What a forked process inherits is its parent's to keep."""
    for watch in list(_open):
        watch._unclosed = False
    _dropped.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
