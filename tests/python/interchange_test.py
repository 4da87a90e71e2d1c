"""PyTorch, scikit-learn: the real ones, where they are installed."""

import numpy as np
import pytest

import fovea

COPY = dict(quick=True, names=["accuracy"], steps=20, vocab=9, length=5, hidden=8, embedding=8, keep=False)
MODELS = [{}, {"cell": "gru"}, {"bidirectional": True, "layers": 2}, {"combiner": "relu"}, {"attention": "uniform"}, {"attention": "none"}]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_translator_goes_to_torch_and_back(model):
    torch = pytest.importorskip("torch")
    run = fovea.run("copy-subset", **{**COPY, **{f"model__{key}": value for key, value in model.items()}})
    module = fovea.to_torch(run)
    weights = run.weights()
    state = module.state_dict()
    assert set(state) == set(weights)
    assert all(state[name].numpy().tobytes() == weights[name].tobytes() for name in weights)
    source = np.array([[1, 2, 3, 4, 0, 9], [5, 6, 9, -1, -1, -1]], np.int32)
    target = np.array([[1, 2, 3, 9, -1, -1], [5, 6, 7, 8, 0, 9]], np.int32)
    batch = {"source": source, "target": target}
    scores, attention = module(torch.tensor(source, dtype=torch.long), torch.tensor(target, dtype=torch.long))
    ours = run.apply(batch)
    present = target.ravel() >= 0
    np.testing.assert_allclose(scores.detach().numpy().reshape(12, -1)[present], ours["scores"][present], atol=1e-5)
    if ours["attention"] is not None:
        np.testing.assert_allclose(attention.detach().numpy().reshape(12, -1)[present], ours["attention"].reshape(12, -1)[present], atol=1e-5)
    told = {key: value for key, value in model.items() if key in ("combiner",) or value == "uniform"}
    back = fovea.from_torch(module, **told)
    assert {name: values.tobytes() for name, values in back.weights().items()} == {name: values.tobytes() for name, values in weights.items()}
    assert back.apply(batch)["scores"].tobytes() == ours["scores"].tobytes()


@pytest.mark.parametrize("model", [{}, {"bidirectional": True, "score": "mlp"}, {"cell": "gru"}], ids=str)
def test_a_classifier_goes_to_torch_and_back(model):
    torch = pytest.importorskip("torch")
    run = fovea.run("keyword-lstm", steps=10, hidden=8, embedding=8, keep=False, set={f"model.{key}": value for key, value in model.items()})
    source = np.array([[1, 2, 3, 4], [5, 6, -1, -1]], np.int32)
    batch = {"source": source, "labels": np.array([0, 1], np.int32)}
    scores, attention = fovea.to_torch(run)(torch.tensor(source, dtype=torch.long))
    ours = run.apply(batch)
    np.testing.assert_allclose(scores.detach().numpy(), ours["scores"], atol=1e-5)
    np.testing.assert_allclose(attention.detach().numpy(), ours["attention"], atol=1e-5)
    back = fovea.from_torch(fovea.to_torch(run).state_dict())
    assert back.apply(batch)["scores"].tobytes() == ours["scores"].tobytes()


def test_weights_that_do_not_fit_are_named():
    run = fovea.run("copy-subset", **COPY)
    weights = run.weights()
    with pytest.raises(fovea.WrongInput, match="there are no weights 'embedding.weight'"):
        fovea.from_torch({"x": np.zeros(3, np.float32)})
    with pytest.raises(fovea.WrongInput, match=r"'output.weight' have the shape \(2, 2\)"):
        fovea.from_torch({**weights, "output.weight": np.zeros((2, 2), np.float32)})
    with pytest.raises(fovea.WrongInput, match="'output.weight' are int64"):
        fovea.from_torch({**weights, "output.weight": np.zeros((2, 2), np.int64)})
    with pytest.raises(fovea.WrongInput, match="no module yet"):
        fovea.to_torch(fovea.run("toy-uniform", keep=False))


TEXTS = ["a good film", "a bad film", "good fun", "bad luck", "so good", "so bad"] * 10
LABELS = ["+", "-"] * 30
QUICK = dict(steps=60, hidden=16, embedding=16, rate=1e-2)


def test_a_classifier_of_texts():
    pytest.importorskip("sklearn")
    from fovea.estimators import AttentionClassifier

    model = AttentionClassifier(**QUICK).fit(TEXTS, LABELS)
    assert model.score(TEXTS, LABELS) == 1 and model.classes_.tolist() == ["+", "-"]
    assert model.predict(["very good", "very bad", ""]).tolist()[:2] == ["+", "-"]
    chances = model.predict_proba(TEXTS)
    np.testing.assert_allclose(chances.sum(1), 1)
    assert model.decision_function(TEXTS).shape == (60,)
    shading = model.attention("a good film")
    assert shading.words == ["a", "good", "film"] and shading.weights.shape == (1, 3)
    again = AttentionClassifier(**QUICK).fit(TEXTS, LABELS)
    assert again.predict_proba(TEXTS).tobytes() == chances.tobytes()
    three = AttentionClassifier(**QUICK).fit([*TEXTS, *["so dull"] * 20], [*LABELS, *["0"] * 20])
    assert three.predict_proba(["so dull"]).shape == (1, 3) and three.predict(["so dull"]).tolist() == ["0"]
    for wrong, says in [((TEXTS, LABELS[:3]), "60 texts and 3 labels"), ((["a"], ["b"]), "every text has"), (("a", ["b"]), "one text"),
                        (([1, 2], [0, 1]), r"X\[0\] is of type int"), (([], []), "no texts")]:
        with pytest.raises(ValueError, match=says):
            AttentionClassifier(**QUICK).fit(*wrong)


def test_scikit_learns_manners():
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    from fovea.estimators import AttentionClassifier

    model = AttentionClassifier(**QUICK)
    assert clone(model).get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        model.predict(TEXTS)
    shout = FunctionTransformer(lambda texts: [text.upper() for text in texts])
    assert make_pipeline(shout, model).fit(TEXTS, LABELS).score(TEXTS, LABELS) == 1
    search = GridSearchCV(model, {"hidden": [8, 16], "scored_by": ["linear", "mlp"]}, cv=2).fit(TEXTS, LABELS)
    assert search.best_score_ > 0.9
    assert cross_val_score(model, TEXTS, LABELS, cv=2).min() > 0.9


def test_pooling_regresses():
    pytest.importorskip("sklearn")
    from fovea.estimators import NadarayaWatson

    random = np.random.default_rng(0)
    X = random.uniform(0, 5, (50, 1))
    y = 2 * np.sin(X[:, 0]) + X[:, 0] ** 0.8 + random.normal(0, 0.5, 50)
    grid = np.arange(0, 5, 0.1)
    truth = 2 * np.sin(grid) + grid**0.8
    errors = {bandwidth: np.mean((NadarayaWatson(bandwidth).fit(X, y).predict(grid[:, None]) - truth) ** 2) for bandwidth in ("learned", 1.0)}
    assert errors["learned"] < 0.2 < errors[1.0]
    fixed = NadarayaWatson(0.5).fit(X, y)
    weights = np.exp(-((grid[:, None] - X[:, 0]) ** 2) / 0.5 / 2 / 0.5)
    np.testing.assert_allclose(fixed.predict(grid[:, None]), weights @ y / weights.sum(1), rtol=1e-4)
    assert fixed.bandwidth_ == pytest.approx(0.5)
    for wrong in ("lerned", 0.0, -1.0):
        with pytest.raises(ValueError, match="bandwidth"):
            NadarayaWatson(wrong).fit(X, y)


def test_scikit_learns_own_checks():
    pytest.importorskip("sklearn")
    from sklearn.utils.estimator_checks import check_estimator

    from fovea.estimators import NadarayaWatson

    for result in check_estimator(NadarayaWatson(steps=20), on_fail=None):
        assert result["status"] != "failed", (result["check_name"], result["exception"])
