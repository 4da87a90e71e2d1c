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
    for wrong, says in [
        ((TEXTS, LABELS[:3]), "60 texts and 3 labels"),
        ((["a"], ["b"]), "every text has"),
        (("a", ["b"]), "one text"),
        (([1, 2], [0, 1]), r"X\[0\] is of type int"),
        (([], []), "no texts"),
    ]:
        with pytest.raises(ValueError, match=says):
            AttentionClassifier(**QUICK).fit(*wrong)


def test_what_words_say_adds_up_to_the_answer():
    from fovea.estimators import AttentionClassifier

    model = AttentionClassifier(**QUICK).fit(TEXTS, LABELS)
    for text, answer in (("so good a film", "+"), ("a bad film", "-")):
        sign = 1 if answer == model.classes_[1] else -1
        alpha, beta, evidence = (look(text) for look in (model.attention, model.beta, model.evidence))
        assert alpha.words == beta.words == evidence.words == text.split()
        assert alpha.weights.sum() == pytest.approx(1) and np.allclose(evidence.weights, alpha.weights * beta.weights)
        assert model.predict([text])[0] == answer
        assert evidence.weights.sum() > 0 and all(
            "rgba(213,94,0,-" not in look._repr_html_() for look in (beta, evidence)
        )
        other = model.beta("so good so bad")
        assert other.weights.min() < 0 and repr(other).count("█") == 1  # what speaks against the answer is not shaded
        assert evidence.weights.sum() == pytest.approx(sign * model.decision_function([text])[0], rel=1e-5)


def test_training_ends_where_held_out_texts_gain_no_more():
    from fovea.estimators import AttentionClassifier

    random = np.random.default_rng(0)
    texts = [" ".join(random.choice([f"w{n}" for n in range(200)], 8)) for _ in range(300)]
    labels = random.permutation(["+", "-"] * 150)
    few = dict(hidden=16, embedding=16, rate=1e-2, dropout=0.0, steps=3000)
    model = AttentionClassifier(**few).fit(texts, labels)
    with pytest.warns(
        UserWarning,
        match=r"nothing was learned that predicts the label: .* alone is 0\.693\. Try a smaller rate \(it is 100000\)",
    ):
        AttentionClassifier(**{**QUICK, "rate": 1e5}).fit(texts, labels)
    assert model.held_out_loss_[-1][0] < 1000 and model.steps_ < model.held_out_loss_[-1][0]  # nothing to learn
    to_the_end = AttentionClassifier(**{**few, "steps": 600}, held_out=0).fit(texts, labels)
    assert to_the_end.score(texts, labels) > 0.95 > 0.9 > model.score(texts, labels) and to_the_end.held_out_loss_ == []


def test_scikit_learns_manners():
    from fovea.estimators import AttentionClassifier
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

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
    errors = {
        bandwidth: np.mean((NadarayaWatson(bandwidth).fit(X, y).predict(grid[:, None]) - truth) ** 2)
        for bandwidth in ("learned", 1.0)
    }
    assert errors["learned"] < 0.2 < errors[1.0]
    fixed = NadarayaWatson(0.5).fit(X, y)
    weights = np.exp(-((grid[:, None] - X[:, 0]) ** 2) / 0.5 / 2 / 0.5)
    np.testing.assert_allclose(fixed.predict(grid[:, None]), weights @ y / weights.sum(1), rtol=1e-4)
    assert fixed.bandwidth_ == pytest.approx(0.5)
    for wrong in ("lerned", 0.0, -1.0):
        with pytest.raises(ValueError, match="bandwidth"):
            NadarayaWatson(wrong).fit(X, y)


def test_random_state_is_as_scikit_learn_has_it():
    from fovea.estimators import AttentionClassifier

    def chances(random_state):
        return (
            AttentionClassifier(random_state=random_state, **{**QUICK, "steps": 5})
            .fit(TEXTS, LABELS)
            .predict_proba(TEXTS)
            .tobytes()
        )

    assert chances(3) == chances(3) == chances(np.int64(3)) != chances(4)
    assert chances(np.random.RandomState(3)) == chances(np.random.RandomState(3)) != chances(np.random.RandomState(4))
    one = np.random.RandomState(3)
    assert chances(one) != chances(one)  # it goes on
    np.random.seed(5)
    first, second = chances(None), chances(None)
    np.random.seed(5)
    assert first == chances(None) != second
    for wrong in (-1, 1.5, "a", np.random.default_rng(0)):
        with pytest.raises(ValueError, match="random_state is"):
            chances(wrong)


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1e307])
def test_pooling_does_not_depend_on_units(scale):
    from fovea.estimators import NadarayaWatson

    X = np.linspace(0, 5, 30)[:, None]
    y = np.sin(X[:, 0])
    exact = 2.0 ** np.round(np.log2(scale))
    ours, theirs = (NadarayaWatson(steps=50).fit(X * by, y * by) for by in (1.0, exact))
    np.testing.assert_array_equal(theirs.predict(X * exact), ours.predict(X) * exact)
    assert theirs.bandwidth_ == ours.bandwidth_ * exact
    ours, theirs = (NadarayaWatson(0.5 * by).fit(X * by, y) for by in (1.0, exact))
    np.testing.assert_array_equal(theirs.predict(X * exact), ours.predict(X))


def test_pooling_refuses_what_it_can_not_tell_apart():
    from fovea.estimators import NadarayaWatson

    X = np.linspace(0, 5, 30)[:, None]
    for model, where in [
        (NadarayaWatson(1e-9), X),
        (NadarayaWatson(1.0), X * 1e200),
        (NadarayaWatson(1e-300), X * 1e200),
    ]:
        with pytest.raises(ValueError, match="X reaches more than 100000 bandwidths from the middle"):
            model.fit(where, X[:, 0])
    with pytest.raises(ValueError, match="X reaches more than 100000 spreads"):
        NadarayaWatson(steps=5).fit(X, X[:, 0]).predict([[1e200]])


@pytest.mark.parametrize(
    "settings, says",
    [
        (dict(steps=-1), "steps is -1. It must be"),
        (dict(steps="a"), "steps is 'a', of type str"),
        (dict(rate="a"), "rate is 'a', of type str. It must be a number of 0 or more"),
        (dict(rate=float("nan")), "rate is nan"),
        (dict(min_count=0), "min_count is 0"),
        (dict(hidden=0), "hidden"),
        (dict(hidden=1.5), "hidden"),
        (dict(embedding="a"), "embedding"),
        (dict(batch=0), "batch"),
        (dict(epochs=0), "epochs is 0"),
        (dict(patience=0), "patience is 0"),
        (dict(held_out=1.0), "held_out is 1.0"),
        (dict(longest=0), "longest is 0"),
        (dict(dropout=1.5), "dropout"),
        (dict(decay=-1), "decay is -1"),
        (dict(scored_by="mpl"), "mlp"),
        (dict(bidirectional="no"), "bidirectional"),
    ],
)
def test_settings_of_estimators_are_checked(settings, says):
    from fovea.estimators import AttentionClassifier, NadarayaWatson

    with pytest.raises(ValueError) as caught:
        AttentionClassifier(**{**QUICK, **settings}).fit(TEXTS, LABELS)
    assert says in str(caught.value)
    if set(settings) <= {"steps", "rate"}:
        with pytest.raises(ValueError) as caught:
            NadarayaWatson(**settings).fit(np.eye(4), np.arange(4))
        assert says in str(caught.value)


def test_a_table_is_no_list_of_texts():
    pandas = pytest.importorskip("pandas")
    from fovea.estimators import AttentionClassifier

    table = pandas.DataFrame({"text": TEXTS, "label": LABELS})
    with pytest.raises(ValueError, match="X has 2 dimensions, and texts have one. Give one column"):
        AttentionClassifier(**QUICK).fit(table, LABELS)
    assert AttentionClassifier(**QUICK).fit(table["text"], table["label"]).score(table["text"], LABELS) == 1
    for wrong in (None, 3, {"a": "b"}):
        with pytest.raises(TypeError, match="X is .* a list of texts"):
            AttentionClassifier(**QUICK).fit(wrong, LABELS)


def test_searches_in_other_processes():
    from fovea.estimators import AttentionClassifier
    from sklearn.model_selection import GridSearchCV

    searches = [
        GridSearchCV(AttentionClassifier(**QUICK), {"hidden": [8, 16]}, cv=2, n_jobs=jobs).fit(TEXTS, LABELS)
        for jobs in (1, 2)
    ]
    assert searches[0].cv_results_["mean_test_score"].tolist() == searches[1].cv_results_["mean_test_score"].tolist()


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
        np.testing.assert_array_equal(
            AttentionClassifier(**QUICK).fit(texts, np.array(LABELS)).predict_proba(TEXTS), chances
        )
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(TEXTS), chances)
    np.testing.assert_array_equal(model.predict_proba(TEXTS[::-1])[::-1], chances)
    np.testing.assert_array_equal(
        np.concatenate([model.predict_proba(TEXTS[:7]), model.predict_proba(TEXTS[7:])]), chances
    )
    numbers = AttentionClassifier(**QUICK).fit(TEXTS, [3, 5] * 30)
    assert set(numbers.predict(TEXTS)) == {3, 5}
    with pytest.raises(ValueError, match="[Uu]nknown label type"):
        AttentionClassifier(**QUICK).fit(TEXTS, np.linspace(0, 1, 60))


def test_pooling_in_pipelines_and_searches():
    from fovea.estimators import NadarayaWatson
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X = np.linspace(0, 5, 60)[:, None]
    y = np.sin(X[:, 0])
    assert clone(NadarayaWatson(0.3)).get_params() == NadarayaWatson(0.3).get_params()
    assert make_pipeline(StandardScaler(), NadarayaWatson(steps=100)).fit(X, y).score(X, y) > 0.95
    shuffled = np.random.default_rng(0).permutation(60)
    search = GridSearchCV(NadarayaWatson(), {"bandwidth": [0.1, 5.0]}, cv=3).fit(X[shuffled], y[shuffled])
    assert search.best_params_ == {"bandwidth": 0.1}


def test_long_texts_are_trained_on_too():
    from fovea.estimators import AttentionClassifier

    texts = ["a b c"] * 32 + ["d e f g h i j k l m"] * 15
    labels = ["short"] * 32 + ["long"] * 15
    model = AttentionClassifier(steps=100, hidden=8, embedding=8, held_out=0).fit(texts, labels)
    assert model.predict(["d e f g h i j k l m"]).tolist() == ["long"]


def test_no_class_is_held_out_whole():
    from fovea.estimators import AttentionClassifier

    model = AttentionClassifier(steps=20, hidden=4, embedding=4, held_out=0.9).fit(["a b", "c d"] * 4, ["x", "y"] * 4)
    assert model.classes_.tolist() == ["x", "y"]
    with pytest.raises(ValueError, match="steps is 0"):
        AttentionClassifier(steps=0).fit(["a", "b"], ["x", "y"])
