"""The heads of a run: their maps side by side, and which of them does something most."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine, checks, pictures
from .series import SeriesTable

Array = npt.NDArray[np.float32]
MOST_TICKS = 16  # tokens of an axis that have room
MOST_PIXELS = 96  # of a map among those of other heads, in a notebook
LEADING = ("induction", "weight_on_previous", "weight_on_first", "attention_on_answer", "agreement")


@dataclass(frozen=True)
class Head:
    """One head with its value of a series. A ``HeadRanking`` lists them.

    Attributes
    ----------
    layer
        The layer, from 1.
    head
        The head in its layer, from 1.
    value
        The value of the series at the step of the ranking.
    arose
        The first step with half of the head's rise: value ≥ (first + largest) / 2, up to the step of the ranking. None if the
        largest value is the first, or is not above chance (the series ``METRIC_chance``).
    site
        The site of the head in an observed model, as ``watch.hold`` takes it; empty for other runs.

    Examples
    --------
    >>> import fovea
    >>> fovea.Head(layer=2, head=1, value=0.8, arose=120).arose
    120
    """

    layer: int
    head: int
    value: float
    arose: int | None
    site: str = ""


class HeadRanking(list[Head]):
    """A list of heads by the value of a series, the largest first. ``run.ranking`` makes it. It is printed as a table.

    Attributes
    ----------
    metric
        The name of the series.
    step
        The step at which values are taken.

    Examples
    --------
    >>> import fovea
    >>> run = fovea.run("markov-icl", quick=True, steps=20, keep=False)
    >>> ranking = run.ranking("weight_on_previous")
    >>> ranking[0].value >= ranking[-1].value, ranking.metric, ranking.step
    (True, 'weight_on_previous', 20)
    """

    def __init__(self, metric: str, step: int, heads: Iterable[Head]) -> None:
        super().__init__(heads)
        self.metric = metric
        self.step = step

    def _table(self) -> tuple[list[str], list[list[Any]]]:
        rows = [[one.layer, one.head, one.value, "–" if one.arose is None else one.arose, one.site] for one in self]
        names = ["layer", "head", f"{self.metric} at step {self.step}", "half of its rise at step", "site"]
        across = len(names) if any(one.site for one in self) else -1
        return names[:across], [row[:across] for row in rows]

    def __repr__(self) -> str:
        return pictures.table_text(*self._table())

    def _repr_html_(self) -> str:
        return pictures.table_html(*self._table())


def sites_of(spec: Mapping[str, Any]) -> dict[int, str]:
    """Return the sites of an observed model by their numbers, from the spec of its run."""
    model = spec.get("model", {})
    names = model.get("sites")  # of observed models alone
    return {} if names is None else dict(zip(model.get("layers", range(1, len(names) + 1)), names))


def _of_heads(series: Iterable[str]) -> dict[str, dict[tuple[int, int], str]]:
    """The series of single heads, ``METRIC_lL_hH`` or ``METRIC_lL_hH_held``: by the metric (``METRIC``, ``METRIC_held``), layer and head."""
    found: dict[str, dict[tuple[int, int], str]] = {}
    for one in series:
        if match := re.fullmatch(r"(\w+)_l(\d+)_h(\d+)(_held)?", one):
            found.setdefault(match[1] + (match[4] or ""), {})[int(match[2]), int(match[3])] = one
    return found


def rank_heads(
    series: SeriesTable, metric: str, step: int | None, name: str, sites: Mapping[int, str] | None = None
) -> HeadRanking:
    """Rank the heads of a run by a series of each; ``name`` is the name of the run, for errors."""
    known = _of_heads(series)
    found = known.get(metric)
    if not found:
        remedy = (
            checks.suggestion(metric, list(known), "list(run.series)")
            if known
            else "a model with several heads has such series"
        )
        raise _engine.wrong_input(f"{name} has no '{metric}' of single heads", remedy)
    newest = max(int(series.steps(one)[-1]) for one in found.values())
    step = newest if step is None else step
    chance = _chance(series, metric)
    heads = []
    for (layer, head), one in found.items():
        steps, values = series.steps(one), series[one]
        until = int((steps <= step).sum())
        if until == 0:
            raise _engine.wrong_input(f"{name} has no '{one}' at step {step}", f"the first is at step {int(steps[0])}")
        values = values[:until]
        site = (sites or {}).get(layer, "")
        heads.append(Head(layer, head, float(values[-1]), _arose(steps[:until], values, chance), site))
    heads.sort(key=lambda one: (-np.nan_to_num(one.value, nan=-np.inf), one.layer, one.head))
    return HeadRanking(metric, step, heads)


def _arose(steps: npt.NDArray[np.int64], values: npt.NDArray[np.float64], chance: float) -> int | None:
    """The first step with half of the rise from the first value to the largest; None without a rise above chance."""
    there = ~np.isnan(values)
    steps, values = steps[there], values[there]
    if len(values) == 0 or values.max() <= max(values[0], chance):
        return None
    return int(steps[np.argmax(values >= (values[0] + values.max()) / 2)])


def _chance(series: SeriesTable, metric: str) -> float:
    """The value of a metric under uniform attention, of the same batch; -inf if the run has none."""
    metric = metric.removesuffix("_held")
    name, _, batch = metric.rpartition("_on_")
    known = [one for one in (f"{metric}_chance", f"{name}_chance_on_{batch}") if one in series]
    return float(series[known[0]][-1]) if known else -np.inf


def maps_of(
    arrays: Mapping[str, Mapping[int, Array]], step: int | None, name: str, batch: str | None = None
) -> tuple[int, dict[tuple[int, int], Array]]:
    """Return the step and the map of each head, by layer and head, from 1; a run with one map has it as layer 1, head 1.

    ``batch`` names a further batch of an observed training."""
    kind = "attention" if batch is None else f"attention_on_{batch}"
    if batch is not None and kind not in arrays:
        others = [one.removeprefix("attention_on_") for one in arrays if re.fullmatch(r"attention_on_\w+", one)]
        remedy = _engine.suggest_name(batch, others) if others else "fovea.observe(batches=…) evaluates several"
        raise _engine.wrong_input(f"{name} has no attention on a batch '{batch}'", remedy)
    kept = {
        (int(match[1]), int(match[2])): looks
        for one, looks in arrays.items()
        if (match := re.fullmatch(rf"{re.escape(kind)}\.layer\.(\d+)\.head\.(\d+)", one))
    } or {(1, 1): arrays.get(kind, {})}
    steps = sorted({one for looks in kept.values() for one in looks})
    if not steps:
        raise _engine.wrong_input(
            f"{name} has no attention kept",
            "its model may not attend; probe.keep is the number of examples that it is kept for",
        )
    step = steps[-1] if step is None else step
    if step not in steps:
        nearest = min(steps, key=lambda other: abs(other - step))
        raise _engine.wrong_input(
            f"{name} has no attention kept at step {step}", f"the nearest is step {nearest}; see attention_steps"
        )
    return step, {place: looks[step] for place, looks in kept.items() if step in looks}


def draw_heads(
    step: int,
    maps: dict[tuple[int, int], Array],
    example: int,
    columns: Sequence[str],
    rows: Sequence[str],
    figure: Any,
) -> Any:
    """Draw the maps of an example, a row of the figure for each layer, with the content of the positions."""
    pyplot = pictures.needed("matplotlib.pyplot", "matplotlib")
    layers = sorted({layer for layer, _ in maps})
    across = max(head for _, head in maps)
    if figure is None:
        figure = pyplot.figure(figsize=(1 + 2.4 * across, 0.6 + 2.4 * len(layers)), layout="constrained")
    axes = figure.subplots(len(layers), across, squeeze=False)
    for row, layer in enumerate(layers):
        for column in range(across):
            ax, values = axes[row][column], maps.get((layer, column + 1))
            if values is None:
                ax.set_visible(False)
                continue
            ax.imshow(values[example], cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
            ax.set_title(f"layer {layer}, head {column + 1}", fontsize="small")
            for axis, words, count in ((ax.xaxis, columns, values.shape[2]), (ax.yaxis, rows, values.shape[1])):
                if len(words) >= count:
                    every = -(-count // MOST_TICKS)
                    axis.set_ticks(range(0, count, every), words[:count:every], fontsize=6)
            ax.tick_params(axis="x", rotation=90)
            ax.set_xlabel("position (key)", fontsize="x-small")
            ax.set_ylabel("row (query)", fontsize="x-small")
    figure.suptitle(f"attention of example {example} at step {step}", fontsize="medium")
    return figure


def leaders(series: SeriesTable) -> list[str]:
    """Return a line for each of a few measures: the head that ranks first in it."""
    lines = []
    for metric in (one for one in LEADING if one in _of_heads(series)):
        first = rank_heads(series, metric, None, "")[0]
        since = "" if first.arose is None else f", half of its rise at step {first.arose}"
        lines.append(f"{metric}: layer {first.layer}, head {first.head} has the most, {first.value:.2f}{since}")
    return lines


def heads_html(arrays: Mapping[str, Mapping[int, Array]], step: int, series: SeriesTable) -> str:
    """Return the map of each head as a table, a row for each layer, with the leaders below; nothing of a run with one map."""
    rows, (_, maps) = "", maps_of(arrays, step, "the run")
    if len(maps) < 2:
        return ""
    for layer in sorted({layer for layer, _ in maps}):
        cells = ""
        for head in sorted(head for its, head in maps if its == layer):
            values = maps[layer, head]
            cell = max(1, min(5, MOST_PIXELS // max(values.shape[1:])))
            cells += f"<td>{pictures.heat_map(values[0], cell)}<br/><small>layer {layer}, head {head}</small></td>"
        rows += f"<tr>{cells}</tr>"
    return f"<table>{rows}</table>" + "".join(f"<small>{html.escape(line)}</small><br/>" for line in leaders(series))


def tokens_of(looks: Mapping[int, Array] | None, example: int, words: Sequence[str]) -> list[str]:
    """Return the tokens of an example at its last evaluation, as words if they have any."""
    numbers = looks[max(looks)][example].astype(int).ravel().tolist() if looks else []
    return [words[number] if 0 <= number < len(words) else str(number) for number in numbers]


def require_example(example: Any, examples: int) -> int:
    """Require an example that is kept."""
    which = checks.whole("example", example, 0)
    if which >= examples:
        raise _engine.wrong_input(f"example is {which}, and {examples} are kept", "examples count from 0")
    return which
