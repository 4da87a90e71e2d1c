"""An evaluation of a model: its attention, and the numbers of the library's probes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..pictures import needed
from . import clock
from .audit import Audit
from .base_pass import Base, loss_of
from .clamps import Clamps
from .effects import Effects
from .measures import Measures, in_all
from .observed import Observed
from .own_probes import Measured, OwnProbes
from .scope import Key, Plan

torch = needed("torch", "torch")

Array = npt.NDArray[Any]


class Evaluator:
    """Measures a model at its sites, and changes nothing of it.

    Parameters
    ----------
    observed : Observed
    clamps : Clamps or None
        What measures β.
    audit : Audit or None
    keep : int
        Of how many examples maps are kept.
    probes : OwnProbes
        Probes in Python.
    effects : Effects or None
        What is measured in passes of its own.
    further : mapping
        What measures the same model on other batches, by their names.

    Attributes
    ----------
    parts : dict
        Seconds of the newest evaluation by their cause, within its price.
    """

    def __init__(
        self,
        observed: Observed,
        clamps: Clamps | None,
        audit: Audit | None,
        keep: int,
        probes: OwnProbes,
        effects: Effects | None = None,
        further: Mapping[str, Evaluator] | None = None,
    ) -> None:
        self.observed, self.clamps, self.audit, self.keep = observed, clamps, audit, keep
        self.probes, self._effects, self.further = probes, effects, further or {}
        self.parts: dict[str, float] = {}
        self._measures = Measures(observed.tokens)
        self._price: tuple[float, float] | None = None  # of the newest evaluation without β, and of a pass

    def base(self) -> Base:
        """Pass the batch through the model, as an evaluation needs it."""
        return self.observed.base(log=self.clamps is not None)

    def attention(self, base: Base, first: bool = False) -> Measured:
        """Measure attention; ``first``: describe rows and positions of the maps, too."""
        observed, answers = self.observed, base.answers.cpu().numpy()
        of_maps: dict[str, dict[str, float]] = {}
        arrays: list[tuple[str, Array]] = []
        for key in observed.sites:
            attention, allowed = (x.cpu().numpy() for x in (base.seen[key].attention.float(), base.seen[key].allowed))
            asked, truth = observed.asked(key, answers), observed.truth_at(key)
            for head in range(attention.shape[1]):
                one = np.ascontiguousarray(attention[:, head])
                numbers = self._measures.of_attention(one, allowed[:, head], asked, truth, first)
                of_maps[self.observed.suffix(key, head)] = numbers
                if observed.several:
                    arrays.append((f"attention.{self.observed.head_name(key, head)}", one[: self.keep]))
            if key == observed.last:
                arrays.insert(0, ("attention", attention[: self.keep].mean(1)))
        numbers = in_all(of_maps)
        numbers["loss"] = loss_of(answers)
        if observed.rungs:
            heights = np.array(list(observed.rungs.values()))
            numbers.update(observed.rungs, rung=float(np.abs(heights - numbers["loss"]).argmin()))
        if first:
            arrays += self._what_maps_are_over()
        return numbers, arrays

    def held(self, plan: Plan | None) -> tuple[Base | None, dict[str, float]]:
        """Pass the batch under a hold, and measure attention there; a pass under none is none."""
        if plan is None:
            return None, {}
        base = self.observed.base(plan)
        numbers, _ = self.attention(base)
        return base, _held({name: value for name, value in numbers.items() if name not in self.observed.rungs})

    def besides(self, base: Base, step: int, first: bool, plan_at: Callable[[Any], Plan | None]) -> Measured:
        """Measure effects and the further batches. ``plan_at(truth)`` is the plan of a batch with this truth."""
        numbers: dict[str, float] = {}
        arrays: list[tuple[str, Array]] = []
        if self._effects:
            numbers, arrays = self._effects.measure(base)
            self.parts.update(self._effects.seconds)
        start = clock.now()
        for name, one in self.further.items():
            its, kept = one._whole(step, first, plan_at)
            numbers.update({_on(name, key): value for key, value in its.items()})
            arrays += [(_on(name, key), values) for key, values in kept]
        if self.further:
            self.parts["batches"] = clock.now() - start
        return numbers, arrays

    def _whole(self, step: int, first: bool, plan_at: Callable[[Any], Plan | None]) -> Measured:
        """Measure a further batch."""
        base = self.base()
        if self.observed.diverged(base):
            return {"loss": float("nan")}, []
        numbers, arrays = self.attention(base, first)
        held, more = self.held(plan_at(self.observed.truth))
        its, kept = self.probed(base, held, step, {}, {**numbers, **more})
        return {**numbers, **more, **its}, [*arrays, *kept]

    def probed(
        self, base: Base, held: Base | None, step: int, beta: Mapping[Key, Array], taken: Mapping[str, float]
    ) -> Measured:
        """Call the probes in Python; under a hold a second time."""
        start = clock.now()
        numbers, arrays = self.probes.measure(self.observed, base, step, beta, taken)
        if held is not None:
            numbers.update(_held(self.probes.measure(self.observed, held, step, {}, taken)[0]))
        if self.probes:
            self.parts["probes"] = clock.now() - start
        return numbers, arrays

    def _what_maps_are_over(self) -> list[tuple[str, Array]]:
        arrays = []
        if self.observed.tokens is not None:
            arrays.append(("attention_source", self.observed.tokens[: self.keep]))
        truth = self.observed.truth_at(self.observed.last)
        if truth is not None:
            places = np.arange(self.observed.shapes[self.observed.last][3])
            arrays.append(("attention_truth", (truth[: self.keep, :, None] == places).astype(np.float32)))
        return arrays

    def beta(self, base: Base) -> dict[Key, Array]:
        """Measure β of the rows that were chosen, at every site."""
        assert self.clamps is not None
        beta = {key: np.full(shape, np.nan, np.float32) for key, shape in self.observed.shapes.items()}
        for key, values in beta.items():
            self.clamps.measure(base, key, values)
        return beta

    def agreement(self, base: Base, of_sites: Mapping[Key, Array]) -> Measured:
        """Compare α with β, of the rows that are measured at every evaluation."""
        assert self.clamps is not None
        observed = self.observed
        numbers: dict[str, float] = {}
        arrays: list[tuple[str, Array]] = []
        weighed: dict[str, list[tuple[float, int]]] = {}
        for key, beta in of_sites.items():
            attention, allowed = (x.cpu().numpy() for x in (base.seen[key].attention.float(), base.seen[key].allowed))
            chosen, truth = self.clamps.chosen(key), observed.truth_at(key)
            for head in range(beta.shape[1]):
                count = int((~np.isnan(beta[:, head]).all(-1) & chosen).sum())
                one = self._measures.of_beta(attention[:, head], beta[:, head], allowed[:, head], chosen, truth)
                for name, value in one.items():
                    weighed.setdefault(name, []).append((value, count))
                    if observed.several and not name.endswith("_chance"):
                        numbers[name + self.observed.suffix(key, head)] = value
                if observed.several and count:
                    arrays.append((f"beta.{self.observed.head_name(key, head)}", beta[: self.keep, head]))
            if key == observed.last:
                arrays.append(("attention_beta", beta[: self.keep].mean(1)))
        for name, values in weighed.items():
            numbers[name] = float(np.average([value for value, _ in values], weights=[count for _, count in values]))
        return numbers, arrays

    def gradients(self) -> dict[str, float]:
        """Return the norm of this update's gradient: of all parameters, and of those in the module of each site."""
        model, observed = self.observed.model, self.observed
        modules = {"": model.module}
        modules |= {
            f"_l{observed.numbers[key]}": module
            for key in observed.sites
            for module, its in model.names.items()
            if its == key[0]
        }
        norms = {}
        for suffix, module in modules.items():
            found = [p.grad.detach() for p in module.parameters() if p.grad is not None]
            if found:
                each = torch.stack([torch.linalg.vector_norm(one.float()).cpu() for one in found])
                norms[f"gradient{suffix}"] = float(each.norm())
        return norms

    # ---- what an evaluation takes

    def state_dict(self) -> dict[str, Any]:
        """Return the examples and rows of β, and the memory of the audit, for a checkpoint."""
        return {
            "measured": None if self.clamps is None else (self.clamps.examples, self.clamps.rows),
            "audit": torch.tensor(self.audit.memory() if self.audit else [], dtype=torch.float64),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue with the state of a checkpoint."""
        if self.clamps and state.get("measured"):
            self.clamps.examples, self.clamps.rows = state["measured"]
        if self.audit:
            self.audit.go_on(state["audit"].tolist() if "audit" in state else [])

    def price(self) -> tuple[float, float]:
        """Return the seconds of an evaluation without β, and of a pass. They are timed if they are not known yet."""
        if self._price is None:
            with self.observed.model.at_rest():
                one_pass = self._begin(self.base())
                self._price = min(clock.timed(self._trial) for _ in range(2)), one_pass
        return self._price

    def took(self, base: Base, seconds: float) -> None:
        """Note the time of an evaluation without β."""
        self._price = seconds, self._price[1] if self._price else self._begin(base)

    def took_more(self, seconds: float) -> None:
        """Note the additional time of the newest evaluation."""
        if self._price:
            self._price = self._price[0] + seconds, self._price[1]

    def prepare(self) -> None:
        """Find how β of each site is made at least cost."""
        if self.clamps and self.clamps.unprepared():
            with self.observed.model.at_rest():
                self.clamps.prepare_all(self.base())

    def _begin(self, base: Base) -> float:
        """Draw the rows of β, and return the seconds of a pass."""
        took = []
        for _ in range(2):
            start = clock.now()
            out = self.observed.model()
            took.append(clock.now() - start)
        if self.clamps:
            answers = base.answers.cpu().numpy()
            self.clamps.require_same(base, self.observed.answer(out))
            if not self.clamps.order:
                self.clamps.draw(base, {key: self.observed.asked(key, answers) for key in self.observed.sites})
        return min(took)

    def _trial(self) -> None:
        base = self.base()
        self.attention(base)
        if self._effects:
            self._effects.measure(base)
            self.parts.update(self._effects.seconds)
        if self.further:
            start = clock.now()
            for one in self.further.values():
                one._trial()
            self.parts["batches"] = clock.now() - start
        if self.audit:
            self.audit.trial(base, base.answers.cpu().numpy())


def _held(numbers: Mapping[str, float]) -> dict[str, float]:
    return {f"{name}_held": value for name, value in numbers.items()}


def _on(batch: str, name: str) -> str:
    """The name of a number or an array of a further batch. A head's name keeps its ending."""
    found = re.fullmatch(r"(\w+?)((?:_l\d+_h\d+)?(?:_held)?|\..*)", name)
    assert found is not None
    return f"{found[1]}_on_{batch}{found[2]}"
