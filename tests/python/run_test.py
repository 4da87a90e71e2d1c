"""One run from Python: the same bits as the program's, in the same store."""

import warnings

import numpy as np
import pytest

import fovea

SMALL = dict(quick=True, steps=30, vocab=12, length=8, hidden=16, embedding=16, batch=16)
WORDS = [
    word
    for key in (
        "train.steps=30",
        "task.vocab=12",
        "task.length=8",
        "model.hidden=16",
        "model.embedding=16",
        "train.batch=16",
    )
    for word in ("--set", key)
]


def same_bits(run, shown):
    assert set(run.series) == set(shown["series"])
    for name, points in shown["series"].items():
        steps, values = zip(*points)
        assert run.series.steps(name).tolist() == list(steps)
        assert run.series[name].tobytes() == np.array(values, float).tobytes(), name


@pytest.mark.parametrize("keep", [True, False])
def test_python_and_program_give_the_same_bits(program, keep):
    run = fovea.run("copy-subset", seed=3, keep=keep, **SMALL)
    same_bits(run, program("run", "copy-subset", "--quick", "--seed", 3, *WORDS, "--series"))


def test_a_run_from_python_is_in_the_programs_store(program):
    run = fovea.run("copy-subset", seed=5, **SMALL)
    shown = program("show", run.id, "--series")
    assert shown["experiment"] == run.experiment == "copy-subset"
    assert shown["settings"] == run.spec
    assert shown["metrics"] == pytest.approx(run.metrics, abs=0)
    same_bits(run, shown)


def test_what_a_run_says_of_itself():
    run = fovea.run("copy-subset", seed=5, **SMALL)
    assert (run.id, run.seed, run.state, run.steps, run.error) == (1, 5, "done", 30, "")
    assert run.seconds > 0
    assert run.spec["task"]["vocab"] == 12
    assert run.metrics["accuracy"] == run.series["accuracy"][-1]
    assert repr(run) == "<run 1: copy-subset, seed 5, done after 30 steps>"


def test_settings_by_every_way_are_one_run():
    ways = [dict(rate=0.01), dict(train__rate=0.01), dict(set={"train.rate": 0.01}), dict(rate=np.float32(0.5) / 50)]
    runs = [fovea.run("toy-uniform", keep=False, **way) for way in ways]
    assert len({tuple(run.series["loss"]) for run in runs[:3]}) == 1
    assert runs[3].spec["train"]["rate"] == pytest.approx(0.01)


def test_a_dict_is_a_spec_too():
    spec = {
        "name": "mine",
        "task": {"name": "copy", "vocab": 9, "length": 4},
        "model": {"name": "seq2seq", "hidden": 8, "embedding": 8},
        "train": {"steps": 5, "batch": 4},
        "probe": {"every": 5, "names": ["accuracy"]},
    }
    run = fovea.run(spec)
    assert (run.experiment, run.steps) == ("mine", 5)
    with pytest.raises(fovea.WrongInput, match="Did you mean 'vocab'"):
        fovea.run({**spec, "task": {"name": "copy", "vocba": 9}})
    with pytest.raises(fovea.WrongInput, match="shipped"):
        fovea.run({**spec, "name": "copy-subset"})


def test_a_file_is_a_spec_too(tmp_path):
    path = tmp_path / "short.toml"
    path.write_text(
        'task = { name = "copy", vocab = 9, length = 4 }\nmodel = { name = "seq2seq", hidden = 8, embedding = 8 }\n'
        'train = { steps = 3, batch = 4 }\nprobe = { names = ["accuracy"] }\n'
    )
    assert fovea.run(path).steps == 3
    path.write_text("task = {")
    with pytest.raises(fovea.WrongInput, match="short.toml:1"):
        fovea.run(path)


def test_reuse_takes_what_is_kept():
    first = fovea.run("copy-subset", **SMALL)
    again = fovea.run("copy-subset", reuse=True, **SMALL)
    assert (again.id, again.seconds) == (first.id, first.seconds)
    anew = fovea.run("copy-subset", **SMALL)
    assert anew.seconds != first.seconds
    assert anew.series["train_loss"].tobytes() == first.series["train_loss"].tobytes()


@pytest.mark.parametrize(
    "settings, says",
    [
        (dict(vocba=60), "'vocba' is no setting of copy-subset. Did you mean 'vocab'?"),
        (dict(task__vocba=60), "did you mean 'vocab'"),
        (dict(vocab="many"), "must be an integer, "),
        (dict(vocab=None), "of type NoneType"),
        (dict(vocab=0), "vocab"),
        (dict(vocab=2**80), "64 bits"),
        (dict(seed=-1), "seed is -1. It must be 0 or more"),
        (dict(seed="one"), "seed is 'one', of type str. It must be a whole number"),
        (dict(names=lambda: 0), "of type function"),
    ],
)
def test_wrong_words_are_named(settings, says):
    with pytest.raises(fovea.WrongInput) as caught:
        fovea.run("copy-subset", **settings)
    assert says.lower() in str(caught.value).lower()
    assert isinstance(caught.value, ValueError) and caught.value.problem


def test_a_run_that_fails_says_where_it_is_kept():
    with pytest.raises(fovea.Failure, match="at step .* kept as run 1"):
        fovea.run("copy-subset", **{**SMALL, "rate": 1e30})


def test_series_cross_without_copies():
    run = fovea.run("copy-subset", **SMALL)
    values = run.series["accuracy"]
    assert np.shares_memory(values, run.series["accuracy"])
    assert np.shares_memory(run.series.steps("accuracy"), run.series.steps("accuracy"))
    arrays = [part for name in run.series for part in (run.series[name], run.series.steps(name))]
    arrays += [array for looks in run.arrays.values() for array in looks.values()]
    assert len(arrays) > 6 and sum(array.flags.owndata for array in arrays) == 0
    assert not values.flags.writeable and not values.flags.owndata
    bits = values.tobytes()
    del run  # the array keeps what it shows
    assert values.tobytes() == bits


def test_an_unknown_series_is_named():
    run = fovea.run("copy-subset", keep=False, **SMALL)
    with pytest.raises(KeyError, match="did you mean 'accuracy'"):
        run.series["acuracy"]


def test_a_run_of_a_sweep_is_the_first_of_it_and_says_so():
    with pytest.warns(UserWarning, match="toy-bounded is a sweep. Its first values are used: model.beta1=-4") as told:
        first = fovea.run("toy-bounded", steps=1, keep=False)
    assert len(told) == 1 and first.spec["model"]["beta1"] == -4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fovea.run("toy-bounded", steps=1, model__beta1=8, keep=False).spec["model"]["beta1"] == 8


def test_another_model_leaves_out_what_it_lacks():
    with pytest.warns(UserWarning, match="the model 'word-mean-translator' has no model.biases, model.hidden"):
        run = fovea.run(
            "copy-subset",
            quick=True,
            steps=2,
            keep=False,
            set={"model.name": "word-mean-translator", "probe.names": ["loss"]},
        )
    assert run.spec["model"]["name"] == "word-mean-translator"
