"""The notebooks run from their first cell to their last, and are small."""

import pathlib
import subprocess
import sys

import pytest

from conftest import ROOT

BOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def test_there_are_five():
    assert len(BOOKS) == 5


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, home):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    if "sklearn" in path.read_text():
        pytest.importorskip("sklearn")
    assert path.stat().st_size < 100_000
    book = nbformat.read(path, 4)
    nbformat.validate(book)
    nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(home)}}).execute()
