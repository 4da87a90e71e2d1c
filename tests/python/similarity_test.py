"""Similarities of one's own, with their gradients and without."""

import gc
import weakref

import numpy as np
import pytest

import fovea


def gaussian(queries, keys, w):
    return -w * w * ((queries[:, None] - keys) ** 2).sum(-1) / 2


def gaussian_gradient(queries, keys, d_scores, w):
    return {"w": (d_scores * -w * ((queries[:, None] - keys) ** 2).sum(-1)).sum()}


def general(queries, keys, weight):
    return queries @ weight @ keys.T


def general_gradient(queries, keys, d_scores, weight):
    return {"weight": queries.T @ d_scores @ keys}


def spec(similarity, **more):
    return {
        "task": {"name": "curve", "points": 30},
        "model": {"name": "pooling", "similarity": similarity},
        "train": {"steps": 40, "batch": 1, "rate": 0.05, "precision": "double"},
        "probe": {"every": 10, "names": ["pooling_error"]},
        **more,
    }


def like(one, other, tolerance=1e-6):
    for name in one.series:
        np.testing.assert_allclose(one.series[name], other.series[name], rtol=tolerance, err_msg=name)


def test_with_its_gradient_it_is_the_engines_own():
    builtin = fovea.run(spec("gaussian-learned"))
    ours = fovea.run(spec(fovea.Similarity(gaussian, gaussian_gradient, w=1.0)))
    like(ours, builtin)
    np.testing.assert_allclose(ours.weights()["w"], builtin.weights()["w"], rtol=1e-8)
    assert ours.weights()["w"][0] != 1
    np.testing.assert_allclose(ours.attention(), builtin.attention(), atol=5e-4)  # the store keeps halves
    assert ours.id == 0 and builtin.id == 1 and len(fovea.store()) == 1


def test_without_it_the_engine_takes_differences():
    like(fovea.run(spec(fovea.Similarity(gaussian, w=1.0))), fovea.run(spec("gaussian-learned")))


def test_arrays_start_by_the_seed_as_the_engines_do():
    plane = {"task": {"name": "curve", "points": 20, "width": 3, "queries": 10}}
    builtin = fovea.run(spec("general", **plane), seed=3)
    for gradient in (general_gradient, None):
        ours = fovea.run(spec(fovea.Similarity(general, gradient, weight=(3, 3)), **plane), seed=3)
        like(ours, builtin, 1e-5)
        np.testing.assert_allclose(ours.weights()["weight"], builtin.weights()["weight"], rtol=1e-5)


def test_training_on_queries_and_without_parameters():
    def near(queries, keys):
        return np.where(abs(queries - keys[:, 0]) < 0.3, 0.0, -np.inf)

    run = fovea.run(spec(fovea.Similarity(near)))
    boxcar = spec("boxcar")
    boxcar["model"]["width"] = 0.3
    like(run, fovea.run(boxcar))
    ours = spec(fovea.Similarity(gaussian, gaussian_gradient, w=1.0))
    ours["model"]["train_on"] = "queries"
    theirs = spec("gaussian-learned")
    theirs["model"]["train_on"] = "queries"
    like(fovea.run(ours), fovea.run(theirs))


def test_a_trained_one_is_applied():
    similarity = fovea.Similarity(gaussian, gaussian_gradient, w=1.0)
    run = fovea.run(spec(similarity), keep=False)
    batch = {"keys": [[0.0], [1.0]], "values": [[0.0], [1.0]], "queries": [[0.0], [0.5], [9.0]]}
    answers = run.apply(batch)["predictions"]
    assert answers[0, 0] < 0.5 and answers[1, 0] == pytest.approx(0.5) and answers[2, 0] > 0.5
    pytest.importorskip("torch")
    with pytest.raises(fovea.WrongInput, match="'python-pooling' has no module"):
        fovea.to_torch(run)


def test_what_a_function_raises_surfaces():
    def broken(queries, keys):
        raise LookupError("not alike")

    with pytest.raises(LookupError, match="not alike") as caught:
        fovea.run(spec(fovea.Similarity(broken)))
    assert any(entry.name == "broken" for entry in caught.traceback)

    calls = []

    def later(queries, keys, d_scores, w):
        calls.append(1)
        if len(calls) == 3:
            raise ZeroDivisionError("third")
        return {"w": 0.0}

    with pytest.raises(ZeroDivisionError, match="third"):
        fovea.run(spec(fovea.Similarity(gaussian, later, w=1.0)))


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: fovea.Similarity(3), "scores is of type int"),
        (lambda: fovea.Similarity(gaussian, 3, w=1.0), "gradient is of type int"),
        (lambda: fovea.Similarity(gaussian, gaussian_gradient), "nothing to learn"),
        (lambda: fovea.Similarity(gaussian, w="one"), "the parameter 'w' is 'one'"),
        (lambda: fovea.Similarity(gaussian, w=(0, 3)), r"the parameter 'w' is \(0, 3\)"),
        (lambda: fovea.run(spec(fovea.Similarity(lambda q, k: np.zeros((2, 3))))), r"gave an array \(2, 3\) for"),
        (lambda: fovea.run(spec(fovea.Similarity(lambda q, k: "near"))), "of type str"),
        (
            lambda: fovea.run(spec(fovea.Similarity(lambda q, k: np.full((len(q), len(k)), np.nan)))),
            "is not a number for query 0 and key 0",
        ),
        (lambda: fovea.run(spec(fovea.Similarity(gaussian, lambda *_, w: {}, w=1.0))), "has no 'w'"),
        (lambda: fovea.run(spec(fovea.Similarity(gaussian, lambda *_, w: 3, w=1.0))), "is no dict"),
        (
            lambda: fovea.run(spec(fovea.Similarity(gaussian, lambda *_, w: {"w": [1, 2]}, w=1.0))),
            r"has the shape \(2\)",
        ),
        (lambda: fovea.run(spec(fovea.Similarity(general, weight=(9, 9)))), "has 81 numbers to learn and no gradient"),
        (
            lambda: fovea.run({**spec("dot"), "model": {"name": "seq2seq", "similarity": fovea.Similarity(gaussian)}}),
            "takes no similarity",
        ),
        (
            lambda: fovea.run(spec(fovea.Similarity(gaussian, w=1.0)), keep=True),
            "by a similarity in Python cannot be kept",
        ),
    ],
)
def test_wrong_ones_are_named(make, says):
    with pytest.raises(fovea.WrongInput, match=says):
        make()


def test_they_go_with_their_runs():
    class Scores:
        def __call__(self, queries, keys):
            return np.zeros((len(queries), len(keys)))

    scores = Scores()
    watched = weakref.ref(scores)
    run = fovea.run(spec(fovea.Similarity(scores)))
    del scores
    gc.collect()
    assert watched() is not None
    run.apply({"keys": [[0.0]], "values": [[0.0]], "queries": [[0.0]]})
    del run
    gc.collect()
    assert watched() is None
