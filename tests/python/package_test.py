"""The package as such: its types for a user's mypy, the examples of its docstrings."""

import ast
import doctest
import importlib
import importlib.util
import pathlib
import pkgutil
import subprocess
import sys

import pytest
from conftest import ROOT

import fovea

MODULES = [fovea.__name__] + [
    found.name for found in pkgutil.walk_packages(fovea.__path__, "fovea.") if found.name != "fovea._engine"
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_run(name):
    if name.startswith("fovea.torch.") and name != "fovea.torch.bridge":
        pytest.importorskip("torch")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


# What modules of the package call of each other's objects, and scikit-learn's.
INNER = {"Similarity.at_work", "Task.batch", "Task.lent", "Task.of_shape", "Store.require_place"}


def public():
    from fovea import estimators

    of_data = {
        name: value for name, value in vars(fovea.data).items() if getattr(value, "__module__", "") == "fovea.data"
    }
    named = {**{name: getattr(fovea, name) for name in fovea.__all__}, **of_data}
    named |= {name: getattr(estimators, name) for name in ("AttentionClassifier", "NadarayaWatson")}
    if importlib.util.find_spec("torch"):
        from fovea.torch.cost import Cost

        named |= {"Watch": fovea.Watch, "Cost": Cost}
    return {
        name: value
        for name, value in named.items()
        if not name.startswith("_") and getattr(value, "__module__", "") != "fovea._engine"
    }


def test_every_public_member_has_a_docstring_and_an_example():
    named = public()
    functions = {name: value for name, value in named.items() if not isinstance(value, type)}
    missing = [
        name
        for name, value in functions.items()
        if ">>>" not in value.__doc__ and f"fovea.{name}(" not in value.__doc__
    ]
    of_watch = named["Watch"].__doc__ if "Watch" in named else ""  # it makes a Cost
    examples = "".join(value.__doc__ for value in functions.values())
    for name, value in named.items():
        if name in functions:
            continue
        members = {
            part: of
            for part, of in vars(value).items()
            if part[0] != "_" and (callable(of) or isinstance(of, property))
        }
        members = {
            part: of for part, of in members.items() if f"{name}.{part}" not in INNER and not part.startswith("set_")
        }
        known = "\n".join([examples, of_watch, value.__doc__, *(of.__doc__ or "" for of in members.values())])
        used = [line for line in known.splitlines() if ">>>" in line or "..." in line]
        missing += [
            f"{name}.{part}"
            for part, of in members.items()
            if not of.__doc__ or not any(f".{part}" in line for line in used)
        ]
    assert missing == []


def imports(sources):
    """Which modules of the package each module imports, wherever the statement stands: an import for types alone, or within a
    function, is knowledge of the other module too. ``sources`` has the text of each module by its name; a package ends in a dot."""
    known = {name.rstrip(".") for name in sources}
    graph = {}
    for name, text in sources.items():
        package = name.rstrip(".").split(".") if name.endswith(".") else name.split(".")[:-1]
        named = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                above = package[: len(package) - node.level + 1] if node.level else []
                source = ".".join([*above, *([node.module] if node.module else [])])
                inner = {f"{source}.{alias.name}" for alias in node.names}
                named |= (inner & known) | ({source} if inner - known else set())
        graph[name.rstrip(".")] = named & known
    return graph


def circle(graph):
    """Modules that import each other, from one back to itself; empty where there are none."""
    done, way = set(), []

    def visit(name):
        if name in way:
            return way[way.index(name) :] + [name]
        if name not in done:
            way.append(name)
            for other in sorted(graph[name]):
                if found := visit(other):
                    return found
            way.pop()
            done.add(name)
        return []

    return next(filter(None, map(visit, sorted(graph))), [])


def test_no_modules_import_each_other_in_a_circle():
    root = ROOT / "python"
    sources = {"fovea._engine": ""}
    for path in sorted((root / "fovea").rglob("*.py")):
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        sources[name.removesuffix("__init__")] = path.read_text()
    graph = imports(sources)
    assert "fovea.runs" in graph["fovea.run_store"] and "fovea.pictures" in graph["fovea.runs"]
    assert circle(graph) == []


def test_a_circle_is_seen():
    sources = {
        "p.": "from .a import x",
        "p.a": "def f():\n    from . import b",
        "p.b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .q.c import y",
        "p.q.": "",
        "p.q.c": "import p.a, os",
    }
    assert imports(sources) == {"p": {"p.a"}, "p.a": {"p.b"}, "p.b": {"p.q.c"}, "p.q": set(), "p.q.c": {"p.a"}}
    assert circle(imports(sources)) == ["p.a", "p.b", "p.q.c", "p.a"]
    assert circle(imports({**sources, "p.q.c": "from .. import d"})) == ["p", "p.a", "p.b", "p.q.c", "p"]
    assert circle(imports({**sources, "p.q.c": "import os"})) == []


def test_a_user_of_the_package_is_checked_against_its_types(tmp_path):
    user = tmp_path / "user.py"
    user.write_text(
        'import fovea\nx: float = fovea.run("toy-uniform").metrics["loss"]\nfovea.run("toy-uniform", seed="a")\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", user], capture_output=True, text=True, cwd=tmp_path
    )
    assert "Found 1 error" in done.stdout and "user.py:3" in done.stdout, done.stdout + done.stderr


def test_the_version_is_the_librarys():
    from importlib.metadata import version

    assert fovea.__version__ == version("fovea")
    assert pathlib.Path(fovea.__file__).with_name("py.typed").exists()


def test_a_watch_is_public_and_the_package_needs_no_torch():
    pytest.importorskip("torch")
    model = "torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)"
    code = f"""
import sys, fovea
assert "torch" not in sys.modules
import torch
watch = fovea.observe({model}, torch.randn(4, 6, 8), lambda out: out.log_softmax(-1)[..., 0], beta=None, name="mine")
assert isinstance(watch, fovea.Watch)
watch.close()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
