"""What weighs values: results are followed from a softmax to a product, and attention that cannot be read is recognised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..pictures import needed
from .scope import Key, Scope

torch = needed("torch", "torch")

from torch import nn  # noqa: E402

FLEX = "uses flex_attention, which makes no weights that could be read; take scaled_dot_product_attention to observe it"
OWN = "calls no softmax of torch's: its weights are made by exp and a sum of its own, or the like, and cannot be read"
REMEDY = (
    "attention can be read if torch's softmax followed by a product, scaled_dot_product_attention or nn.MultiheadAttention "
    "computes it, in modules that run as Python"
)


WEIGHS = {
    torch.matmul,
    torch.Tensor.matmul,
    torch.Tensor.__matmul__,
    torch.Tensor.__rmatmul__,
    torch.bmm,
    torch.Tensor.bmm,
    torch.einsum,
    torch.baddbmm,
}
TIMES = {torch.mul, torch.Tensor.mul, torch.Tensor.__mul__, torch.Tensor.__rmul__}
SUMS = {torch.sum, torch.Tensor.sum}
_EXP = {torch.exp, torch.Tensor.exp, torch.Tensor.exp_, torch.exp2, torch.Tensor.exp2, torch.special.exp2}
_POWER = {torch.pow, torch.Tensor.__rpow__}


class Trail:
    """Follows results to a product or a sum, in a pass that finds the sites of a model.

    Parameters
    ----------
    scope : Scope
        Which module is at work.
    seen : mapping
        What a softmax gave so far, by its key.

    Attributes
    ----------
    weighs : set
        The keys of results that weighed values.
    missed, products : dict
        What looks like attention: why it cannot be read, and how many results of a softmax were before, by the module's name. ``products``
        are weights that are made of scores by no softmax. They may be none, if the module has a site, too.
    """

    def __init__(self, scope: Scope, seen: Mapping[Key, Any]) -> None:
        self._scope, self._seen = scope, seen
        # Results of softmax and exp by the id of the tensor. Each tensor has its keys, and whether the result was multiplied.
        self._marks: dict[int, tuple[Any, dict[Key, bool]]] = {}
        self._scores: dict[int, Any] = {}  # products of two activations
        self._summed: set[Key] = set()  # results of exp whose sum was taken
        self.weighs: set[Key] = set()
        self.missed: dict[str, tuple[str, int]] = {}
        self.products: dict[str, tuple[str, int]] = {}

    def miss(self, why: str) -> None:
        """Note that the innermost module attends in a way that cannot be seen."""
        self.missed.setdefault(self._scope.inner() or "model", (why, len(self._seen)))

    def mark(self, tensor: Any, key: Key, times: bool = False) -> None:
        """Note a result that is to be followed, and whether it was multiplied."""
        self._marks.setdefault(id(tensor), (tensor, {}))[1][key] = times

    def follow(self, func: Any, args: Any, kwargs: Any, out: Any) -> None:
        """Follow results through one call: through casts, dropout, masks and views, to a product or a sum."""
        flat = operands(args, kwargs)
        product = func in WEIGHS and not _ones(flat[-1])
        for one in flat:
            for key, times in list(self._marked(one).items()):
                if product or (times and func in SUMS):
                    self.weighs.add(key)
                    if key in self._summed:
                        self.miss(OWN)
                elif func in SUMS or func in WEIGHS:
                    self._summed.add(key)
                    if key in self.weighs and key[1] < 0:  # its weighted sum is divided by its sum
                        self.miss(OWN)
                elif isinstance(out, torch.Tensor) and out.numel() == one.numel():
                    self.mark(out, key, times or (func in TIMES and key[1] > 0))  # exp times a mask weighs nothing
                elif isinstance(out, torch.Tensor) and func in TIMES and out.numel() > one.numel():
                    self.mark(out, key, True)
        if func in _EXP or (func in _POWER and (func is not torch.pow or not isinstance(flat[0], torch.Tensor))):
            self.mark(out, (self._scope.inner(), -len(self._marks) - 1))
        elif product and not any(number > 0 for one in flat for _, number in self._marked(one)):
            if weighed(flat):
                self.miss(OWN)
            self._multiply([one for one in flat if isinstance(one, torch.Tensor)][-2:], out)
        elif func not in WEIGHS and func is not nn.functional.linear and isinstance(out, torch.Tensor):
            if any(self._are_scores(one) and one.numel() == out.numel() for one in flat):
                self._scores[id(out)] = out

    def _multiply(self, factors: Sequence[Any], out: Any) -> None:
        """Note the product of two activations: it is scores, or scores weigh values in it.

        Scores are the left factor. In linear attention a state without positions may be the right one."""
        if len(factors) < 2 or not all(_activation(one) for one in factors):
            return
        left, right = factors
        if self._are_scores(left) or (self._are_scores(right) and left.size(-2) != right.size(-2)):
            self.products.setdefault(self._scope.inner() or "model", (OWN, len(self._seen)))
        else:
            self._scores[id(out)] = out

    def _marked(self, one: Any) -> dict[Key, bool]:
        tensor, marks = self._marks.get(id(one), (None, {}))
        return marks if tensor is one else {}

    def _are_scores(self, one: Any) -> bool:
        return one is not None and self._scores.get(id(one)) is one


def operands(args: Any, kwargs: Any) -> list[Any]:
    """Return the arguments of a call, lists and tuples one by one."""
    flat = [*args, *kwargs.values()]
    return [inner for one in flat for inner in (one if isinstance(one, (list, tuple)) else [one])]


def _activation(one: Any) -> bool:
    """Return whether a tensor may be of examples: it has their dimension, and is no parameter."""
    parameter = isinstance(one, nn.Parameter) or isinstance(one._base, nn.Parameter)
    return bool(one.dim() >= 3 and one.is_floating_point() and not parameter)


def _ones(one: Any) -> bool:
    return isinstance(one, torch.Tensor) and one.is_floating_point() and bool((one == 1).all())


def within_flex(frame: Any) -> bool:
    code = frame.f_code
    return bool(code.co_name == "flex_attention" and code.co_filename.endswith("flex_attention.py"))


def weighed(operands: Sequence[Any]) -> bool:
    """Whether one of two factors is weights: rows that sum to 1, of more than one position."""
    factors = [one for one in operands if isinstance(one, torch.Tensor)][-2:]
    if any(one.dim() < 2 or not one.is_floating_point() or isinstance(one, nn.Parameter) for one in factors):
        return False
    for one, dim in zip(factors, (-1, -2)):
        close = 2e-2 if one.dtype in (torch.float16, torch.bfloat16) else 1e-3
        sums, whole = one.sum(dim), (one == 0) | (one == 1)  # rows of padding may be 0; one-hot rows select
        right = ((sums - 1).abs() < close) | (sums.abs() < close)
        if bool((one >= 0).all() and right.all() and (sums > 0.5).any() and not whole.all()):
            return True
    return False
