"""The package as such: its types under mypy, the examples of its docstrings."""

import doctest
import importlib
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import fovea
from conftest import ROOT

MODULES = [fovea.__name__] + [f"fovea.{found.name}" for found in pkgutil.iter_modules(fovea.__path__) if found.name != "_engine"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_run(name):
    if name.startswith("fovea.torch_") and name != "fovea.torch_bridge" or name == "fovea.observing":
        pytest.importorskip("torch")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_types_are_strict():
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", ROOT / "python" / "fovea"],
                          capture_output=True, text=True, cwd=ROOT / "python")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_user_of_the_package_is_checked_against_its_types(tmp_path):
    user = tmp_path / "user.py"
    user.write_text('import fovea\nx: float = fovea.run("toy-uniform").metrics["loss"]\nfovea.run("toy-uniform", seed="a")\n')
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", user], capture_output=True, text=True, cwd=tmp_path)
    assert "Found 1 error" in done.stdout and "user.py:3" in done.stdout, done.stdout + done.stderr


def test_the_version_is_the_librarys():
    from importlib.metadata import version

    assert fovea.__version__ == version("fovea")
    assert pathlib.Path(fovea.__file__).with_name("py.typed").exists()
