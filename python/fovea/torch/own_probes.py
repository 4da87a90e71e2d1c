"""``fovea.Probe`` at an observed training: its three arguments there."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..pictures import needed
from ..probes import Probe, causes_shown, spec_names
from .base_pass import Base, loss_of
from .observed import Observed
from .scope import Key

torch = needed("torch", "torch")

Array = npt.NDArray[Any]
Measured = tuple[dict[str, float], list[tuple[str, Array]]]  # numbers and arrays, by their names


@dataclass(frozen=True)
class Batch:
    """The examples of an evaluation. What is not known of a batch of PyTorch's is None."""

    size: int
    source: Array | None  # tokens, (examples, positions)
    alignment: Array | None  # the truth, (examples, rows), -1 for none
    given: Any  # the inputs of the module
    target = labels = marked = items = lengths = keys = values = queries = answers = None


@dataclass(frozen=True)
class Outcome:
    """What the model made of them."""

    loss: float
    answer: Array  # log-probabilities, (examples, rows), NaN where nothing is asked
    attention: Array  # (examples, rows, positions), the mean over heads of the last site
    heads: dict[str, Array]  # by name, as "layer.1.head.2"
    beta: Array | None  # as attention, NaN where it was not measured
    output: Any  # of the module
    scores = answers = predictions = None


@dataclass(frozen=True)
class State:
    """The model that was evaluated."""

    step: int
    module: Any
    _parameters: list[dict[str, Array]] = field(default_factory=list)

    @property
    def parameters(self) -> dict[str, Array]:
        if not self._parameters:
            named = self.module.named_parameters()
            self._parameters.append({name: one.detach().float().cpu().numpy().copy() for name, one in named})
        return self._parameters[0]


class OwnProbes:
    """The probes in Python of a watch.

    Parameters
    ----------
    probes : fovea.Probe or iterable of fovea.Probe
    keep : int
        How many examples a probe of kept examples is shown.
    """

    def __init__(self, probes: Any, keep: int) -> None:
        alone = isinstance(probes, (str, Probe)) or not isinstance(probes, Iterable)
        given = [probes] if alone else list(probes)
        self.names = spec_names(given)
        library = [one for one in given if isinstance(one, str)]
        if library:
            raise _engine.wrong_input(
                f"probes has '{library[0]}', a probe of the library", "give a function: fovea.Probe(function)"
            )
        self._probes: list[Probe] = given
        self._keep = keep

    def __bool__(self) -> bool:
        return bool(self._probes)

    def measure(
        self, observed: Observed, base: Base, step: int, beta: Mapping[Key, Array], taken: Iterable[str] = ()
    ) -> Measured:
        """Return the measurements of the probes. One that asks for β measures at evaluations that have it.

        Parameters
        ----------
        observed : Observed
        base : Base
            The pass that is measured.
        step : int
        beta : mapping
            β of each site; empty if it was not measured.
        taken : iterable of str
            Names that have another meaning.
        """
        numbers: dict[str, float] = {}
        arrays: list[tuple[str, Array]] = []
        taken = set(taken)
        state = State(step, observed.model.module)
        for probe in self._probes:
            if probe.beta and not beta:
                continue
            start = time.perf_counter()
            examples = self._keep if probe.examples == "kept" else observed.examples
            its, kept, problem, remedy = probe._measure(
                _batch(observed, examples), _outcome(observed, base, beta if probe.beta else {}, examples), state, step
            )
            if not problem:
                clash = [name for name in its if name in taken or name.startswith("train_") or name.endswith("_held")]
                if clash:
                    problem = f"the probe '{probe.name}' measures '{clash[0]}', a name with another meaning"
                    remedy = "give the number another name"
            if problem:
                with causes_shown():
                    raise (_engine.wrong_input if step == 0 else _engine.failure)(problem, remedy)
            numbers.update(its)
            taken.update(its)
            arrays += kept.items()
            arrays.append((f"probe_seconds.{probe.name}", np.array([time.perf_counter() - start], np.float32)))
        return numbers, arrays


def _batch(observed: Observed, examples: int) -> Batch:
    tokens, truth = observed.tokens, observed.truth
    return Batch(
        min(examples, observed.examples),
        None if tokens is None else tokens[:examples].copy(),
        None if truth is None else truth[:examples].copy(),
        observed.model.batch,
    )


def _outcome(observed: Observed, base: Base, beta: Mapping[Key, Array], examples: int) -> Outcome:
    answer = base.answers.cpu().numpy()[:examples].copy()
    maps = {key: base.seen[key].attention.float().cpu().numpy()[:examples] for key in observed.sites}
    heads = {
        observed.head_name(key, head): maps[key][:, head].copy()
        for key in observed.sites
        for head in range(maps[key].shape[1])
    }
    of_last = beta.get(observed.last)
    return Outcome(
        loss_of(answer),
        answer,
        maps[observed.last].mean(1),
        heads,
        None if of_last is None else of_last[:examples].mean(1),
        base.output,
    )
