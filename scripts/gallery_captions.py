"""Figures of the gallery with their captions, read from what the program writes into each file. For scripts/gallery.py."""

import html
import pathlib
import re

from peer_seeds import table

HERE = pathlib.Path(__file__).resolve().parent.parent
FIGURES = HERE / "docs" / "figures"
OF_QUICK_FORM = {
    "digits-additive",
    "feature-free",
    "glimpse-plain",
    "pooling-learned",
    "toy-phase",
}  # in docs/figures, without a number of runs
KINDS = {"lines": "lines", "curve": "points", "scatter": "points", "bars": "bars", "xy": "curves"}
MOST_CURVES = 12


def form_of(runs, experiment, kept):
    """The form that has this many runs, or nothing if both may have them."""
    full = {one["runs"] for one in kept}
    if not runs:
        return ""
    if runs not in full:
        return "quick" if full else ""
    return "full" if any(key.startswith("sweep.") for key in experiment.get("quick", {})) else ""


def rounded(value):
    """A number of a description to three digits; one with a power of ten as it is."""
    return value if "×" in value else f"{float(value.replace('−', '-')):.3g}".replace("-", "−")


def drawn(described):
    """What a figure's description says of its runs: (their number or None, a sentence, rows of the curves: label, first, last)."""
    lines = re.match(r"Lines over ([\w ]+), (\d+) runs?\.\s*(.*)", described)
    if not lines:
        runs = re.search(r"(\d+) runs", described)
        shown = (
            ""
            if described.startswith(("Bars", "Curves"))
            else re.sub(r", \d+ runs(?=:)|, one for each of \d+ runs", "", described)
        )
        return int(runs[1]) if runs else None, shown, []
    axis = {"step": "training step", "tau": "time τ"}.get(lines[1], lines[1])
    medians = re.findall(r"(.+?): median from (\S+) to (\S+?)\.(?:\s|$)", lines[3])
    rows = [[label, *map(rounded, ends)] for label, *ends in medians] if len(medians) <= MOST_CURVES else []
    return int(lines[2]), f"The horizontal axis is the {axis}.", rows


def described_by(file, experiment):
    """(the figure's table of the experiment's file, its title, its description) of a file of a figure."""
    svg = file.read_text()
    title, text = (html.unescape(re.search(rf"<{tag}[^>]*>([^<]*)", svg)[1]) for tag in ("title", "desc"))
    figures = experiment.get("figure", [{}])
    of_it = next((one for one in figures if one.get("title") == title), figures[0])
    return of_it, of_it.get("title", title), text


def curve_name(label, of_it):
    """A curve's label with the names of settings whose values are words: 'accuracy, truth' becomes 'accuracy, hold = truth'."""
    quantity = max((name for name in of_it.get("names", []) if label.startswith(name)), key=len, default=None)
    quantity = quantity or re.match(r"[^,]*(, as trained)?", label)[0]
    values = label[len(quantity) :].split(", ")[1:]
    keys = ["model" if key == "model.name" else key.split(".")[-1].replace("_", " ") for key in settings_of(of_it)]
    given = {value.split(" = ")[0] for value in values if " = " in value}
    left = [f"{key} = " for key in keys if key not in given]
    shown = [value if " = " in value else (left.pop(0) if left else "") + value for value in values]
    return ", ".join([quantity, *shown])


def settings_of(of_it):
    """The settings by which the curves of a figure differ."""
    return [key for key in [*of_it.get("by", []), *of_it.get("panels", [])] if key != "y"]


def size_text(runs, form, kept):
    """How many runs are drawn, and of how many if the full form has more."""
    if not runs:
        return ""
    of_full = {one["runs"] for one in kept} if form == "full" else set()
    if len(of_full) == 1 and runs < max(of_full):
        return f"{runs} of the {max(of_full)} runs"
    return f"{runs} run{'s' * (runs > 1)}"


def caption(file, form, experiment, kept):
    """What is drawn: title and note of the experiment's figure, the number of runs, and a table of how the curves begin and end."""
    of_it, title, described = described_by(file, experiment)
    runs, text, rows = drawn(described)
    form = form or form_of(runs, experiment, kept)
    named = f"{form} form" if form else "" if "quick" in experiment else "the same in both forms"
    size = ", ".join(filter(None, (size_text(runs, form, kept), named)))
    parts = [f"{title}.", size and f"{size[:1].upper()}{size[1:]}.", of_it.get("note", ""), text]
    lines = [f"*{' '.join(filter(None, parts))}*"]
    if rows:
        corpus = experiment.get("task", {}).get("corpus") if form == "quick" else None
        of_corpus = f" on `{corpus}`" if corpus else ""
        median = ". Each value is the median of the runs of its curve" if runs > 1 else ""
        rows = [[curve_name(label, of_it), *ends] for label, *ends in rows]
        lines += [
            f"First and last evaluation of {size}{of_corpus}{median}:",
            "\n".join(table(["curve", "first", "last"], rows)),
        ]
    return "\n\n".join(lines)


def alternative(file, experiment):
    """What a reader hears who does not see the figure, in one sentence."""
    of_it, title, _ = described_by(file, experiment)
    if described := of_it.get("description"):
        return described
    kind = KINDS.get(of_it.get("kind"))
    axis = of_it.get("x_label") or ("the training step" if of_it.get("kind") == "lines" and "x" not in of_it else "")
    drawn_over = f", drawn as {kind} over {axis}" if kind and axis else ""
    return f"{title}{drawn_over}".replace("[", "(").replace("]", ")")


def figure(name, experiment, kept):
    """The figure of the documents, else that of scripts/gallery_figures.py, of the full form if it has one; and its caption."""
    places = [(FIGURES / f"{name}.svg", "../figures", "quick" if name in OF_QUICK_FORM else "")]
    places += [
        (HERE / "docs" / "gallery" / "figures" / f"{name}.{form}.svg", "figures", form) for form in ("full", "quick")
    ]
    for file, folder, form in places:
        if file.exists():
            yield f"![{alternative(file, experiment)}]({folder}/{file.name})\n\n{caption(file, form, experiment, kept)}"
            return
    if "figure" in experiment:
        yield f"No figure of this experiment is kept. `fovea reproduce {name}` writes it to `report.html`."
