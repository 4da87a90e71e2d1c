"""Messages of the engine name what a Python program writes, and nothing of the command line or of spec files."""

import re

import pytest

import fovea
from fovea import _engine

SMALL = dict(quick=True, steps=3, vocab=9, length=5, hidden=8, embedding=8)
COPY = {
    "task": {"name": "copy", "vocab": 9, "length": 4},
    "model": {"name": "seq2seq", "hidden": 8, "embedding": 8},
    "train": {"steps": 2},
}
FOREIGN = re.compile(
    r"--\w|\bfovea (?:run|runs|list|show|sweep|audit|export|reproduce)\b|\bTOML\b|\btrue or false\b|\{ \w|\bby --|\ba table\b"
)


def transplanted(number):
    return {**COPY, "intervene": [{"transplant": number, "of": "output.weight"}]}


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: fovea.store().runs(experiment="nothing"), 'See: fovea.describe("experiments")'),
        (lambda: fovea.store().runs(sort="-acuracy"), "sort=: no run has a metric"),
        (lambda: fovea.predict("copy", set={"train.steps": 3}), 'as in set={"task.vocab": 60}'),
        (
            lambda: fovea.run({}),
            'the experiment has no task and no model. Add "task": {"name": "…"} and "model": {"name": "…"}',
        ),
        (lambda: fovea.run({"model": {"name": "x"}}), 'the experiment has no task. Add "task": {"name": "…"}'),
        (lambda: fovea.run({"task": 3}), "'task' must be a dict, not an integer (3)"),
        (
            lambda: fovea.run({"model": {"name": "seq2seq"}, "task": {"vocab": 3}}),
            'task.name is missing. See: fovea.describe("tasks")',
        ),
        (
            lambda: fovea.run({**COPY, "name": "mine", "train": {"stepz": 3}}),
            "mine: train has no setting 'stepz'. Did you mean 'steps'?",
        ),
        (lambda: fovea.run({**COPY, "train": {"stepz": 3}}), "train has no setting 'stepz'"),
        (
            lambda: fovea.run("copy-subset", intervene=lambda number: 3, **SMALL),
            'Write it as {"hold": "uniform", "until": 100}',
        ),
        (lambda: fovea.run(transplanted("99")), "there is no run 99 to take weights from. See: fovea.store().runs()"),
        (lambda: fovea.run(transplanted("1")), 'Train it again with keep_weights="always"'),
        (lambda: fovea.sweep("toy-uniform", seeds=range(2), axes={"train.rate": "log(1e-4..1e-2)"}), "Add draws=20"),
        (lambda: fovea.run(COPY, bidirectional=3), "True or False"),
        (lambda: fovea.run("glimpse-plain", glimpses=0), "model.glimpses=0: model.glimpses must be 1 to 1000, not 0"),
    ],
)
def test_remedies_are_pythons(call, says):
    fovea.run("copy-subset", keep_weights="never", **SMALL)
    with pytest.raises(fovea.Error) as caught:
        call()
    message = str(caught.value)
    assert says in message and not FOREIGN.search(message), message
    assert caught.value.problem in message and not re.search(r"\bpython:", message)


@pytest.mark.parametrize(
    "toml, says",
    [
        ("task = 3\n", r"short\.toml:1:1: 'task' must be a table"),
        (
            "[task]\nvocab = 3\n[model]\nname = 'seq2seq'\n",
            r"short\.toml:2:1: the task has no name: task\.name is missing\. See: fovea\.describe\(\"tasks\"\)",
        ),
        (
            "seed = 1\n",
            r"short\.toml: the experiment has no task and no model\. Write as the first two lines of the file: task = "
            r"\{ name = \"…\" \} and model = ",
        ),
        (
            "model.p = 1\n",
            r"short\.toml: the experiment has no task\. Write as the first line of the file: task = \{ name = \"…\" \}",
        ),
    ],
)
def test_what_is_wrong_in_a_file_is_said_in_its_words(tmp_path, toml, says):
    path = tmp_path / "short.toml"
    path.write_text(toml)
    with pytest.raises(fovea.WrongInput, match=says):
        fovea.run(path)


def test_what_people_wrote_stays_as_they_wrote_it():
    for name, said in (
        ("--set train.rate=1", "'--set train.rate=1'"),
        ("fovea runs", "'fovea runs'"),
        ('train["rate"] = 3', "'train[\"rate\"] = 3'"),
    ):
        with pytest.raises(fovea.WrongInput) as caught:
            fovea.run(name)
        assert said in str(caught.value)


def test_the_nearest_known_name_is_an_attribute():
    with pytest.raises(fovea.WrongInput) as caught:
        fovea.run({**COPY, "train": {"stepz": 3}})
    assert caught.value.nearest == "steps"
    with pytest.raises(fovea.WrongInput) as caught:
        fovea.run({**COPY, "train": {"steps": -3}})
    assert caught.value.nearest == ""


def test_every_remedy_has_pythons_words():
    remedies = _engine.remedies(["train.rate", "quick", 3])
    assert len(remedies) > 30
    for text in remedies:
        assert text and not FOREIGN.search(text), text
