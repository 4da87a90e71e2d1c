"""The statistics behind the words of ``fovea check-attention``."""

import itertools

import numpy as np
import pytest
from fovea.text.belief_words import holm, latched, tail


def test_the_tail_of_draws_is_that_of_all_their_outcomes():
    times, chances = [3, 1, 2, 3], [0.1, 0.5, 0.25, 1.0]
    for reached in range(11):
        whole = 0.0
        for fell in itertools.product((0, 1), repeat=4):
            if sum(many * one for many, one in zip(times, fell)) >= reached:
                whole += np.prod([chance if one else 1 - chance for chance, one in zip(chances, fell)])
        assert tail(times, chances, reached) == pytest.approx(whole, abs=1e-12)


def test_holm_corrects_for_all_that_were_tried():
    assert holm({"a": 0.02, "b": 0.001, "c": 0.5}, 40) == pytest.approx({"b": 0.04, "a": 0.78, "c": 1.0})


def named(tops, rows):
    words = {number: f"w{number}" for number in range(1, 200)}
    return [one["word"] for of in latched(tops, rows, ["a", "b"], words).values() for one in of if one["named"]]


def test_words_drawn_at_random_are_not_named():
    """Of 300 tries 5 % may name one, give or take; without the correction most would."""
    random = np.random.default_rng(0)
    chances = 1 / np.arange(1, 200)
    rows = [
        random.choice(np.arange(1, 200), random.integers(3, 25), p=chances / chances.sum()).tolist() for _ in range(120)
    ]
    tries = []
    for _ in range(300):
        one = [(int(random.integers(2)), int(random.choice(row))) for row in rows]
        tries.append(bool(named([one] * 3, rows)))
    assert np.mean(tries) <= 0.08


def test_a_word_is_named_where_it_is_largest_more_often_than_drawn():
    rows = [[1, *range(2, 12)] for _ in range(60)]
    often = [(0, 1 if place < 30 else 2 + place % 10) for place in range(60)]
    assert named([often] * 3, rows) == ["w1"]
    assert named([[(0, 1)] * 4] * 3, [[1, *range(2, 60)]] * 4) == []  # 4 texts are too few, whatever p is
    (one, *_) = latched([often] * 3, rows, ["a", "b"], {1: "cue"})["a"]
    assert (one["texts"], one["of"], one["chance"]) == (30, 60, pytest.approx(1 / 11)) and one["p"] <= one[
        "corrected"
    ] < 1e-6
