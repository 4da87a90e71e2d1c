"""The attention sites of a PyTorch model: found, read and changed while a Tap is entered, without a change of its code.

A site computes attention: a call of ``scaled_dot_product_attention``, of ``multi_head_attention_forward``, or a softmax
whose result weights values. Its attention has the shape (examples, heads, rows, positions). Its name is the innermost module
of the call.
"""

from __future__ import annotations

import fnmatch
import math
import sys
import types
from collections.abc import Container, Mapping, Sequence
from typing import Any

from .. import _engine, checks
from ..pictures import needed
from .model import Autocast
from .scope import Key, Outputs, Plan, Scope, Seen
from .unseen import FLEX, SUMS, TIMES, WEIGHS, Trail, operands, within_flex

torch = needed("torch", "torch")

from torch import nn  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402

F = nn.functional

_SOFTMAX = {torch.softmax, F.softmax, torch.Tensor.softmax, torch.special.softmax}
_FAR = 1000.0  # a score so much below the largest of its row stands for a place that is masked


class Tap(TorchFunctionMode):  # type: ignore[misc]
    """Reads attention at the functions that compute it, in this thread, while it is entered.

    ``want`` has the sites that it reads, or ``None`` while they are being found."""

    def __init__(
        self,
        scope: Scope,
        want: Container[Key] | None,
        examples: int | None,
        plan: Plan | None = None,
        shapes: Mapping[Key, Sequence[int]] | None = None,
        outputs: Outputs | None = None,
    ) -> None:
        super().__init__()
        self.outputs = outputs
        # What a softmax gave, on its way to what it weighs, if outputs are read: tensors by their id, with their site and whether they
        # were multiplied.
        self.weights: dict[int, tuple[Any, Key, bool]] = {}
        self.scope, self.want, self.examples, self.plan = scope, want, examples, plan
        self.shapes = shapes or {}  # of the batch that is looked at, where the number of examples is not known
        self.seen: dict[Key, Seen] = {}
        self.trail = Trail(scope, self.seen)

    def __torch_function__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = str(getattr(func, "__name__", func))
        if func is F.scaled_dot_product_attention or name.startswith("scaled_dot_product_attention."):
            return self._product(func, args, kwargs, self.scope.key(), None)
        if func is F.multi_head_attention_forward:
            return self._heads(args, kwargs, self.scope.key())
        if func in _SOFTMAX or name.startswith("softmax.int"):
            return self._softmax(func, args, kwargs, self.scope.key(), None)
        out = func(*args, **kwargs)
        if self.want is None and not torch.compiler.is_compiling():
            if within_flex(sys._getframe(1)):
                self.trail.miss(FLEX)
            elif "attention" in name or "attn" in name:
                self.trail.miss(f"calls {name}, which makes no weights that could be read")
            self.trail.follow(func, args, kwargs, out)
        elif self.outputs is not None:
            out = self._weighed_by(func, args, kwargs, out)
        return out

    def _wanted(self, key: Key) -> bool:
        return self.want is None or key in self.want

    def _shown(self, key: Key, attention: Any, allowed: Any) -> Any:
        if self.plan is not None:
            attention = self.plan(key, attention, allowed).to(attention.dtype)
        inner = self.scope.stack[-1] if self.scope.stack and self.plan is None else None
        self.seen[key] = Seen(attention.detach(), allowed, self.scope.clock, inner and (inner[0], inner[4]))
        return attention

    def _product(self, func: Any, args: Any, kwargs: Any, key: Key, examples: int | None) -> Any:
        names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
        given: dict[str, Any] = {**dict(zip(names, args)), **kwargs}
        query, keys, value = given["query"], given["key"], given["value"]
        if not self._wanted(key) or query.dim() < 3 or query.is_nested:
            return func(*args, **kwargs)
        query, keys, value = _cast(query, keys, value)
        if given.get("enable_gqa"):
            keys = keys.repeat_interleave(query.size(-3) // keys.size(-3), -3)
            value = value.repeat_interleave(query.size(-3) // value.size(-3), -3)
        scale, mask = given.get("scale"), given.get("attn_mask")
        with torch.autocast(query.device.type, enabled=False):
            exact = torch.promote_types(query.dtype, torch.float32)
            scores = (
                query.to(exact)
                @ keys.to(exact).transpose(-2, -1)
                * (1 / math.sqrt(query.size(-1)) if scale is None else scale)
            )
            allowed = None
            if given.get("is_causal"):
                allowed = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
            elif mask is not None and mask.dtype == torch.bool:
                allowed = mask
            elif mask is not None:
                scores = scores + mask.to(exact)
            if allowed is not None:
                scores = scores.masked_fill(~allowed, -torch.inf)
            attention = torch.softmax(scores, -1).nan_to_num(0.0)  # a row that may look nowhere looks nowhere
        if examples is None and self.examples is None and key in self.shapes and query.dim() == 3:
            examples = query.size(0) // self.shapes[key][1]
        view = _Cube(attention.shape, -1, examples or self.examples)
        if not view.fits:
            return func(*args, **kwargs)
        if self.want is None:
            self.trail.weighs.add(key)
        read = view(attention)
        shown = self._shown(key, read, view(_allowed(scores)))
        if shown is read:  # the model's own function, whose product another one equals only up to rounding
            out = func(*args, **kwargs)
        else:
            attention, dropped = view.back(shown).to(value.dtype), given.get("dropout_p", 0.0)
            out = (F.dropout(attention, dropped) if dropped else attention) @ value
        return out if self.outputs is None else self.outputs(key, out)

    def _heads(self, args: Any, kwargs: Any, key: Key) -> Any:
        """nn.MultiheadAttention: PyTorch's own function, whose two ways to make attention lead here."""
        if not self._wanted(key):
            return F.multi_head_attention_forward(*args, **kwargs)
        query = args[0] if args else kwargs["query"]
        examples = query.size(1) if query.dim() == 3 else 1

        def product(*inner: Any, **more: Any) -> Any:
            return self._product(F.scaled_dot_product_attention, inner, more, key, examples)

        def softmax(*inner: Any, **more: Any) -> Any:
            return self._softmax(F.softmax, inner, more, key, examples)

        whole = F.multi_head_attention_forward
        own = {
            **whole.__globals__,
            "scaled_dot_product_attention": product,
            "softmax": softmax,
            "has_torch_function": lambda _: False,
        }
        if self.outputs is not None:
            own["torch"] = _Torch(self)
        private = types.FunctionType(whole.__code__, own, whole.__name__, whole.__defaults__, whole.__closure__)
        private.__kwdefaults__ = whole.__kwdefaults__
        return private(*args, **kwargs)

    def _softmax(self, func: Any, args: Any, kwargs: Any, key: Key, examples: int | None) -> Any:
        multi = examples is not None  # of nn.MultiheadAttention
        out = func(*args, **kwargs)
        scores = args[0] if args else kwargs.get("input", kwargs.get("self"))
        dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
        if not self._wanted(key) or not isinstance(dim, int) or not 2 <= out.dim():
            return out
        if examples is None and self.examples is None and key in self.shapes and out.dim() < 4:
            of_batch, heads, rows, _ = self.shapes[key]
            examples = (
                out.size(0) // heads if out.dim() == 3 else 1 if of_batch == 1 and rows > 1 else out.size(0) // rows
            )
        view = _Cube(out.shape, dim, examples or self.examples)
        if not view.fits:
            return out
        if self.want is None and not multi:
            self.trail.mark(out, key)
        elif self.want is None:
            self.trail.weighs.add(key)
        with torch.no_grad():
            allowed = view(_allowed(scores.movedim(dim, -1)).movedim(-1, dim))
        read = view(out.nan_to_num(0.0))
        shown = self._shown(key, read, allowed)
        if self.want is None:
            return out
        weights = out if shown is read else view.back(shown)
        if self.outputs is not None:
            self.weights[id(weights)] = weights, key, False
        return weights

    def _weighed_by(self, func: Any, args: Any, kwargs: Any, out: Any) -> Any:
        """The result of a call, or another one by ``outputs`` if attention weighed something in it."""
        assert self.outputs is not None
        for one in operands(args, kwargs):
            tensor, key, times = self.weights.get(id(one), (None, ("", 0), False))
            if tensor is None or tensor is not one or not isinstance(out, torch.Tensor):
                continue
            if func in WEIGHS or (times and func in SUMS):
                return self.outputs(key, out)
            if out.numel() == one.numel() or (func in TIMES and out.numel() > one.numel()):
                self.weights[id(out)] = out, key, times or func in TIMES
        return out


class _Torch:
    """torch, as the function of nn.MultiheadAttention calls it: the weights of its softmax are followed to their product."""

    def __init__(self, tap: Tap) -> None:
        self._tap = tap

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)

    def bmm(self, *args: Any) -> Any:
        return self._tap._weighed_by(torch.bmm, args, {}, torch.bmm(*args))


class _Cube:
    """Attention of any layout as (examples, heads, rows, places), and back."""

    def __init__(self, shape: Sequence[int], dim: int, examples: int | None) -> None:
        self.dim = dim % len(shape)
        moved = [*shape[: self.dim], *shape[self.dim + 1 :], shape[self.dim]]
        first = moved[0]
        count = first if examples is None else examples
        self.fits = count > 0 and first % count == 0 and moved[-1] > 0
        self.moved = moved
        each = first // count if self.fits else 0
        self.shape: tuple[int, ...]
        if len(moved) == 2:  # one row each, or all rows of all examples
            self.shape = (count, 1, each, moved[1])
        elif len(moved) == 3:
            self.shape = (count, each, *moved[1:])
        else:
            self.shape = (count, each * math.prod(moved[1:-2]), *moved[-2:])

    def __call__(self, x: Any) -> Any:
        return x.movedim(self.dim, -1).reshape(self.shape)

    def back(self, x: Any) -> Any:
        return x.reshape(self.moved).movedim(-1, self.dim)


def _cast(*tensors: Any) -> tuple[Any, ...]:
    """Return the tensors in the type that autocast gives them at scaled_dot_product_attention."""
    autocast = Autocast.now(tensors[0].device.type)
    if autocast is None or autocast.dtype is None:
        return tensors
    return tuple(one.to(autocast.dtype) if one.dtype == torch.float32 else one for one in tensors)


def _allowed(scores: Any) -> Any:
    """Return the positions that a row may attend to: positions whose score is not a mask."""
    scores = scores.detach()
    most = scores.amax(-1, keepdim=True)
    least = torch.finfo(scores.dtype).min / 2 if scores.dtype.is_floating_point else -math.inf
    return (scores > most - _FAR) & (scores > least)


def name_of(key: Key) -> str:
    name, number = key
    return (name or "model") + (f"#{number}" if number > 1 else "")


def named(names: Sequence[str]) -> str:
    """Name the first of several sites, and count the others."""
    more = f" and {len(names) - checks.MOST_NAMED} more" if len(names) > checks.MOST_NAMED else ""
    return ", ".join(names[: checks.MOST_NAMED]) + more


def chosen(names: Sequence[str], patterns: str | Sequence[str], what: str) -> list[str]:
    """Those that a pattern fits, in their order; each pattern has to fit one."""
    wanted = [patterns] if isinstance(patterns, str) else list(patterns)
    for pattern in wanted:
        if not fnmatch.filter(names, pattern):
            more = "; fovea.attention_sites lists all" if len(names) > checks.MOST_NAMED else ""
            raise _engine.wrong_input(
                f"{what} '{pattern}' fits no site of attention", f"there are {named(names)}{more}"
            )
    return [name for name in names if any(fnmatch.fnmatchcase(name, pattern) for pattern in wanted)]
