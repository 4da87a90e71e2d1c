"""What ``check_attention`` trains and measures: classifiers of texts with learned and with uniform attention, and simpler models."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..progress import Bar
from .belief_words import latched, of_regression
from .estimate import Estimate, Spread, difference, over_trainings
from .reading import UNKNOWN, Fitted, Read, Vocabulary, fit, held_apart, read, reader, training

Array = npt.NDArray[Any]

_MOST_DELETED = 1000  # test texts that words are deleted from, and agreement is measured on
_EXAMPLES, _EXAMPLE_WORDS = 3, 16  # texts that are shown, of about so many words
_MOST_SPLIT, _SPLITS = 300, 9  # test texts, up to which other splits are tried, and how many
_DELETED = ("attention", "beta", "evidence", "random", "regression")


class Study:
    """The models that ``check_attention`` trains on texts, and their results on the test texts."""

    def __init__(self, words: list[list[str]], labels: Array, classes: list[str], seed: int, workers: int) -> None:
        self.words, self.labels, self.classes, self.seed, self.workers = words, labels, classes, seed, workers
        self.test = np.array(held_apart(labels, 0.2, seed))
        self.train_on = np.setdiff1d(np.arange(len(words)), self.test)
        self.held = held_apart(labels[self.train_on], 0.125, seed + 1)
        vocabulary = Vocabulary([words[place] for place in self.train_on], 2)
        if len(vocabulary) == 1:
            raise _engine.wrong_input(
                "no word is twice in these texts",
                "give texts that share words; spaces and punctuation separate words",
            )
        self.rows = [vocabulary.row(each) for each in words]
        self.vocab, self.spelled = len(vocabulary), {number: word for word, number in vocabulary.numbers.items()}
        self.answers = labels[self.test]
        self.test_rows = [self.rows[place] for place in self.test]
        self.fitted: dict[str, list[Fitted]] = {}
        self.regression = self._regression(self.train_on.tolist())

    def train(self, seeds: int, epochs: int, hidden: int, bar: Bar) -> None:
        """All models, as many at a time as there are workers; the engine trains without the interpreter's lock."""
        one = training()
        plan: list[tuple[str, int, dict[str, Any], dict[str, Any], int]] = []
        for kind in ("learned", "uniform"):
            plan += [
                (kind, self.seed + at, reader(attention=kind, embedding=hidden, hidden=hidden), one, epochs)
                for at in range(seeds)
            ]
        plan += [("words", self.seed, {"name": "word-mean", "embedding": hidden}, one, 3 * epochs)]
        share, stop = [0.0] * len(plan), threading.Event()
        rows, labels = [self.rows[place] for place in self.train_on], self.labels[self.train_on]

        def work(at: int) -> Fitted:
            kind, seed, model, train, of = plan[at]

            def reach(done: float) -> None:
                share[at] = done
                if stop.is_set():
                    raise _engine.failure("stopped", "")

            made = fit(
                "believe", rows, labels, self.held, vocab=self.vocab, model=model, train={"batch": 32, **train},
                epochs=of, patience=3, seed=seed, progress=reach,
            )  # fmt: skip
            share[at] = 1.0
            return made

        with ThreadPoolExecutor(self.workers) as pool:
            waiting = [pool.submit(work, at) for at in range(len(plan))]
            try:
                while wait(waiting, timeout=0.2).not_done:
                    bar.reach(int(100 * sum(share) / len(plan)), 100)
            except BaseException:
                stop.set()
                for each in waiting:
                    each.cancel()
                raise
            for (kind, *_), each in zip(plan, waiting):
                self.fitted.setdefault(kind, []).append(each.result())

    def _regression(self, places: list[int]) -> _engine.WordRegression:
        """On TF-IDF; no word that is unknown counts."""
        rows = [self._known(self.rows[place]) for place in places]
        return _engine.WordRegression(rows, self.labels[places].tolist(), self.vocab, len(self.classes))

    @staticmethod
    def _known(row: list[int]) -> list[int]:
        return [word if word != UNKNOWN else -1 for word in row]

    def _regression_read(self, fitted: _engine.WordRegression, rows: list[list[int]]) -> Read:
        return Read(fitted.scores([self._known(row) for row in rows], len(self.classes)), [], [])

    def _regression_held_loss(self) -> float:
        """The loss on held-out texts of a fit to the others."""
        held = set(self.held)
        inner = [place for at, place in enumerate(self.train_on.tolist()) if at not in held]
        outer = self.train_on[self.held]
        return self._regression_read(self._regression(inner), [self.rows[place] for place in outer]).loss(
            self.labels[outer]
        )

    def share_of(self, of_seeds: list[Array]) -> Estimate:
        """The share of texts with a property, by seed."""
        found = over_trainings(of_seeds, self.share(np.mean(of_seeds, 0)))
        return Estimate(found.mean, max(0.0, found.low), min(1.0, found.high))

    def mean(self, values: Array | Sequence[float]) -> Estimate:
        return Estimate(*_engine.bootstrap_mean(np.asarray(values, float), self.seed))

    def difference(self, values: Array) -> Estimate:
        return difference(values, self.seed)

    def share(self, holds: Array) -> Estimate:
        """The share of texts with a property, in the mean over seeds: an interval of some width also for all and for none."""
        return Estimate(float(np.mean(holds)), *_engine.share_interval(round(float(np.sum(holds))), len(holds))[1:])

    def found(self) -> dict[str, Any]:
        said = {kind: [read(one.model, self.test_rows) for one in some] for kind, some in self.fitted.items()}
        said["regression"] = [self._regression_read(self.regression, self.test_rows)]
        by_seed = {
            kind: [(each.logits.argmax(1) == self.answers).astype(float) for each in some]
            for kind, some in said.items()
        }
        right = {kind: np.mean(values, 0) for kind, values in by_seed.items()}
        held_loss = {
            kind: float(np.mean([min(loss for _, loss in one.losses) for one in some]))
            for kind, some in self.fitted.items()
        }
        held_loss["regression"] = self._regression_held_loss()
        shares = np.bincount(self.labels[self.train_on], minlength=len(self.classes)) / len(self.train_on)
        rows = np.arange(len(self.answers))
        prior = np.log(shares)[self.answers]

        def gain(kind: str) -> Array:
            return np.asarray(
                np.mean([np.log(each.chances()[rows, self.answers] + 1e-12) for each in said[kind]], 0) - prior
            )

        best = min(held_loss, key=lambda kind: held_loss[kind])  # chosen on what is held out, so the test stays one
        single = min(("words", "regression"), key=lambda kind: held_loss[kind])
        majority = (self.answers == int(shares.argmax())).astype(float)
        found: dict[str, Any] = {
            "test_texts": len(self.answers),
            "tested": dict(zip(self.classes, np.bincount(self.answers, minlength=len(self.classes)).tolist())),
            "train_texts": len(self.train_on) - len(self.held),
            "majority": self.share(majority),
            "accuracy": {kind: self.share_of(values) for kind, values in by_seed.items()},
            "best": best,
            "single": single,
            "gain": self.mean(gain(best)),
            "single_gain": self.mean(gain(single)),
            "gain_over_single": self.mean(gain(best) - gain(single)),
            "learned_over_uniform": over_trainings(
                [a - b for a, b in zip(by_seed["learned"], by_seed["uniform"])],
                self.difference(right["learned"] - right["uniform"]),
            ),
            "learned_over_single": over_trainings(
                [values - right[single] for values in by_seed["learned"]],
                self.difference(right["learned"] - right[single]),
            ),
            "telling_word": self._telling_word(right[best]),
        }
        if len(self.answers) <= _MOST_SPLIT:
            found["other_splits"] = {
                "found": sum(self._found_on(split) for split in range(1, _SPLITS + 1)),
                "of": _SPLITS,
            }
        return {**found, **self._looked_at(said["learned"])}

    def _found_on(self, split: int) -> bool:
        """Whether a regression on another split predicts labels better than their shares, or than the most frequent class."""
        test = np.array(held_apart(self.labels, 0.2, self.seed + split))
        train = np.setdiff1d(np.arange(len(self.labels)), test)
        answers, shares = self.labels[test], np.bincount(self.labels[train], minlength=len(self.classes)) / len(train)
        said = self._regression_read(self._regression(train.tolist()), [self.rows[place] for place in test])
        gain = np.log(said.chances()[np.arange(len(test)), answers] + 1e-12) - np.log(shares)[answers]
        right = self.share(said.logits.argmax(1) == answers)
        return self.mean(gain).low > 0 or right.low > float(np.mean(answers == int(shares.argmax())))

    def _telling_word(self, of_best: Array) -> dict[str, Any]:
        """The word whose presence alone predicts the training texts' classes best, and its accuracy on the test texts."""
        train = self.train_on
        of = len(self.classes)
        counts = np.zeros((self.vocab, of))
        for place in train:
            counts[list(set(self.rows[place])), self.labels[place]] += 1
        totals = np.bincount(self.labels[train], minlength=of)
        word = int((counts.max(1) + (totals - counts).max(1))[1:].argmax()) + 1
        there, away = int(counts[word].argmax()), int((totals - counts[word]).argmax())
        guess = np.array([there if word in row else away for row in self.test_rows])
        holds = guess == self.answers
        found = {"word": self.spelled[word], "class": self.classes[there]}
        return {**found, "accuracy": self.share(holds), "below_best": self.difference(of_best - holds)}

    def _looked_at(self, said: list[Read]) -> dict[str, Any]:
        chosen = np.random.default_rng([self.seed, 2]).permutation(len(self.answers))
        chosen = np.sort(chosen[:_MOST_DELETED])
        rows = [self.test_rows[place] for place in chosen]
        random = np.random.default_rng([self.seed, 3])
        drawn = [int(random.integers(len(row))) for row in rows]
        changed: dict[str, list[Array]] = {kind: [] for kind in _DELETED}
        fell: dict[str, list[Array]] = {kind: [] for kind in _DELETED}
        maps: list[list[Array]] = []
        shown: list[dict[str, Any]] = []
        tops: list[list[tuple[int, int]]] = []
        at = np.arange(len(rows))
        for fitted, whole in zip(self.fitted["learned"], said):
            answers, chances = whole.logits[chosen].argmax(1), whole.chances()[chosen]
            seen = read(fitted.model, rows, answers, look=True)
            by_regression = [
                np.array(self.regression.parts(self._known(row), int(answer))) for row, answer in zip(rows, answers)
            ]
            named = {
                "attention": seen.attention,
                "beta": seen.beta,
                "evidence": seen.evidence(),
                "regression": by_regression,
            }
            places = {kind: [int(values.argmax()) for values in of] for kind, of in named.items()} | {"random": drawn}
            for kind in _DELETED:
                less = read(
                    fitted.model,
                    [row[:place] + row[place + 1 :] or [UNKNOWN] for row, place in zip(rows, places[kind])],
                )
                changed[kind].append(less.logits.argmax(1) != answers)
                fell[kind].append(chances[at, answers] - less.chances()[at, answers])
            maps.append(seen.attention)
            if len(maps) == 1:
                shown = self._examples(chosen, answers, seen.attention, places, changed)
            tops.append([(int(answer), row[place]) for answer, row, place in zip(answers, rows, places["evidence"])])
        flips = {kind: np.mean(values, 0) for kind, values in changed.items()}

        def between(a: str, b: str) -> Estimate:
            each = [one.astype(float) - other for one, other in zip(changed[a], changed[b])]
            return over_trainings(each, self.difference(flips[a] - flips[b]))

        pairs = [(a, b) for a in range(len(maps)) for b in range(a)]
        among = [self._agree(maps[a], maps[b]) for a, b in pairs]
        predicted = self._predicted(chosen)
        data = [self._agree(each, predicted) for each in maps]
        return {
            "deleted_from": len(rows),
            "changes": {kind: self.share_of(values) for kind, values in changed.items()},
            "over_random": {kind: between(kind, "random") for kind in _DELETED if kind != "random"},
            "regression_over": {kind: between("regression", kind) for kind in ("attention", "beta", "evidence")},
            "falls": {kind: over_trainings(values, self.mean(np.mean(values, 0))) for kind, values in fell.items()},
            "steps": [each.steps for each in self.fitted["learned"]],
            "seeds_agree": Spread.of(among),
            "data_agrees": Spread.of(data),
            "seeds_over_data": Spread.of([agree - (data[a] + data[b]) / 2 for agree, (a, b) in zip(among, pairs)]),
            "latched": latched(tops, rows, self.classes, self.spelled),
            "regression_words": of_regression(self._regression_weights(), self.classes, self.spelled),
            "examples": shown,
        }

    def _regression_weights(self) -> Array:
        """(words, 1) of two classes, (words, classes) of more."""
        classes = [1] if len(self.classes) == 2 else range(len(self.classes))
        return np.array([[self.regression.weight(word, label) for label in classes] for word in range(self.vocab)])

    def _examples(
        self,
        chosen: Array,
        answers: Array,
        attention: list[Array],
        places: dict[str, list[int]],
        changed: dict[str, list[Array]],
    ) -> list[dict[str, Any]]:
        """Texts of a line or so, of as many classes as there are, with the first seed's attention and the effect of deleting a word."""
        order = sorted(range(len(chosen)), key=lambda at: (abs(len(attention[at]) - _EXAMPLE_WORDS), at))
        picked: list[int] = []
        for label in [*range(len(self.classes)), *range(len(self.classes)), *range(len(self.classes))]:
            of_class = [at for at in order if self.answers[chosen[at]] == label and at not in picked]
            picked += of_class[:1]
        found = []
        for at in sorted(picked[:_EXAMPLES]):
            words = self.words[self.test[chosen[at]]] or ["-"]
            found.append(
                {
                    "words": words,
                    "weights": attention[at].tolist(),
                    "label": self.classes[self.answers[chosen[at]]],
                    "answer": self.classes[answers[at]],
                    **{
                        kind: {"word": words[places[kind][at]], "changes": bool(changed[kind][-1][at])}
                        for kind in ("attention", "regression")
                    },
                }
            )
        return found

    @staticmethod
    def _agree(some: list[Array], others: list[Array]) -> float:
        """Kendall's τ-b of the weights on each text's words, the mean over texts; NaN if in each of them either is constant."""
        taus = []
        for a, b in zip(some, others):
            length = np.array([len(a)], np.int32)
            found = _engine.agreement(a[None].astype(np.float32), b[None].astype(np.float32), length)
            taus.append(found.get("agreement_tau", np.nan))
        known = np.array(taus)[np.isfinite(taus)]
        return float(known.mean()) if len(known) else math.nan

    def _predicted(self, chosen: Array) -> list[Array]:
        """The attention predicted from the training texts alone."""
        texts = [" ".join(self.words[place]) or "-" for place in self.train_on]
        predicted = _engine.predict_texts(
            texts, [self.classes[self.labels[place]] for place in self.train_on], True, self.workers
        )
        return [np.array(predicted.shade(" ".join(self.words[self.test[place]]) or "-", "")[2][0]) for place in chosen]
