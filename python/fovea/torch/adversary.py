"""Other attention with the same answers: sought for each example, or trained into a copy of the model."""

from __future__ import annotations

from typing import Any

from ..pictures import needed
from .base_pass import Base
from .distances import jsd, kl, tvd
from .explaining import Array, Explained, Figures
from .fresh import fresh
from .model import Model
from .scope import Key

torch = needed("torch", "torch")

CLOSE = 0.01  # of TVD: an answer that differs by no more counts as the same
PENALTY = 500.0  # weight of the excess of TVD over CLOSE, during the search
RATE = 0.01  # of Adam, while an adversary is sought
ADVERSARY_RATE = 1e-3  # of Adam, while an adversarial model is trained


def adversary(one: Explained, steps: int) -> tuple[Figures, Array]:
    """Search other weights with the same answer: the largest JSD from α with a TVD of p of at most 0.01, by Adam on free logits.

    Returns the JSD of each example, and its weights, (examples, heads, rows, positions).
    """
    free = 0.1 * torch.randn(one.maps.shape, generator=one.random, dtype=torch.float64)
    free = free.to(one.maps.device).requires_grad_()
    optimizer = torch.optim.Adam([free], RATE)
    best = torch.zeros(len(one.answers), dtype=torch.float64, device=one.maps.device)
    moved = torch.zeros_like(best)
    found = one.maps.clone()
    some = one.allowed.any(-1, keepdim=True)
    with one.model.at_rest(), torch.enable_grad():
        for _ in range(steps):
            weights = free.masked_fill(some & ~one.allowed, -torch.inf).softmax(-1) * some
            far = tvd(one.chances, one.under(one.plan(lambda a, ok: weights)))
            apart = one.mean(jsd(weights, one.maps))
            better = (far <= CLOSE) & (apart > best)
            best = torch.where(better, apart.detach(), best)
            moved = torch.where(better, far.detach(), moved)
            found = torch.where(better[:, None, None, None], weights.detach(), found)
            (free.grad,) = torch.autograd.grad((PENALTY * (far - CLOSE).clamp(min=0) - apart).sum(), free)
            optimizer.step()
    return one.of_several({"adversary": best, "adversary_tvd": moved}), found.cpu().numpy()


def adversarial(one: Explained, strength: float, steps: int, seed: int) -> dict[str, float]:
    """Train a copy to give the same answers with other attention: its loss is TVD(p_a, p) − λ KL(α_a‖α)."""
    module = fresh(one.model.module, seed)
    other = Model(module, one.model.batch)
    optimizer = torch.optim.Adam(module.parameters(), ADVERSARY_RATE)
    found: dict[str, float] = {}
    for step in range(steps + 1):
        maps: list[Any] = []

        def plan(site: Key, attention: Any, allowed: Any) -> Any:
            if site == one.key:
                maps.append(attention[:, :, one.rows].double())
            return attention

        with other.at_rest(), torch.enable_grad():
            base = Base(other, one.observed.answer, [one.key], one.observed.examples, plan)
            far = tvd(one.chances_of(base), one.chances)
            loss = (far - strength * one.mean(kl(maps[-1], one.maps))).mean()
            if step < steps:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        apart = one.mean(jsd(maps[-1].detach(), one.maps))
        found = {"tvd": float(far.detach().mean()), "jsd": float(apart.mean())}
    return {"lambda": strength, **found}
