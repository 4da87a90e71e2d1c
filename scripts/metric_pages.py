"""The index of metrics, and the metrics of each probe, read from the tables of docs/reference/metrics.md. For scripts/reference."""

import functools
import itertools
import pathlib
import re

from peer_seeds import table

HERE = pathlib.Path(__file__).resolve().parent.parent
PAGE = HERE / "docs" / "reference" / "metrics.md"
NAME = re.compile(r"`([^`]+)`")


def anchor(heading):
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


@functools.cache
def rows():
    """[(section, probe, cell of the metric, definition, range, chance)] of all tables."""
    found, section, probe = [], "", ""
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        cells = [cell.strip() for cell in line.split(" | ")] if line.startswith("| ") else []
        if len(cells) != 5 or cells[0] == "| probe" or not any(ch.isalnum() for ch in line):
            continue
        first = cells[0].removeprefix("|").strip()
        probe = first or probe
        found.append((section, probe, *cells[1:4], cells[4].removesuffix("|").strip()))
    return found


def probe_of(text):
    name = NAME.search(text)
    return name[1] if name else ""


def entries():
    """{name of a metric: (definition, range, chance, probe, section)}; a chance that is measured is a metric, too."""
    found = {}
    for section, probe, metric, definition, span, chance in rows():
        if metric.startswith("array"):
            continue
        for name in NAME.findall(metric):
            found.setdefault(name, []).append((definition, span, chance, probe, section))
    for section, probe, metric, _, span, chance in rows():
        first = NAME.search(metric)
        for name in NAME.findall(chance):
            if name not in found and re.fullmatch(r"\w+", name):
                found[name] = [(f"chance of `{first[1]}`", span.rstrip(" ↑↓"), "–", probe, section)]
    return found


def measured_by(probe):
    """Sentences on the metrics and arrays of a probe, with links to their definitions; empty if the page has none."""
    by_section, arrays = {}, []
    for section, owner, metric, *_ in rows():
        if probe_of(owner) != probe:
            continue
        if metric.startswith("array"):
            arrays.append(metric.removeprefix("array").removeprefix("s").strip())
        else:
            by_section.setdefault(section, []).append(metric)
    parts = [
        f"{', '.join(names)} ([definitions](metrics.md#{anchor(section)}))" for section, names in by_section.items()
    ]
    parts += [f"arrays {', '.join(arrays)} ([shapes](arrays.md))"] if arrays else []
    return f"Measures: {'; '.join(parts)}." if parts else ""


def own_link(probe):
    """The probe with a link to its settings; the tables of the page link its code."""
    name = probe_of(probe)
    return f"[`{name}`](probes.md#{anchor(name)})" if name else probe


def index_page(page):
    lists, letters = [], []
    ordered = sorted(entries().items(), key=lambda one: one[0].lower())
    for letter, group in itertools.groupby(ordered, key=lambda one: one[0][0].lower()):
        lines = [
            [
                f"[`{name}`](metrics.md#{anchor(section)})" + (f" ({probe_of(probe)})" if len(places) > 1 else ""),
                section,
                own_link(probe),
            ]
            for name, places in group
            for *_, probe, section in places
        ]
        letters.append(f"[{letter}](#{letter})")
        lists.append(f"## {letter}\n\n" + "\n".join(table(["metric", "section", "probe"], lines)))
    intro = (
        "Find here every metric in alphabetical order. The link of a name leads to its section of [metrics](metrics.md), which has its definition, "
        "range and chance. A name without a row, such as `steps_to_90`, is an [expression](expressions.md#over-the-steps-of-a-run) or a setting. A name that ends in `_chance` is in the column *chance* of its metric. A name that two probes have is in two rows, with the probe in brackets. To print the probes:\n\n```\nfovea list probes\n```"
    )
    endings = table(
        ["ending", "is"],
        [
            ["`_l1_h2`", "of head 2 in layer 1"],
            ["`_held`", "measured under a [hold](interventions.md#evaluation-under-a-hold)"],
            ["`_chance`", "the measured chance of the metric without this ending"],
            ["`_on_BATCH`", "on another batch of a [PyTorch training](observing.md#several-batches)"],
        ],
    )
    return page("Index of metrics", intro, "Endings of names:\n\n" + "\n".join(endings), " · ".join(letters), *lists)
