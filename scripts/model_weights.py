"""The parameters of each model with their shapes, as checkpoints name them. For scripts/reference."""

import json
import pathlib

import tomllib
from peer_seeds import table

import fovea

HERE = pathlib.Path(__file__).resolve().parent


def chosen():
    return tomllib.loads((HERE / "model_weights.toml").read_text())


def setting_text(section, settings):
    return [f"`{section}.{name} = {json.dumps(value)}`" for name, value in settings.items() if name != "name"]


def shapes_of(name, model):
    """{parameter: its shape} of a model with these settings beside those of the table."""
    given = chosen()[name]
    spec = {
        "task": given["task"],
        "model": {"name": name, **given.get("model", {}), **model},
        "train": {"steps": 1},
        "probe": {"examples": 1, "keep": 0, "names": []},
    }
    weights = fovea.run(spec, seed=1, keep=False, progress=False).weights()
    return {one: shape_text(array.shape) for one, array in weights.items()}


def weights_of(name):
    """A table of the parameters of a model, with the settings at which they have these shapes, and one of its variants."""
    if name not in chosen():
        return ""
    given, shapes = chosen()[name], shapes_of(name, {})
    settings = [
        f"task `{given['task']['name']}`",
        *setting_text("task", given["task"]),
        *setting_text("model", given.get("model", {})),
    ]
    rows = [[f"`{one}`", shape] for one, shape in shapes.items()]
    parts = [f"Parameters with {', '.join(settings)}:", "\n".join(table(["parameter", "shape"], rows))]
    parts += [given["note"]] if "note" in given else []
    if "variants" in given:
        heads = ["setting", "adds, or has in this shape", "has not"]
        rows = [variant_row(shapes, shapes_of(name, model), model) for model in given["variants"]]
        parts += ["Further settings change the parameters of this table:", "\n".join(table(heads, rows))]
    return "\n\n".join(parts)


def variant_row(shapes, others, model):
    changed = [f"`{one}` {shape}" for one, shape in others.items() if shapes.get(one) != shape]
    gone = [one for one in shapes if one not in others]
    for part in ("bias", "norm"):
        if len(gone) > 2 and gone == [one for one in shapes if part in one]:
            gone = [f"every `{part}`"]
    missing = [one if one.startswith("every") else f"`{one}`" for one in gone]
    return [", ".join(setting_text("model", model)), ", ".join(changed) or "–", ", ".join(missing) or "–"]


def shape_text(shape):
    return f"({', '.join(map(str, shape))})" if shape else "()"
