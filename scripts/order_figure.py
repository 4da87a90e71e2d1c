#!/usr/bin/env python3
"""Draws docs/figures/order.svg from the table of docs/reference/order-table.md: when each curve makes half of its rise.

    scripts/order_figure.py

Each row is a system and a measure: a filled point for knowledge and an open one for attention, over the step of a logarithmic axis.
"""

import math
import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
ROW = re.compile(r"\| `([\w-]+)`(, \w+)? \| (rank|size) \| 50 % \| (\d+) \| (\d+) \|")
LEFT, WIDTH, TOP, LINE, LARGEST = 190, 500, 50, 24, 300
INK = {"rank": "#2a6db0", "size": "#b5531c"}


def at(step):
    return LEFT + WIDTH * math.log(step) / math.log(LARGEST)


def mark(step, y, ink, filled):
    return f'<circle cx="{at(step):.1f}" cy="{y}" r="5" fill="{ink if filled else "#fff"}" stroke="{ink}" stroke-width="2"/>'


def figure(rows):
    bottom = TOP + LINE * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{bottom + 45}" viewBox="0 0 720 {bottom + 45}" '
        'font-family="DejaVu Sans, sans-serif" font-size="12" role="img" '
        'aria-label="Step at which knowledge and attention make half of their rise, by system and measure">',
        f'<rect width="720" height="{bottom + 45}" fill="#fff"/>',
        mark(1.4, 20, "#444", True) + f'<text x="{at(1.4) + 10:.1f}" y="24">knowledge</text>',
        mark(6, 20, "#444", False) + f'<text x="{at(6) + 10:.1f}" y="24">attention</text>',
    ]
    for step in (1, 3, 10, 30, 100, 300):
        lines.append(f'<path d="M{at(step):.1f} {TOP - 12}V{bottom}" stroke="#ddd"/>')
        lines.append(f'<text x="{at(step):.1f}" y="{bottom + 16}" text-anchor="middle">{step}</text>')
    lines.append(f'<text x="{LEFT + WIDTH / 2}" y="{bottom + 36}" text-anchor="middle">step at half of the rise</text>')
    for i, (system, form, measure, knowledge, attention) in enumerate(rows):
        y, ink = TOP + LINE * i, INK[measure]
        lines.append(f'<text x="8" y="{y + 4}" fill="{ink}">{system}{form or ""}: {measure}</text>')
        lines.append(
            f'<path d="M{at(int(knowledge)):.1f} {y}H{at(int(attention)):.1f}" stroke="{ink}" stroke-width="2"/>'
        )
        lines += [mark(int(knowledge), y, ink, True), mark(int(attention), y, ink, False)]
    return "\n".join([*lines, "</svg>"]) + "\n"


if __name__ == "__main__":
    rows = ROW.findall((DOCS / "reference" / "order-table.md").read_text())
    (DOCS / "figures" / "order.svg").write_text(figure(rows))
