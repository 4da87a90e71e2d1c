"""The words that ``check_attention`` names: words with the largest α·β more often than by chance, and words with the regression's largest weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from .estimate import Estimate
from .findings import LEAST_NAMED, LEVEL

Array = npt.NDArray[Any]

_LISTED = 5  # words of an answer whose figures are kept, named or not
_OF_REGRESSION = 5  # words of a class


def tail(times: Sequence[int], chances: Sequence[float], reached: int) -> float:
    """The probability that as many as ``reached`` or more are counted if each text counts ``times`` with its own chance: exact."""
    mass = np.zeros(sum(times) + 1)
    mass[0] = 1.0
    for many, chance in zip(times, chances):
        moved = mass[: len(mass) - many] * chance
        mass *= 1.0 - chance
        mass[many:] += moved
    return min(1.0, float(mass[reached:].sum()))


def holm(chances: Mapping[Any, float], tried: int) -> dict[Any, float]:
    """Each p as corrected for all that were ``tried``, of which those not given count as 1."""
    corrected, most = {}, 0.0
    for place, one in enumerate(sorted(chances, key=lambda one: chances[one])):
        most = max(most, min(1.0, chances[one] * (tried - place)))
        corrected[one] = most
    return corrected


def latched(
    tops: Sequence[Sequence[tuple[int, int]]],
    rows: Sequence[Sequence[int]],
    classes: Sequence[str],
    spelled: Mapping[int, str],
) -> dict[str, list[dict[str, Any]]]:
    """Find, for each answer, the words on which α·β is largest.

    Each word has its share of the texts with this answer (mean over seeds), and the share by chance, if one word of each text were
    drawn. ``tops`` has the answer and the word of each seed and text.

    ``p`` is the chance of as large a share if one word of each text were drawn for all seeds together. Separate draws would vary less,
    and seeds have much in common. ``corrected`` is p by Holm's method over all words and answers that could have been named: a word
    must be in enough of the texts with this answer."""
    seeds = len(tops)
    tried = 0
    found: dict[tuple[int, int], dict[str, Any]] = {}
    p: dict[tuple[int, int], float] = {}
    for answer in range(len(classes)):
        times = [sum(of[place][0] == answer for of in tops) for place in range(len(rows))]
        texts = [place for place, many in enumerate(times) if many]
        held = Counter(word for place in texts for word in set(rows[place]) if word in spelled)
        tried += sum(many >= LEAST_NAMED for many in held.values())
        counts = Counter(
            of[place][1] for of in tops for place in texts if of[place][0] == answer and of[place][1] in spelled
        )
        answered = sum(times)
        for order, (word, count) in enumerate(sorted(counts.items(), key=lambda one: (-one[1], one[0]))):
            enough = count >= LEAST_NAMED * seeds
            if not enough and order >= _LISTED:
                break
            holding = [place for place in texts if word in rows[place]]
            chances = [rows[place].count(word) / len(rows[place]) for place in holding]
            alone = tail([times[place] for place in holding], chances, count)
            if enough:
                p[answer, word] = alone
            found[answer, word] = {
                "word": spelled[word],
                "texts": round(count / seeds),
                "of": round(answered / seeds),
                "share": Estimate(*_engine.share_interval(round(count / seeds), max(1, round(answered / seeds)))),
                "seeds": sum(any(one == (answer, word) for one in of) for of in tops),
                "chance": float(np.dot([times[place] for place in holding], chances)) / answered,
                "p": alone,
            }
    corrected = holm(p, tried)
    said: dict[str, list[dict[str, Any]]] = {name: [] for name in classes}
    for (answer, word), one in found.items():
        sure = corrected.get((answer, word), 1.0)
        if one["texts"] and (sure <= LEVEL or len(said[classes[answer]]) < _LISTED):
            said[classes[answer]].append({**one, "corrected": sure, "named": sure <= LEVEL})
    return said


def of_regression(
    weights: Array, classes: Sequence[str], spelled: Mapping[int, str]
) -> dict[str, list[dict[str, Any]]]:
    """Find the words with the largest weights for each class.

    With two classes, the weights of one are the weights of the other with the sign changed. With more, a weight counts above the mean
    of the classes."""
    by_class = (
        np.column_stack([-weights[:, 0], weights[:, 0]])
        if len(classes) == 2
        else weights - weights.mean(1, keepdims=True)
    )
    words: dict[str, list[dict[str, Any]]] = {}
    for name, column in zip(classes, by_class.T):
        largest = [
            int(word) for word in np.argsort(-column, kind="stable") if int(word) in spelled and column[word] > 0
        ]
        words[name] = [{"word": spelled[word], "weight": float(column[word])} for word in largest[:_OF_REGRESSION]]
    return words
