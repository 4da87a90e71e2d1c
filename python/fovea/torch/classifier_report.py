"""The report of ``check_classifier``: verdicts, sentences and a page."""

from __future__ import annotations

import json
import math
import os
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine, checks
from ..text.belief_page import Report, body, page
from ..text.estimate import Estimate, Spread, difference, over_trainings
from ..text.shading import Shading

Array = npt.NDArray[Any]

MARGIN = 0.02  # of accuracy: what is less counts as the same
WORTH_SHOWING = 0.05  # of answers: what changes fewer is no reason for them
EXAMPLES = 3  # that are shown

# What is measured: its name, what it is, and its null.
MEASURES: dict[str, tuple[str, float | None]] = {
    "deleted_attention": ("answers that change when the position of the largest α is deleted", None),
    "deleted_gradient": ("answers that change when the position of the largest influence is deleted", None),
    "deleted_random": ("answers that change when a random position is deleted", None),
    "comprehensiveness": ("comprehensiveness: p(ŷ) lost when positions of the largest α are deleted", None),
    "comprehensiveness_random": ("the same of random positions", None),
    "sufficiency": ("sufficiency: p(ŷ) lost when they alone are kept", None),
    "sufficiency_random": ("the same of random positions", None),
    "erasure": ("examples in which dropping the largest weight moves p more than dropping another", 0.5),
    "flips_attention": ("share of weights dropped before the answer changes, by α", None),
    "flips_gradient": ("the same by influence", None),
    "flips_attention_times_gradient": ("the same by α times the size of the influence", None),
    "flips_random": ("the same in random order", None),
    "tau_gradient": ("Kendall's τ-b of α with the size of the influence", 0.0),
    "tau_left_out": ("Kendall's τ-b of α with the TVD of leaving a position out", 0.0),
    "permutation": ("median TVD of p over shuffled weights", 0.0),
    "uniform_tvd": ("TVD of p under uniform weights", 0.0),
    "uniform_changes": ("answers that change under uniform weights", 0.0),
    "uniform_jsd": ("JSD of uniform weights from α", None),
    "adversary": ("largest JSD from α of weights with the same answer, at most 0.693", None),
    "adversary_tvd": ("TVD of p under these weights, at most 0.01", None),
}


class ClassifierCheck:
    """A report on whether the attention of a classifier may be shown as the reason for its answers. ``fovea.check_classifier`` makes it.

    Attributes
    ----------
    headline
        Whether to show attention as the reason for an answer, in a sentence.
    verdicts
        Three sentences: whether attention is needed, whether trainings agree, whether the positions with large weights matter.
    figures
        Every measure that was made: its mean with a 95 % interval over examples.
    of_examples
        The values of single examples, NaN for one with a single position.
    adversaries
        ``tvd`` and ``jsd`` of each adversarial model, by its ``lambda``.
    attention
        α of each example, a weight for each of its positions.
    adversary
        The weights of the adversary of each example, (examples, heads, rows, positions). None if it was not sought.
    site
        The name of the site.

    Examples
    --------
    >>> import tempfile, torch, fovea
    >>> class Mean(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.table, self.score, self.out = torch.nn.Embedding(9, 4), torch.nn.Linear(4, 1), torch.nn.Linear(4, 2)
    ...     def forward(self, tokens):
    ...         states = self.table(tokens)
    ...         return self.out((self.score(states).softmax(1) * states).sum(1))
    >>> check = fovea.check_classifier(Mean(), torch.randint(1, 9, (6, 5)), lambda out: out, erase=0, shuffles=5, search=5)
    >>> check.site, len(check.verdicts), check.figures["permutation"].mean < 1
    ('model', 3, True)
    >>> [what for what, tvd, jsd in check.curve()]
    ['uniform weights', 'an adversary of each example']
    >>> check.summary().startswith(check.headline), check.to_dict()["site"], check.to_json()[0]
    (True, 'model', '{')
    >>> len(check.sentences()) > 9
    True
    >>> check.save(tempfile.mkdtemp() + "/mine.html", title="my texts")
    >>> "<h1>" in check.page()
    True
    """

    def __init__(
        self,
        site: str,
        of_examples: Mapping[str, Array],
        attention: list[Array],
        seed: int,
        *,
        accuracy: Mapping[str, list[Array]],
        agreement: Sequence[float],
        between: Sequence[tuple[float, float]],
        adversaries: Sequence[Mapping[str, float]],
        adversary: Array | None,
        examples: Sequence[tuple[Shading, str]],
    ) -> None:
        self.site, self.attention, self.adversary = site, attention, adversary
        self.of_examples = {name: np.asarray(values, float) for name, values in of_examples.items()}
        self.adversaries = [dict(one) for one in adversaries]
        self._seed, self._examples = seed, list(examples)
        self.figures: dict[str, Any] = {
            name: self._mean(self.of_examples[name]) for name in MEASURES if name in self.of_examples
        }
        for name in ("comprehensiveness", "sufficiency"):
            if name in self.of_examples:
                self.figures[f"{name}_over_random"] = self._mean(
                    self.of_examples[name] - self.of_examples[f"{name}_random"]
                )
        if "deleted_attention" in self.of_examples:
            self.figures["deleted_over_random"] = self._difference(
                self.of_examples["deleted_attention"] - self.of_examples["deleted_random"]
            )
        self.figures |= {
            f"accuracy_{kind}": Spread.of([float(one.mean()) for one in of]) for kind, of in accuracy.items()
        }
        if accuracy.get("uniform"):
            gains = [learned - uniform for learned, uniform in zip(accuracy["learned"], accuracy["uniform"])]
            self.figures["learned_over_uniform"] = over_trainings(gains, self._difference(np.mean(gains, 0)))
        if len(agreement):
            moved, apart = zip(*between)
            self.figures |= {
                "seeds_agree": Spread.of(agreement),
                "seeds_tvd": Spread.of(moved),
                "seeds_jsd": Spread.of(apart),
            }
        self.verdicts = [self._needed(), self._agree(), self._matters()]
        self.headline = self._headline()

    def _mean(self, values: Array) -> Estimate:
        known = values[np.isfinite(values)]
        if len(known) == 0:
            return Estimate(math.nan, math.nan, math.nan)
        return Estimate(*_engine.bootstrap_mean(known, self._seed))

    def _difference(self, values: Array) -> Estimate:
        known = values[np.isfinite(values)]
        return difference(known, self._seed) if len(known) else self._mean(known)

    # ---- verdicts

    def _needed(self) -> str:
        changes: Estimate = self.figures["uniform_changes"]
        there = f"Uniform weights in its place change {_percent(changes.mean)} of the answers."
        if "learned_over_uniform" not in self.figures:
            return f"It is open whether attention is needed: that takes trainings with uniform attention. {there}"
        gain: Estimate = self.figures["learned_over_uniform"]
        found = f"accuracy with learned attention minus accuracy with uniform attention is {gain}"
        if gain.high < MARGIN:
            return f"Attention is not needed: {found}."
        return f"Attention is needed: {found}." if gain.low > 0 else f"It is open whether attention is needed: {found}."

    def _agree(self) -> str:
        if "seeds_agree" not in self.figures:
            return "It is open whether trainings agree: that takes several trainings."
        agree: Spread = self.figures["seeds_agree"]
        if math.isnan(agree.mean):
            return "It is open whether trainings agree: attention is constant."
        return f"Trainings {'agree' if agree.low > 0 else 'do not all agree'} on α: τ-b {agree}."

    def _matters(self) -> str:
        if "deleted_attention" not in self.figures:
            erasure: Estimate = self.figures["erasure"]
            more = "more" if erasure.low > 0.5 else "no more" if erasure.high < 0.5 else "perhaps more"
            return (
                f"Dropping the largest weight moves the answer {more} often than dropping another: in {_percent(erasure.mean)} of the examples. "
                "What deleting tokens does is open: that takes erase="
            )
        over: Estimate = self.figures["deleted_over_random"]
        words = "matters more than a random one" if over.low > 0 else "does not matter more than a random one"
        if over.low <= 0 < over.high:
            words = "is not shown to matter more than a random one"
        return f"The position with the largest weight {words}: the share of answers that change is higher by {over}."

    def _headline(self) -> str:
        if "deleted_attention" not in self.figures:
            return "It is open whether attention may be shown as the reason: no token was deleted."
        parts = [
            f"deleting its position changes {_percent(self.figures['deleted_attention'].mean)} of the answers",
            f"a random position {_percent(self.figures['deleted_random'].mean)}",
        ]
        gradient = self.figures.get("deleted_gradient")
        if gradient is not None:
            parts.insert(1, f"the gradient's position {_percent(gradient.mean)}")
        changes: Estimate = self.figures["deleted_attention"]
        better = gradient is None or changes.mean >= gradient.mean
        shown = changes.mean >= WORTH_SHOWING and self.figures["deleted_over_random"].low > 0 and better
        return f"{'Attention may be shown' if shown else 'Do not show attention'} as the reason: {', '.join(parts)}."

    # ---- what is given

    def summary(self) -> str:
        """Return the report in words.

        Returns
        -------
        str
            The headline, the verdicts, and examples.
        """
        lines = [self.headline, "", *self.verdicts]
        for shading, what in self._examples:
            lines += ["", repr(shading), f"  {what}."]
        return "\n".join(lines)

    def sentences(self) -> list[str]:
        """Return every measure as a line.

        Returns
        -------
        list of str
            What was measured, its mean with the interval, and its null.
        """
        lines = []
        for name, (what, null) in MEASURES.items():
            if name in self.figures:
                without = "" if null is None else f" (null: {null:g})"
                lines.append(f"{what}: {self.figures[name]}{without}")
        for name, what in (
            ("accuracy_learned", "accuracy with learned attention, over trainings"),
            ("accuracy_uniform", "accuracy with uniform attention, over trainings"),
            ("seeds_tvd", "TVD of p between trainings"),
            ("seeds_jsd", "JSD of α between trainings"),
        ):
            if name in self.figures:
                lines.append(f"{what}: {self.figures[name]}")
        for one in self.adversaries:
            lines.append(
                f"adversarial model, λ = {one['lambda']:g}: TVD {one['tvd']:.3f} from the answers, JSD {one['jsd']:.3f} from α"
            )
        return lines

    def curve(self) -> list[tuple[str, float, float]]:
        """Return how far answers and attention are from the checked model's: adversarial models and their rivals.

        Returns
        -------
        list of tuple
            What was changed, the mean TVD of the answers, and the mean JSD of α.
        """
        points = [(f"adversarial model, λ = {one['lambda']:g}", one["tvd"], one["jsd"]) for one in self.adversaries]
        for name, tvd, jsd in (
            ("another training", "seeds_tvd", "seeds_jsd"),
            ("uniform weights", "uniform_tvd", "uniform_jsd"),
            ("an adversary of each example", "adversary_tvd", "adversary"),
        ):
            if jsd in self.figures:
                points.append((name, self.figures[tvd].mean, self.figures[jsd].mean))
        return points

    def to_dict(self) -> dict[str, Any]:
        """Return the report as dicts, lists and numbers.

        Returns
        -------
        dict
            ``headline``, ``verdicts``, ``site``, ``examples``, ``adversaries`` and ``figures``; an estimate is its mean, low and high.
        """
        return {
            "headline": self.headline,
            "verdicts": list(self.verdicts),
            "site": self.site,
            "examples": len(self.attention),
            "adversaries": self.adversaries,
            "figures": {
                name: {part: None if math.isnan(number) else number for part, number in value._asdict().items()}
                for name, value in self.figures.items()
            },
        }

    def to_json(self) -> str:
        """Return every number as JSON.

        Returns
        -------
        str
            ``to_dict()`` as a document.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def _report(self) -> Report:
        return Report(self.headline, self.verdicts, self._examples, [], [], [], self.sentences())

    def page(self, *, title: str = "") -> str:
        """Return the report as one HTML page.

        Parameters
        ----------
        title
            What the examples are.

        Returns
        -------
        str
            The page, which loads nothing else.
        """
        return page(self._report(), "attention of a classifier", self.to_json(), checks.text("title", title))

    def save(self, file: str | os.PathLike[str], *, title: str = "") -> None:
        """Write ``page(title=title)`` to a file.

        Parameters
        ----------
        file
            The path of the page.
        title
            What the examples are.
        """
        pathlib.Path(checks.path("file", file, "the path of a page")).write_text(
            self.page(title=title), encoding="utf-8"
        )

    def __str__(self) -> str:
        return "\n".join([self.summary(), "", "In numbers:", *(f"- {line}" for line in self.sentences())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<div>{body(self._report())}</div>"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
