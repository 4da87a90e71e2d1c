"""Texts as numbers, and classifiers of them trained with early stopping: shared by the estimator and ``check_attention``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..models import Model
from ..tasks import Task

Array = npt.NDArray[Any]

UNKNOWN = 0
_BATCHES_A_SORT = 32  # batches whose texts are sorted by length together, so that little of a batch is padding
_TOKENS_AT_ONCE = 8192  # of a batch that is only read
_LEAST_STEPS = 800  # of a training by epochs: few texts are read more often
_PATIENT_STEPS = 400  # without anything better, at least: what needs two words together begins with a plateau
_BETWEEN_LOOKS = 25  # updates, at least

# What the classifier and ``believe`` train with.
DROPOUT = 0.7
RATE = 3e-3


def words_of(text: str) -> list[str]:
    """As the program's classifiers and ``predict`` cut it."""
    return _engine.cut_words(text)


class Vocabulary:
    """Words by falling frequency from 1 on, if they occur ``min_count`` times; 0 is every other word."""

    def __init__(self, texts: Sequence[Sequence[str]], min_count: int) -> None:
        counts = Counter(word for words in texts for word in words)
        known = sorted(
            (word for word, count in counts.items() if count >= min_count), key=lambda word: (-counts[word], word)
        )
        self.numbers = {word: place + 1 for place, word in enumerate(known)}

    def __len__(self) -> int:
        return len(self.numbers) + 1

    def row(self, words: Sequence[str], longest: int | None = None) -> list[int]:
        """A text without a word is one unknown word."""
        return [self.numbers.get(word, UNKNOWN) for word in words[:longest]] or [UNKNOWN]


def reader(
    *,
    embedding: Any,
    hidden: Any,
    score: Any = "mlp",
    bidirectional: Any = True,
    dropout: Any = DROPOUT,
    attention: str = "learned",
) -> dict[str, Any]:
    """The settings of the classifier with attention."""
    settings = {
        "name": "gated-classifier",
        "embedding": embedding,
        "embedding_spread": 0.1,
        "hidden": hidden,
        "score": score,
    }
    more = {"score_hidden": hidden} if score == "mlp" else {}
    return {**settings, **more, "bidirectional": bidirectional, "dropout": dropout, "attention": attention}


def training(*, rate: float = RATE, decay: float = 0.0) -> dict[str, Any]:
    return {"optimizer": "adamw", "weight_decay": decay, "rate": rate, "clip": 5.0}


def held_apart(labels: Array, share: float, seed: int) -> list[int]:
    """Places of a share of each class, drawn at random, but never of all of it; none if the share is 0."""
    random = np.random.default_rng([seed, 1])
    places: list[int] = []
    for label in np.unique(labels):
        of_class = random.permutation(np.flatnonzero(labels == label))
        places += of_class[: min(round(share * len(of_class)), len(of_class) - 1)].tolist()
    return sorted(places)


def padded(rows: Sequence[Sequence[int]]) -> npt.NDArray[np.int32]:
    source = np.full((len(rows), max(map(len, rows))), -1, np.int32)
    for row, ids in enumerate(rows):
        source[row, : len(ids)] = ids
    return source


def batches_to_read(rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Places of rows, with rows of similar length together."""
    order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
    begin = 0
    while begin < len(order):
        end = begin + 1
        while end < len(order) and len(rows[order[end]]) * (end + 1 - begin) <= _TOKENS_AT_ONCE:
            end += 1
        yield order[begin:end]
        begin = end


@dataclass
class Read:
    """Outputs of a model on texts: logits (texts, classes), and for each text the attention and β of its positions."""

    logits: npt.NDArray[np.float64]
    attention: list[npt.NDArray[np.float64]]  #: empty where the model has none
    beta: list[npt.NDArray[np.float64]]  #: empty where it was not asked for

    def chances(self) -> npt.NDArray[np.float64]:
        odds = np.exp(self.logits - self.logits.max(1, keepdims=True))
        return np.asarray(odds / odds.sum(1, keepdims=True), float)

    def evidence(self) -> list[npt.NDArray[np.float64]]:
        """α·β, place by place."""
        return [alpha * beta for alpha, beta in zip(self.attention, self.beta)]

    def loss(self, labels: Array) -> float:
        most = self.logits.max(1)
        all_of = most + np.log(np.exp(self.logits - most[:, None]).sum(1))
        return float((all_of - self.logits[np.arange(len(labels)), labels]).mean())


def read(model: Model, rows: Sequence[Sequence[int]], labels: Array | None = None, *, look: bool = False) -> Read:
    """``look``: attention and β too. β is the evidence of a position for the given label, 0 without evidence: a logit for two classes,
    for more classes a log-probability minus the log-probability of equal classes."""
    classes = model.shape["classes"]
    logits = np.zeros((len(rows), classes))
    attention: list[Any] = [np.zeros(0)] * (len(rows) if look else 0)
    beta: list[Any] = list(attention)
    for places in batches_to_read(rows):
        asked = np.zeros(len(places), np.int32) if labels is None else labels[places].astype(np.int32)
        out = model.apply({"source": padded([rows[place] for place in places]), "labels": asked}, beta=look)
        scores = np.asarray(out["scores"], float).reshape(len(places), -1)
        if classes == 2:
            logits[places, 1] = scores[:, 0]
        else:
            logits[places] = scores
        if look:
            for at, place in enumerate(places):
                length = len(rows[place])
                beta[place] = out["beta"][at, 0, :length].astype(float) + (np.log(classes) if classes > 2 else 0.0)
                if out["attention"] is not None:
                    attention[place] = out["attention"][at].reshape(-1)[:length].astype(float)
    return Read(logits, attention, beta)


class _Enough(Exception):
    """Ends a training that grows no better."""


@dataclass
class Fitted:
    model: Model
    steps: int  #: after which the weights were those of the model
    losses: list[tuple[int, float]]  #: on what was held out, by steps


def fit(
    name: str,
    rows: Sequence[Sequence[int]],
    labels: Array,
    held: Sequence[int],
    *,
    vocab: int,
    model: Mapping[str, Any],
    train: Mapping[str, Any],
    epochs: int,
    steps: int | None = None,
    patience: int,
    seed: int,
    progress: Callable[[float], None] | None = None,
) -> Fitted:
    """Train on the rows that are not in ``held``, by epochs, and keep the weights with the least loss on the held-out rows; without
    held-out rows, the weights at the end. It ends when ``patience`` looks in a row, over 400 steps or more, found nothing better."""
    apart = np.zeros(len(rows), bool)
    apart[list(held)] = True
    inner, outer = np.flatnonzero(~apart), np.flatnonzero(apart)
    outer_rows, outer_labels = [rows[place] for place in outer.tolist()], labels[outer]
    classes = int(labels.max()) + 1
    size = min(int(train["batch"]), len(inner))
    of_an_epoch = len(inner) // size
    total = steps if steps is not None else max(epochs * of_an_epoch, _LEAST_STEPS)
    every = max(of_an_epoch, _BETWEEN_LOOKS)

    def batches(split: str, seed: int, wanted: int) -> Iterator[dict[str, Any]]:
        if split != "train":
            while True:
                yield {"source": padded([rows[int(inner[0])]]), "labels": labels[inner[:1]].astype(np.int32)}
        random = np.random.default_rng(seed)
        while True:
            order = random.permutation(inner).tolist()
            pieces = []
            for begin in range(0, len(order), size * _BATCHES_A_SORT):
                several = order[begin : begin + size * _BATCHES_A_SORT]
                several = sorted(
                    several[: len(several) // size * size], key=lambda place: len(rows[place])
                )  # left out by chance, not by length
                pieces += [several[at : at + size] for at in range(0, len(several), size)]
            for piece in random.permutation(len(pieces)):
                places = pieces[piece]
                yield {"source": padded([rows[place] for place in places]), "labels": labels[places].astype(np.int32)}

    task = Task(batches, name=name, vocab=vocab, classes=classes)
    best: list[Any] = [np.inf, None, 0]  # loss, weights, steps
    losses: list[tuple[int, float]] = []

    def consider(weights: Mapping[str, Array], after: int) -> None:
        found = read(Model(model, task.shape, weights), outer_rows).loss(outer_labels)
        losses.append((after, found))
        if found < best[0] - 1e-4:
            best[:] = [found, {name: values.copy() for name, values in weights.items()}, after]

    def on_step(step: _engine.Step) -> None:
        if progress is not None:
            progress(step.number / total)
        if len(outer) and step.number and step.number % every == 0:
            consider(step.parameters, step.number)
            if step.number - best[2] >= _PATIENT_STEPS and sum(after > best[2] for after, _ in losses) >= patience:
                raise _Enough

    spec: dict[str, Any] = {
        "model": dict(model),
        "train": {**train, "batch": size, "steps": total},
        "probe": {"every": max(1, total), "keep": 0, "examples": 1, "names": ["loss"]},
    }
    with task.lent() as key:
        spec["task"] = {"name": "python", "key": key}
        resolved = _engine.parse_experiment(spec, name).resolve(False, {}, seed)
        record, weights, error = _engine.run_apart(resolved, name, progress=None, on_step=on_step, intervene=None)
    if error is not None and not isinstance(error, _Enough):
        raise error
    if record.state == "failed" or weights is None:
        raise _engine.failure(record.error.rstrip(".") or "the training was stopped before its first step", "")
    made = weights
    if len(outer):
        if error is None and total:
            consider(weights, total)
        made = best[1] if best[1] is not None else weights
    return Fitted(Model(resolved.spec.table()["model"], task.shape, made), best[2] or total, losses)
