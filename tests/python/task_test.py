"""Tasks of one's own, and trained models on batches of one's own."""

import numpy as np
import pytest

import fovea


def marked(split, seed, size):
    random = np.random.default_rng([seed, len(split)])
    while True:
        source = random.integers(1, 9, (size, 6)).astype(np.int32)
        labels = random.integers(0, 2, size)
        source[labels == 1, random.integers(0, 6)] = 0
        yield {"source": source, "labels": labels, "marked": source == 0}


def spec(batches=marked, **more):
    return {
        "task": fovea.Task(batches, vocab=9, classes=2),
        "model": {"name": "gated-classifier", "hidden": 16, "embedding": 16},
        "train": {"steps": 150, "batch": 16, "rate": 1e-2},
        "probe": {"every": 50, "names": ["accuracy", "attention_on_answer"]},
        **more,
    }


def test_a_generator_is_a_task():
    run = fovea.run(spec(), seed=1)
    assert run.metrics["accuracy"] > 0.95 and run.metrics["attention_on_answer"] > 0.5
    again = fovea.run(spec(), seed=1)
    assert {name: run.series[name].tobytes() for name in run.series} == {
        name: again.series[name].tobytes() for name in again.series
    }
    assert fovea.run(spec(), seed=2).metrics["train_loss"] != run.metrics["train_loss"]
    assert run.id == 0 and len(fovea.store()) == 0
    with pytest.raises(fovea.WrongInput, match="of a task in Python cannot be kept"):
        fovea.run(spec(), keep=True)


def test_pairs_bags_vectors_and_points():
    random = np.random.default_rng(0)

    def pairs(split, seed, size):
        while True:
            source = np.concatenate([random.integers(0, 5, (size, 4)), np.full((size, 1), 5)], 1)
            yield {"source": source, "target": source, "alignment": np.tile(np.arange(5), (size, 1))}

    def bags(split, seed, size):
        while True:
            yield {
                "items": random.normal(size=(size, 3, 4)),
                "lengths": random.integers(1, 4, size),
                "labels": random.integers(0, 2, size),
            }

    def vectors(split, seed, size):
        while True:
            yield {"items": random.normal(size=(size, 4)), "labels": random.integers(0, 2, size)}

    def points(split, seed, size):
        while True:
            keys = random.normal(size=(7, 2))
            yield {"keys": keys, "values": keys[:, :1], "queries": keys, "answers": keys[:, :1]}

    train = {"train": {"steps": 3, "batch": 8}}
    for task, model, names in [
        (
            fovea.Task(pairs, kind="token_pairs", vocab=7, start_token=6, end_token=5),
            "seq2seq",
            ["accuracy", "attention_points_right"],
        ),
        (fovea.Task(bags, kind="labelled_bags", width=4, classes=2, most_items=3), "bag-attention", ["accuracy"]),
        (fovea.Task(vectors, kind="labelled_vectors", width=4, classes=2), "feature-attention", ["accuracy"]),
        (fovea.Task(points, kind="points", width=2, value_width=1), "pooling", ["pooling_error"]),
    ]:
        run = fovea.run({"task": task, "model": {"name": model}, "probe": {"names": names}, **train})
        assert run.state == "done" and set(names) <= set(run.metrics), model


def give(**parts):
    def batches(split, seed, size):
        batch = next(marked(split, seed, size))
        batch.update(parts)
        while True:
            yield batch

    return batches


@pytest.mark.parametrize(
    "batches, says",
    [
        (give(source=None), "gave no 'source'"),
        (give(source=np.zeros((4, 6), float)), "'source' of task 'batches' must be whole numbers, not float64"),
        (give(source=np.zeros(6, int)), r"'source' of task 'batches' has the shape \(6,\). It must have 2 dimensions"),
        (give(source=np.full((1, 6), 9), labels=[0]), "has 9, and must be -1 to 8"),
        (give(source=[[1, -1, 2]], labels=[0]), "row 0 of 'source' of task 'batches' goes on behind a -1"),
        (give(source=[[-1, -1]], labels=[0]), "row 0 of 'source' of task 'batches' is empty"),
        (give(source=[[1], [2, 3]]), "'source' of task 'batches' is no array"),
        (
            give(source=np.zeros((0, 6), int), labels=np.zeros(0, int)),
            "'source' of task 'batches' is empty. Give one example at least",
        ),
        (give(source=[], labels=[]), "'source' of task 'batches' is empty"),
        (give(labels=np.zeros(99, int)), r"'labels' of task 'batches' has the shape \(99,\)"),
        (give(labels=np.full(1, 2), source=[[1]]), "'labels' of task 'batches' has 2"),
        (give(labels=["a"], source=[[1]]), "must be whole numbers, not <U1"),
        (give(source=np.zeros((4, 6), object)), "'source' of task 'batches' must be whole numbers, not object"),
        (give(source=np.zeros((4, 6), complex)), "must be whole numbers, not complex128"),
        (
            lambda split, seed, size: None,
            "task '<lambda>' gave None, and batches one after the other are needed. Let the function yield them",
        ),
        (lambda split, seed, size: 3, "task '<lambda>' gave 3, of type int, and batches"),
        (
            lambda split, seed, size: {"source": [[1]], "labels": [0]},
            "task '<lambda>' gave {'labels': .* and batches one after the other",
        ),
        (lambda split, seed: iter([]), r"task '<lambda>' cannot be called with \(split, seed, size\)"),
        (lambda split, seed, size: iter([3]), "task '<lambda>' gave 3, of type int, not a batch"),
    ],
)
def test_wrong_batches_are_named(batches, says):
    with pytest.raises((fovea.WrongInput, TypeError), match=says):
        fovea.run(spec(batches))


def test_what_a_generator_raises_surfaces():
    def broken(split, seed, size):
        yield from (batch for _, batch in zip(range(3), marked(split, seed, size)))
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more") as caught:
        fovea.run(spec(broken))
    assert any(entry.name == "broken" for entry in caught.traceback)
    short = spec(lambda split, seed, size: (batch for _, batch in zip(range(3), marked(split, seed, size))))
    with pytest.raises(
        fovea.Failure,
        match="task '<lambda>' ended after 3 batches of 'train', and more are wanted. Let it yield for ever",
    ):
        fovea.run(short)
    with pytest.raises(fovea.Failure, match="task '<lambda>' ended after 0 batches of '"):
        fovea.run(spec(lambda split, seed, size: iter(())))


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 1e39])
def test_numbers_that_are_none_are_named(wrong):
    def points(split, seed, size):
        while True:
            yield {"keys": [[0.0], [wrong]], "values": [[1.0], [2.0]], "queries": [[0.5]]}

    with pytest.raises(
        fovea.WrongInput, match="'keys' of task 'points' has a value that is not finite, or too large for float32"
    ):
        fovea.run(
            {
                "task": fovea.Task(points, kind="points", width=1, value_width=1),
                "model": {"name": "pooling"},
                "probe": {"names": []},
            }
        )
    for parts, says in [
        ({"keys": np.zeros((0, 1)), "values": np.zeros((0, 1))}, "'keys' of task 'other' is empty"),
        ({"keys": [[0.0]], "values": [[1.0], [2.0]]}, "there are 1 keys and 2 values in task 'other'"),
    ]:
        task = fovea.Task(
            lambda split, seed, size: iter([{**parts, "queries": [[0.5]]}] * 9),
            kind="points",
            width=1,
            value_width=1,
            name="other",
        )
        with pytest.raises(fovea.WrongInput, match=says):
            fovea.run({"task": task, "model": {"name": "pooling"}, "probe": {"names": []}})


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: fovea.Task(3, vocab=9, classes=2), "cannot be called"),
        (lambda: fovea.Task(marked, vocab=9), "needs its classes"),
        (lambda: fovea.Task(marked, vocab=9, classes=2, widht=3), "'widht' is no size"),
        (lambda: fovea.Task(marked, kind="labeled_tokens"), "labelled_tokens"),
        (lambda: fovea.run({**spec(), "model": {"name": "seq2seq"}}), "needs pairs of token sequences"),
    ],
)
def test_wrong_tasks_are_named(make, says):
    with pytest.raises(fovea.WrongInput, match=says):
        make()


def test_a_trained_model_on_ones_own_batches():
    run = fovea.run(spec(), seed=1)
    batch = next(marked("new", 5, 40))
    out = run.apply(batch, beta=True)
    assert ((out["scores"][:, 0] > 0) == batch["labels"]).mean() > 0.9
    np.testing.assert_allclose(out["attention"].sum(-1), 1, rtol=1e-5)
    assert out["beta"].shape == out["attention"].shape == (40, 1, 6) and out["predictions"] is None
    one = {name: values[:1] for name, values in batch.items()}
    np.testing.assert_allclose(run.apply(one)["scores"], out["scores"][:1], atol=1e-5)
    kept = out["scores"].copy()
    run.apply(one)  # what was given before stays as it was
    np.testing.assert_array_equal(out["scores"], kept)
    with pytest.raises(fovea.WrongInput, match="has 9"):
        run.apply({**one, "source": [[9]]})


def test_the_last_look_is_that_of_the_weights():
    run = fovea.run("copy-subset", quick=True, steps=20, vocab=9, length=5, hidden=8, embedding=8, keep=False)
    source, target = (run.arrays[f"attention_{which}"][0].astype(np.int32) for which in ("source", "target"))
    np.testing.assert_allclose(
        run.apply({"source": source, "target": target})["attention"], run.attention(20), atol=1e-6
    )
    assert all(values.dtype == np.float32 and not values.flags.owndata for values in run.weights().values())
