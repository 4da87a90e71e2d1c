"""Notices of the engine as warnings of the caller's line."""

from __future__ import annotations

import pathlib
import sys
import warnings
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

_PACKAGE = str(pathlib.Path(__file__).parent / "_")[:-1]


def teller(category: type[Warning] = UserWarning) -> Callable[[str], None]:
    """A function that warns as from the line outside the package that called into it: that line is found now, since
    notices may come from threads of the engine, which have no lines."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is None:
        return lambda text: warnings.warn(text, category, stacklevel=2)
    file, line = frame.f_code.co_filename, frame.f_lineno
    module = frame.f_globals.get("__name__", "<unknown>")
    registry = frame.f_globals.setdefault("__warningregistry__", {})

    def tell(text: str) -> None:
        warnings.warn_explicit(text, category, file, line, module=module, registry=registry)

    return tell


def tell_first(name: str, first: Mapping[str, Any], more: str) -> None:
    """Warn that these first values of the experiment ``name``, a sweep, are taken, if there are any."""
    if first:
        values = ", ".join(f"{key}={value!r}" for key, value in first.items())
        teller()(f"{name} is a sweep. Its first values are used: {values}. {more}")
