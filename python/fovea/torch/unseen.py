"""Attention that no function of torch shows: how it is recognised, and the reasons that are reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..pictures import needed

torch = needed("torch", "torch")

from torch import nn  # noqa: E402

FLEX = "uses flex_attention, which makes no weights that could be read; take scaled_dot_product_attention to observe it"
OWN = "calls no softmax of torch's: its weights are made by exp and a sum of its own, or the like, and cannot be read"
REMEDY = (
    "attention can be read if torch's softmax followed by a product, scaled_dot_product_attention or nn.MultiheadAttention "
    "computes it, in modules that run as Python"
)


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
