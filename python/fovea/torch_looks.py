"""One look at a model: what its attention is, and what the library's probes say of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine
from .observed import Measures, in_all
from .pictures import needed
from .torch_clamps import Answer, Base, asked_rows, of_rows
from .torch_model import Model
from .torch_sites import Key

torch = needed("torch", "torch")

Array = npt.NDArray[Any]


class Looks:
    """What a watch looks at, and how; ``_answers`` are those of the newest pass."""

    _model: Model
    _answer: Answer
    _sites: dict[Key, str]
    _shapes: dict[Key, tuple[int, ...]]
    _answers: Array
    _truth: Array | None
    _tokens: Array | None
    _measures: Measures
    _keep: int

    def _base(self, plan: Any = None, log: bool = False) -> Base:
        return Base(self._model, self._answer, list(self._sites), len(self._answers), plan, log)

    def _asked(self, key: Key) -> Array:
        return asked_rows(self._answers, self._shapes[key][2])

    def _truth_at(self, key: Key) -> Array | None:
        """Where a site's rows should look: known where its rows are those of the truth."""
        rows = self._shapes[key][2]
        if self._truth is None or not of_rows(self._truth.shape[1], rows):
            return None
        return np.pad(self._truth, ((0, 0), (0, rows - self._truth.shape[1])), constant_values=-1)

    def _suffix(self, number: int, head: int) -> str:
        return f"_l{number + 1}_h{head + 1}"

    def _measured(self, base: Base, first: bool) -> tuple[dict[str, float], list[tuple[str, Array]]]:
        self._answers = base.answers.cpu().numpy()
        of_maps: dict[str, dict[str, float]] = {}
        arrays: list[tuple[str, Array]] = []
        several = len(self._sites) > 1 or any(shape[1] > 1 for shape in self._shapes.values())
        for number, key in enumerate(self._sites):
            attention, allowed = (x.cpu().numpy() for x in (base.seen[key].attention.float(), base.seen[key].allowed))
            for head in range(attention.shape[1]):
                one = np.ascontiguousarray(attention[:, head])
                of_maps[self._suffix(number, head)] = self._measures.of_attention(
                    one, allowed[:, head], self._asked(key), self._truth_at(key), first
                )
                if several:
                    arrays.append((f"attention.layer.{number + 1}.head.{head + 1}", one[: self._keep]))
            if number + 1 == len(self._sites):
                arrays.insert(0, ("attention", attention[: self._keep].mean(1)))
        numbers = in_all(of_maps)
        numbers["loss"] = -float(np.nanmean(self._answers))
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
            arrays.append(("attention_truth", (truth[: self._keep, :, None] == np.arange(self._shapes[last][3])).astype(np.float32)))
        return arrays

    def _compared(self, base: Base, of_sites: Mapping[Key, Array]) -> tuple[dict[str, float], list[tuple[str, Array]]]:
        """α with β, where it was measured."""
        numbers: dict[str, float] = {}
        arrays: list[tuple[str, Array]] = []
        weighed: dict[str, list[tuple[float, int]]] = {}
        several = len(self._sites) > 1 or any(shape[1] > 1 for shape in self._shapes.values())
        for number, key in enumerate(self._sites):
            if key not in of_sites:
                continue
            attention, allowed = (x.cpu().numpy() for x in (base.seen[key].attention.float(), base.seen[key].allowed))
            beta, asked, truth = of_sites[key], self._asked(key), self._truth_at(key)
            for head in range(beta.shape[1]):
                count = int((~np.isnan(beta[:, head])).any(-1).sum())
                one = self._measures.of_beta(attention[:, head], beta[:, head], allowed[:, head], asked, truth)
                for name, value in one.items():
                    weighed.setdefault(name, []).append((value, count))
                    if several and not name.endswith("_chance"):
                        numbers[name + self._suffix(number, head)] = value
                if several and count:
                    arrays.append((f"beta.layer.{number + 1}.head.{head + 1}", beta[: self._keep, head]))
            if number + 1 == len(self._sites):
                arrays.append(("attention_beta", beta[: self._keep].mean(1)))
        for name, values in weighed.items():
            numbers[name] = float(np.average([value for value, _ in values], weights=[count for _, count in values]))
        return numbers, arrays


def truth_of(truth: Any, examples: int, shapes: Collection[tuple[int, ...]]) -> Array | None:
    """``shapes`` are those of the sites."""
    if truth is None:
        return None
    values = np.asarray(truth.detach().cpu() if isinstance(truth, torch.Tensor) else truth)
    if values.dtype.kind not in "iu" or values.ndim != 2 or len(values) != examples:
        raise _engine.wrong_input(
            f"truth has the shape {values.shape} and holds {values.dtype}",
            f"it must be whole numbers, ({examples}, rows): the place that each row should look at, -1 for none",
        )
    places = min([shape[3] for shape in shapes if of_rows(values.shape[1], shape[2])] or [shape[3] for shape in shapes])
    outside = values[(values < -1) | (values >= places)]
    if outside.size:
        raise _engine.wrong_input(f"truth has a place {outside[0]}, and attention has {places} places", "places count from 0; -1 stands for none")
    return values.astype(np.int64)
