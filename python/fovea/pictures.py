"""What a person looks at: HTML for notebooks, text for terminals, figures with matplotlib."""

from __future__ import annotations

import base64
import html
import importlib
import math
import re
import struct
import zlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _engine

if TYPE_CHECKING:
    from .runs import Run

MOST_ROWS = 60


def needed(module: str, extra: str) -> Any:
    """A package that the caller may not have."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise _engine.failure(f"{module} is not installed", f"pip install {extra}") from None


def number(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4g}"
    return "" if value is None else str(value)


def sparkline(values: npt.NDArray[np.float64], width: int = 120, height: int = 18) -> str:
    """A series as a small line, an SVG."""
    finite = values[np.isfinite(values)]
    if len(finite) < 2:
        return ""
    low, high = float(finite.min()), float(finite.max())
    span = high - low or 1.0
    x = np.linspace(1, width - 1, len(values))
    y = height - 1 - (values - low) / span * (height - 2)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y) if math.isfinite(b))
    return f'<svg width="{width}" height="{height}"><polyline fill="none" stroke="#d55e00" stroke-width="1.5" points="{points}"/></svg>'


def heat_map(weights: npt.NDArray[np.float32], cell: int = 5) -> str:
    """Weights in [0, 1] as an image, dark where they are high: a PNG of a pixel a cell, shown larger."""
    rows, columns = weights.shape
    shades = (255 - 255 * np.clip(np.nan_to_num(weights), 0, 1)).astype(np.uint8)
    lines = b"".join(b"\0" + row.tobytes() for row in shades)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    style = f"width:{columns * cell}px;height:{rows * cell}px;image-rendering:pixelated;border:1px solid #ccc"
    return f'<img alt="attention" style="{style}" src="data:image/png;base64,{base64.b64encode(png).decode()}"/>'


def run_html(run: Run) -> str:
    rows = "".join(
        f"<tr><td style='text-align:left'>{html.escape(name)}</td><td>{number(value)}</td><td>{sparkline(run.series[name])}</td></tr>"
        for name, value in run.metrics.items()
    )
    attention = ""
    if run.attention_steps:
        step = run.attention_steps[-1]
        caption = f"attention of one example at step {step}: {run._record.attention_axes}"
        attention = (
            f"<div>{heat_map(run.attention(step)[0])}<br/><small>{caption}</small>{_words_html(run, step)}</div>"
        )
    head = html.escape(repr(run)[1:-1])
    trouble = f"<div>{html.escape(run.error)}</div>" if run.error else ""
    return f"<div><b>{head}</b>{trouble}<div style='display:flex;gap:2em'><table>{rows}</table>{attention}</div></div>"


def _words_html(run: Run, step: int) -> str:
    """The words of the example whose attention is shown, of a run on texts: shaded where one row has it, else a row for each that asks."""
    source = run.arrays.get("attention_source")
    if not source or run.elsewhere or run._task is not None or "corpus" not in run.spec["task"]:
        return ""
    known = run.words
    rows = run.attention(step)[0]

    def spelled(name: str, words: list[str]) -> list[str]:
        looks = run.arrays.get(name, {})
        numbers = looks[max(looks)][0].astype(int).ravel() if looks else ()
        return [words[number] for number in numbers if 0 <= number < len(words)]

    words, asks = (
        spelled("attention_source", known.source),
        [""] if len(rows) == 1 else spelled("attention_target", known.target),
    )
    lines = (
        f"<tr><td><b>{html.escape(ask)}</b></td><td style='text-align:left'>{shaded(words, row[: len(words)].tolist())}</td></tr>"
        for ask, row in zip(asks, rows)
    )
    return f"<table>{''.join(lines)}</table>"


def table_text(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    shown = [list(heads), *([number(value) for value in row] for row in rows[:MOST_ROWS])]
    widths = [max(len(row[i]) for row in shown) for i in range(len(heads))]
    lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths)) for row in shown]
    return "\n".join(lines + _rest(rows))


def table_html(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    def line(kind: str, cells: Iterable[str]) -> str:
        return "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in cells) + "</tr>"

    body = "".join(line("td", map(number, row)) for row in rows[:MOST_ROWS])
    return f"<table>{line('th', heads)}{body}</table>" + "".join(
        f"<small>{html.escape(text)}</small>" for text in _rest(rows)
    )


def _rest(rows: Sequence[Sequence[Any]]) -> list[str]:
    return [f"and {len(rows) - MOST_ROWS} more"] if len(rows) > MOST_ROWS else []


def shaded(words: Sequence[str], weights: Sequence[float]) -> str:
    """Words on a ground that is the darker the more weight they have."""
    most = max([0.0, *weights]) or 1.0
    spans = (
        f"<span style='background:rgba(213,94,0,{max(weight, 0.0) / most:.2f});padding:0 .15em' title='{weight:.3f}'>{html.escape(word)}</span>"
        for word, weight in zip(words, weights)
    )
    return " ".join(spans)


def plot(runs: Sequence[Run], metrics: Sequence[str], ax: Any) -> Any:
    pyplot = needed("matplotlib.pyplot", "matplotlib")
    if ax is None:
        ax = pyplot.subplots(layout="constrained")[1]
    if not metrics:
        every = list(
            dict.fromkeys(
                metric for run in runs for metric in run._record.telling_metrics if not re.search(r"_\d+$", metric)
            )
        )
        metrics = [m for m in ("accuracy", "attention_accuracy") if m in every] or every[:4]
    for place, metric in enumerate(metrics):
        label: str | None = metric
        for run in runs:
            if metric in run.series:
                width = 1.6 if len(runs) == 1 else 0.8
                ax.plot(run.series.steps(metric), run.series[metric], color=f"C{place}", linewidth=width, label=label)
                label = None
    ax.set_xlabel("step")
    if ax.lines:
        ax.legend()
    return ax
