"""``check_attention``: a test on labelled texts whether the attention of a classifier can be trusted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import _engine, checks
from ..prediction import Prediction
from ..progress import Bar
from .belief import Belief
from .findings import FEWEST, FEWEST_OF_A_CLASS
from .reading import words_of
from .study import Study


def check_attention(
    texts: Iterable[str],
    labels: Iterable[Any],
    *,
    seeds: int = 3,
    epochs: int = 12,
    hidden: int = 64,
    longest: int = 200,
    seed: int = 0,
    threads: int | None = None,
    progress: bool | None = None,
) -> Belief:
    """Test on labelled texts whether the attention of a classifier can be trusted.

    Copies of a text count once. A fifth of the texts is the test, and an eighth of the rest decides when training stops. The
    others train ``seeds`` classifiers with learned attention, ``seeds`` with uniform attention, a model of single words and a logistic
    regression on TF-IDF. Then single words are deleted from test texts: the word with the largest α, β, α·β or
    weight of the regression, and a word at random. All numbers are of test texts.

    Parameters
    ----------
    texts, labels
        The texts, and the label of each.
    seeds
        How many classifiers of each kind of attention are trained, 2 or more.
    epochs
        How often the training texts are read, in 800 steps of 32 texts at least, unless the held-out loss stops falling.
    hidden
        The width of embeddings and states.
    longest
        The most words of a text that are read.
    seed
        The first seed; the split and all random numbers follow from it.
    threads
        How many models train at a time. None: one on each core.
    progress
        Whether a bar is shown. None: in a terminal or a notebook.

    Returns
    -------
    Belief
        The report: ``summary()`` is its first part, ``str`` of it has all sentences, ``to_dict()`` the figures.

    Raises
    ------
    WrongInput
        If there are fewer than two classes, or no word occurs twice.

    Examples
    --------
    >>> import fovea
    >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
    >>> belief = fovea.check_attention(texts, ["+", "-"] * 100, seeds=2, hidden=16)
    >>> belief.verdict
    'one word tells'
    >>> belief.telling_word["word"] in ("good", "bad")
    True
    """
    seeds = checks.whole("seeds", seeds, 2, remedy="two or more are needed to see whether they agree")
    epochs, longest = checks.whole("epochs", epochs, 1), checks.whole("longest", longest, 1)
    hidden, seed = checks.whole("hidden", hidden, 1), checks.whole("seed", seed, 0)
    workers = (os.cpu_count() or 1) if threads is None else checks.whole("threads", threads, 1)
    checks.flag_or_none("progress", progress)
    given, names = checks.text_list("texts", texts), checks.label_texts(labels)
    if len(given) != len(names):
        raise _engine.wrong_input(f"there are {len(given)} texts and {len(names)} labels", "give one for each")
    if len(set(names)) < 2:
        what = f"every text has the label '{names[0]}'" if names else "there are no texts"
        raise _engine.wrong_input(what, "give texts of two classes or more")

    first: dict[tuple[str, ...], int] = {}
    words = [words_of(text)[:longest] for text in given]
    for place, each in enumerate(words):
        first.setdefault(tuple(each), place)
    conflicts = sum(names[first[tuple(each)]] != names[place] for place, each in enumerate(words))
    kept, given_labels = list(first.values()), sorted(set(names))
    words, names = [words[place] for place in kept], [names[place] for place in kept]
    classes, numbers = np.unique(names, return_inverse=True)
    sizes = np.bincount(numbers)
    facts: dict[str, Any] = {
        "texts": len(given),
        "different": len(kept),
        "conflicts": conflicts,
        "seeds": seeds,
        "longest": longest,
    }
    facts |= {"rarest": str(classes[int(sizes.argmin())]), "of_rarest": int(sizes.min())}
    of_class = Counter(names)
    facts |= {
        "labels": len(given_labels),
        "few": {label: of_class[label] for label in given_labels if of_class[label] < FEWEST_OF_A_CLASS},
    }
    if len(kept) < FEWEST or facts["few"]:
        return Belief(facts, [str(each) for each in classes])
    study = Study(words, numbers, [str(each) for each in classes], seed, workers)
    with Bar("%", progress) as bar:
        study.train(seeds, epochs, hidden, bar)
    found = study.found()
    by_words = Prediction(_engine.predict_texts([" ".join(each) or "-" for each in words], names, True, workers))
    found["labels"] = by_words.label_check
    found["doubtful"] = [one._replace(text=kept[one.text])._asdict() for one in by_words.doubtful]
    found["alone"] = [
        {"word": one.word, "class": label, "texts": one.here, "elsewhere": one.elsewhere, "of": of_class[label]}
        for label, some in by_words.evidence.items()
        for one in some
        if one.alone
    ]
    return Belief(facts, study.classes, found)
