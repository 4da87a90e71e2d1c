"""The notebooks run from their first cell to their last, and are small; the script beside them does what it says."""

import random
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

import fovea

BOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def test_there_are_seven():
    assert len(BOOKS) == 7


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, home):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    if "sklearn" in path.read_text():
        pytest.importorskip("sklearn")
    if "import torch" in path.read_text():
        pytest.importorskip("torch")
    if "transformer_lens" in path.read_text():
        pytest.importorskip("transformer_lens")
    assert path.stat().st_size < 100_000
    book = nbformat.read(path, 4)
    nbformat.validate(book)
    nbclient.NotebookClient(book, timeout=1800, resources={"metadata": {"path": str(home)}}).execute()


def learn_vectors(*words):
    return subprocess.run(
        [sys.executable, ROOT / "examples" / "learn_vectors.py", *map(str, words)], capture_output=True, text=True
    )


def test_words_used_alike_get_vectors_alike_that_training_begins_with(home):
    pytest.importorskip("scipy")
    draw = random.Random(0)
    animals, tools = ["cat", "dog", "cow", "hen"], ["saw", "axe", "plane", "file"]
    eats, cuts = ["eats", "sleeps", "runs"], ["cuts", "rusts", "bends"]
    lines = []
    for _ in range(400):
        nouns, verbs = draw.choice([(animals, eats), (tools, cuts)])
        lines.append(f"the {draw.choice(nouns)} {draw.choice(verbs)} .")
    texts, kept, vectors = home / "texts.txt", home / "kept.jsonl", home / "vectors.txt"
    texts.write_text("\n".join(lines) + "\n{\n")  # no JSON, for all its brace
    kept.write_text('{"label": "x", "text": "The Cat eats."}\n')
    done = learn_vectors(texts, kept, "--size", 5, "--output", vectors)
    assert done.returncode == 0, done.stderr
    of = {word: np.array(numbers, float) for word, *numbers in map(str.split, vectors.read_text().splitlines())}
    assert set(of) == {"the", ".", *animals, *tools, *eats, *cuts} and all(len(vector) == 5 for vector in of.values())
    alike = lambda a, b: of[a] @ of[b] / np.linalg.norm(of[a]) / np.linalg.norm(of[b])
    assert min(alike("cat", b) for b in animals) > max(alike("cat", b) for b in tools) + 0.5

    run = fovea.run(
        {
            "task": {
                "name": "given-texts",
                "texts": ["the cat eats .", "the saw rusts ."] * 10,
                "labels": ["animal", "tool"] * 10,
            },
            "model": {"name": "gated-classifier", "hidden": 4, "embedding": 5},
            "train": {"steps": 1, "batch": 4},
            "probe": {"names": ["loss"]},
            "intervene": [{"embeddings": str(vectors)}],
        }
    )
    assert run.series["embeddings_found"][0] > 0.8


def test_too_few_words_for_vectors_are_told(home):
    pytest.importorskip("scipy")
    (home / "texts.txt").write_text("one two three one two three one two three\n")
    done = learn_vectors(home / "texts.txt", "--size", 5, "--output", home / "vectors.txt")
    assert done.returncode == 1 and "3 words are too few for vectors of 5 numbers" in done.stderr
    assert not (home / "vectors.txt").exists()


def test_words_are_cut_as_the_program_does(home):
    pytest.importorskip("scipy")
    text = "Don’t say हिन्दी_ cafe\u0301 ok 🙂\ufe0f !"
    (home / "texts.txt").write_text(f"{text}\n" * 3)
    done = learn_vectors(home / "texts.txt", "--size", 2, "--output", home / "vectors.txt")
    assert done.returncode == 0, done.stderr
    words = {line.split()[0] for line in (home / "vectors.txt").read_text().splitlines()}
    assert words == {"don't", "say", "हिन्दी", "_", "café", "ok", "🙂", "!"}


@pytest.mark.parametrize(
    "name, content, words, said",
    [
        ("empty.txt", b"", [], "0 words are too few"),
        ("latin.txt", b"caf\xe9\n", [], "latin.txt: cannot be read"),
        ("lines.jsonl", b"no JSON\n", [], 'lines.jsonl:1: is no JSON object with a "text"'),
        ("cut.txt.gz", b"\x1f\x8b\x08\x00", [], "cut.txt.gz: cannot be read"),
        (None, b"", [], "cannot be read"),
        ("some.txt", b"a b\n", ["--size", 0], "has to be 1 or more"),
        ("some.txt", b"a b\n", ["--window", 0], "has to be 1 or more"),
    ],
)
def test_what_vectors_can_not_be_learned_of_is_told(home, name, content, words, said):
    pytest.importorskip("scipy")
    if name:
        (home / name).write_bytes(content)
    done = learn_vectors(home / (name or "missing.txt"), *words, "--output", home / "vectors.txt")
    assert done.returncode in (1, 2) and said in done.stderr and "Traceback" not in done.stderr
