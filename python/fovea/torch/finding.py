"""The attention sites of a model are found by a pass over its batch, and so is attention that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .. import _engine
from ..pictures import needed
from .model import Model
from .scope import Key, Scope, Seen
from .sites import Tap, name_of
from .unseen import FLEX, REMEDY

torch = needed("torch", "torch")

_FLEX_MODULE = "torch.nn.attention.flex_attention"


@dataclass
class Found:
    """The sites of a model, by a pass over its batch."""

    sites: dict[Key, Seen]  # in the order in which they attend
    numbers: dict[Key, int]  # from 1; what attends and cannot be seen has a number, too
    unseen: dict[str, str]  # why, by the module's name
    output: Any  # of the model
    often: Mapping[str, int]  # how often each module called a softmax or attention


def found(model: Model, examples: int | None) -> Found:
    """Find the sites of a model.

    Raises
    ------
    fovea.Failure
        If no site is found. The error has the reason.
    """
    with model.at_rest(), Scope(model.names) as scope:
        tap = Tap(scope, None, examples)
        with tap:
            out = model()
        often = dict(scope.passes[-1]) if scope.passes else {}
    sites = {key: seen for key, seen in tap.seen.items() if key in tap.trail.weighs}
    modules = {name or "model" for name, _ in sites}
    products = {name: one for name, one in tap.trail.products.items() if name not in modules}
    missed = {**_unread(model, tap), **products, **tap.trail.missed}
    if not sites:
        raise _engine.failure(
            f"no attention was seen in {type(model.module).__name__}: {_why_none(model, tap, missed)}", REMEDY
        )
    numbers: dict[Key, int] = {}
    for place, key in enumerate(tap.seen):
        if key in sites:
            numbers[key] = 1 + len(numbers) + sum(before <= place for _, before in missed.values())
    return Found(sites, numbers, {name: why for name, (why, _) in missed.items()}, out, often)


def _unread(model: Model, tap: Tap) -> dict[str, tuple[str, int]]:
    """Find attention that torch's functions do not show: modules that do not run as Python, and compiled flex_attention."""
    missed: dict[str, tuple[str, int]] = {}
    order = list(model.names.values())
    seen = [order.index(name) for name, _ in tap.seen]
    for place, (module, name) in enumerate(model.names.items()):
        why = ""
        if isinstance(module, torch.jit.ScriptModule):
            attends = any(
                word in str(getattr(module, "inlined_graph", ""))
                for word in ("softmax", "scaled_dot_product_attention")
            )
            if attends and not any(name.startswith(f"{outer}.") for outer in missed):
                why = "is traced or scripted (torch.jit), and no Python runs in it; observe the module it was made of"
        else:
            forward = type(module).forward
            words = getattr(getattr(forward, "__code__", None), "co_names", ())
            named = [getattr(forward, "__globals__", {}).get(word) for word in words]
            if any(getattr(one, "__module__", "") == _FLEX_MODULE for one in named if callable(one)):
                why = FLEX
        if why:
            missed[name or "model"] = why, sum(other < place for other in seen)
    return missed


def _why_none(model: Model, tap: Tap, missed: Mapping[str, tuple[str, int]]) -> str:
    for name, (why, _) in missed.items():
        return f"{'it' if name == 'model' else repr(name)} {why}"
    for module, name in model.names.items():
        if type(module).__module__.startswith("torch.fx"):
            where = f"'{name}'" if name else "it"
            return f"{where} is a traced graph (torch.fx or torch.export); observe the module it was made of"
    if tap.seen:
        most = ", ".join(sorted({name_of(key) for key in tap.seen})[:4])
        return f"there is a softmax in {most}, but its output weights nothing by a product or a sum"
    return "it calls no softmax and no attention of torch; weights that its code computes by exp and a sum cannot be recognised"
