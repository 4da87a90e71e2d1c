"""The report of ``check_attention``: as text, as data, as a page and as a figure."""

from __future__ import annotations

import json
import math
import os
import pathlib
from typing import Any

from .. import checks
from ..pictures import needed
from .belief_page import GUESS, Panel, Report, body, page
from .estimate import Estimate, Spread
from .findings import DELETIONS, MODELS, Findings


class Belief(Findings):
    """A report on whether the attention of a classifier can be trusted. ``fovea.check_attention`` makes it.

    Attributes
    ----------
    headline
        Whether to show attention as the reason for an answer, in a sentence.
    verdict
        The result in a few words.
    trust
        Whether the word with the largest α changes more answers than a word at random. Empty if nothing was learned.
    sentences
        What was found.
    open
        Open questions, each with the data that would settle it.
    figures
        Every number. Empty if the texts were too few.
    facts
        How many texts, seeds and labels there were.
    classes
        The classes, sorted.

    Examples
    --------
    >>> import fovea, tempfile
    >>> texts = [f"a {word} film, number {n}" for n in range(100) for word in ("good", "bad")]
    >>> belief = fovea.check_attention(texts, ["+", "-"] * 100, seeds=2, hidden=8, epochs=2)
    >>> belief.telling_word["class"] in "+-", sorted(belief.latched), belief.to_dict()["verdict"] == belief.verdict
    (True, ['+', '-'], True)
    >>> belief.save(tempfile.mkdtemp() + "/films.html", title="films")
    >>> "<svg" in belief.page(), belief.to_json().startswith("{")
    (True, True)
    >>> belief.summary().startswith(belief.headline)
    True
    >>> belief.plot()[0].get_title()
    'accuracy on test texts'
    """

    @property
    def telling_word(self) -> dict[str, Any]:
        """The word whose presence predicts the label best: ``word``, its ``class``, ``accuracy`` and how far ``below_best``."""
        return dict(self.figures.get("telling_word", {}))

    @property
    def latched(self) -> dict[str, list[dict[str, Any]]]:
        """The words with the largest α·β, for each predicted class.

        Returns
        -------
        dict
            For each class a list of words. ``texts`` of ``of`` texts with that prediction have their largest α·β on the ``word``, a
            ``share``, in ``seeds`` seeds. ``chance`` is the share if one word of each text is drawn, ``p`` the probability of a share
            as large, and ``corrected`` the p after Holm's correction (1 of fewer than 5 texts). The report names words that are
            ``named``.
        """
        return dict(self.figures.get("latched", {}))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as dicts, lists and numbers.

        Returns
        -------
        dict
            What ``fovea check-attention --json`` prints. An estimate is its ``mean``, ``low`` and ``high``.
        """
        return {
            "verdict": self.verdict,
            "headline": self.headline,
            "trust": self.trust,
            "sentences": list(self.sentences),
            "open": list(self.open),
            "classes": list(self.classes),
            **self.facts,
            "figures": _plain(self.figures),
        }

    def to_json(self) -> str:
        """Return every number as JSON.

        Returns
        -------
        str
            ``to_dict()`` as a document.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def page(self, *, title: str = "") -> str:
        """Return the report as one HTML page, with its figure and all numbers.

        Parameters
        ----------
        title
            What the texts are.

        Returns
        -------
        str
            The page, which loads nothing else.
        """
        document = self.to_json()
        return page(self._report(), self.verdict, document, checks.text("title", title))

    def _report(self) -> Report:
        return Report(
            self.headline,
            self._verdicts(),
            self._examples(),
            self._warnings(),
            self.open,
            self._panels(),
            self.sentences,
        )

    def save(self, file: str | os.PathLike[str], *, title: str = "") -> None:
        """Write ``page(title=title)`` to a file.

        Parameters
        ----------
        file
            The path of the page.
        title
            What the texts are.
        """
        pathlib.Path(checks.path("file", file, "the path of a page")).write_text(
            self.page(title=title), encoding="utf-8"
        )

    def _panels(self) -> list[Panel]:
        """The data of the figure: title, names with the result of each, and the value of a guess; none if there was too little."""
        if not self.figures:
            return []
        accuracy = [(name, self.figures["accuracy"][kind]) for kind, name in MODELS.items()]
        changes = [
            (name.removeprefix("the word with "), self.figures["changes"][kind]) for kind, name in DELETIONS.items()
        ]
        guess: Estimate = self.figures["majority"]
        return [
            ("accuracy on test texts", accuracy, guess),
            ("share of answers that change when one word is deleted: the word with", changes, None),
        ]

    def plot(self, axes: Any = None) -> Any:
        """Draw the accuracy of each model, and how often a deleted word changes the answer, with intervals.

        Parameters
        ----------
        axes
            Two axes of matplotlib. None: a new figure.

        Returns
        -------
        Any
            The two axes. A dotted line is the accuracy of the most frequent class.
        """
        pyplot = needed("matplotlib.pyplot", "matplotlib")
        if axes is None:
            axes = pyplot.subplots(1, 2, figsize=(9, 2.8), layout="constrained")[1]
        for ax, (title, rows, guess) in zip(axes, self._panels()):
            for place, (_, value) in enumerate(rows):
                ax.plot([value.low, value.high], [-place, -place], color="C0")
                ax.plot([value.mean], [-place], "o", color="C0")
            ax.set_yticks([-place for place in range(len(rows))], [name for name, _ in rows])
            ax.set_title(title, fontsize="medium")
            if guess is not None:
                ax.axvline(guess.mean, color="0.6", linestyle=":")
                ax.set_xlabel(f"dotted: {GUESS} {guess.mean:.3f}")
        return axes

    def summary(self) -> str:
        """Return the report in words, with its main numbers.

        Returns
        -------
        str
            The recommendation, the verdicts with the accuracies, three examples, and what to check.
        """
        lines = [self.headline, "", *self._verdicts()] if self.figures else self._verdicts()
        for shading, what in self._examples():
            lines += ["", repr(shading), f"  {what}."]
        if warnings := self._warnings():
            lines += ["", *(f"- {one}" for one in warnings)]
        if self.open:
            lines += ["", "Open:" if self.figures else "What to do:", *(f"- {one}" for one in self.open)]
        return "\n".join(lines)

    def _verdicts(self) -> list[str]:
        """Whether attention is needed, whether the words with large weights matter, and whether seeds agree."""
        lines = [self._head() + "."] + ([self._accuracies()] if self.figures else [])
        if self.trust and not math.isnan(self.figures["seeds_agree"].mean):
            agree: Spread = self.figures["seeds_agree"]
            lines.append(
                f"Seeds {'agree' if agree.low > 0 else 'do not all agree'} on the words with large weights: τ-b {agree}."
            )
        return lines

    def _head(self) -> str:
        return self.verdict.capitalize() + (f"; {self.trust}" if self.trust else "")

    def __str__(self) -> str:
        numbers = [f"- {sentence}" for sentence in self.sentences]
        return "\n".join([self.summary(), *(["", "In numbers:"] if self.figures else []), *numbers])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<div>{body(self._report())}</div>"


def _plain(value: Any) -> Any:
    if isinstance(value, (Estimate, Spread)):
        return {name: None if math.isnan(number) else number for name, number in value._asdict().items()}
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.item() if hasattr(value, "item") else value
