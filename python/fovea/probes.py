"""Probes in Python: functions that measure a training at its evaluations."""

from __future__ import annotations

import hashlib
import inspect
import re
import textwrap
import traceback
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine, checks
from .old_names import today

Measured = Mapping[str, Any]
Function = Callable[[_engine.ProbeBatch, _engine.ProbeOutcome, _engine.ProbeModel], Measured]


class Probe:
    """A measurement of a training by a function of yours.

    At each evaluation ``function(batch, outcome, model)`` returns a dict of numbers and arrays by name. A number is a point of
    ``run.series[name]``, NaN included. An array is ``run.arrays[name][step]``, in float32. A run gets the probe by ``probes=[…]``, or by
    the ``names`` of a dict's ``probe``.

    The spec of the run names the function by its module, its name and a digest. The digest covers the source, the defaults
    and plain values of the function around it. It does not cover globals and files, so a probe should read its
    arguments alone.

    Parameters
    ----------
    function
        A function of ``def`` or ``lambda``. It is called on the thread that trains. While attention is held it is called twice,
        and its numbers under the hold have names that end in ``_held``.
    name
        What messages call the probe. By default the name of the function.
    examples
        ``"fresh"``: new examples at every evaluation. ``"same"``: the first of the split at every one. ``"kept"``: the
        examples of ``run.attention()``. Under ``fovea.observe`` both of the first are the whole batch, which never changes.
    beta
        Whether ``outcome.beta`` is computed.

    Notes
    -----
    All arrays are copies, in float32. A part that the batch or the model does not have is None. The three arguments can be
    read during the call alone.

    ``batch`` has ``size`` and the arrays of its kind (``help(fovea.Task)``): ``source``, ``target``, ``labels``, ``alignment``,
    ``marked``, ``items``, ``lengths``, ``keys``, ``values``, ``queries``, ``answers``.

    ``outcome`` has ``loss``, ``scores`` (rows, classes), ``answers`` (rows; -1 if there is none), ``attention``
    (examples, rows, positions), ``heads`` (the other maps, by name), ``predictions`` and ``beta``.

    ``model`` has ``step``, the updates that are done, and ``parameters`` by name.

    Under ``fovea.observe`` some parts differ. ``batch`` has ``size``, ``source``, ``alignment`` and ``given``, the input of the module.
    ``outcome`` has ``answer`` (log-probabilities, (examples, rows)) and ``output``, of the module, and its ``scores``, ``answers`` and
    ``predictions`` are None. ``model`` has ``module``, too.

    Raises
    ------
    WrongType
        If the function cannot be called with three arguments.
    WrongInput
        If the library has a probe of that name.

    Examples
    --------
    >>> import fovea
    >>> @fovea.Probe
    ... def gap(batch, outcome, model):
    ...     first = outcome.attention[:, :, 0]
    ...     return {"start": first.mean(), "rows": first[0]}
    >>> run = fovea.run("copy-subset", quick=True, steps=20, keep=False, probes=[gap])
    >>> run.series.steps("start").tolist(), run.arrays["rows"][20].ndim
    ([0, 10, 20], 1)
    >>> gap.name, gap.examples, gap.beta, gap.spec_name.split()[0]
    ('gap', 'fresh', False, 'python')
    >>> sorted(run.probe_seconds)
    ['gap']
    """

    def __init__(
        self, function: Function, *, name: str | None = None, examples: str = "fresh", beta: bool = False
    ) -> None:
        if not inspect.isfunction(function):
            raise checks.wrong_type("the function of a probe", function, "a function of def or lambda")
        self.name = function.__name__ if name is None else checks.text("name", name)
        self.examples = checks.text("examples", examples, _one_of(_EXAMPLES))
        self.beta = checks.flag("beta", beta)
        if not _NAME.fullmatch(self.name):
            raise _engine.wrong_input(f"a probe is called '{self.name}'", f'{_NAMES}; give it one: name="gap"')
        if any(self.name == known["name"] for known in _engine.describe("probes")):
            raise _engine.wrong_input(
                f"the library has a probe '{self.name}'", f'give yours another name: name="my_{self.name}"'
            )
        if examples not in _EXAMPLES:
            raise _engine.wrong_input(f"examples is '{examples}'", f"it must be {_one_of(_EXAMPLES)}")
        try:
            inspect.signature(function).bind(None, None, None)
        except TypeError as error:
            raise _engine.wrong_type(
                f"the probe '{self.name}' cannot be called with (batch, outcome, model): {error}", "give it these three"
            ) from None
        self._function: Function = function
        self._place = f"{function.__module__}.{function.__qualname__}"
        if self.name != _last_name(self._place):
            self._place += f":{self.name}"
        self.spec_name = f"python {self._place} {_digest(function, (self.name, self.examples, self.beta))}"
        _alive[self.spec_name] = self

    def __call__(self, batch: _engine.ProbeBatch, outcome: _engine.ProbeOutcome, model: _engine.ProbeModel) -> Measured:
        return self._function(batch, outcome, model)

    def __repr__(self) -> str:
        return f"<probe {self.name}: {self._place}>"

    def _measure(self, batch: Any, outcome: Any, model: Any, step: int) -> _Readings:
        """The call of the engine: numbers, arrays, and an error with its remedy."""
        numbers: dict[str, float] = {}
        arrays: dict[str, npt.NDArray[np.float32]] = {}
        try:
            measured = self._function(batch, outcome, model)
        except Exception as error:
            return {}, {}, *self._raised(error, step)
        if not isinstance(measured, Mapping):
            problem = f"at step {step} the probe '{self.name}' returned {checks.shown(measured)}"
            return {}, {}, problem, 'return a dict of numbers and arrays, as {"gap": 0.5}'
        for name, value in measured.items():
            if not isinstance(name, str) or not _NAME.fullmatch(name):
                problem = f"at step {step} the probe '{self.name}' measures {name!r}, which is no name"
                return {}, {}, problem, _NAMES
            if isinstance(value, Real):
                numbers[name] = float(value)
                continue
            array = _array(value)
            if array is None:
                problem = f"at step {step} the probe '{self.name}' returned '{name}' as {checks.shown(value)}"
                return {}, {}, problem, "return a number or an array of numbers"
            if array.ndim == 0:
                numbers[name] = float(array)
            else:
                arrays[name] = np.ascontiguousarray(array, np.float32)
        return numbers, arrays, "", ""

    def _raised(self, error: Exception, step: int) -> tuple[str, str]:
        last = traceback.extract_tb(error.__traceback__)[-1]
        first_line = (str(error).splitlines() or [""])[0]
        said = f"{type(error).__name__}: {first_line}" if first_line else type(error).__name__
        problem = f"at step {step} the probe '{self.name}' raised {said} ({last.filename}:{last.lineno})"
        _causes.append((problem, error))
        return problem, "correct the function, then train the run again"


_Readings = tuple[dict[str, float], dict[str, npt.NDArray[np.float32]], str, str]
_EXAMPLES = ("fresh", "same", "kept")
_NAME = re.compile(r"[A-Za-z_]\w*(\.\w+)*", re.ASCII)
_NAMES = "a name has letters, digits, '_' and '.', and begins with a letter"
_alive: weakref.WeakValueDictionary[str, Probe] = weakref.WeakValueDictionary()  # by what a spec calls them
_causes: deque[tuple[str, Exception]] = deque(maxlen=16)  # what functions raised, by the engine's words for it


def spec_names(probes: Any) -> list[str]:
    """Probes by their names in a spec; the library's probes keep their names."""
    given = [probes] if isinstance(probes, (str, Probe)) else probes
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise checks.wrong_type("probes", probes, 'a list of names and of fovea.Probe, as ["accuracy"]')
    names: list[str] = []
    called: dict[str, Probe] = {}
    for place, probe in enumerate(given):
        if not isinstance(probe, (str, Probe)):
            wanted = "fovea.Probe(function)" if callable(probe) else 'a name, as "accuracy", or a fovea.Probe'
            raise checks.wrong_type(f"probes[{place}]", probe, wanted)
        if isinstance(probe, str):
            names.append(today("probe", checks.text(f"probes[{place}]", probe)))
            continue
        if called.setdefault(probe.name, probe) is not probe:
            raise _engine.wrong_input(
                f"two probes are called '{probe.name}'",
                'give one of them another name: fovea.Probe(function, name="…")',
            )
        names.append(probe.spec_name)
        _alive[probe.spec_name] = probe  # one of the same name may have been here, and gone
    return names


def names_in(spec: Mapping[str, Any]) -> list[str]:
    """The names of the probes in Python that a spec has."""
    names = spec.get("probe", {}).get("names")  # another program's run may have none, or something else there
    places = [
        str(one).split(" ")[1] for one in (names if isinstance(names, list) else []) if str(one).startswith("python ")
    ]
    return [place.partition(":")[2] or _last_name(place) for place in places]


def _last_name(place: str) -> str:
    return place.rpartition(".")[2]


def find(spec_name: str) -> tuple[Probe | None, str, str]:
    """The probe that a spec names, for the engine; or the error and its remedy."""
    probe = _alive.get(spec_name)
    if probe is not None:
        return probe, "", ""
    place, _, digest = spec_name.partition(" ")[2].rpartition(" ")
    changed = next((other for other in _alive.values() if other._place == place), None)
    if changed is not None:
        problem = f"the probe '{place}' has changed: the digest of its source was {digest}"
        return None, problem, f"define it as it was, or train a new run; the digest is now {changed.spec_name[-16:]}"
    problem = f"the run has the probe '{place}', a Python function that is not defined here"
    return None, problem, f"import its module, or define it as it was; the digest of its source is {digest}"


@contextmanager
def causes_shown() -> Iterator[None]:
    """An error of the engine that a probe's exception led to is raised from that exception."""
    try:
        yield
    except _engine.Error as error:
        for problem, cause in list(_causes):
            if problem in str(error):
                _causes.remove((problem, cause))
                raise error from cause
        raise


def _one_of(words: Iterable[str]) -> str:
    return " or ".join(f'"{word}"' for word in words)


def _array(value: Any) -> npt.NDArray[Any] | None:
    """Numbers as an array; None if there are none."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):  # rows of several lengths; a tensor that asks for its gradient
        return None
    return array if array.dtype.kind in "biuf" and array.size > 0 else None


def _digest(function: FunctionType, options: tuple[Any, ...]) -> str:
    """16 hex digits that identify the function."""
    around = inspect.getclosurevars(function).nonlocals
    values = [options, function.__defaults__, function.__kwdefaults__, around]
    text = "\n".join([_source(function), *map(_value_text, values)])
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def _source(function: FunctionType) -> str:
    """The source of the function; its bytecode if the source is unknown."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        return _code_text(function.__code__)
    return textwrap.dedent(source)


def _code_text(code: CodeType) -> str:
    constants = [_code_text(value) if isinstance(value, CodeType) else repr(value) for value in code.co_consts]
    return repr((code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars))


def _value_text(value: Any) -> str:
    """A plain value in full, another one by its type."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value_text, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_value_text(key)}: {_value_text(of)}' for key, of in value.items())}}}"
    if isinstance(value, (np.ndarray, np.generic)):
        return f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    if inspect.isfunction(value):
        return _source(value)
    return f"{type(value).__module__}.{type(value).__qualname__}"
