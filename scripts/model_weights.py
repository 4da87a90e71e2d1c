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


def weights_of(name):
    """A table of the parameters of a model, with the settings at which they have these shapes."""
    if name not in chosen():
        return ""
    given = chosen()[name]
    spec = {
        "task": given["task"],
        "model": {"name": name, **given.get("model", {})},
        "train": {"steps": 1},
        "probe": {"examples": 1, "keep": 0, "names": []},
    }
    weights = fovea.run(spec, seed=1, keep=False, progress=False).weights()
    settings = [
        f"task `{given['task']['name']}`",
        *setting_text("task", given["task"]),
        *setting_text("model", given.get("model", {})),
    ]
    rows = [[f"`{one}`", shape_text(array.shape)] for one, array in weights.items()]
    return f"Parameters with {', '.join(settings)}:\n\n" + "\n".join(table(["parameter", "shape"], rows))


def shape_text(shape):
    return f"({', '.join(map(str, shape))})" if shape else "()"
