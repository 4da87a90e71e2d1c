"""Estimators with scikit-learn's manners, under scikit-learn itself."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

TEXTS = ["a good film", "a bad film", "good fun", "bad luck", "so good", "so bad"] * 10
LABELS = ["+", "-"] * 30
QUICK = dict(steps=60, hidden=16, embedding=16, rate=1e-2)


def test_a_classifier_of_texts():
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


def checked(estimator):
    """What scikit-learn's own checks say: {name: status}; none may fail."""
    from sklearn.utils.estimator_checks import check_estimator

    statuses = {}
    for result in check_estimator(estimator, on_fail=None):
        assert result["status"] not in ("failed", "xfail"), (result["check_name"], result["exception"])
        statuses[result["check_name"]] = result["status"]
    return statuses


def test_scikit_learns_own_checks_of_pooling():
    from fovea.estimators import NadarayaWatson

    statuses = checked(NadarayaWatson(steps=20))
    assert sum(status == "passed" for status in statuses.values()) > 30, statuses


@pytest.mark.filterwarnings("ignore:Can't test estimator AttentionClassifier")
def test_scikit_learns_own_checks_of_a_classifier_of_texts():
    """The others need a table of numbers, and scikit-learn leaves them out; what they ask of texts is asked below."""
    from fovea.estimators import AttentionClassifier

    assert set(checked(AttentionClassifier(**QUICK)).values()) == {"passed"}


def test_what_those_checks_would_ask_of_texts():
    import pickle

    from fovea.estimators import AttentionClassifier

    model = AttentionClassifier(**QUICK)
    before = model.get_params()
    assert model.fit(TEXTS, LABELS) is model and model.get_params() == before
    answers, chances = model.predict(TEXTS), model.predict_proba(TEXTS)
    assert answers.shape == (60,) and set(answers) <= set(model.classes_)
    for texts in (tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, object)):
        np.testing.assert_array_equal(model.predict_proba(texts), chances)
        np.testing.assert_array_equal(AttentionClassifier(**QUICK).fit(texts, np.array(LABELS)).predict_proba(TEXTS), chances)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(TEXTS), chances)
    np.testing.assert_array_equal(model.predict_proba(TEXTS[::-1])[::-1], chances)
    np.testing.assert_array_equal(np.concatenate([model.predict_proba(TEXTS[:7]), model.predict_proba(TEXTS[7:])]), chances)
    numbers = AttentionClassifier(**QUICK).fit(TEXTS, [3, 5] * 30)
    assert set(numbers.predict(TEXTS)) == {3, 5}
    with pytest.raises(ValueError, match="[Uu]nknown label type"):
        AttentionClassifier(**QUICK).fit(TEXTS, np.linspace(0, 1, 60))


def test_pooling_in_pipelines_and_searches():
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from fovea.estimators import NadarayaWatson

    X = np.linspace(0, 5, 60)[:, None]
    y = np.sin(X[:, 0])
    assert clone(NadarayaWatson(0.3)).get_params() == NadarayaWatson(0.3).get_params()
    assert make_pipeline(StandardScaler(), NadarayaWatson(steps=100)).fit(X, y).score(X, y) > 0.95
    shuffled = np.random.default_rng(0).permutation(60)
    search = GridSearchCV(NadarayaWatson(), {"bandwidth": [0.1, 5.0]}, cv=3).fit(X[shuffled], y[shuffled])
    assert search.best_params_ == {"bandwidth": 0.1}
