"""What ``believe`` says of data whose answer was put into them."""

import json

import numpy as np
import pytest

import fovea

QUICK = dict(seeds=2, epochs=6, hidden=16, progress=False)
FILLER = [f"w{n}" for n in range(40)]


def drawn(count, word, seed=0):
    """Texts of eight random words, with what ``word(label, random)`` gives at a place of it."""
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for place in range(count):
        label = place % 2
        words = list(random.choice(FILLER, 8))
        at = random.integers(7)
        texts.append(" ".join(words[:at] + word(label, random) + words[at:]))
        labels.append("yes" if label else "no")
    return texts, labels


def test_labels_at_random_are_nothing_to_learn():
    belief = fovea.believe(*drawn(400, lambda label, random: []), **QUICK)
    assert belief.verdict == "nothing to learn"
    assert "means nothing" in str(belief) and belief.figures["gain"].low <= 0


def test_a_word_that_gives_the_label_away_is_named():
    belief = fovea.believe(*drawn(400, lambda label, random: ["leak"] if label else []), **QUICK)
    assert belief.verdict == "one word tells" and belief.telling_word["word"] == "leak" and belief.telling_word["class"] == "yes"
    assert "'leak'" in str(belief)
    changes = belief.figures["changes"]
    assert changes["evidence"].low > changes["random"].high
    assert belief.latched["yes"][0]["word"] == "leak" and belief.latched["yes"][0]["share"].low > 0.5
    again = json.loads(belief.to_json())
    assert again["verdict"] == belief.verdict and again["figures"]["accuracy"]["learned"]["mean"] > 0.95
    assert "<li>" in belief._repr_html_()


def test_two_words_together_are_no_single_word():
    def pair(label, random):
        first = int(random.integers(2))
        return [("not", "very")[first], ("good", "bad")[first ^ label]]

    belief = fovea.believe(*drawn(1200, pair), **{**QUICK, "hidden": 32, "epochs": 20})
    assert belief.verdict == "no single word tells", str(belief)
    assert belief.figures["accuracy"]["learned"].low > 0.8 > 0.6 > belief.figures["accuracy"]["regression"].high


def test_texts_that_are_all_the_same():
    belief = fovea.believe(["the same text"] * 300, ["a", "b"] * 150, **QUICK)
    assert belief.verdict == "too few different texts" and belief.facts["different"] == 1 and belief.facts["conflicts"] == 150
    assert belief.open and "is the same: 150." in str(belief) and json.loads(belief.to_json())["figures"] == {}


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
        fovea.believe(texts, labels)


def test_the_figure():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from fovea.belief import Belief, Estimate

    one = Estimate(0.5, 0.4, 0.6)
    kinds = ("attention", "beta", "evidence", "regression", "random")
    accuracy = dict.fromkeys(("learned", "uniform", "words", "regression"), one)
    figures = {"accuracy": accuracy, "changes": dict.fromkeys(kinds, one), "majority": one, "gain": Estimate(0, -1, 1)}
    figures |= {"test_texts": 9, "train_texts": 9, "best": "words"}
    axes = Belief({"texts": 9, "different": 9, "conflicts": 0}, ["a", "b"], figures).plot()
    assert len(axes[1].lines) == 10
