"""One example of each task with its answer, drawn by the library. For scripts/reference."""

import functools
import json
import pathlib

import numpy as np
import tomllib

import fovea

HERE = pathlib.Path(__file__).resolve().parent
SEED = 1
MODELS = {"labels": "unigram-gate", "streams": "transformer", "vectors": "pooling"}  # for tasks that no experiment has
OWN_MODELS = {"placed-digit": "glimpse"}  # its first experiment has patches
ARRAYS = ("source", "target", "labels", "marked", "items", "keys", "values", "queries", "answers")


@functools.cache
def chosen():
    """{task: (kind of its examples, settings)}."""
    kinds = tomllib.loads((HERE / "task_examples.toml").read_text())
    return {name: (kind, settings) for kind, tasks in kinds.items() for name, settings in tasks.items()}


@functools.cache
def models():
    """{task: the model of its first experiment}."""
    found = {}
    for file in sorted((HERE.parent / "experiments").glob("*.toml")):
        experiment = tomllib.loads(file.read_text())
        found.setdefault(experiment["task"]["name"], experiment["model"]["name"])
    return found | OWN_MODELS


def drawn(name):
    """(arrays of a few validation examples, names of words and classes) of a task."""
    kind, settings = chosen()[name]
    arrays = {}

    def look(batch, outcome, model):
        found = {one: getattr(batch, one) for one in ARRAYS}
        arrays.update({one: array for one, array in found.items() if array is not None})
        return {}

    model = models().get(name, MODELS.get(kind))
    spec = {
        "task": {"name": name, **settings},
        "model": {"name": model},
        "train": {"steps": 1},
        "probe": {"examples": 8 if kind == "labels" else 3},
    }
    run = fovea.run(spec, seed=SEED, keep=False, probes=[fovea.Probe(look, examples="same")])
    return arrays, run.words


def example(name):
    """The example as Markdown."""
    kind = chosen()[name][0]
    arrays, words = drawn(name)
    if kind != "labels":  # which shows an example of each of two classes
        shared = "keys" in arrays and arrays["keys"].ndim == 2  # one set of points, which every example has
        arrays = arrays if shared else {one: array[0] for one, array in arrays.items()}
    settings = ", ".join(f"`{key} = {json.dumps(value)}`" for key, value in chosen()[name][1].items())
    lines = "\n".join(SHOWN[kind](arrays, words))
    return f"Example{' with ' if settings else ''}{settings}:\n\n```text\n{lines}\n```"


def texts(tokens, names):
    return [names[one] if one < len(names) else str(one) for one in tokens if one >= 0]


def columns(rows):
    """Rows of cells, one under the other; at most as many cells as a line of 96 characters has."""
    width = [max(len(cell) for cell in cells) for cells in zip(*(cells for _, cells in rows))]
    first = max(len(name) for name, _ in rows)
    starts, used = [0], first
    for place, one in enumerate(width):
        used += one + 1
        if used > 96:
            starts, used = [*starts, place], first + one + 1
    for begin, end in zip(starts, [*starts[1:], len(width)]):
        if begin:
            yield ""
        for name, cells in rows:
            yield f"{name:{first}} " + " ".join(f"{cell:>{w}}" for cell, w in zip(cells[begin:end], width[begin:end]))


def labelled(arrays, words):
    for label in dict.fromkeys(arrays["labels"].tolist()):
        place = arrays["labels"].tolist().index(label)
        yield f"{' '.join(texts(arrays['source'][place], words.source))} -> {words.classes[label]}"


def pair(arrays, words):
    yield f"source  {' '.join(texts(arrays['source'], words.source))}"
    yield f"target  {' '.join(texts(arrays['target'], words.target))}"


def stream(arrays, words):
    shown = [words.target[one] if one >= 0 else "-" for one in arrays["target"]]
    names = [name.replace("\n", "\\n") if name.strip(" ") else "␣" for name in texts(arrays["source"], words.source)]
    yield from columns([("tokens", names), ("answer", shown)])


def tags(arrays, words):
    yield from columns(
        [("words", texts(arrays["source"], words.source)), ("tags", texts(arrays["target"], words.target))]
    )


def images(arrays, words):
    pictures = arrays["items"].reshape(-1, arrays["items"].shape[-1])
    lines = [braille(one.reshape(round(one.size**0.5), -1)) for one in pictures]
    yield from ("    ".join(row).rstrip() for row in zip(*lines))
    yield ""
    yield f"class   {int(arrays['labels'])}"
    if len(pictures) > 1:
        yield f"marked  {', '.join(f'image {1 + place}' for place in np.flatnonzero(arrays['marked']))}"


def braille(picture):
    """Rows of characters, each of 4 rows and 2 columns of pixels; a pixel is a dot if it is bright."""
    dots = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
    bright = picture > 0.4
    return [
        "".join(
            chr(0x2800 + int((bright[row : row + 4, column : column + 2] * dots).sum()))
            for column in range(0, bright.shape[1], 2)
        )
        for row in range(0, bright.shape[0], 4)
    ]


def vectors(arrays, words):
    for name in ("items", "keys", "values", "queries"):
        if name in arrays:
            yield f"{name:8} {numbers(arrays[name])}"
    if "labels" in arrays:
        yield f"class    {int(arrays['labels'])}"
    if "answers" in arrays:
        yield f"answers  {numbers(arrays['answers'])}"


def numbers(array):
    rows = array.reshape(-1, array.shape[-1])
    if rows.shape[1] == 1:
        return "  ".join(number(row[0]) for row in rows)
    return "  ".join(f"({', '.join(map(number, row))})" for row in rows)


def number(value):
    return f"{round(float(value), 2) + 0.0:g}"


def accesses(arrays, words):
    window = arrays["source"].reshape(-1, 3).T
    names = ("counter", "page", "offset")
    yield from columns([(name, [str(one) for one in row]) for name, row in zip(names, window)])
    page, offset = arrays["target"]
    yield f"answer: page {page}, offset {offset}"


SHOWN = {
    "labels": labelled,
    "pairs": pair,
    "streams": stream,
    "tags": tags,
    "images": images,
    "vectors": vectors,
    "accesses": accesses,
}
