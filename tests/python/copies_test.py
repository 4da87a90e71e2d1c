"""Runs, models and what goes with them, pickled and copied: the same to the bit, also for another process without the store."""

import copy
import multiprocessing
import pickle
import shutil

import numpy as np
import pytest

import fovea

SMALL = dict(quick=True, steps=20, vocab=9, length=5, hidden=8, embedding=8)


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def same_run(one, other):
    assert (one.id, one.seed, one.state, one.steps, one.experiment) == (
        other.id,
        other.seed,
        other.state,
        other.steps,
        other.experiment,
    )
    assert one.spec == other.spec and one.metrics == other.metrics and set(one.series) == set(other.series)
    for name in one.series:
        assert one.series[name].tobytes() == other.series[name].tobytes()
        assert one.series.steps(name).tolist() == other.series.steps(name).tolist()
    assert one.attention_steps == other.attention_steps
    for step in one.attention_steps:
        assert one.attention(step).tobytes() == other.attention(step).tobytes()
    for name, values in one.weights().items():
        assert values.dtype == other.weights()[name].dtype and values.tobytes() == other.weights()[name].tobytes()
        assert not other.weights()[name].flags.writeable


@pytest.mark.parametrize("way", [again, copy.copy, copy.deepcopy])
@pytest.mark.parametrize("settings", [dict(keep=False), dict(), dict(precision="double")])
def test_a_run(way, settings):
    run = fovea.run("copy-subset", **SMALL, **settings)
    other = way(run)
    same_run(run, other)
    batch = {"source": [[1, 2, 3, 8]], "target": [[1, 2, 3, 8]]}
    assert other.apply(batch)["scores"].tobytes() == run.apply(batch)["scores"].tobytes()
    assert (repr(other), other.seconds) == (repr(run), run.seconds) and other.beta().tobytes() == run.beta().tobytes()


def test_a_stored_run_outlives_its_store(tmp_path):
    folder = tmp_path / "apart"
    folder.mkdir()
    run = fovea.run("copy-subset", store=folder / "runs.db", **SMALL)
    kept = pickle.dumps(fovea.store(folder / "runs.db")[1])
    assert run.attention_steps == [0, 10, 20]
    shutil.rmtree(folder)
    same_run(run, pickle.loads(kept))


def test_a_table_and_a_store_and_an_audit():
    table = fovea.sweep("copy-subset", seeds=range(2), **SMALL)
    for one, other in zip(table, again(table)):
        same_run(one, other)
    assert again(table).rows() == table.rows()
    assert [run.id for run in again(fovea.store())] == [1, 2]
    audit = fovea.audit(table[0])
    assert repr(again(audit)) == repr(audit) == repr(copy.deepcopy(audit))


def tokens(split, seed, size):
    random = np.random.default_rng([seed, len(split)])
    while True:
        yield {"source": random.integers(0, 9, (size, 6)), "labels": random.integers(0, 2, size)}


def distance(queries, keys, w):
    return -abs(w) * np.abs(queries[:, None, 0] - keys[None, :, 0])


def test_runs_of_parts_in_python():
    spec = {
        "model": {"name": "gated-classifier", "hidden": 8, "embedding": 8},
        "train": {"steps": 5, "batch": 4},
        "probe": {"names": ["accuracy"]},
    }
    run = fovea.run({**spec, "task": fovea.Task(tokens, vocab=9, classes=2)})
    for other in (again(run), copy.deepcopy(run)):
        same_run(run, other)
        assert other.beta().tobytes() == run.beta().tobytes()


@pytest.mark.parametrize("way", [again, copy.deepcopy])
def test_similarities(way):
    similarity = way(fovea.Similarity(distance, w=1.5))
    run = fovea.run(
        {
            "task": {"name": "curve"},
            "model": {"name": "pooling", "similarity": similarity},
            "train": {"steps": 2},
            "probe": {"names": []},
        }
    )
    first = fovea.run(
        {
            "task": {"name": "curve"},
            "model": {"name": "pooling", "similarity": fovea.Similarity(distance, w=1.5)},
            "train": {"steps": 2},
            "probe": {"names": []},
        }
    )
    assert run.weights()["w"].tobytes() == first.weights()["w"].tobytes()
    points = {"keys": [[0.1], [0.5]], "values": [[1.0], [2.0]], "queries": [[0.3]]}
    expected, other = first.apply(points)["predictions"].copy(), way(first)
    del first  # and the similarity that the engine knew
    np.testing.assert_array_equal(other.apply(points)["predictions"], expected)


def test_models_and_estimators():
    model = fovea.from_torch(fovea.run("copy-subset", keep=False, **SMALL).weights())
    batch = {"source": [[1, 2, 3, 8]], "target": [[1, 2, 3, 8]]}
    for other in (again(model), copy.deepcopy(model)):
        assert other.apply(batch)["scores"].tobytes() == model.apply(batch)["scores"].tobytes()
    pytest.importorskip("sklearn")
    from fovea.estimators import AttentionClassifier, NadarayaWatson

    texts, X = ["a good film", "a bad film"] * 9, np.linspace(0, 1, 9)[:, None]
    classifier = AttentionClassifier(steps=9, hidden=8, embedding=8).fit(texts, [0, 1] * 9)
    pooling = NadarayaWatson(steps=9).fit(X, X[:, 0])
    for way in (again, copy.deepcopy):
        assert way(classifier).predict_proba(texts).tobytes() == classifier.predict_proba(texts).tobytes()
        assert way(pooling).predict(X).tobytes() == pooling.predict(X).tobytes()
        assert way(AttentionClassifier(steps=9)).get_params() == AttentionClassifier(steps=9).get_params()


def test_what_can_not_be_pickled_says_so():
    prediction = fovea.predict(["good film", "bad film"] * 20, ["yes", "no"] * 20)
    assert copy.deepcopy(prediction).words == prediction.words
    with pytest.raises(TypeError, match="a prediction cannot be pickled. Keep the parts that you need"):
        pickle.dumps(prediction)


def trained(seed):
    return fovea.run("copy-subset", seed=seed, keep=False, **SMALL)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_runs_come_home_from_other_processes(method):
    with multiprocessing.get_context(method).Pool(2) as pool:
        runs = pool.map(trained, range(3))
    for seed, run in enumerate(runs):
        same_run(trained(seed), run)


@pytest.mark.parametrize(
    "settings",
    [dict(), dict(cell="gru"), dict(attention="none", names=["accuracy"], optional=[]), dict(bidirectional=True)],
)
def test_modules_of_torch(settings, tmp_path):
    torch = pytest.importorskip("torch")
    module = fovea.to_torch(fovea.run("copy-subset", **SMALL, **settings))
    source = torch.tensor([[1, 2, 3, 8]])
    expected = module(source, source)[0]
    torch.save(module, tmp_path / "module.pt")
    for other in (torch.load(tmp_path / "module.pt", weights_only=False), again(module), copy.deepcopy(module)):
        assert torch.equal(other(source, source)[0], expected)
        assert fovea.from_torch(other).spec == fovea.from_torch(module).spec
        with torch.no_grad():
            other.output.weight.zero_()
    assert torch.equal(module(source, source)[0], expected)


def vectors(split, seed, size):
    random = np.random.default_rng([seed, len(split)])
    while True:
        yield {"items": random.normal(size=(size, 4)), "labels": random.integers(0, 2, size)}


def bags(split, seed, size):
    random = np.random.default_rng([seed, len(split)])
    while True:
        yield {"items": random.normal(size=(size, 3, 4)), "labels": random.integers(0, 2, size)}


@pytest.mark.parametrize(
    "task, model, inputs",
    [
        (fovea.Task(tokens, vocab=9, classes=2), {"name": "gated-classifier", "score": "mlp"}, [[[1, 2, 3]]]),
        (
            fovea.Task(vectors, kind="labelled_vectors", width=4, classes=2),
            {"name": "feature-attention"},
            [[[0.1, 0.2, 0.3, 0.4]]],
        ),
        (
            fovea.Task(bags, kind="labelled_bags", width=4, classes=2, most_items=3),
            {"name": "bag-attention"},
            [[[[0.1, 0.2, 0.3, 0.4]] * 3]],
        ),
        (
            {"name": "curve"},
            {"name": "pooling", "similarity": "gaussian-learned"},
            [[[0.1], [0.4]], [[1.0], [2.0]], [[0.3]]],
        ),
    ],
    ids=lambda part: part.get("name") if isinstance(part, dict) else None,
)
def test_modules_of_every_kind(task, model, inputs, tmp_path):
    torch = pytest.importorskip("torch")
    module = fovea.to_torch(fovea.run({"task": task, "model": model, "train": {"steps": 2}, "probe": {"names": []}}))
    tensors = [torch.tensor(values) for values in inputs]
    torch.save(module, tmp_path / "module.pt")
    for other in (torch.load(tmp_path / "module.pt", weights_only=False), copy.deepcopy(module)):
        assert torch.equal(other(*tensors)[0], module(*tensors)[0])


def test_arrays_whose_store_is_gone_are_not_none(tmp_path):
    (tmp_path / "apart").mkdir()
    run = fovea.run("copy-subset", store=tmp_path / "apart" / "runs.db", **SMALL)
    shutil.rmtree(tmp_path / "apart")
    with pytest.raises(fovea.Failure, match="run 1 is no longer in .*runs.db, which had its arrays"):
        run.attention()
    assert run.metrics and run.weights()  # those of this session
