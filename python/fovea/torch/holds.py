"""Holds of attention, as a spec's interventions define them (docs/reference/interventions.md)."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _engine, checks
from ..pictures import needed
from .observed import Observed
from .rules import pattern_rows
from .scope import Key, Scope
from .sites import Tap, chosen, name_of

torch = needed("torch", "torch")

PATTERNS = tuple(_engine.attention_patterns())
ABLATED = "ablate"  # no pattern: all weights are 0, and so is what the head gives
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
            if how not in (*PATTERNS, ABLATED):
                raise _engine.wrong_input(f"attention cannot be held '{how}'", _engine.suggest_name(how, PATTERNS))
        elif not callable(how):
            raise checks.wrong_type(
                "how", how, f"{', '.join(map(repr, PATTERNS))} or a function of (attention, allowed)"
            )
        head = None if head is None else checks.whole("head", head, 1)
        return cls(how, frozenset(sites), start, until, head)

    def at(self, number: int) -> bool:
        return self.start <= number and (self.until is None or number < self.until)

    def table(self) -> dict[str, Any]:
        """Return it as the entry of a spec."""
        what = {"hold": self.how if isinstance(self.how, str) else "own", "of": sorted(self.sites)}
        table: dict[str, Any] = {
            **({"ablate": sorted(self.sites)} if self.how == ABLATED else what),
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
        """Require that a function gives weights as a softmax over the allowed positions does.

        Rows without an allowed position are not checked, because a softmax gives them any weights.

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
                    "each row must be at least 0, must be 0 if allowed is False, and must sum to 1",
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
        if self.how == ABLATED:
            return torch.zeros_like(attention)
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
                    "give the truth of the training's batch as intervening(truth=…), (examples, rows)",
                )
            if truth.numel() and not bool(((truth >= -1) & (truth < places)).all()):
                raise _engine.wrong_input(
                    f"truth has a position {_outside(truth, places)}, and attention has {places} positions",
                    "positions count from 0; -1 means none",
                )
            at = torch.nn.functional.pad(truth, (0, rows - truth.shape[1]), value=-1)[:, None, :, None]
            named = (torch.arange(places, device=attention.device) == at).to(attention.dtype)
        else:
            named = pattern_rows(self.how, attention, False)
        held = named * allowed
        total = held.sum(-1, keepdim=True)
        return torch.where(total > 0, held / total, attention)


def _outside(truth: Any, places: int) -> int:
    return int(truth[(truth < -1) | (truth >= places)].flatten()[0])


class HoldPlan:
    """Several holds at once, as the plan of a Tap; of a site that two name, the later one counts. ``trained``: gradients will be asked
    for, so nothing may be computed again without the hold."""

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
    """Return whether torch.utils.checkpoint called the running code."""
    frame = sys._getframe()
    of = needed("torch.utils.checkpoint", "torch").__file__
    while frame is not None and frame.f_code.co_filename != of:
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None


class HoldSchedule:
    """The holds of a training, by the number of the update.

    Parameters
    ----------
    observed : Observed
        The model with the sites.
    """

    def __init__(self, observed: Observed) -> None:
        self._observed = observed
        self._holds: list[Hold] = []
        self._before: list[dict[str, Any]] = []  # what was held by the training that is gone on with
        self._resumed_at = 0
        self._held = False  # a pass of this update was held

    def add(self, how: Any, sites: str | Sequence[str], start: int, until: int | None, head: int | None) -> None:
        """Hold attention of sites from an update on, or ablate heads."""
        start = checks.whole("start", start, 0)
        until = None if until is None else checks.whole("until", until)
        if until is not None and until <= start:
            raise _engine.wrong_input(f"until is {until}", f"it must be after start, which is {start}")
        heads = self._observed.heads
        names = set(chosen(list(heads), checks.texts("sites", sites, "blocks.1.*"), "sites"))
        made = Hold.of(how, names, start, until, head)
        fewest = min(names, key=heads.__getitem__)
        if made.head is not None and made.head > heads[fewest]:
            raise _engine.wrong_input(
                f"head {head} cannot be held: '{fewest}' has {heads[fewest]}", "heads count from 1"
            )
        self._holds.append(made)

    def _due(self, number: int) -> list[Hold]:
        return [hold for hold in self._holds if hold.at(number)]

    def plan(self, number: int, truth: Any) -> HoldPlan | None:
        """Return the interventions on attention of an evaluated batch at this update; None without any."""
        due = self._due(number)
        if not due or (truth is None and any(hold.how == "truth" for hold in due)):
            return None
        return HoldPlan(due, truth, False)

    @contextlib.contextmanager
    def within(self, number: int, truth: Any) -> Iterator[None]:
        """Hold attention in a pass of the training."""
        if truth is None:
            self._require_no_truth(number)
        due = self._due(number)
        if not due:
            yield
            return
        observed, plan = self._observed, HoldPlan(due, truth, torch.is_grad_enabled())
        with (
            observed.model.eagerly(),
            Scope(observed.model.names) as scope,
            Tap(scope, plan.keys(), None, plan, observed.every_shape) as tap,
        ):
            try:
                yield
            finally:
                self._held |= bool(tap.seen)
            self._require_as_often(due, scope.passes)

    def stepped(self, number: int) -> None:
        """Require that a pass of this update was under the hold, if there is one."""
        if not self._holds:
            return
        due = self._due(number)
        if due and not self._held:
            raise _engine.wrong_input(
                f"attention is to be held at update {number}, and none of {', '.join(sorted(due[0].sites)[:4])} was held before step()",
                "wrap the forward pass in watch.intervening(), in the thread that runs it",
            )
        self._held = False

    def tables(self) -> list[dict[str, Any]]:
        """Return the holds as a spec has them, with the holds before a resume that were not declared again."""
        said = [hold.table() for hold in self._holds]
        over = [one for one in self._before if one not in said and one["from"] < self._resumed_at]
        ended = ({**one, "until": min(one.get("until", self._resumed_at), self._resumed_at)} for one in over)
        return [*ended, *said]

    def go_on(self, before: Iterable[dict[str, Any]], number: int) -> None:
        """Go on from a checkpoint, at this update."""
        self._before, self._resumed_at = list(before), number

    def _require_no_truth(self, number: int) -> None:
        """Said before the updates that lead to a hold are done, not when it begins."""
        for hold in self._holds:
            if hold.how == "truth" and (hold.until is None or number < hold.until):
                raise _engine.wrong_input(
                    f"attention is to be held at the truth from update {hold.start} on, and intervening() at update {number} is given none",
                    "give the truth of the training's batch, also before the hold begins: intervening(truth=…), (examples, rows)",
                )

    def _require_as_often(self, due: Sequence[Hold], passes: Sequence[Mapping[str, int]]) -> None:
        """Require as many calls as in the evaluated pass, for a module that attends several times in a pass.

        A longer pass would be held in part. In a shorter one, another call might be held."""
        often, heads = self._observed.often, self._observed.heads
        for name in {site.rpartition("#")[0] or site for hold in due for site in hold.sites}:
            module = "" if name == "model" and "" in often else name
            known = often.get(module, 0)
            alone = all((name if number == 1 else f"{name}#{number}") in heads for number in range(1, known + 1))
            for times in (one.get(module, 0) for one in passes):
                if known and (times > known or (0 < times < known and not alone)):
                    raise _engine.wrong_input(
                        f"'{name}' calls softmax or attention {times} times in this pass, and {known} times in an evaluation, so it is not "
                        "clear which of them to hold",
                        f"observe a batch that is as long{'' if times > known else ', and train on such'}",
                    )
