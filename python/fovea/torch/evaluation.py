"""One look at a model: what its attention is, and what the library's probes say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..notices import teller
from ..pictures import needed
from .assumptions import Assumptions
from .clamps import Answer, Base, Clamps, asked_rows, of_rows, timed
from .measures import Course, Measures, in_all
from .model import Model
from .sites import Key, Seen

torch = needed("torch", "torch")

from torch.overrides import TorchFunctionMode  # noqa: E402

Array = npt.NDArray[Any]
BACKWARD = 3  # an update costs about as much as so many passes forward


class Looks:
    """What a watch looks at, and how; ``_answers`` are those of the newest pass."""

    _model: Model
    _answer: Answer
    _sites: dict[Key, str]
    _shapes: dict[Key, tuple[int, ...]]
    _numbers: dict[Key, int]  # of each site, from 1
    _real: dict[Key, Array]  # (examples, rows) that are no padding
    _answers: Array
    _truth: Array | None
    _rungs: dict[str, float]  # heights by their series
    _tokens: Array | None
    _table: Any  # the weights that the tokens are looked up in
    _measures: Measures
    _clamps: Clamps | None
    _heads: str
    _keep: int
    _wants_audit: bool
    _audit: Assumptions | None
    _audit_memory: list[float]  # of a watch that goes on
    _priced: tuple[float, float] | None
    _updates: list[float]
    _course: Course
    _given: dict[str, Any]  # what the training said of the newest update
    _told_of_no_gradient: bool
    number: int

    def _base(self, plan: Any = None, log: bool = False) -> Base:
        return Base(self._model, self._answer, list(self._sites), len(self._answers), plan, log)

    def _asked(self, key: Key) -> Array:
        rows = self._shapes[key][2]
        asked = asked_rows(self._answers, rows)
        return asked if of_rows(self._answers.shape[1], rows) else asked & self._real[key]

    def _truth_at(self, key: Key) -> Array | None:
        """Where a site's rows should look: known where its rows are those of the truth."""
        rows = self._shapes[key][2]
        if self._truth is None or not of_rows(self._truth.shape[1], rows):
            return None
        return np.pad(self._truth, ((0, 0), (0, rows - self._truth.shape[1])), constant_values=-1)

    def _suffix(self, key: Key, head: int) -> str:
        return f"_l{self._numbers[key]}_h{head + 1}"

    def _measured(self, base: Base, first: bool) -> tuple[dict[str, float], list[tuple[str, Array]]]:
        self._answers = base.answers.cpu().numpy()
        of_maps: dict[str, dict[str, float]] = {}
        arrays: list[tuple[str, Array]] = []
        several = len(self._sites) > 1 or any(shape[1] > 1 for shape in self._shapes.values())
        for key in self._sites:
            attention, allowed = (x.cpu().numpy() for x in (base.seen[key].attention.float(), base.seen[key].allowed))
            for head in range(attention.shape[1]):
                one = np.ascontiguousarray(attention[:, head])
                of_maps[self._suffix(key, head)] = self._measures.of_attention(
                    one, allowed[:, head], self._asked(key), self._truth_at(key), first
                )
                if several:
                    arrays.append((f"attention.layer.{self._numbers[key]}.head.{head + 1}", one[: self._keep]))
            if key == list(self._sites)[-1]:
                arrays.insert(0, ("attention", attention[: self._keep].mean(1)))
        numbers = in_all(of_maps)
        numbers["loss"] = -float(np.nanmean(self._answers))
        if self._rungs:
            heights = list(self._rungs.values())
            numbers.update(self._rungs, rung=float(np.abs(np.array(heights) - numbers["loss"]).argmin()))
        if first:
            arrays += self._what_is_looked_at()
        return numbers, arrays

    def _what_is_looked_at(self) -> list[tuple[str, Array]]:
        arrays = []
        if self._tokens is not None:
            arrays.append(("attention_source", self._tokens[: self._keep]))
        last = list(self._sites)[-1]
        truth = self._truth_at(last)
        if truth is not None:
            arrays.append(
                (
                    "attention_truth",
                    (truth[: self._keep, :, None] == np.arange(self._shapes[last][3])).astype(np.float32),
                )
            )
        return arrays

    def _compared(self, base: Base, of_sites: Mapping[Key, Array]) -> tuple[dict[str, float], list[tuple[str, Array]]]:
        """α with β, of the rows that are measured at every evaluation."""
        assert self._clamps is not None
        numbers: dict[str, float] = {}
        arrays: list[tuple[str, Array]] = []
        weighed: dict[str, list[tuple[float, int]]] = {}
        several = len(self._sites) > 1 or any(shape[1] > 1 for shape in self._shapes.values())
        for key in self._sites:
            if key not in of_sites:
                continue
            attention, allowed = (x.cpu().numpy() for x in (base.seen[key].attention.float(), base.seen[key].allowed))
            beta, chosen, truth = of_sites[key], self._clamps.chosen(key), self._truth_at(key)
            for head in range(beta.shape[1]):
                count = int((~np.isnan(beta[:, head]).all(-1) & chosen).sum())
                one = self._measures.of_beta(attention[:, head], beta[:, head], allowed[:, head], chosen, truth)
                for name, value in one.items():
                    weighed.setdefault(name, []).append((value, count))
                    if several and not name.endswith("_chance"):
                        numbers[name + self._suffix(key, head)] = value
                if several and count:
                    arrays.append((f"beta.layer.{self._numbers[key]}.head.{head + 1}", beta[: self._keep, head]))
            if key == list(self._sites)[-1]:
                arrays.append(("attention_beta", beta[: self._keep].mean(1)))
        for name, values in weighed.items():
            numbers[name] = float(np.average([value for value, _ in values], weights=[count for _, count in values]))
        return numbers, arrays

    def _gradients(self) -> dict[str, float]:
        """How long the gradient of this update is: of all parameters, and of those in the module of each site."""
        modules = {"": self._model.module}
        modules |= {
            f"_l{self._numbers[key]}": module
            for key in self._sites
            for module, its in self._model.names.items()
            if its == key[0]
        }
        norms = {}
        for suffix, module in modules.items():
            found = [p.grad.detach() for p in module.parameters() if p.grad is not None]
            if found:
                norms[f"gradient{suffix}"] = float(
                    torch.stack([torch.linalg.vector_norm(one.float()).cpu() for one in found]).norm()
                )
        return norms

    def _told_of_update(self, last: bool) -> None:
        for name, value in self._given.items():
            self._course.number(
                self.number, f"train_{name}", float(value.detach() if isinstance(value, torch.Tensor) else value)
            )
        norms = {} if last else self._gradients()
        if not norms and not last and not self._told_of_no_gradient:
            self._told_of_no_gradient = True
            teller()(
                f"at update {self.number} step() found no gradient, so its norm is not kept. Call it after backward(), before zero_grad()"
            )
        for name, norm in norms.items():
            self._course.number(self.number, name, norm)

    def _plain_look(self) -> None:
        """All that a look does but for β, to be timed."""
        base = self._base(log=self._clamps is not None)
        self._measured(base, False)
        if self._wants_audit:
            self._audited(self._assumptions(base), base, 0, True, {})

    # ---- what a look takes

    def _update(self) -> tuple[float, bool]:
        if len(self._updates) >= 3:
            return float(np.median(self._updates)), True
        return BACKWARD * self._price()[1], False

    def _price(self) -> tuple[float, float]:
        """Of a look without β, and of a pass: what is not known yet is timed."""
        if self._priced is None:
            with self._model.at_rest():
                one_pass = self._prepared(self._base(log=self._clamps is not None))
                self._priced = min(timed(self._plain_look) for _ in range(2)), one_pass
        return self._priced

    def _prepared(self, base: Base) -> float:
        """Seconds of a pass; and it is found how β of each site is made at least cost."""
        if self._clamps and not self._clamps.order:
            self._clamps.draw(base, {key: self._asked(key) for key in self._sites})
        for key in self._sites:
            if self._clamps and (key in self._clamps.unsure or key not in self._clamps.ways):
                self._clamps.prepare(base, key)
        return min(timed(self._model) for _ in range(2))

    # ---- the audit, of the last site

    def _followed(self, base: Base) -> Assumptions:
        if self._audit is None:
            self._audit = self._assumptions(base)
            if self._audit_memory:
                self._audit.of_rows.remember(self._audit_memory)
        return self._audit

    def _assumptions(self, base: Base) -> Assumptions:
        key, heads = list(self._sites)[-1], slice(1) if self._heads == "all" else slice(None)
        allowed, asked = base.seen[key].allowed.cpu().numpy()[:, heads], self._asked(key)
        if self._clamps:
            order: Any = [
                (e, head, rows[turn])
                for turn in range(self._clamps.most(key))
                for e, rows in enumerate(self._clamps.order[key])
                if turn < len(rows)
                for head in range(self._clamps.heads[key])
            ]
        else:
            order = np.argwhere((allowed.sum(-1) >= 2) & asked[:, None])
        return Assumptions(np.array(order, int).reshape(-1, 3), allowed, asked, self._truth_at(key))

    def _audited(
        self, audit: Assumptions, base: Base, step: int, first: bool, beta: Mapping[Key, Array]
    ) -> dict[str, float]:
        key = list(self._sites)[-1]
        attention, said = base.seen[key].attention.float().cpu().numpy(), beta.get(key)
        if self._heads == "all":
            attention, said = attention.mean(1, keepdims=True), None if said is None else said[:, :1]
        numbers = audit.look(step, first, attention, said)
        states = states_of(base.seen[key])
        if states is not None and self._tokens is not None and self._tokens.shape == states.shape[:2]:
            table = None if self._table is None else self._table.detach().float().cpu().numpy()
            numbers.update(audit.look_at_states(self._tokens, states, table))
        return numbers


def states_of(seen: Seen) -> Array | None:
    """(examples, places, width) that a site looks over: the last that its module is called with, as keys and values come last."""
    if seen.within is None:
        return None
    module, given = seen.within
    examples, _, _, places = seen.attention.shape
    layouts = [((examples, places), False), ((places, examples), True)]
    if not getattr(module, "batch_first", True):
        layouts.reverse()
    for one in reversed(given):
        if not isinstance(one, torch.Tensor) or one.dim() != 3 or not one.is_floating_point():
            continue
        turned = next((turned for shape, turned in layouts if tuple(one.shape[:2]) == shape), None)
        if turned is not None:
            return np.ascontiguousarray((one.transpose(0, 1) if turned else one).detach().float().cpu().numpy())
    return None


def real_rows(seen: Seen) -> Array:
    """(examples, rows) of a site that are no padding: where places look at one another, those that some row may look at."""
    allowed = seen.allowed
    examples, _, rows, places = allowed.shape
    itself = rows == places and _looks_at_itself(seen)
    real: Array = allowed.any(1).any(1).cpu().numpy() if itself else np.ones((examples, rows), bool)
    return real


def _looks_at_itself(seen: Seen) -> bool:
    """Whether its module is called with one sequence: queries that are the keys, or nothing else of such a shape."""
    if seen.within is None:
        return False
    sequences = [
        one for one in seen.within[1] if isinstance(one, torch.Tensor) and one.dim() == 3 and one.is_floating_point()
    ]
    return len({id(one) for one in sequences}) == 1


class LookedUp(TorchFunctionMode):  # type: ignore[misc]
    """Each table that something is looked up in within, and for what."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[Any, Any]] = []

    def __torch_function__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.nn.functional.embedding:
            ids, table = (*args, *(kwargs or {}).values())[:2]
            self.found.append((table, ids))
        return func(*args, **(kwargs or {}))


def words_of(asked: list[tuple[Any, Any]], tensors: list[Any], examples: int) -> tuple[Any, Any]:
    """The one of a batch's tensors that holds words, and the table that they were looked up in first. Where nothing is looked up, it
    is the only one that there is."""
    whole = [
        one
        for one in tensors
        if not one.is_floating_point() and one.dtype != torch.bool and one.dim() == 2 and one.size(0) == examples
    ]
    for table, ids in asked:
        for one in whole:
            if isinstance(ids, torch.Tensor) and ids.shape == one.shape and bool((ids.cpu() == one.cpu()).all()):
                return one, table
    return (whole[0] if len(tensors) == len(whole) == 1 else None), None
