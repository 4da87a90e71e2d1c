"""Probes of one's own: what they are shown, what they may return, and whose a run with them is."""

import gc
import subprocess
import traceback

import numpy as np
import pytest
from other_process import python

import fovea

SMALL = dict(quick=True, steps=20, vocab=9, length=5, hidden=8, embedding=8, batch=8)


@fovea.Probe
def first(batch, outcome, model):
    weights = outcome.attention[:, :, 0]
    return {"start": weights.mean(), "row": outcome.attention[0, 0], "parameters": len(model.parameters)}


def give(value):
    return fovea.Probe(lambda batch, outcome, model: value, name="mine")


def bits(run):
    return {name: (run.series.steps(name).tolist(), run.series[name].tobytes()) for name in run.series}


def test_numbers_become_series_and_arrays_are_kept():
    run = fovea.run("copy-subset", probes=["kept_beta", first], **SMALL)
    plain = fovea.run("copy-subset", **SMALL)
    assert run.series.steps("start").tolist() == [0, 10, 20]
    assert sorted(run.arrays["row"]) == [0, 10, 20] and run.arrays["row"][20].shape == (6,)
    assert run.arrays["row"][20].dtype == np.float32
    seconds = run.probe_seconds["first"]
    assert 0 < seconds < run.seconds and f"; probe first: {seconds:.3g} s" in repr(run)
    assert plain.probe_seconds == {} and (run.id, plain.id) == (1, 2)
    shared = bits(run)
    assert {name: shared[name] for name in bits(plain)} == bits(plain)  # the training is the same
    stored = fovea.store()[1]
    assert bits(stored) == shared and stored.arrays["row"][10].tobytes() == run.arrays["row"][10].tobytes()
    assert stored.probe_seconds == run.probe_seconds
    assert fovea.store()[1].probe_seconds == run.probe_seconds  # without the other arrays
    fovea.store().remove(1)
    assert repr(fovea.run("copy-subset", probes=give({"x": 1}), keep=False, **SMALL)).count("probe mine: ") == 1


def test_a_spec_names_the_function():
    spec = {
        "task": {"name": "copy", "vocab": 9, "length": 4},
        "model": {"name": "seq2seq", "hidden": 8, "embedding": 8},
        "train": {"steps": 2, "batch": 4, "stop_when": "start < 0"},
        "probe": {"every": 1, "names": ["accuracy", first]},
    }
    names = fovea.run(spec).spec["probe"]["names"]
    assert names == ["accuracy", first.spec_name]
    assert give(0).spec_name.startswith(f"python {__name__}.give.<locals>.<lambda>:mine ")
    assert give({"x": 1})(None, None, None) == {"x": 1} and repr(first) == f"<probe first: {__name__}.first>"
    assert first.spec_name.startswith(f"python {__name__}.first ") and len(first.spec_name.split()[-1]) == 16


def test_what_distinguishes_a_function():
    def make(k, source="a"):
        def probe(batch, outcome, model, *, scale=2):
            return {"k": k * scale}

        def other(batch, outcome, model, *, scale=2):
            return {"k": k * scale + 0}

        return fovea.Probe(probe if source == "a" else other, name="probe")

    assert make(1).spec_name == make(1).spec_name
    different = [
        make(1),
        make(2),
        make(np.arange(2)),
        make(np.arange(3)),
        make(1, "b"),
        fovea.Probe(make(1)._function, examples="same"),
    ]
    assert len({probe.spec_name for probe in different}) == len(different)
    names = {}
    for text in ("1", "2"):  # no source is known: the compiled code tells
        exec(f"def probe(batch, outcome, model): return {{'x': {text}}}", names)
        different.append(fovea.Probe(names["probe"]))
    assert different[-1].spec_name != different[-2].spec_name


def test_what_a_function_is_shown():
    seen = []

    def look(batch, outcome, model):
        seen.append((batch, outcome, model, batch.source, outcome.attention, outcome.beta, model.step, outcome.answers))
        assert batch.size == len(batch.source) and outcome.scores.shape[0] == outcome.answers.size
        assert outcome.predictions is None and batch.items is None and batch.keys is None and outcome.heads == {}
        assert np.isfinite(outcome.loss) and model.parameters["output.weight"].dtype == np.float32
        return {}

    probe = fovea.Probe(look, examples="kept", beta=True)
    run = fovea.run("copy-subset", probes=[probe, "kept_beta"], **SMALL)
    assert [each[6] for each in seen] == [0, 10, 20]
    batch, outcome, model, source, attention, beta, _, _ = seen[-1]
    gc.collect()
    np.testing.assert_array_equal(source, run.arrays["attention_source"][0])
    np.testing.assert_allclose(attention, run.attention(20), atol=5e-4)  # the store keeps halves
    np.testing.assert_array_equal(beta, run.beta(20))
    with pytest.raises(fovea.Failure, match="the evaluation is over"):
        len(outcome.attention)
    with pytest.raises(fovea.Failure, match="they are copies"):
        len(batch.source)
    with pytest.raises(fovea.Failure):
        len(model.parameters)


@pytest.mark.parametrize("precision", ["float", "double"])
def test_fresh_and_same_examples_and_batches_of_other_kinds(precision):
    sources = {"fresh": [], "same": []}

    def look(batch, outcome, model, kept=sources["fresh"]):
        kept.append(batch.source.tobytes())
        return {"size": batch.size}

    def same(batch, outcome, model, kept=sources["same"]):
        kept.append(batch.source.tobytes())
        return {}

    fovea.run(
        "copy-subset", precision=precision, probes=[fovea.Probe(look), fovea.Probe(same, examples="same")], **SMALL
    )
    assert len(set(sources["fresh"])) == 3 and len(set(sources["same"])) == 1

    shapes = {}

    def shape(batch, outcome, model):
        parts = ("items", "labels", "lengths", "marked", "keys", "values", "queries", "answers", "alignment")
        shapes.update({part: getattr(batch, part).shape for part in parts if getattr(batch, part) is not None})
        return {}

    kinds = {
        "digits-simple": {"items", "labels", "lengths"},
        "feature-free": {"items", "labels"},
        "pooling-learned": {"keys", "values", "queries", "answers"},
    }
    for name, parts in kinds.items():
        shapes.clear()
        fovea.run(name, quick=True, steps=1, keep=False, probes=[fovea.Probe(shape)])
        assert parts <= set(shapes), (name, shapes)
        assert len(shapes[min(parts & {"items", "keys"})]) == (3 if name == "digits-simple" else 2)


def test_heads_are_maps_by_name():
    names = set()

    def look(batch, outcome, model):
        names.update(outcome.heads)
        assert all(map.shape == outcome.attention.shape for map in outcome.heads.values())
        return {}

    fovea.run("birth", quick=True, steps=1, keep=False, probes=[fovea.Probe(look)])
    assert "layer.1.head.1" in " ".join(names)


@pytest.mark.parametrize(
    "value, says",
    [
        (None, r"at step 0 the probe 'mine' returned None. Return a dict of numbers and arrays, as"),
        (0.5, "returned 0.5, of type float. Return a dict"),
        ({"row": "abc"}, "returned 'row' as 'abc', of type str. Return a number or an array of numbers"),
        ({"row": [[1], [2, 3]]}, "returned 'row' as"),
        ({"row": []}, "returned 'row' as"),
        ({"row": np.array([1j])}, "returned 'row' as"),
        ({"my row": 1}, "measures 'my row', which is no name. A name has letters, digits"),
        ({3: 1}, "measures 3, which is no name"),
        ({"steps": 1}, "measures 'steps', a name with another meaning. Give the number another name"),
        ({"gap_held": 1}, "'gap_held', a name with another meaning"),
        ({"seed": 1}, "'seed', a name with another meaning"),
        ({"first": 1}, "'first', a name with another meaning"),
        ({"train_loss": 1}, "'train_loss', a name with another meaning"),
        ({"accuracy": 1}, "both measure 'accuracy' at step 0. Give one of the two another name"),
        ({"attention": [1.0]}, "the training itself both measure 'attention' at step 0"),
    ],
)
@pytest.mark.parametrize("keep", [True, False])
def test_what_is_returned_wrongly_is_named(value, says, keep):
    with pytest.raises(fovea.WrongInput, match=says):
        fovea.run("copy-subset", keep=keep, probes=give(value), **SMALL)
    assert len(fovea.store()) == 0


def test_numbers_of_every_type_and_nan():
    numbers = {
        "a": float("nan"),
        "b": True,
        "c": np.float32(2),
        "d": np.array(3),
        "e": np.int64(4),
        "f.g": float("inf"),
    }
    run = fovea.run("copy-subset", probes=give(numbers), **SMALL)
    assert {name: run.metrics[name] for name in "bcde"} == {"b": 1, "c": 2, "d": 3, "e": 4}
    assert np.isnan(run.series["a"]).all() and np.isinf(run.metrics["f.g"])


@pytest.mark.parametrize("keep", [True, False])
def test_what_a_function_raises_is_the_cause_and_the_step_is_named(keep):
    def broken(batch, outcome, model):
        return {"x": 1 / (10 - model.step)}

    with pytest.raises(
        fovea.Failure, match="at step 10 the probe 'broken' raised ZeroDivisionError: .*probe_test.py"
    ) as caught:
        fovea.run("copy-subset", keep=keep, probes=[fovea.Probe(broken)], **SMALL)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert traceback.extract_tb(caught.value.__cause__.__traceback__)[-1].name == "broken"
    if keep:
        failed = fovea.store()[1]
        assert (
            (failed.state, failed.steps) == ("failed", 10)
            and "At step 10" in failed.error
            or "at step 10" in failed.error
        )
        assert failed.series["x"].tolist() == [0.1]

    def at_once(batch, outcome, model):
        raise LookupError

    with pytest.raises(fovea.WrongInput, match="at step 0 the probe 'at_once' raised LookupError") as caught:
        fovea.run("copy-subset", keep=keep, probes=[fovea.Probe(at_once)], **SMALL)
    assert isinstance(caught.value.__cause__, LookupError) and len(fovea.store()) == keep


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: fovea.Probe(3), "the function of a probe is 3, of type int"),
        (lambda: fovea.Probe(max), "It must be a function of def or lambda"),
        (lambda: fovea.Probe(lambda batch: {}, name="a"), r"'a' cannot be called with \(batch, outcome, model\)"),
        (
            lambda: fovea.Probe(lambda batch, outcome, model: {}),
            "a probe is called '<lambda>'.* Give it one|give it one",
        ),
        (
            lambda: fovea.Probe(give(0)._function, name="entropy"),
            "the library has a probe 'entropy'. Give yours another name",
        ),
        (lambda: fovea.Probe(give(0)._function, name="a", examples="new"), 'It must be "fresh" or "same" or "kept"'),
        (lambda: fovea.Probe(give(0)._function, name="a", beta=1), "It must be True or False"),
        (lambda: fovea.run("copy-subset", probes=[first._function], **SMALL), r"It must be fovea.Probe\(function\)"),
        (lambda: fovea.run("copy-subset", probes=[3], **SMALL), 'It must be a name, as "accuracy", or a fovea.Probe'),
        (lambda: fovea.run("copy-subset", probes=[give(0), give(1)], **SMALL), "two probes are called 'mine'"),
        (lambda: fovea.run("copy-subset", probes=[first, first], **SMALL), "is named twice"),
        (
            lambda: fovea.run("feature-free", probes=[fovea.Probe(give({})._function, name="a", beta=True)], steps=1),
            "reads β, and model 'feature-attention' has none here",
        ),
    ],
)
def test_wrong_probes_are_named(make, says):
    with pytest.raises(fovea.WrongInput, match=says):
        make()


def test_under_a_hold_it_is_asked_twice():
    settings = {**SMALL, "set": {"intervene": [{"hold": "uniform", "until": 15}]}}
    run = fovea.run("copy-subset", probes=[first], **settings)
    assert run.series.steps("start_held").tolist() == [0, 10] and run.series.steps("start").tolist() == [0, 10, 20]
    assert run.metrics["start_held"] == pytest.approx(1 / 5, abs=0.05)


def test_a_stopped_run_goes_on_with_the_same_bits():
    def stop(step):
        if step.number == 13:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fovea.run("copy-subset", probes=[first], on_step=stop, **SMALL)
    resumed = fovea.resume(1)
    whole = fovea.run("copy-subset", probes=[first], keep=False, **SMALL)
    assert bits(resumed) == bits(whole)
    for step, row in whole.arrays["row"].items():
        assert resumed.arrays["row"][step].tobytes() == row.tobytes()


def test_many_runs_at_once_and_what_the_store_holds():
    table = fovea.sweep("copy-subset", seeds=range(3), jobs=2, probes=[first], **SMALL)
    assert len(table) == 3 and all(len(run.series["start"]) == 3 for run in table)
    found = fovea.run("copy-subset", seed=1, reuse=True, probes=[first], **SMALL)
    assert found.id in {run.id for run in table}
    assert fovea.run("copy-subset", seed=1, reuse=True, **SMALL).id == 4  # without it, another run
    assert (
        fovea.audit(fovea.run("copy-subset", seed=1, reuse=True, probes=[first], **SMALL)).run.series["start"].size == 3
    )


def test_beside_a_task_of_ones_own():
    def marked(split, seed, size):
        random = np.random.default_rng([seed, len(split)])
        while True:
            yield {"source": random.integers(1, 9, (size, 6)), "labels": random.integers(0, 2, size)}

    run = fovea.run(
        {
            "task": fovea.Task(marked, vocab=9, classes=2),
            "model": {"name": "gated-classifier", "hidden": 8, "embedding": 8},
            "train": {"steps": 4, "batch": 4},
            "probe": {"every": 2, "names": [first]},
        }
    )
    assert run.id == 0 and run.series.steps("start").tolist() == [0, 2, 4]


def test_who_does_not_have_the_function_reads_the_run_and_cannot_train_it(program, tmp_path):
    def stop(step):
        if step.number == 13:
            raise KeyboardInterrupt

    fovea.run("copy-subset", probes=[first], **SMALL)
    with pytest.raises(KeyboardInterrupt):
        fovea.run("copy-subset", seed=1, probes=[first], on_step=stop, **SMALL)
    shown = program("show", 1, "--series")
    assert first.spec_name in shown["settings"]["probe"]["names"] and len(shown["series"]["start"]) == 3
    assert len(program("runs", "--where", "start < 2")["runs"]) == 2

    def refused(*words):
        done = subprocess.run([program.path, *words], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 2, done.stdout + done.stderr
        return " ".join(done.stderr.split())

    subprocess.run([program.path, "plot", "1", "start", "-o", tmp_path / "first.svg"], check=True, capture_output=True)
    assert "start" in (tmp_path / "first.svg").read_text()
    spec = subprocess.run([program.path, "show", "1", "--spec"], capture_output=True, text=True, check=True).stdout
    (tmp_path / "again.toml").write_text(spec)
    for words in (["run", "--resume", "2"], ["run", "again.toml"], ["audit", "1"]):
        said = refused(*words)
        assert f"{__name__}.first" in said and "is a Python function" in said, said
        assert "Train the run in Python, which has the function" in said
    assert fovea.run(tmp_path / "again.toml", reuse=True).id == 1  # here it is
    done = python(
        """
        import fovea
        assert len(fovea.store()[1].series["start"]) == 3 and list(fovea.store()[1].probe_seconds) == ["first"]
        try:
            fovea.resume(2)
        except fovea.WrongInput as error:
            print(error)
        """
    )
    assert f"the run has the probe '{__name__}.first', a Python function that is not defined here" in done.stdout, (
        done.stderr
    )
    assert f"the digest of its source is {first.spec_name[-16:]}" in done.stdout


def test_a_function_that_changed_is_another():
    names = {"fovea": fovea}

    def define(text):
        exec(f"@fovea.Probe\ndef changing(batch, outcome, model): return {{'x': {text}}}", names)
        return names["changing"]

    def stop(step):
        if step.number == 13:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fovea.run("copy-subset", probes=[define("1")], on_step=stop, **SMALL)
    define("2")
    gc.collect()
    with pytest.raises(
        fovea.WrongInput, match="changing' has changed: the digest of its source was .* Define it as it was"
    ):
        fovea.resume(1)
    define("1")
    assert fovea.resume(1).state == "done"


def test_what_takes_long_is_told():
    import time

    slow = fovea.Probe(lambda batch, outcome, model: time.sleep(0.4) or {"x": 1}, name="slow")
    with pytest.warns(
        UserWarning, match=r"the probe 'slow' took 1\.\d s, \d+% of the run; evaluate less often"
    ) as told:
        run = fovea.run("copy-subset", probes=[slow], **SMALL)
    assert told[0].filename == __file__ and run.probe_seconds["slow"] >= 1.2


def test_ctrl_c_within_the_function(pressed_at):
    import signal

    def press(batch, outcome, model):
        if model.step == 10:
            signal.raise_signal(signal.SIGINT)
        return {"x": 1}

    pressed_at(10**9)  # Ctrl-C is as in a terminal
    with pytest.raises(KeyboardInterrupt):
        fovea.run("copy-subset", keep=False, probes=[fovea.Probe(press)], **SMALL)
    assert len(fovea.store()) == 0
