"""What ``believe`` says of data whose answer was put into them."""

import json

import numpy as np
import pytest
from fovea.text.belief import Belief
from fovea.text.belief_words import of_regression
from fovea.text.cautions import words_of_one_class
from fovea.text.estimate import Estimate, Spread, over_trainings
from planted_cases import QUICK, drawn, leak

import fovea


def test_labels_at_random_are_nothing_to_learn():
    belief = fovea.check_attention(*drawn(400, lambda label, random: []), **QUICK)
    assert belief.verdict == "nothing was found"
    assert "Nothing was found with 280 training texts" in str(belief) and belief.figures["gain"].low <= 0
    assert belief.headline == "Do not show attention as the reason: nothing was learned from 280 training texts."
    assert "different texts would show it" in belief.open[0] or "times as many texts" in belief.open[0]
    assert belief.figures["doubtful"] == belief.figures["alone"] == []


def test_a_word_that_gives_the_label_away_is_named():
    texts, labels = drawn(400, leak)
    labels[21] = "no"  # one is wrong
    belief = fovea.check_attention(texts, labels, **{**QUICK, "seeds": 3})
    assert (
        belief.verdict == "one word tells"
        and belief.telling_word["word"] == "leak"
        and belief.telling_word["class"] == "yes"
    )
    tested = belief.figures["test_texts"]
    given = round(belief.telling_word["accuracy"].mean * tested)
    assert given >= tested - 1
    assert (
        belief.headline
        == f"'leak' alone gives the label of {given} of the {tested} test texts. Remove it and check again."
    )
    summary = belief.summary()
    assert summary.startswith(belief.headline) and "attention is needed" not in " ".join(belief.open)
    assert summary.index(f"Accuracy on {tested} test texts: learned attention ") < summary.index("label 'yes', answer")
    assert [(one["text"], one["label"], one["instead"]) for one in belief.figures["doubtful"]] == [(21, "no", "yes")]
    assert "Check the label of text 22, 'no': models that did not see it predict 'yes'." in belief.summary()
    assert belief.figures["labels"]["learned"] and belief.figures["labels"]["false_alarms"] < 0.5
    assert belief.figures["accuracy"]["regression"].mean > 0.98
    assert len(belief.figures["examples"]) == 3 and "label 'yes', answer 'yes': deleting" in belief.summary()
    changes = belief.figures["changes"]
    assert changes["evidence"].mean > changes["random"].high
    assert all(0 <= one.low <= one.mean <= one.high <= 1 for one in changes.values())
    assert belief.latched["yes"][0]["word"] == "leak" and belief.latched["yes"][0]["share"].low > 0.5
    assert belief.latched["yes"][0]["chance"] == pytest.approx(1 / 9) and belief.figures["tested"] == {
        "no": 40,
        "yes": 40,
    }
    again = json.loads(belief.to_json())
    assert again["verdict"] == belief.verdict and again["figures"]["accuracy"]["learned"]["mean"] > 0.95
    assert "<li>" in belief._repr_html_()


def test_words_of_one_class_are_warned_of_together():
    def word(name, texts, elsewhere, label):
        return {"word": name, "texts": texts, "elsewhere": elsewhere, "of": 120, "class": label}

    assert words_of_one_class([word("late", 36, 0, "no"), word("cold", 29, 1, "no"), word("warm", 40, 2, "yes")]) == [
        "Check 'late', 'cold': each is in 29 to 36 of 120 texts of class 'no', and in at most 1 other text. They may give the label away.",
        "Check 'warm': it is in 40 of 120 texts of class 'yes', and in 2 other texts. It may give the label away.",
    ]
    many = [word(f"w{place}", 5, 0, "no") for place in range(10)]
    assert words_of_one_class(many)[0].endswith(
        "'w7' and 2 more: each is in 5 of 120 texts of class 'no', and in no other text. They may give the label away."
    )


def test_the_regression_is_as_good_as_the_one_of_scikit_learn():
    """On a word that gives the label away, among others that stand anywhere."""
    pytest.importorskip("sklearn")
    from fovea.text.reading import Vocabulary, words_of
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    from fovea import _engine

    random = np.random.default_rng(3)
    common = [f"w{n}" for n in range(2000)]
    chances = 1 / np.arange(1, 2001)
    texts, labels = [], []
    for place in range(1200):
        words = list(random.choice(common, 30, p=chances / chances.sum()))
        labels.append(place % 2)
        texts.append(" ".join(words + ["leak"] * (place % 2)))
    train, test = slice(0, 900), slice(900, 1200)
    vectors = TfidfVectorizer()
    theirs = LogisticRegression().fit(vectors.fit_transform(texts[train]), labels[train])
    expected = theirs.score(vectors.transform(texts[test]), labels[test])
    vocabulary = Vocabulary([words_of(text) for text in texts[train]], 1)
    rows = [vocabulary.row(words_of(text)) for text in texts]
    ours = _engine.WordRegression(rows[train], labels[train], len(vocabulary), 2)
    found = np.mean(ours.scores(rows[test], 2).argmax(1) == labels[test])
    assert expected > 0.95 and abs(found - expected) <= 0.01
    weights = [ours.weight(vocabulary.numbers[word], 1) for word in vectors.get_feature_names_out()]
    assert np.allclose(weights, theirs.coef_[0], atol=0.05)


def test_seeds_that_differ_widen_intervals_and_agreement_has_none():
    texts = Estimate(0.8, 0.75, 0.85)
    alike, apart = [np.full(100, 0.8)] * 3, [np.full(100, share) for share in (0.7, 0.8, 0.9)]
    assert over_trainings(alike, texts) == pytest.approx(texts)
    wide = over_trainings(apart, texts)
    assert wide.high - wide.mean == pytest.approx(np.hypot(0.05, 4.3 * 0.1 / np.sqrt(3)))
    assert over_trainings(apart[:1], texts) == texts
    assert str(Spread.of([0.1, 0.5, float("nan")])) == "0.30 (from 0.10 to 0.50)"
    assert "τ-b 0.30 (from 0.10 to 0.50) over pairs" in str(belief_of(seeds_agree=Spread(0.3, 0.1, 0.5)))


def test_texts_that_are_all_the_same():
    belief = fovea.check_attention(["the same text"] * 300, ["a", "b"] * 150, **QUICK)
    assert (
        belief.verdict == "too few different texts"
        and belief.facts["different"] == 1
        and belief.facts["conflicts"] == 150
    )
    assert belief.open and "150 texts have another label" in str(belief) and "there is 1 different text," in str(belief)
    assert json.loads(belief.to_json())["figures"] == {}


@pytest.mark.parametrize(
    "texts, labels, says",
    [
        ("one text", ["a"], "texts is one text"),
        (["a", 3], ["a", "b"], r"texts\[1\] is of type int"),
        (["a", "b"], ["a"], "2 texts and 1 labels"),
        (["a", "b"], ["a", "a"], "every text has the label 'a'"),
        (["a", "b"], ["a", None], r"labels\[1\] is None"),
    ],
)
def test_wrong_input_is_named(texts, labels, says):
    with pytest.raises(fovea.WrongInput, match=says):
        fovea.check_attention(texts, labels)


def test_a_class_of_few_texts_is_named():
    texts, labels = drawn(100, lambda label, random: [])
    belief = fovea.check_attention(texts + ["another text"], labels + ["rare"], **QUICK)
    assert belief.verdict == "too few different texts" and "there are fewer of 'rare' (1)." in str(belief)
    assert "Leave this class out" in str(belief)


def test_labels_that_are_hardly_labels_are_asked_about():
    texts = [f"a text of number {n}" for n in range(300)]
    said = fovea.check_attention(texts, [f"l{n}" for n in range(300)], **QUICK)
    assert (
        said.verdict == "too few different texts"
        and "There are 300 different labels for 300 texts" in str(said)
        and "--label" in said.open[0]
    )
    swapped = fovea.check_attention(["yes", "no"] * 150, texts, **QUICK)
    assert "There are 300 different labels for 300 texts" in str(swapped) and "--text" in swapped.open[0]
    few = str(fovea.check_attention(texts, [f"c{max(0, n - 286)}" for n in range(300)], **QUICK))
    assert "there are fewer of 'c1' (1), 'c10' (1)" in few and "and of 5 more." in few and "these classes" in few
    assert "there are 20 different texts" in str(fovea.check_attention(texts[:20], ["a", "b"] * 10, **QUICK))


def test_a_class_without_a_text_of_its_own_is_named():
    texts = [f"a text of number {n}" for n in range(80)]
    assert "there are fewer of 'b' (0)." in str(fovea.check_attention(texts * 2, ["a"] * 80 + ["b"] * 80, **QUICK))


def test_texts_that_share_no_word():
    with pytest.raises(fovea.WrongInput, match="no word is twice"):
        fovea.check_attention([f"u{n}" for n in range(80)], ["a", "b"] * 40, **QUICK)


KINDS = ("attention", "beta", "evidence", "regression", "random")
SURE, NONE, LESS = Estimate(0.2, 0.15, 0.25), Estimate(0.0, -0.01, 0.01), Estimate(-0.2, -0.25, -0.15)
WIDE = Estimate(0.03, -0.02, 0.08)


def found(**changes):
    """Figures as a study leaves them, of 300 test texts: attention gains over all rivals."""
    half = Estimate(0.5, 0.4, 0.6)
    accuracy = dict.fromkeys(("learned", "uniform", "words", "regression"), Estimate(0.9, 0.85, 0.95))
    figures = {
        "test_texts": 300,
        "train_texts": 900,
        "deleted_from": 300,
        "tested": {"a": 140, "b": 160},
        "best": "learned",
        "majority": half,
        "accuracy": accuracy,
    }
    figures |= dict.fromkeys(
        ("gain", "single_gain", "gain_over_single", "learned_over_uniform", "learned_over_single"), SURE
    )
    figures |= {
        "telling_word": {"word": "cue", "class": "a", "accuracy": Estimate(0.7, 0.65, 0.75), "below_best": SURE}
    }
    figures |= {
        "changes": dict.fromkeys(KINDS, half),
        "over_random": dict.fromkeys(KINDS[:4], SURE),
        "latched": {},
        "regression_words": {"a": [{"word": "cue", "weight": 3.25}], "b": []},
    }
    figures |= {"regression_over": dict.fromkeys(KINDS[:3], NONE)}
    figures |= {**dict.fromkeys(("seeds_agree", "data_agrees", "seeds_over_data"), SURE), "steps": [336, 336, 560]}
    return figures | changes


def belief_of(**changes):
    facts = {
        "texts": 1500,
        "different": 1500,
        "conflicts": 0,
        "seeds": 3,
        "longest": 200,
        "rarest": "a",
        "of_rarest": 700,
        "labels": 2,
        "few": {},
    }
    return Belief(facts, ["a", "b"], found(**changes))


BLIND = {
    "gain": NONE,
    "accuracy": dict.fromkeys(("learned", "uniform", "words", "regression"), Estimate(0.5, 0.4, 0.6)),
}
NO_CUE = {"telling_word": {"word": "cue", "class": "a", "accuracy": Estimate(0.5, 0.4, 0.6), "below_best": SURE}}
CUE = {"telling_word": {"word": "cue", "class": "a", "accuracy": Estimate(0.9, 0.85, 0.95), "below_best": NONE}}


@pytest.mark.parametrize(
    "changes, verdict",
    [
        ({}, "attention is needed"),
        ({"learned_over_uniform": NONE}, "attention is not needed"),
        ({"learned_over_single": NONE}, "attention is not needed"),
        ({"learned_over_single": LESS}, "attention is not needed"),
        ({"learned_over_uniform": WIDE}, "open whether attention is needed"),
        ({"learned_over_single": WIDE}, "open whether attention is needed"),
        ({**BLIND, **NO_CUE}, "nothing was found"),
        ({**BLIND}, "attention is needed"),  # a word tells, though the best model's gain in nats was not shown
        ({**NO_CUE, "gain": NONE}, "attention is needed"),  # so does the best model's accuracy
        ({"single_gain": NONE, **NO_CUE}, "no single word tells"),
        ({"single_gain": NONE}, "attention is needed"),  # the word does, if the models of single words do not
        ({"single_gain": NONE, "gain_over_single": WIDE, **NO_CUE}, "attention is needed"),
        (CUE, "one word tells"),
        (
            {"learned_over_uniform": NONE, "majority": Estimate(0.95, 0.9, 0.98)},
            "open whether attention is needed",
        ),  # 0.005 is all that counts there
    ],
)
def test_the_verdict_is_what_the_intervals_allow(changes, verdict):
    assert belief_of(**changes).verdict == verdict, str(belief_of(**changes))


def test_what_was_not_shown_is_not_said():
    over = {**dict.fromkeys(KINDS[:4], NONE), "beta": SURE}
    said = str(belief_of(over_random=over, seeds_agree=NONE))
    assert (
        "Changed answers beyond a random word: β 0.200 [0.150, 0.250]." in said
        and "not shown that the word with most attention matters more than a random word" in said
    )
    assert (
        "Not all pairs of seeds agree on the order of attention weights" in said
        and "after 336, 336, 560 steps. Attention may settle later" in said
    )
    assert "Attention may settle later" not in str(belief_of())
    assert said.index("α is the attention on a word. β is") < said.index("the word with the largest β")
    assert "Do not take them for reasons" in str(belief_of(over_random=dict.fromkeys(KINDS[:4], NONE)))


def test_the_head_says_whether_what_is_attended_to_matters():
    alone, behind = belief_of(), belief_of(regression_over={**dict.fromkeys(KINDS[:3], NONE), "attention": SURE})
    changes = "deleting the word with most attention changes 50 % of the answers to 300 test texts, "
    assert str(alone).startswith("Attention may be shown with the answer: " + changes)
    assert str(behind).startswith("Do not show attention as the reason: " + changes)
    assert "\nAttention is needed; the word with most attention matters more than a random word." in str(alone)
    few = belief_of(changes=dict.fromkeys(KINDS, Estimate(0.009, 0.004, 0.015)))
    assert few.headline == (
        "Do not show attention as the reason: deleting the word with most attention changes 0.9 % of the answers to 300 test texts, "
        "the word with the largest weight of the logistic regression 0.9 %, a random word 0.9 %."
    )
    assert "than a random word, and less than the word with the largest weight of the logistic regression." in str(
        behind
    ) and "than deleting the word with the largest α (by 0.200" in str(behind)
    assert behind.to_dict()["trust"] in behind.page().replace(
        "The word", "the word"
    ) and "use the regression" not in str(alone)
    assert belief_of(over_random={**dict.fromkeys(KINDS[:4], SURE), "attention": NONE}).trust.endswith(
        "was not shown to matter more than a random word"
    )
    assert not belief_of(**BLIND, **NO_CUE).trust


def test_the_regression_is_recommended_before_what_it_is_better_than():
    over = {"attention": SURE, "beta": NONE, "evidence": WIDE}
    said = str(belief_of(regression_over=over))
    assert (
        "the largest α (by 0.200 [0.150, 0.250]). For β (0.000 [-0.010, 0.010]) and α·β (0.030 [-0.020, 0.080]) a difference was not shown."
        in said
    )
    assert "use the regression, not α." in said
    assert "use the regression, not α or β or α·β." in str(belief_of(regression_over=dict.fromkeys(KINDS[:3], SURE)))
    assert "Largest weights of the regression: for 'a' 'cue' 3.2." in said


def test_the_words_of_the_regression():
    weights, spelled = np.array([[9.0], [-2.0], [1.0], [3.0]]), {1: "x", 2: "y", 3: "z"}
    words = of_regression(weights, ["a", "b"], spelled)
    assert words == {
        "a": [{"word": "x", "weight": 2.0}],
        "b": [{"word": "z", "weight": 3.0}, {"word": "y", "weight": 1.0}],
    }
    three = of_regression(np.array([[9.0, 0, 0], [3.0, 3.0, 0.0], [0.0, 0.0, 6.0]]), ["a", "b", "c"], {1: "x", 2: "y"})
    assert three == {
        "a": [{"word": "x", "weight": 1.0}],
        "b": [{"word": "x", "weight": 1.0}],
        "c": [{"word": "y", "weight": 4.0}],
    }


def test_the_word_that_tells_most_is_said():
    assert "The most informative single word is 'cue' (class a): its presence alone has an accuracy of 0.700" in str(
        belief_of()
    )
    assert "It was not shown that the best" not in str(belief_of(**CUE)) and "most informative" not in str(
        belief_of(**NO_CUE)
    )
    as_good = {"telling_word": {**CUE["telling_word"], "below_best": WIDE}}
    assert "of 0.900 [0.850, 0.950]. It was not shown that the best model is better (0.030 [-0.020, 0.080])." in str(
        belief_of(**as_good)
    )


def test_a_difference_below_0_is_not_called_better():
    said = str(belief_of(learned_over_uniform=LESS))
    assert (
        "Attention is not needed: its gain in accuracy over uniform attention is -0.200" in said
        and "better by -" not in said
    )
    assert "which is less than 0.02, the smallest gain that counts" in said
    assert "which is less than 0.01, a tenth of the error of always" in str(
        belief_of(learned_over_uniform=LESS, majority=Estimate(0.9, 0.85, 0.95))
    )
    assert "different texts would settle it, if the difference stays." in belief_of(learned_over_uniform=WIDE).open[0]
    many = belief_of(test_texts=1031, deleted_from=1000, seeds_over_data=WIDE)
    assert "one word is deleted, for 1000 test texts of the 1031" in str(many)
    assert (
        "Whether seeds agree more than the data predict: pairs of seeds differ, and more seeds would settle it."
        in str(many)
    )


def test_words_are_told_where_they_were_found_to_be_largest():
    cue = {"word": "cue", "texts": 30, "of": 300, "share": Estimate(0.1, 0.06, 0.15), "chance": 0.05, "named": True}
    latched = {"a": [cue, {**cue, "word": "noise", "named": False}], "b": []}
    said = str(belief_of(latched=latched))
    assert (
        "more often than a random word: 'cue' 0.100 [0.060, 0.150] (chance 0.050; 30 of 300 texts)." in said
        and "noise" not in said
    )
    assert "No text was answered 'b', so no words can be named for it." in said
    unnamed = str(belief_of(latched={"b": [{**cue, "named": False}]}))
    assert "In texts answered 'b', no word was shown to have the largest α·β" in unnamed
    assert "and 2 more (figures" in str(belief_of(latched={"a": [cue] * 10}))
    assert "Few test texts" not in said and "Few test texts are of class 'a': 3 of 300." in str(
        belief_of(tested={"a": 3, "b": 297})
    )
    assert "Few test texts are of 2 classes: 3 of 300 of the rarest." in str(
        belief_of(tested={"a": 3, "b": 9, "c": 288})
    )


def test_the_scale_of_what_deletions_change_follows_them():
    small = dict.fromkeys(KINDS, Estimate(0.01, 0.004, 0.017))
    assert ">0.02</text>" in belief_of(changes=small).page() and ">0.02</text>" not in belief_of().page()
    assert (
        "dotted: always the most frequent class, 0.500" in belief_of().page()
        and "How to read this" in belief_of().page()
    )


def test_the_figure():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert len(belief_of().plot()[1].lines) == 10
