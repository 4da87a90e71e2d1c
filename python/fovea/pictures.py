"""What a person looks at: HTML for notebooks, text for terminals, figures with matplotlib."""

from __future__ import annotations

import base64
import html
import importlib
import math
import re
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from . import _engine

MOST_ROWS = 60


def needed(module: str, extra: str) -> Any:
    """A package that the caller may not have."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise _engine.failure(f"{module} is not installed", f"install it: pip install {extra}") from None


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
    """Weights in [0, 1] as an image, dark for high ones: a PNG of a pixel a cell, shown larger."""
    rows, columns = weights.shape
    shades = (255 - 255 * np.clip(np.nan_to_num(weights), 0, 1)).astype(np.uint8)
    lines = b"".join(b"\0" + row.tobytes() for row in shades)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
    style = f"width:{columns * cell}px;height:{rows * cell}px;image-rendering:pixelated;border:1px solid #ccc"
    return f'<img alt="attention" style="{style}" src="data:image/png;base64,{base64.b64encode(png).decode()}"/>'


def run_html(
    head: str, error: str, metrics: Mapping[str, float], series: Mapping[str, npt.NDArray[np.float64]], attention: str
) -> str:
    """A run: its last metrics with their courses, and its attention."""
    rows = "".join(
        f"<tr><td style='text-align:left'>{html.escape(name)}</td><td>{number(value)}</td><td>{sparkline(series[name])}</td></tr>"
        for name, value in metrics.items()
    )
    trouble = f"<div>{html.escape(error)}</div>" if error else ""
    return (
        f"<div><b>{html.escape(head)}</b>{trouble}"
        f"<div style='display:flex;gap:2em'><table>{rows}</table>{attention}</div></div>"
    )


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


def shaded(words: Sequence[str], weights: Sequence[float], shades: Sequence[float] | None = None) -> str:
    """Words on a ground that is the darker the more weight they have; ``shades``: how dark, from 0 to 1."""
    most = max([0.0, *weights]) or 1.0
    spans = (
        f"<span style='background:rgba(213,94,0,{max(shade, 0.0):.2f});padding:0 .15em' title='{weight:.3f}'>{html.escape(word)}</span>"
        for word, weight, shade in zip(words, weights, shades or [weight / most for weight in weights])
    )
    return " ".join(spans)


class Course(Protocol):
    """Series by name, with the steps of each."""

    def __contains__(self, name: object) -> bool: ...
    def __getitem__(self, name: str) -> npt.NDArray[np.float64]: ...
    def steps(self, name: str) -> npt.NDArray[np.int64]: ...


def plot(runs: Sequence[Course], telling: Iterable[str], metrics: Sequence[str], ax: Any) -> Any:
    """The series of runs over steps; if no ``metrics`` are named, the first of the ``telling`` ones."""
    pyplot = needed("matplotlib.pyplot", "matplotlib")
    if ax is None:
        ax = pyplot.subplots(layout="constrained")[1]
    if not metrics:
        every = list(dict.fromkeys(metric for metric in telling if not re.search(r"_\d+$", metric)))
        metrics = [m for m in ("accuracy", "attention_points_right") if m in every] or every[:4]
    for place, metric in enumerate(metrics):
        label: str | None = metric
        for series in runs:
            if metric in series:
                look = {"color": f"C{place}", "linewidth": 1.6 if len(runs) == 1 else 0.8, "label": label}
                steps, values = series.steps(metric), series[metric]
                if len(steps) == 1 and "_chance" in metric:  # of the batch, at every step
                    ax.axhline(values[0], linestyle="--", **look)
                else:
                    ax.plot(steps, values, marker="o" if len(steps) == 1 else None, **look)
                label = None
    ax.set_xlabel("step")
    if ax.lines:
        ax.legend()
    return ax
