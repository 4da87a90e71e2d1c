"""Weights, β and the trained model of runs that the store holds, as those of this session."""

import hashlib
import pickle

import numpy as np
import pytest
from other_process import python

import fovea

COPY = dict(quick=True, names=["accuracy"], steps=20, vocab=9, length=5, hidden=8, embedding=8)
MARKED = {
    "task": {"name": "keyword"},
    "model": {"name": "gated-classifier", "hidden": 8, "embedding": 8},
    "train": {"steps": 10, "batch": 8},
    "probe": {"names": ["accuracy"]},
}


def bits(weights):
    return {name: (values.dtype, values.shape, values.tobytes()) for name, values in weights.items()}


@pytest.mark.parametrize("precision", ["float", "double"])
def test_a_stored_run_has_the_weights_of_the_session(precision):
    run = fovea.run("copy-subset", precision=precision, **COPY)
    stored = fovea.store()[run.id]
    weights = stored.weights()
    assert bits(weights) == bits(run.weights())
    assert {values.dtype for values in weights.values()} == {np.dtype("f4" if precision == "float" else "f8")}
    assert all(not values.flags.owndata and not values.flags.writeable for values in weights.values())
    kept = weights["output.weight"]
    before = kept.copy()
    del stored, weights  # the array keeps what it shows
    np.testing.assert_array_equal(kept, before)


def test_another_process_reads_them(home):
    fovea.run("copy-subset", **COPY)
    whole = fovea.store()[1].weights()["output.weight"].tobytes().hex()
    done = python('import fovea; print(fovea.store()[1].weights()["output.weight"].tobytes().hex())')
    assert done.stdout.strip() == whole, done.stderr


def test_a_stored_run_is_applied_as_the_sessions_was():
    run = fovea.run("copy-subset", **COPY)
    stored = fovea.store()[run.id]
    batch = {"source": [[1, 2, 3, 4, 0, 8]], "target": [[1, 2, 3, 4, 0, 8]]}
    ours, theirs = run.apply(batch, beta=True), stored.apply(batch, beta=True)
    for name in ("scores", "attention", "beta"):
        assert ours[name].tobytes() == theirs[name].tobytes()
    settings = {key: value for key, value in COPY.items() if key != "names"}  # a list would be an axis
    table = fovea.sweep("copy-subset", seeds=range(2), set={"probe.names": COPY["names"]}, **settings)
    assert bits(table[0].weights()) == bits(run.weights()) != bits(table[1].weights())
    assert bits(fovea.run("copy-subset", reuse=True, **COPY).weights()) == bits(run.weights())


def test_weights_that_are_not_there_are_explained():
    run = fovea.run("copy-subset", keep_weights="never", **COPY)
    assert run.weights()  # those of this session
    with pytest.raises(
        fovea.WrongInput, match='weights of run 1 were not kept. Train it again with keep_weights="always"'
    ):
        fovea.store()[1].weights()

    def stop(step):
        if step.number == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fovea.run("copy-subset", seed=1, on_step=stop, **COPY)
    with pytest.raises(fovea.WrongInput, match="run 2 is stopped: weights are kept when a run is done"):
        fovea.store()[2].weights()


def test_weights_at_checkpoints_are_those_of_a_run_that_ended_there():
    steps = [0, 7, 20]
    run = fovea.run("copy-subset", checkpoints=steps, **COPY)
    apart = fovea.run("copy-subset", checkpoints=steps, keep=False, **COPY)
    stored = fovea.store()[run.id]
    for step in steps:
        ended = fovea.run("copy-subset", keep=False, **{**COPY, "steps": step}) if step else None
        for one in (run, apart, stored, pickle.loads(pickle.dumps(stored))):
            assert bits(one.weights(step)) == bits(run.weights(step))
            assert ended is None or bits(one.weights(step)) == bits(ended.weights())
            assert one.checkpoints == run.checkpoints and list(one.checkpoints) == steps
        weights = run.weights(step)
        whole = b"".join(weights[name].tobytes() for name in sorted(weights))
        assert run.checkpoints[step] == hashlib.sha256(whole).hexdigest()
    assert len(set(run.checkpoints.values())) == 3
    assert bits(apart.weights()) == bits(run.weights()) == bits(run.weights(20)) != bits(run.weights(7))
    with pytest.raises(fovea.WrongInput, match="run 1 has no weights at step 8. See checkpoints: 0, 7, 20"):
        run.weights(8)
    with pytest.raises(fovea.WrongInput, match=r"has no weights at step 8. Train it again with checkpoints=\[8\]"):
        fovea.run("copy-subset", **COPY).weights(8)
    with pytest.raises(fovea.WrongInput, match="train.checkpoints has step 21, and the run has 20 steps"):
        fovea.run("copy-subset", checkpoints=[21], **COPY)


def test_beta_is_that_of_the_examples_of_attention():
    run = fovea.run("copy-subset", **COPY)
    source, target = (run.arrays[f"attention_{which}"][0].astype(np.int32) for which in ("source", "target"))
    beta = run.beta()
    assert beta.shape == run.attention().shape and beta.dtype == np.float32
    np.testing.assert_array_equal(beta, run.apply({"source": source, "target": target}, beta=True)["beta"])
    np.testing.assert_array_equal(run.beta(20), beta)
    np.testing.assert_array_equal(fovea.store()[1].beta(), beta)
    assert (beta <= 0).all()  # log-probabilities of the right words
    with pytest.raises(
        fovea.WrongInput, match=r"run 1 has β at its end alone, step 20, by its weights. Train it with probes="
    ):
        run.beta(10)


def test_beta_of_earlier_looks_is_that_of_a_run_that_ended_there():
    run = fovea.run("copy-subset", probes=["kept_beta"], **COPY)
    assert sorted(run.arrays["attention_beta"]) == run.attention_steps
    for step in (10, 20):
        ended = fovea.run("copy-subset", **{**COPY, "steps": step})
        np.testing.assert_array_equal(run.attention(step), ended.attention())
        np.testing.assert_array_equal(run.beta(step), ended.beta())
    np.testing.assert_array_equal(run.beta(), run.beta(20))
    truth = run.arrays["attention_truth"][0]
    assert truth.shape == run.attention().shape and (truth.sum(2) == 1).all()
    with pytest.raises(fovea.WrongInput, match=r"has no β kept at step 7. The nearest is step"):
        run.beta(7)


def test_a_list_of_probes_is_one_value_in_a_sweep():
    table = fovea.sweep(
        "copy-subset", seeds=range(2), probes="entropy", **{**COPY, "names": ["accuracy"], "optional": []}
    )
    assert [run.spec["probe"]["names"] for run in table] == [["accuracy", "entropy"]] * 2
    several = fovea.sweep("copy-subset", seeds=[0], **{**COPY, "names": [["accuracy"], ["entropy"]], "optional": []})
    assert [run.spec["probe"]["names"] for run in several] == [["accuracy"], ["entropy"]]


def test_beta_of_a_classifier_and_of_a_task_in_python():
    run = fovea.run(MARKED, seed=2)
    source = run.arrays["attention_source"][0].astype(np.int32)
    labels = run.arrays["attention_labels"][0].astype(np.int32)
    np.testing.assert_array_equal(run.beta(), run.apply({"source": source, "labels": labels}, beta=True)["beta"])

    def again(split, seed, size):
        random = np.random.default_rng(seed)
        while True:
            yield {"source": random.integers(0, 9, (8, 5)), "labels": random.integers(0, 2, 8)}

    own = fovea.run({**MARKED, "task": fovea.Task(again, vocab=9, classes=2)})
    first = next(again("test", 0, 4))
    np.testing.assert_array_equal(
        own.beta(), own.apply({name: values[:4] for name, values in first.items()}, beta=True)["beta"]
    )
    assert own.beta().shape == own.attention().shape == (4, 1, 5)


def test_a_model_without_beta_says_so():
    with pytest.raises(fovea.WrongInput, match="'feature-attention' has no β"):
        fovea.run("feature-free", quick=True, steps=3, keep=False).beta()
