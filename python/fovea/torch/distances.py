"""Distances between two answers, or between two maps of attention."""

from __future__ import annotations

from typing import Any

from ..pictures import needed

torch = needed("torch", "torch")


def tvd(some: Any, others: Any) -> Any:
    """Return the total variation distance of distributions along the last axis."""
    return (some - others).abs().sum(-1) / 2


def kl(some: Any, others: Any) -> Any:
    """Return the Kullback-Leibler divergence along the last axis. An entry of ``some`` that is 0 adds nothing."""
    least = torch.finfo(some.dtype).tiny
    return (some * (some.clamp(min=least).log() - others.clamp(min=least).log())).sum(-1)


def jsd(some: Any, others: Any) -> Any:
    """Return the Jensen-Shannon divergence along the last axis, in nats."""
    mean = (some + others) / 2
    return (kl(some, mean) + kl(others, mean)) / 2
