"""Attention that is held, as a spec's interventions hold it (docs/method.md, 5)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _engine, checks
from ..pictures import needed
from .sites import Key, name_of

torch = needed("torch", "torch")

PATTERNS = ("uniform", "previous", "first", "truth")
Own = Callable[[Any, Any], Any]  # (attention, allowed) -> attention


@dataclass(frozen=True)
class Hold:
    how: str | Own
    sites: frozenset[str]
    start: int
    until: int | None
    head: int | None  # from 1

    @classmethod
    def of(cls, how: Any, sites: Iterable[str], start: int, until: int | None, head: int | None) -> Hold:
        if isinstance(how, str):
            if how not in PATTERNS:
                raise _engine.wrong_input(f"attention cannot be held '{how}'", _engine.suggest_name(how, PATTERNS))
        elif not callable(how):
            raise checks.wrong_type(
                "how", how, '"uniform", "previous", "first", "truth" or a function of (attention, allowed)'
            )
        head = None if head is None else checks.whole("head", head, 1)
        return cls(how, frozenset(sites), start, until, head)

    def at(self, number: int) -> bool:
        return self.start <= number and (self.until is None or number < self.until)

    def table(self) -> dict[str, Any]:
        """As a spec says it."""
        table: dict[str, Any] = {
            "hold": self.how if isinstance(self.how, str) else "own",
            "of": sorted(self.sites),
            "from": self.start,
        }
        if self.until is not None:
            table["until"] = self.until
        return table if self.head is None else {**table, "head": self.head}

    def __call__(self, site: str, attention: Any, allowed: Any, truth: Any) -> Any:
        held = self._held(attention, allowed, truth)
        if self.head is None:
            self._require_weights(site, held, allowed)
            return held
        if self.head > attention.size(1):
            raise _engine.wrong_input(
                f"head {self.head} cannot be held: there are {attention.size(1)}", "heads count from 1"
            )
        which = slice(self.head - 1, self.head)
        self._require_weights(site, held[:, which], allowed[:, which])
        return torch.cat([attention[:, : self.head - 1], held[:, which], attention[:, self.head :]], 1)

    def _require_weights(self, site: str, held: Any, allowed: Any) -> None:
        """Require of a function what a softmax over the allowed positions gives.

        Rows that have no allowed position are not checked: a softmax gives them anything.

        Raises
        ------
        fovea.WrongInput
            If a weight is below 0 or not a number, if a position that the mask forbids has weight, or if a row does not sum to 1.
        """
        if isinstance(self.how, str):
            return
        close = 1e-2 if held.dtype in (torch.float16, torch.bfloat16) else 1e-3
        held = held.detach().float()
        some = allowed.any(-1)
        for wrong, what in (
            (~(held >= 0) & some[..., None], "a weight that is below 0 or not a number"),
            ((held != 0) & ~allowed & some[..., None], "weight on a position that the mask forbids"),
            (((held.sum(-1) - 1).abs() > close) & some, "weights that do not sum to 1"),
        ):
            if bool(wrong.any()):
                example, head, row = wrong.nonzero()[0, :3].tolist()
                sums = held[example, head, row].sum().item()
                raise _engine.wrong_input(
                    f"a hold gave {what} at '{site}': row {row} of head {(self.head or 1) + head}, example {example}, whose sum is {sums:.4g}",
                    "each row must be at least 0, must be 0 where allowed is False, and must sum to 1",
                )

    def _held(self, attention: Any, allowed: Any, truth: Any) -> Any:
        if not isinstance(self.how, str):
            held = self.how(attention, allowed)
            if not isinstance(held, torch.Tensor) or held.shape != attention.shape:
                shape = tuple(getattr(held, "shape", ()))
                raise _engine.wrong_input(
                    f"a hold gave {shape} in place of attention", f"it must give {tuple(attention.shape)}"
                )
            return held
        if self.how == "uniform":
            even = allowed.to(attention.dtype)
            return even / even.sum(-1, keepdim=True).clamp(min=1)
        examples, _, rows, places = attention.shape
        if self.how == "truth":
            if truth is None:
                raise _engine.wrong_input(
                    "attention cannot be held at the truth, which is not known",
                    "give intervening(truth=…), (examples, rows)",
                )
            truth = torch.as_tensor(truth, device=attention.device)
            if truth.dim() != 2 or truth.shape[0] != examples or truth.shape[1] not in (rows, rows - 1):
                raise _engine.wrong_input(
                    f"attention of {examples} examples and {rows} rows cannot be held at the truth of {tuple(truth.shape)}",
                    "that of the batch that goes through is given as intervening(truth=…), (examples, rows)",
                )
            if truth.numel() and not bool(((truth >= -1) & (truth < places)).all()):
                raise _engine.wrong_input(
                    f"truth has a place {_outside(truth, places)}, and attention has {places} places",
                    "places count from 0; -1 stands for none",
                )
            at = torch.nn.functional.pad(truth, (0, rows - truth.shape[1]), value=-1)[:, None, :, None]
        else:
            row = torch.arange(rows, device=attention.device)[None, None, :, None]
            at = (row - 1).clamp(min=0) if self.how == "previous" else torch.zeros_like(row)
        hot = (torch.arange(places, device=attention.device) == at).to(attention.dtype).expand(attention.shape)
        return torch.where((hot * allowed).sum(-1, keepdim=True) > 0, hot, attention)


def _outside(truth: Any, places: int) -> int:
    return int(truth[(truth < -1) | (truth >= places)].flatten()[0])


class Holds:
    """Several at once, as the plan of a Tap; of a site that two name, the later one counts. ``trained``: gradients will be asked for,
    so nothing may be computed again without the hold."""

    def __init__(self, holds: Sequence[Hold], truth: Any, trained: bool) -> None:
        self.holds, self.truth, self.trained = holds, truth, trained

    def keys(self) -> Any:
        return _Named({name for hold in self.holds for name in hold.sites})

    def __call__(self, key: Key, attention: Any, allowed: Any) -> Any:
        if self.trained and _checkpointed():
            raise _engine.wrong_input(
                f"attention of '{name_of(key)}' cannot be held: it is made in a checkpointed part of the model (torch.utils.checkpoint), "
                "which the backward pass computes again without the hold",
                "turn checkpointing off for as long as attention is held",
            )
        for hold in self.holds:
            if name_of(key) in hold.sites:
                attention = hold(name_of(key), attention, allowed, self.truth)
        return attention


class _Named:
    """Sites by their names."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def __contains__(self, key: Key) -> bool:
        return name_of(key) in self.names


def _checkpointed() -> bool:
    """Whether torch.utils.checkpoint has called what runs now."""
    frame = sys._getframe()
    of = needed("torch.utils.checkpoint", "torch").__file__
    while frame is not None and frame.f_code.co_filename != of:
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None


def require_no_truth(holds: Sequence[Hold], number: int) -> None:
    """Said before the updates that lead to a hold are done, not when it begins."""
    for hold in holds:
        if hold.how == "truth" and (hold.until is None or number < hold.until):
            raise _engine.wrong_input(
                f"attention is to be held at the truth from update {hold.start} on, and intervening() at update {number} is given none",
                "give that of the batch that goes through, before the hold begins, too: intervening(truth=…), (examples, rows)",
            )


def require_as_often(
    holds: Sequence[Hold], passes: Sequence[Mapping[str, int]], looked: Mapping[str, int], every_site: Collection[str]
) -> None:
    """Of a module that attends several times in a pass, as at each step of a loop, no more is known than was seen: a longer pass would
    be held in part, and of a shorter one something else might be."""
    for name in {site.rpartition("#")[0] or site for hold in holds for site in hold.sites}:
        module = "" if name == "model" and "" in looked else name
        known = looked.get(module, 0)
        alone = all((name if number == 1 else f"{name}#{number}") in every_site for number in range(1, known + 1))
        for times in (one.get(module, 0) for one in passes):
            if known and (times > known or (0 < times < known and not alone)):
                raise _engine.wrong_input(
                    f"'{name}' calls softmax or attention {times} times in this pass, and {known} times in what is looked at, so it is not known which "
                    "of them to hold",
                    f"observe a batch that is as long{'' if times > known else ', and train on such'}",
                )


def plan_of(holds: Sequence[Hold], truth: Any, trained: bool = False) -> Holds | None:
    return Holds(holds, truth, trained) if holds else None
