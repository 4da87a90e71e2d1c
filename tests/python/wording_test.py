"""Messages of the engine name what a Python program writes, and nothing of the command line or of spec files."""

import re

import pytest

import fovea
from conftest import ROOT
from fovea import _engine

SMALL = dict(quick=True, steps=3, vocab=9, length=5, hidden=8, embedding=8)
COPY = {"task": {"name": "copy", "vocab": 9, "length": 4}, "model": {"name": "seq2seq", "hidden": 8, "embedding": 8}, "train": {"steps": 2}}
FOREIGN = re.compile(r"--\w|\bfovea (?:run|runs|list|show|sweep|audit|export|reproduce)\b|\bTOML\b|\btrue or false\b|\{ \w|\bby --|\ba table\b")


def transplanted(number):
    return {**COPY, "intervene": [{"transplant": number, "of": "output.weight"}]}


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: fovea.store().runs(experiment="nothing"), 'See: fovea.describe("experiments")'),
        (lambda: fovea.store().runs(sort="-acuracy"), "sort=: no run has a metric"),
        (lambda: fovea.predict("copy", set={"train.steps": 3}), 'as in set={"task.vocab": 60}'),
        (lambda: fovea.run({}), 'the experiment has no task. Add "task": {"name": "…"} to the dict'),
        (lambda: fovea.run({"task": 3}), "'task' must be a dict, not an integer (3)"),
        (lambda: fovea.run({"task": {"vocab": 3}}), 'Add "name": "…" to it; fovea.describe("tasks") shows them'),
        (lambda: fovea.run({**COPY, "name": "mine", "train": {"stepz": 3}}), "mine: train has no setting 'stepz'. Did you mean 'steps'?"),
        (lambda: fovea.run({**COPY, "train": {"stepz": 3}}), "train has no setting 'stepz'"),
        (lambda: fovea.run("copy-subset", intervene=lambda number: 3, **SMALL), 'Write it as {"hold": "uniform", "until": 100}'),
        (lambda: fovea.run(transplanted("99")), "there is no run 99 to take weights from. See: fovea.store().runs()"),
        (lambda: fovea.run(transplanted("1")), 'Train it again with keep_weights="always"'),
        (lambda: fovea.sweep("toy-uniform", seeds=range(2), axes={"train.rate": "log(1e-4..1e-2)"}), "Add draws=20"),
        (lambda: fovea.run(COPY, bidirectional=3), "True or False"),
    ],
)
def test_remedies_are_pythons(call, says):
    fovea.run("copy-subset", keep_weights="never", **SMALL)
    with pytest.raises(fovea.Error) as caught:
        call()
    message = str(caught.value)
    assert says in message and not FOREIGN.search(message), message
    assert caught.value.problem in message and not re.search(r"\bpython:", message)


def test_what_is_wrong_in_a_file_is_said_in_its_words(tmp_path):
    path = tmp_path / "short.toml"
    path.write_text("task = 3\n")
    with pytest.raises(fovea.WrongInput, match=r"short.toml:1:1: 'task' must be a table"):
        fovea.run(path)


def test_what_people_wrote_stays_as_they_wrote_it():
    for text in ("where: in the expression 'accuracy = 1, loss = 3', column 11", "there is no task 'runs'", 'train["rate"] = 3'):
        assert _engine.in_python(text) == text
    assert _engine.in_python('write take = { bad = 7, good = { a = "x = 1" } }') == 'write "take": {"bad": 7, "good": {"a": "x = 1"}}'


# What no call from Python can meet, or what it can only do by the program.
ALONE = re.compile(r"fovea/(?:data/(?:get_corpus|corpus_add|lines|text_(?:table|lines|reader|folder))|lab/(?:ranks|shards|export|bench|compare|store_bin|store_merge|measured_runs|evidence|rank_messages)|view/|serve/)")


def test_every_remedy_of_the_library_has_its_words():
    """A new message that speaks of the command line needs a rule in python/src/wording.cpp."""
    seen = []
    for source in sorted((ROOT / "fovea").rglob("*.cpp")):
        if ALONE.match(str(source.relative_to(ROOT))):
            continue
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', source.read_text()):
            text = text.replace('\\"', '"').replace("{}s", "tasks").replace("{}", "7")
            if re.search(r"--[a-z]|\bfovea (?:run|list|show|sweep|reproduce)", text) and text != "--set " and not text.startswith("var("):
                seen.append(text)
                assert not re.search(r"--[a-z]|\bfovea (?:run|list|show|sweep|reproduce)", _engine.in_python(text)), (source, text)
    assert len(seen) > 10
