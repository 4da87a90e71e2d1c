"""What ``believe`` found, in words, as figures and as one figure."""

from __future__ import annotations

import html
import json
import math
from typing import Any, NamedTuple

from .pictures import needed

_MARGIN = 0.02  # of accuracy: what is less than this is taken for as good


class Estimate(NamedTuple):
    """A mean over the test texts, and the interval that holds it with probability 0.95: the texts vary, the trained models do not."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


_MODELS = {
    "learned": "attention, learned",
    "uniform": "attention, uniform",
    "words": "single words",
    "regression": "logistic regression",
}
_DELETIONS = {
    "attention": "what is attended to most",
    "beta": "what β names",
    "evidence": "what α·β names",
    "regression": "what the regression names",
    "random": "a word at random",
}


class Belief:
    """``verdict`` in a few words, ``sentences`` with what was found, ``open`` questions with what would settle them. ``figures`` has every
    number; ``telling_word`` and ``latched`` the words."""

    def __init__(self, facts: dict[str, Any], classes: list[str], found: dict[str, Any] | None = None) -> None:
        self.facts = facts
        self.classes = classes
        self.figures = found or {}
        self.sentences: list[str] = []
        self.open: list[str] = []
        self.verdict = self._say()

    @property
    def telling_word(self) -> dict[str, Any]:
        """The word whose presence alone tells most: ``word``, the ``class`` it stands for, ``accuracy``."""
        return dict(self.figures.get("telling_word", {}))

    @property
    def latched(self) -> dict[str, list[dict[str, Any]]]:
        """For each answer the words that α·β names most often: ``word``, ``share`` of the texts, in how many ``seeds``."""
        return dict(self.figures.get("latched", {}))

    def to_dict(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "sentences": list(self.sentences),
            "open": list(self.open),
            "classes": list(self.classes),
            **self.facts,
            "figures": _plain(self.figures),
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def plot(self, axes: Any = None) -> Any:
        """Accuracy of each model, and how often a deleted word changes the answer, with intervals; two axes of matplotlib."""
        pyplot = needed("matplotlib.pyplot", "matplotlib")
        if axes is None:
            axes = pyplot.subplots(1, 2, figsize=(9, 2.8), layout="constrained")[1]
        for ax, key, names, title in (
            (axes[0], "accuracy", _MODELS, "accuracy on test texts"),
            (axes[1], "changes", _DELETIONS, "answers that change when it is deleted"),
        ):
            values = [self.figures[key][name] for name in names] if self.figures else []
            for place, value in enumerate(values):
                ax.plot([value.low, value.high], [-place, -place], color="C0")
                ax.plot([value.mean], [-place], "o", color="C0")
            ax.set_yticks([-place for place in range(len(values))], list(names.values())[: len(values)])
            ax.set_title(title, fontsize="medium")
        if self.figures:
            axes[0].axvline(self.figures["majority"].mean, color="0.6", linestyle=":")
        return axes

    def _say(self) -> str:
        facts, say = self.facts, self.sentences.append
        if facts["different"] < facts["texts"]:
            say(f"Of {facts['texts']} texts {facts['different']} are different; of those that are the same the first alone counts.")
        if facts["conflicts"]:
            say(f"Texts with another label than the first that is the same: {facts['conflicts']}. No model can tell these.")
        if not self.figures:
            say("That is too few to train on some and test on others, with ten of each class at least.")
            self.open.append("Everything: give more different texts of each class.")
            return "too few different texts"
        f = self.figures
        say(
            f"Accuracy on {f['test_texts']} test texts: "
            + ", ".join(f"{name} {f['accuracy'][kind]}" for kind, name in _MODELS.items())
            + f"; the most frequent class is {f['majority'].mean:.3f} of them."
        )
        if f["gain"].low <= 0:
            say(f"Nothing to learn was found: the best model ({_MODELS[f['best']]}) foretells labels no better than their shares do.")
            self.open.append(
                f"Whether there is something too weak for {f['train_texts']} training texts, or in words together that "
                "these models did not find: more texts would tell. "
                "What attention does here means nothing."
            )
            return "nothing to learn"
        word = f["telling_word"]
        one_word = word["below_best"].high <= _MARGIN and word["accuracy"].low > f["majority"].mean
        no_word = f["single_gain"].low <= 0
        if one_word:
            say(
                f"One word tells: whether '{word['word']}' (class {word['class']}) is there gives {word['accuracy']}, as good as "
                "the best model to within 0.02. Look whether it gives the label away."
            )
        elif no_word:
            say(
                "No single word tells: both models of single words are no better than the shares of the classes. "
                "What stands together tells."
            )
        elif f["learned_over_single"].low > 0:
            say(f"Reading words together gains over single words: {f['learned_over_single']} of accuracy.")
        needed_ = self._attention(f["learned_over_uniform"])
        self._seeds()
        self._deletions()
        self._words()
        return "one word tells" if one_word else "no single word tells" if no_word else needed_

    def _attention(self, over: Estimate) -> str:
        single = self.figures["learned_over_single"]
        if over.high < _MARGIN:
            self.sentences.append(f"Attention is not needed: uniform attention does as well to within 0.02 (learned is better by {over}).")
            return "attention is not needed"
        if single.high < _MARGIN:
            self.sentences.append(f"Attention is not needed: single words do as well to within 0.02 (learned is better by {single}).")
            return "attention is not needed"
        if over.low > 0:
            self.sentences.append(f"Attention that is learned is better than uniform attention: by {over} of accuracy.")
            return "attention is needed"
        self.sentences.append(f"Whether attention is needed is open: learned is better than uniform by {over}.")
        self.open.append(f"Whether attention is needed: {self._texts_to_settle(over, _MARGIN)}.")
        return "open whether attention is needed"

    def _texts_to_settle(self, value: Estimate, margin: float) -> str:
        """How many test texts would make the interval narrow enough to leave 0 or the margin, were the mean to stay."""
        reach = max(abs(value.mean), abs(margin - value.mean), 1e-3)
        wide = (value.high - value.low) / 2
        many = self.figures["test_texts"] * (wide / reach) ** 2
        return f"about {math.ceil(many / 100) * 100} test texts would tell, if the difference stays; or more seeds"

    def _seeds(self) -> None:
        f = self.figures
        agree, over = f["seeds_agree"], f["seeds_over_data"]
        if math.isnan(agree.mean):
            self.sentences.append("Attention was uniform, or texts too short, for all seeds: there is nothing to agree on.")
            return
        text = f"Seeds do not agree on where they look: τ-b {agree}"
        if agree.low > 0:
            text = f"Seeds agree on where they look by τ-b {agree} (0 is chance)"
        if math.isnan(over.mean):
            self.sentences.append(f"{text}; the data alone foretell nothing of it.")
            return
        text += f"; what the data alone foretell agrees with them by {f['data_agrees']}"
        more = "which of the two is more is open"
        if over.low > 0 or over.high <= 0:
            more = "the seeds have more in common than that" if over.low > 0 else "the seeds have no more in common than that"
        self.sentences.append(f"{text}: {more}.")
        if over.low <= 0 < over.high:
            self.open.append(f"Whether seeds agree beyond what the data foretell: {self._texts_to_settle(over, 0.0)}.")

    def _deletions(self) -> None:
        f = self.figures
        say = self.sentences.append
        say(
            f"Deleting one word of {f['deleted_from']} test texts changes the answer of the model: "
            + ", ".join(f"{name} {f['changes'][kind]}" for kind, name in _DELETIONS.items())
            + "."
        )
        beyond = [kind for kind in ("attention", "beta", "evidence") if f["over_random"][kind].low > 0]
        if not beyond:
            say("None of α, β and α·β names words that matter more to the answer than a word at random: do not take them for reasons.")
            return
        best = max(beyond, key=lambda kind: f["changes"][kind].mean)
        greek = {"attention": "α", "beta": "β", "evidence": "α·β"}
        if "attention" not in beyond:
            say("What is attended to most matters no more than a word at random: attention alone is no reason for the answer.")
        say(
            f"Words that {greek[best]} names matter most of these: {f['over_random'][best]} more answers change than by a random word"
            + ("." if f["changes"][best].mean >= 0.5 else "; most answers hang on no one word.")
        )

    def _words(self) -> None:
        for name, words in self.latched.items():
            if words:
                listed = ", ".join(f"'{one['word']}' {one['share']}" for one in words)
                self.sentences.append(f"In texts answered '{name}' α·β is largest most often on {listed} (share of these texts).")

    def __str__(self) -> str:
        lines = [self.verdict.capitalize() + "."] + [f"- {sentence}" for sentence in self.sentences]
        return "\n".join(lines + (["Open:"] + [f"- {one}" for one in self.open] if self.open else []))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        def items(of: list[str]) -> str:
            return "<ul>" + "".join(f"<li>{html.escape(one)}</li>" for one in of) + "</ul>"

        rest = f"Open:{items(self.open)}" if self.open else ""
        return f"<div><b>{html.escape(self.verdict.capitalize())}.</b>{items(self.sentences)}{rest}</div>"


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return {name: None if math.isnan(number) else number for name, number in value._asdict().items()}
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.item() if hasattr(value, "item") else value
