"""Checks of arguments before any work: one sentence names the argument, its value and the expected value."""

from __future__ import annotations

import math
import os
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from . import _engine

MOST_NAMED = 5  # names in an error
_short = reprlib.Repr()
_short.maxstring = _short.maxother = 60


def shown(value: Any) -> str:
    """A value in a message, with its type."""
    return "None" if value is None else f"{_short.repr(value)}, of type {type(value).__name__}"


def wrong_type(name: str, value: Any, wanted: str) -> _engine.WrongType:
    return _engine.wrong_type(f"{name} is {shown(value)}", f"it must be {wanted}")


def text(name: str, value: Any, wanted: str = "a text") -> str:
    if not isinstance(value, str):
        raise wrong_type(name, value, wanted)
    letters(name, value)
    return str(value)


def letters(name: str, value: str) -> None:
    """Half of a pair of surrogates is no letter, and UTF-8 has nothing for it."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise _engine.wrong_input(
            f"{name} contains {value[error.start]!a} at position {error.start}, which is no letter", "remove it"
        ) from None


def whole(name: str, value: Any, least: int | None = None, most: int = 2**62 - 1, remedy: str = "") -> int:
    """A whole number: an int, or one of NumPy's."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__") or isinstance(value, np.ndarray):
        raise wrong_type(name, value, "a whole number" if least is None else f"a whole number, {least} or more")
    number = int(value.__index__())
    if (least is not None and number < least) or abs(number) > most:
        bounds = "" if least is None else f"{least} or more" if number < least else f"{most} at most"
        raise _engine.wrong_input(f"{name} is {number}", remedy or f"it must be {bounds or 'less than 2**62'}")
    return number


def number(name: str, value: Any, *, least: float = -math.inf, above: float = -math.inf) -> float:
    """A finite number."""
    wanted = (
        "a number"
        + (f" of {least:g} or more" if least > -math.inf else "")
        + (f" above {above:g}" if above > -math.inf else "")
    )
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise wrong_type(name, value, wanted)
    try:
        given = float(value)
    except OverflowError:
        given = math.inf
    if not (math.isfinite(given) and given >= least and given > above):
        raise _engine.wrong_input(f"{name} is {value}", f"it must be {wanted}")
    return given


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise wrong_type(name, value, "True or False")
    return bool(value)


def flag_or_none(name: str, value: Any) -> bool | None:
    if value is not None and not isinstance(value, (bool, np.bool_)):
        raise wrong_type(name, value, "True, False or None")
    return None if value is None else bool(value)


def table(name: str, value: Any, key: str) -> dict[str, Any]:
    """A dict whose keys are texts, such as ``key``."""
    if not isinstance(value, Mapping):
        raise wrong_type(name, value, f'a dict, as {{"{key}": …}}')
    for word in value:
        if not isinstance(word, str):
            raise _engine.wrong_type(f"{name} has the key {shown(word)}", f'keys must be texts, as "{key}"')
    return dict(value)


def texts(name: str, value: Any, example: str) -> list[str]:
    """One text, or several."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable):
        raise wrong_type(name, value, f'a list of texts, as ["{example}"]')
    found = list(value)
    for place, each in enumerate(found):
        if not isinstance(each, str):
            raise wrong_type(f"{name}[{place}]", each, f'a text, as "{example}"')
        letters(f"{name}[{place}]", each)
    return found


def text_list(what: str, texts: Iterable[Any]) -> list[str]:
    if isinstance(texts, (str, bytes)):
        raise _engine.wrong_input(f"{what} is one text, and many are needed", f"give a list: [{str(texts)[:20]!r}, …]")
    found = _several(what, texts, "texts")
    for place, text in enumerate(found):
        if not isinstance(text, str):
            raise _engine.wrong_type(f"{what}[{place}] is of type {type(text).__name__}, not str", "give texts")
        letters(f"{what}[{place}]", text)
    return found


def _several(what: str, values: Any, kind: str) -> list[Any]:
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        raise wrong_type(what, values, f"a list of {kind}")
    return list(values)


def label_texts(labels: Iterable[Any]) -> list[str]:
    return [_label(place, label) for place, label in enumerate(_several("labels", labels, "labels"))]


def _label(place: int, label: Any) -> str:
    label = label.item() if isinstance(label, np.generic) else label
    if label is None or (isinstance(label, float) and math.isnan(label)):
        raise _engine.wrong_input(
            f"labels[{place}] is {label}", "leave out texts without a label, or give them one of their own"
        )
    if not isinstance(label, (str, Real)):
        raise wrong_type(f"labels[{place}]", label, "a text or a number")
    letters(f"labels[{place}]", str(label))
    return str(label)


def suggestion(word: str, names: Sequence[str], rest: str) -> str:
    """Return a similar name, or a few of the names and the code that lists the rest."""
    remedy = _engine.suggest_name(word, names)
    if len(names) <= MOST_NAMED or not all(name in remedy for name in names):
        return remedy
    few = _engine.suggest_name(word, names[:MOST_NAMED])
    return f"{few} and {len(names) - MOST_NAMED} more; {rest} lists all"


def function(name: str, value: Any) -> None:
    if value is not None and not callable(value):
        raise _engine.wrong_type(f"{name} is of type {type(value).__name__}, which cannot be called", "give a function")


def path(name: str, value: Any, wanted: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise wrong_type(name, value, wanted)
    found = os.fspath(value)
    if not isinstance(found, str):
        raise wrong_type(name, value, wanted)
    letters(name, found)
    return found


def step(value: Any) -> int | None:
    """A look's step, or None for the last."""
    return None if value is None else whole("step", value, 0)
