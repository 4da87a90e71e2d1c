"""The report of ``check_attention`` as a page of HTML, with its figure as SVG."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple, Optional

from .estimate import Estimate
from .shading import Shading

# A part of the figure: title, names with what was found of each, and what a guess would have.
Panel = tuple[str, list[tuple[str, Estimate]], Optional[Estimate]]

GUESS = "always the most frequent class"
_STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em }
svg { max-width: 100%; height: auto; display: block; margin: 1em 0; font-size: 13px }
svg text { fill: currentColor }
dt { font-weight: bold }
pre { overflow-x: auto; font-size: 13px }
h1 { font-size: 1.5em; line-height: 1.3 }
h2 { font-size: 1.1em }
"""
_TERMS = (
    ("a seed", "the number that a training's first weights and its order of texts are drawn from; the same training is made with several"),
    ("learned and uniform attention", "the model weighs the words of a text, and learns how; or it weighs all alike, and learns the rest"),
    ("single words", "a model without positions and neighbours of words. The logistic regression has one weight for each word and class, and more weight on words of few texts (TF-IDF)"),
    ("0.50 [0.45, 0.55]", "the measured value, and in brackets its 95 % interval. With other test texts of this kind and other seeds, 95 of 100 such intervals contain the true value"),
    ("0.33 (from 0.10 to 0.49)", "the mean over trainings, and the least and most of them"),
)  # fmt: skip
_SCALES = (0.02, 0.04, 0.1, 0.2, 0.4, 1.0)  # where a scale may end
_WIDTH, _NAMES, _ROW = 740, 300, 22  # of the figure, of the names in it, and the height of a row


class Report(NamedTuple):
    """The texts of the page, in order."""

    headline: str
    verdicts: Sequence[str]
    examples: Sequence[tuple[Shading, str]]
    warnings: Sequence[str]
    open: Sequence[str]
    panels: Sequence[Panel]
    sentences: Sequence[str]


def page(report: Report, verdict: str, document: str, title: str) -> str:
    head = html.escape(f"{title}: {verdict}" if title else verdict.capitalize())
    terms = "".join(f"<dt>{name}</dt><dd>{html.escape(says)}.</dd>" for name, says in _TERMS)
    read = f"<h2>How to read this</h2><dl>{terms}</dl>\n" if report.panels else ""
    of = f"<p>{html.escape(title)}</p>\n" if title else ""
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{head}</title><style>{_STYLE}</style>\n{of}{body(report)}\n{read}"
        f"<details><summary>All figures</summary><pre>{html.escape(document)}</pre></details>\n</html>\n"
    )


def body(report: Report) -> str:
    """What to do first, then examples, what to check and the figure; the sentences with numbers are folded."""
    examples = "".join(
        f"{shading._repr_html_()}<p><small>{html.escape(what)}.</small></p>" for shading, what in report.examples
    )
    parts = [
        f"<h1>{html.escape(report.headline)}</h1>",
        *(f"<p><b>{html.escape(line)}</b></p>" for line in report.verdicts),
        f"<h2>Attention on three texts</h2>{examples}" if examples else "",
        f"<h2>Check these</h2>{_items(report.warnings)}" if report.warnings else "",
        f"<h2>Open</h2>{_items(report.open)}" if report.open else "",
        figure(report.panels),
        f"<details{'' if report.panels else ' open'}><summary>In numbers</summary>{_items(report.sentences)}</details>",
    ]
    return "\n".join(part for part in parts if part)


def _items(of: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{html.escape(one)}</li>" for one in of) + "</ul>"


def figure(panels: Sequence[Panel]) -> str:
    """Points with their intervals, a row each, on scales from 0; empty if there was too little to train on."""
    parts: list[str] = []
    y = 0
    for title, rows, guess in panels:
        bottom = y + _ROW * (len(rows) + 1)
        most = (
            1.0
            if guess is not None
            else next(top for top in _SCALES if top >= min(1.0, max(value.high for _, value in rows)))
        )
        parts.append(f'<text x="{_NAMES}" y="{y + 14}" font-weight="bold">{html.escape(title)}</text>')
        for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
            at = _x(tick)
            parts.append(
                f'<line x1="{at}" x2="{at}" y1="{y + _ROW}" y2="{bottom}" stroke="currentColor" stroke-opacity="0.15"/>'
            )
            parts.append(f'<text x="{at}" y="{bottom + 14}" text-anchor="middle">{tick * most:g}</text>')
        for place, (name, value) in enumerate(rows):
            parts.append(_row(name, value, most, y + _ROW * (place + 1) + _ROW // 2))
        y = bottom + 2 * _ROW
        if guess is not None:
            at = _x(guess.mean)
            parts.append(
                f'<line x1="{at}" x2="{at}" y1="{bottom - _ROW * len(rows)}" y2="{bottom}" stroke="currentColor" stroke-dasharray="2 3"/>'
            )
            parts.append(f'<text x="{_NAMES}" y="{bottom + 32}">dotted: {GUESS}, {guess.mean:.3f}</text>')
            y += _ROW
    if not parts:
        return ""
    labels = "; ".join(f"{title}: " + ", ".join(f"{name} {value}" for name, value in rows) for title, rows, _ in panels)
    return f'<svg viewBox="0 0 {_WIDTH} {y}" role="img" aria-label="{html.escape(labels)}">{"".join(parts)}</svg>'


def _row(name: str, value: Estimate, most: float, y: int) -> str:
    low, mean, high = (_x(each / most) for each in (value.low, value.mean, value.high))
    return (
        f'<text x="{_NAMES - 12}" y="{y + 5}" text-anchor="end">{html.escape(name)}</text>'
        f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" stroke="#d55e00" stroke-width="2"/>'
        f'<circle cx="{mean}" cy="{y}" r="4" fill="#d55e00"><title>{value}</title></circle>'
    )


def _x(share: float) -> str:
    """The position of a share on the scale."""
    return f"{_NAMES + (_WIDTH - _NAMES - 20) * min(max(share, 0.0), 1.0):.1f}"
