"""What ``check_attention`` found, in sentences."""

from __future__ import annotations

import math
import textwrap
from typing import Any

import numpy as np

from .cautions import labels_unchecked, leak_of, other_splits, percent, words_of_one_class
from .estimate import Estimate
from .shading import Shading

FEWEST, FEWEST_OF_A_CLASS = 60, 10  # different texts that can be split
_MARGIN = 0.02  # of accuracy: what is less than this is taken for as good,
_MARGIN_OF_ROOM = (
    0.1  # or less than this share of what the most frequent class leaves to be gained, where that is less yet
)
_FEW_TESTED = 10  # test texts of a class
_MANY_LABELS = 10  # more than these, of few texts each, are hardly labels
LEAST_NAMED = 5  # texts in which α·β is largest on a word, before the word is named
LEVEL = 0.05  # of naming any word by chance
_SAID = 8  # names in a sentence
_DOUBTFUL = 5  # labels that are listed
_WORTH_SHOWING = 0.05  # of answers: what changes fewer is no reason for them


_OPEN_NEED = "Whether attention is needed"

MODELS = {
    "learned": "learned attention",
    "uniform": "uniform attention",
    "words": "single words",
    "regression": "logistic regression on TF-IDF",
}
DELETIONS = {
    "attention": "the word with most attention",
    "beta": "the word with the largest β",
    "evidence": "the word with the largest α·β",
    "regression": "the word with the largest weight of the logistic regression",
    "random": "a random word",
}


class Findings:
    """Sentences, verdicts and open questions about the numbers that ``check_attention`` measured."""

    def __init__(self, facts: dict[str, Any], classes: list[str], found: dict[str, Any] | None = None) -> None:
        self.facts = facts
        self.classes = classes
        self.figures = found or {}
        self.sentences: list[str] = []
        self.open: list[str] = []
        self.trust = ""  #: empty if nothing was learned
        self._one_word = False  # whether one word decides the label
        self.verdict = self._say()
        self.headline = self._headline()  #: whether to show attention as the reason, in a sentence

    def _say(self) -> str:
        facts, say = self.facts, self.sentences.append
        if facts["different"] < facts["texts"]:
            say(
                f"{facts['different']} of {facts['texts']} texts differ in their first {facts['longest']} words, apart from capitals and spaces. "
                "Only the first of equal texts counts."
            )
        if facts["conflicts"]:
            say(
                f"{facts['conflicts']} texts have another label than an equal earlier text: these models cannot distinguish them."
            )
        if not self.figures:
            return self._too_few()
        f = self.figures
        word, majority, best = f["telling_word"], f["majority"].mean, f["best"]
        say(
            f"Accuracy on {f['test_texts']} test texts: "
            + ", ".join(f"{name} {f['accuracy'][kind]}" for kind, name in MODELS.items())
            + f". Always answering the most frequent class gives {majority:.3f}. Intervals cover other test texts and other trainings, as far as "
            f"{facts['seeds']} seeds show them, and not another split."
        )
        few = sorted((count, name) for name, count in f["tested"].items() if count < _FEW_TESTED)
        if few:
            of, names = few[0][0], f"class '{few[0][1]}'" if len(few) == 1 else f"{len(few)} classes"
            say(
                f"Few test texts are of {names}: {of} of {f['test_texts']}{'' if len(few) == 1 else ' of the rarest'}. This report is hardly about "
                "such classes."
            )
            self.open.append(f"Which words indicate {names}: give more texts.")
        word_tells = word["accuracy"].low > majority
        if f["gain"].low <= 0 and f["accuracy"][best].low <= majority and not word_tells:
            say(
                f"Nothing was found with {f['train_texts']} training texts: the best model ({MODELS[best]}) was not shown to predict labels better "
                f"than the shares of the classes do. Its mean log-probability of the right label is higher by {f['gain']}. This does not show that "
                "no word matters: weak words, or words that matter only together, need more texts."
            )
            self.open.append(f"Whether words indicate the label: {self._texts_to_find(f['gain'])}.")
            return "nothing was found"
        one_word = word_tells and word["below_best"].low <= 0 and word["below_best"].mean <= self._margin()
        no_word = not word_tells and f["single_gain"].low <= 0 and f["gain_over_single"].low > 0
        if one_word:
            say(
                f"One word decides the label: the presence of '{word['word']}' (class {word['class']}) alone has an accuracy of {word['accuracy']}. "
                f"{self._beside_word()} Check whether this word gives the label away."
            )
        elif no_word:
            say(
                "No single word indicates a label, but words together do: models of single words were not shown to be better than the shares of "
                f"the classes (their mean log-probability of the right class is higher by {f['single_gain']}). The best model's is higher than "
                f"theirs by {f['gain_over_single']}."
            )
        elif f["learned_over_single"].low > 0:
            say(f"Reading words together adds to the accuracy of single words: {f['learned_over_single']}.")
        if word_tells and not one_word:
            say(
                f"The most informative single word is '{word['word']}' (class {word['class']}): its presence alone has an accuracy of "
                f"{word['accuracy']}. {self._beside_word()}"
                if word["below_best"].low > 0
                else f"The presence of '{word['word']}' (class {word['class']}) alone has an accuracy of {word['accuracy']}. It was not shown that the "
                f"best model is better ({word['below_best']})."
            )
        needed_ = self._attention(f["learned_over_uniform"], f["learned_over_single"])
        self._seeds()
        self._deletions()
        self._words()
        self._one_word = one_word
        if one_word:
            self.open = [one for one in self.open if not one.startswith(_OPEN_NEED)]
        return "one word tells" if one_word else "no single word tells" if no_word else needed_

    def _too_few(self) -> str:
        facts, say = self.facts, self.sentences.append
        few = sorted(facts["few"].items(), key=lambda one: one[1])
        if len(few) * 2 > facts["labels"] > max(_MANY_LABELS, facts["texts"] / FEWEST_OF_A_CLASS):
            say(
                f"There are {facts['labels']} different labels for {facts['texts']} texts, and of most fewer than {FEWEST_OF_A_CLASS} different texts."
            )
            self.open.append(
                "Check the column of labels. `fovea check-attention` takes the column of labels by --label, and the column of texts by --text."
            )
        elif facts["different"] < FEWEST:
            there = "is 1 different text" if facts["different"] == 1 else f"are {facts['different']} different texts"
            say(f"Nothing was measured: there {there}, and a check needs {FEWEST}.")
            self.open.append("Give more different texts of each class.")
        else:
            rest = f", and of {len(few) - _SAID} more" if len(few) > _SAID else ""
            say(
                f"Nothing was measured: each class needs {FEWEST_OF_A_CLASS} different texts, and there are fewer of "
                + ", ".join(f"'{name}' ({count})" for name, count in few[:_SAID])
                + f"{rest}."
            )
            whose = (
                "this class out, or give more of its texts"
                if len(few) == 1
                else "these classes out, or give more of their texts"
            )
            self.open.append(f"Leave {whose}.")
        return "too few different texts"

    def _attention(self, uniform: Estimate, single: Estimate) -> str:
        say = self.sentences.append
        for over, rival in ((uniform, "uniform attention"), (single, "single words")):
            if over.high < self._margin():
                say(
                    f"Attention is not needed: its gain in accuracy over {rival} is {over}, which is less than {self._margin():.2g}, {self._of_margin()}."
                )
                return "attention is not needed"
        if uniform.low > 0 and single.low > 0:
            say(
                f"Attention is needed: its gain in accuracy over uniform attention is {uniform}, and over single words {single}."
            )
            return "attention is needed"
        say(
            f"Whether attention is needed is open: its gain in accuracy over uniform attention is {uniform}, and over single words {single}. It "
            f"is not needed if the whole interval of one gain is below {self._margin():.2g}, {self._of_margin()}."
        )
        less = uniform if uniform.low <= 0 else single
        self.open.append(f"{_OPEN_NEED}: {self._texts_to_settle(less, self._margin())}.")
        return "open whether attention is needed"

    def _beside_word(self) -> str:
        """How accurate the best model is, compared with the most informative word alone."""
        than: Estimate = self.figures["telling_word"]["below_best"]
        more = "more" if than.mean >= 0 else "less"
        return (
            f"The model that is best on held-out texts ({MODELS[self.figures['best']]}) is {abs(than.mean):.3f} {more} accurate than this word "
            f"(interval {than.low:.3f} to {than.high:.3f})."
        )

    def _margin(self) -> float:
        return min(_MARGIN, _MARGIN_OF_ROOM * (1 - float(self.figures["majority"].mean)))

    def _of_margin(self) -> str:
        if self._margin() < _MARGIN:
            return "a tenth of the error of always answering the most frequent class"
        return "the smallest gain that counts"

    def _texts_to_settle(self, value: Estimate, margin: float) -> str:
        """How many texts would make the interval narrow enough to leave 0 or the margin, were the mean to stay."""
        reach = max(abs(value.mean), abs(margin - value.mean), 1e-3)
        wide = max(value.high - value.mean, value.mean - value.low)
        many = math.ceil(max(1.1, (wide / reach) ** 2) * self.facts["different"] / 500) * 500
        return f"about {many} different texts would settle it, if the difference stays. A fifth of them is the test. More seeds may settle it, too"

    def _texts_to_find(self, gain: Estimate) -> str:
        """How many texts would make the interval of a gain leave 0, were the mean to stay."""
        different = self.facts["different"]
        if gain.mean <= 0:
            return f"give at least four times as many texts, {4 * different} or more"
        many = math.ceil(different * max(1.1, ((gain.mean - gain.low) / gain.mean) ** 2) / 100) * 100
        if many > 100 * different:
            return "so small a gain needs more than a hundred times as many texts"
        return f"about {many} different texts would show it, if the gain stays"

    def _seeds(self) -> None:
        f = self.figures
        agree, over = f["seeds_agree"], f["seeds_over_data"]
        if math.isnan(agree.mean):
            self.sentences.append(
                "Attention was uniform, or texts were too short, for all seeds: agreement cannot be measured."
            )
            return
        if agree.low > 0:
            text = f"All pairs of seeds agree on the order of attention weights: τ-b {agree} over pairs"
        else:
            text = f"Not all pairs of seeds agree on the order of attention weights: τ-b {agree} over pairs"
        text += ". 0 is chance, 1 the same order. There is no interval, because each seed is one training"
        if math.isnan(over.mean):
            self.sentences.append(f"{text}. The data alone predict no order.")
            return
        self.sentences.append(
            f"{text}. The order predicted from the data before training agrees with the seeds: τ-b {f['data_agrees']}."
        )
        if agree.low <= 0:
            self.sentences.append(
                f"Training ended at the least held-out loss, after {', '.join(map(str, f['steps']))} steps. Attention may settle later than the "
                "loss does: with more training, seeds may agree, without a gain in accuracy."
            )
        if over.low <= 0 < over.high:
            self.open.append(
                "Whether seeds agree more than the data predict: pairs of seeds differ, and more seeds would settle it."
            )

    def _deletions(self) -> None:
        f = self.figures
        say = self.sentences.append
        drawn = (
            f" of the {f['test_texts']} (drawn at random; more would take long)"
            if f["deleted_from"] < f["test_texts"]
            else ""
        )
        say(
            "α is the attention on a word. β is its evidence for the answer if all attention were on it. α·β is its contribution to the answer."
        )
        say(
            f"Share of answers that change when one word is deleted, for {f['deleted_from']} test texts{drawn}: "
            + ", ".join(f"{name} {f['changes'][kind]}" for kind, name in DELETIONS.items())
            + "."
        )
        greek = {"attention": "α", "beta": "β", "evidence": "α·β"}
        beyond = [kind for kind in greek if f["over_random"][kind].low > 0]
        if not beyond:
            say(
                "It was not shown that words with the largest α, β or α·β matter more to the answer than a random word. Do not take them for reasons."
            )
        elif "attention" not in beyond:
            say(
                f"It was not shown that the word with most attention matters more than a random word ({f['over_random']['attention']}). Attention "
                "alone is no reason for the answer."
            )
        if beyond:
            say(
                "Changed answers beyond a random word: "
                + ", ".join(f"{greek[kind]} {f['over_random'][kind]}" for kind in beyond)
                + "."
            )
        self.trust = "the word with most attention was not shown to matter more than a random word"
        ahead = [kind for kind in greek if f["regression_over"][kind].low > 0]
        if "attention" in beyond:
            self.trust = "the word with most attention matters more than a random word" + (
                ", and less than the word with the largest weight of the logistic regression"
                if "attention" in ahead
                else ""
            )
        if ahead and f["over_random"]["regression"].low > 0:
            behind = [f"{greek[kind]} ({f['regression_over'][kind]})" for kind in greek if kind not in ahead]
            say(
                "Deleting the word with the largest weight of the logistic regression changes more answers than deleting the word with the largest "
                + ", ".join(f"{greek[kind]} (by {f['regression_over'][kind]})" for kind in ahead)
                + f".{' For ' + ' and '.join(behind) + ' a difference was not shown.' if behind else ''} To learn which words matter, use the "
                f"regression, not {' or '.join(greek[kind] for kind in ahead)}."
            )

    def _words(self) -> None:
        f, say = self.figures, self.sentences.append
        weights = []
        for name, words in f["regression_words"].items():
            weights += (
                [f"for '{name}' " + ", ".join(f"'{one['word']}' {one['weight']:.2g}" for one in words)] if words else []
            )
        if weights:
            say(f"Largest weights of the regression: {'; '.join(weights)}.")
        for name, words in f["latched"].items():
            told = [one for one in words if one["named"]]
            if not words:
                say(f"No text was answered '{name}', so no words can be named for it.")
                continue
            if not told:
                say(
                    f"In texts answered '{name}', no word was shown to have the largest α·β more often than a random word."
                )
                continue
            rest = f", and {len(told) - _SAID} more (figures: latched)" if len(told) > _SAID else ""
            say(
                f"In texts answered '{name}', these words have the largest α·β more often than a random word: "
                + ", ".join(
                    f"'{one['word']}' {one['share']} (chance {one['chance']:.3f}; {one['texts']} of {one['of']} texts)"
                    for one in told[:_SAID]
                )
                + f"{rest}."
            )
        if any(f["latched"].values()):
            say(
                f"A word is named if it has the largest α·β in {LEAST_NAMED} texts or more, with p ≤ {LEVEL:g}, corrected (Holm) for all words that "
                "could have been named. Other words may matter, too."
            )

    def _headline(self) -> str:
        f = self.figures
        if not f:
            return "Nothing could be measured: give more texts."
        if self.verdict == "nothing was found":
            return f"Do not show attention as the reason: nothing was learned from {f['train_texts']} training texts."
        if leak := leak_of(self.figures, self._one_word):
            return leak
        of, names = f["changes"], ("attention", "regression", "random")
        own, by_regression, at_random = (percent(of[kind].mean) for kind in names)
        beyond = f["over_random"]["attention"].low > 0
        behind = f["over_random"]["regression"].low > 0 and f["regression_over"]["attention"].low > 0
        may = beyond and not behind and of["attention"].mean >= _WORTH_SHOWING
        return (
            f"{'Attention may be shown with the answer' if may else 'Do not show attention as the reason'}: deleting {DELETIONS['attention']} changes "
            f"{own} of the answers to {f['deleted_from']} test texts, {DELETIONS['regression']} {by_regression}, a random word {at_random}."
        )

    def _accuracies(self) -> str:
        """The accuracy of each model on the test texts, in a line."""
        f = self.figures
        each = ", ".join(f"{name} {f['accuracy'][kind].mean:.2f}" for kind, name in MODELS.items())
        return f"Accuracy on {f['test_texts']} test texts: {each}. Always the most frequent class: {f['majority'].mean:.2f}."

    def _examples(self) -> list[tuple[Shading, str]]:
        """Give each a line of explanation."""
        shown = []
        for one in self.figures.get("examples", []):
            told = [
                f"deleting {whose} '{one[kind]['word']}', {'changes' if one[kind]['changes'] else 'does not change'} it"
                for kind, whose in (
                    ("attention", "the word with most attention,"),
                    ("regression", "the regression's word,"),
                )
            ]
            what = f"label '{one['label']}', answer '{one['answer']}': {told[0]}; {told[1]}"
            shown.append((Shading(list(one["words"]), [], np.array([one["weights"]], float)), what))
        return shown

    def _warnings(self) -> list[str]:
        """Words that may give the label away, and texts that may have a wrong one."""
        said = words_of_one_class(self.figures.get("alone", []))
        if said:
            said.append(
                "Words of one class are listed if their evidence is strong, or if half of the class has them. Rarer words may be in one "
                "class by chance."
            )
        said = other_splits(self.figures, self.verdict) + said
        doubtful, labels = self.figures.get("doubtful", []), self.figures.get("labels")
        said += labels_unchecked(labels, self.facts["different"])
        for one in doubtful[:_DOUBTFUL]:
            said.append(
                f"Check the label of text {one['text'] + 1}, '{one['label']}': models that did not see it predict '{one['instead']}'. {_short(one['words'])}"
            )
        if len(doubtful) > _DOUBTFUL:
            said.append(f"{len(doubtful) - _DOUBTFUL} more labels are doubtful (figures: doubtful).")
        if doubtful and labels:
            said.append(
                f"{labels['false_alarms']:.1f} of the {len(doubtful)} doubtful labels are expected to be right."
            )
        return said


def _short(text: str) -> str:
    return textwrap.shorten(text, 80, placeholder=" …")
