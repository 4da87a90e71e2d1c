"""Runs that another program made, in the store beside the others."""

import json
import subprocess

import numpy as np
import pytest

import fovea

SERIES = {"entropy": ([0, 20], [1.0, 0.4]), "loss": ([0, 10, 20], [2.4, 1.1, 0.9])}
ATTENTION = np.full((2, 3, 4), 0.25, np.float32)


def add(**more):
    arrays = [("attention", step, ATTENTION) for step in (0, 20)]
    return fovea.store().add(
        "mine", {"rate": 0.1, "seed": 3, "model": {"layers": 2}, "task": {"corpus": "own"}}, SERIES, arrays, **more
    )


def test_it_is_a_run_like_the_others_and_marked(program, tmp_path):
    run = add(seconds=1.5)
    assert run.elsewhere and not fovea.run("toy-uniform", quick=True).elsewhere
    assert (run.experiment, run.seed, run.state, run.steps, run.seconds) == ("mine", 3, "done", 20, 1.5)
    assert run.metrics == {"entropy": 0.4, "loss": 0.9} and run.series.steps("loss").tolist() == [0, 10, 20]
    np.testing.assert_array_equal(run.attention(20), ATTENTION)
    assert program("show", run.id)["settings"]["model"]["name"] == "another-program"
    assert [found["run"] for found in program("runs", "--where", "train.rate = 0.1 and entropy < 0.5")["runs"]] == [
        run.id
    ]
    assert program("compare", run.id, add().id)
    drawn = subprocess.run(
        [program.path, "plot", str(run.id), "loss", "-o", tmp_path / "a.svg"], capture_output=True, text=True
    )
    assert drawn.returncode == 0 and (tmp_path / "a.svg").stat().st_size > 1000, drawn.stderr
    subprocess.run([program.path, "export", str(run.id), "-o", tmp_path / "a.jsonl"], check=True, capture_output=True)
    assert json.loads((tmp_path / "a.jsonl").read_text().splitlines()[0])["experiment"] == "mine"


def test_what_it_does_not_have_is_told(program):
    run = add()
    with pytest.raises(fovea.WrongInput, match="made by another program, which has its weights"):
        run.weights()
    with pytest.raises(fovea.WrongInput, match="has no β kept"):
        run.beta()
    with pytest.raises(fovea.WrongInput, match="another program was observed without the audit"):
        fovea.audit(run)
    told = subprocess.run([program.path, "audit", str(run.id)], capture_output=True, text=True)
    assert told.returncode == 2 and "another-program" in told.stderr
    for command, says in (
        ("look", "made by another program, and its words are unknown"),
        ("measure", "whose attention is not measured here"),
    ):
        told = subprocess.run([program.path, command, str(run.id)], capture_output=True, text=True)
        assert told.returncode == 2 and says in told.stderr and "--set" not in told.stderr


def test_only_a_key_replaces():
    assert len({add().id for _ in range(3)}) == 3
    assert add(key="a").id == add(key="a").id != add(key="b").id
    stopped = add(key="c", state="stopped")
    assert stopped.state == "stopped" and add(key="c").state == "done"
    assert fovea.store()[add(state="failed", error="why").id].error == "why"


def test_a_run_may_have_the_name_of_a_shipped_experiment():
    ours = fovea.run("toy-uniform", steps=3)
    own = fovea.store().add("toy-uniform", {"rate": 1.0}, {"loss": ([0, 1], [2.0, 1.0])})
    assert [run.id for run in fovea.store().runs("model.name = 'another-program'")] == [own.id] != [ours.id]
    assert len(fovea.store().runs(experiment="toy-uniform")) == 2


def test_settings_of_any_kind_are_written():
    given = {"optimizer": dict, "path": np.float32(0.5), "list": (1, 2), "none": None, "model": {"width": np.int64(3)}}
    spec = fovea.store().add("mine", given, {}).spec
    assert (
        spec["train"] == {"optimizer": "dict", "path": 0.5, "list": [1, 2], "none": "None"}
        and spec["model"]["width"] == 3
    )


@pytest.mark.parametrize(
    "args, words, match",
    [
        (("", {}, {}), {}, "the run has no name"),
        (("mine", 3, {}), {}, "settings is 3, of type int"),
        (("mine", {"model": {"name": "gpt"}}, {}), {}, "model.name = 'gpt'"),
        (("mine", {}, {"loss": [1, 2, 3]}), {}, r"'loss' is not \(steps, values\)"),
        (("mine", {}, {"loss": ([0, 1], [1.0])}), {}, "2 steps and 1 values"),
        (("mine", {}, {"loss": ([1, 1], [1.0, 2.0])}), {}, "steps of 'loss' do not rise"),
        (("mine", {}, {}, [("a", 0)]), {}, r"arrays\[0\] is not"),
        (("mine", {}, {}, [("a", -1, [1.0])]), {}, r"the step of arrays\[0\] is -1"),
        (("mine", {}, {}), {"state": "running"}, "cannot be 'running'"),
    ],
)
def test_what_cannot_be_added_is_told(args, words, match):
    with pytest.raises(fovea.WrongInput, match=match):
        fovea.store().add(*args, **words)
    assert len(fovea.store()) == 0
