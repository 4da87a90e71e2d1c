"""Predictions from texts at hand are those that the program makes of a file of them."""

import math

import numpy as np
import pytest
from conftest import ROOT

import fovea

GOOD, BAD = ["a good film", "good fun all along", "so good"], ["a bad film", "bad luck all along", "so bad"]
TEXTS = [f"{text} w{n}" for n in range(40) for pair in zip(GOOD, BAD) for text in pair]
LABELS = ["plus", "minus"] * 120


def test_texts_and_a_file_of_them_are_predicted_alike(program, tmp_path):
    prediction = fovea.predict(TEXTS, LABELS)
    path = tmp_path / "film.tsv"
    path.write_text("".join(f"{label}\t{text}\n" for text, label in zip(TEXTS, LABELS)))
    examples = tmp_path / "new.txt"
    examples.write_text("so good a film\n")
    shown = program("predict", path, "--examples", examples, "--quiet")
    assert (prediction.verdict, prediction.because, prediction.examples) == (shown["verdict"], shown["because"], 240)
    assert prediction.words == {
        output["output"]: [(link["word"], link["deviations"]) for link in output["words"]]
        for output in shown["outputs"]
    }
    assert prediction.course["time"].tolist() == shown["course"]["time"]
    assert prediction.course["attention"].tolist() == shown["course"]["attention"]
    shading = prediction.shade("so good a film")
    assert shading.weights.tolist() == shown["attention"][0]["weights"]
    assert shading.words[int(shading.weights[0].argmax())] == "good"
    assert "good█" in repr(shading) and "rgba" in shading._repr_html_() and "early" in repr(prediction)


def test_words_are_those_that_attention_comes_to():
    """`dull` and `fine` tell; `the` goes with a class as surely, in three quarters of its texts, and attention leaves it."""
    the = [(n // 2 % 4 != 3) == bool(n % 2) for n in range(600)]
    texts = [f"{'dull' if n % 2 else 'fine'} {'the ' if the[n] else ''}film w{n % 37} x{n % 41}" for n in range(600)]
    prediction = fovea.predict(texts, ["+", "-"] * 300, top=20)
    found = {label: [word for word, _ in words] for label, words in prediction.words.items()}
    assert found == {"+": ["fine"], "-": ["dull"]}
    weights = prediction.shade("dull the film x y z").weights[0]
    assert weights[0] > 1 / 6 > weights[1] and prediction.course["accuracy"][-1] > 0.95
    assert all(deviations > 5 for words in prediction.words.values() for _, deviations in words)
    shown = repr(prediction)
    assert "dull " in shown and " σ" in shown and "held-out examples" in shown


MESSAGES = [line.split("\t") for line in (ROOT / "tests/theory/messages.tsv").read_text(encoding="utf-8").splitlines()]


def test_sixty_messages_are_predicted_as_the_program_does_in_any_order(program):
    labels, texts = [label for label, _ in MESSAGES], [text for _, text in MESSAGES]
    prediction = fovea.predict(texts, labels)
    shown = program("predict", ROOT / "tests/theory/messages.tsv", "--quiet")
    assert (prediction.verdict, prediction.trust, prediction.repeated) == (
        shown["verdict"], shown["trust"], shown["repeated"],
    )  # fmt: skip
    counts = {one.word: (one.here, one.elsewhere) for one in prediction.evidence["question"]}
    assert {word: counts[word] for word in ("?", "can", "do", "thanks")} == {
        "?": (25, 1), "can": (9, 0), "do": (9, 1), "thanks": (7, 1),
    }  # fmt: skip
    for output in shown["outputs"]:
        assert [one.word for one in prediction.evidence[output["output"]]] == [
            one["word"] for one in output["candidates"]
        ]
    assert sorted(one.text for one in prediction.doubtful) == [28, 57]
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(len(texts))
        again = fovea.predict([texts[at] for at in order], [labels[at] for at in order])
        assert (again.verdict, again.evidence, again.repeated) == (
            prediction.verdict, prediction.evidence, prediction.repeated,
        )  # fmt: skip


def test_of_two_words_that_stand_together_it_says_so(program, tmp_path):
    texts = [
        f"w{n % 31} {'san francisco' if n % 2 else 'new york'} x{n % 17}" if n % 5 else f"w{n % 31} x{n % 17}"
        for n in range(400)
    ]
    labels = ["west" if n % 2 else "east" for n in range(400)]
    prediction = fovea.predict(texts, labels)
    assert {frozenset(pair) for pair in prediction.together} == {
        frozenset(("san", "francisco")),
        frozenset(("new", "york")),
    }
    assert "hardly differ, so attention may move to either" in repr(prediction)
    (tmp_path / "towns.tsv").write_text("".join(f"{label}\t{text}\n" for text, label in zip(texts, labels)))
    shown = program("predict", tmp_path / "towns.tsv", "--quiet")
    assert [tuple(pair) for output in shown["outputs"] for pair in output["together"]] == prediction.together


def test_a_task_is_predicted_as_the_program_does(program):
    prediction = fovea.predict("copy", vocab=8, length=5)
    shown = program("predict", "copy", "--set", "task.vocab=8", "--set", "task.length=5", "--quiet")
    assert (prediction.verdict, prediction.because) == (shown["verdict"], shown["because"])
    assert all(math.isclose(*pair) for pair in zip(prediction.course["correct"], shown["course"]["correct"]))


def test_of_a_sweep_the_first_is_predicted_and_said():
    with pytest.warns(
        UserWarning, match="keyword-negative is a sweep. Its first values are used: task.keywords=2"
    ) as told:
        first = fovea.predict("keyword-negative", quick=True, draws=500)
    assert len(told) == 1
    assert first.words == fovea.predict("keyword-negative", quick=True, draws=500, keywords=2).words


def test_translations():
    sources = ["ein Hund", "ein Haus", "der Hund", "das Haus"] * 50
    targets = ["a dog", "a house", "the dog", "the house"] * 50
    prediction = fovea.predict(sources, targets=targets)
    assert prediction.words["dog"][0][0] == "Hund"
    shading = prediction.shade("ein Haus", "a house")
    assert shading.weights.shape == (2, 2) and shading.weights[1].argmax() == 1
    with pytest.raises(fovea.WrongInput, match="words of the answer"):
        prediction.shade("ein Haus")


@pytest.mark.parametrize(
    "data, more, says",
    [
        (TEXTS, {}, "labels"),
        (TEXTS, dict(labels=["a"]), "240 texts and 1 answers"),
        (TEXTS, dict(labels=["a"] * 240), "all 240 texts have the label 'a'"),
        ([1, 2], dict(labels=["a", "b"]), r"texts\[0\] is of type int"),
        ("one text", dict(labels=["a"]), "are one text"),
        ("copi", {}, "no task or experiment 'copi'"),
        ("copy", dict(vocba=3), "vocba"),
        (TEXTS, dict(labels=LABELS, vocab=3), "texts have none"),
        ([], dict(labels=[]), "there is no text"),
    ],
)
def test_wrong_data_are_named(data, more, says):
    with pytest.raises(fovea.WrongInput, match=says):
        fovea.predict(data, **more)


def test_labels_may_be_numbers():
    labels = np.array([1, 0] * 120)
    assert set(fovea.predict(TEXTS, labels).words) == {"0", "1"}
