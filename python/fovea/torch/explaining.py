"""Whether the attention of a classifier explains its answers: measures of the literature, at a site of an observed module.

Notation: p(x) are the probabilities of the classes, ŷ the most probable one, α the weights of the site, n the positions of an example.
TVD(p, q) = ½ Σ|p − q|. JSD(p, q) = ½ KL(p‖m) + ½ KL(q‖m) with m = ½ (p + q), in nats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..pictures import needed
from .base_pass import Answer, Base
from .distances import jsd, tvd
from .embedded import Embedded
from .fresh import fresh
from .holds import HoldSchedule
from .model import Model, over
from .observed import Lookups, Observed, tokens_of
from .positions import shuffled, words_of
from .scope import Key, Plan
from .sites import chosen

torch = needed("torch", "torch")


Array = npt.NDArray[Any]
Figures = dict[str, Array]  # of each example, by what was measured

SHARES = (0.01, 0.05, 0.1, 0.2, 0.5)  # of the positions that are deleted or kept


class Explained:
    """The answers of a classifier on a batch, with its attention as it is and changed.

    Parameters
    ----------
    module : torch.nn.Module
    batch : tensor, tuple or dict
    logits : function
        Reads (examples, classes) off the module's output.
    site : str or None
        The site that is meant; None: the last.
    row : int or None
        The row of the site that is meant; None: all that are no padding.
    erase : int, function or None
        The token in place of a deleted one, or a function of (batch, keep). It gives a batch without the positions at which keep,
        (examples, positions), is False.
    seed : int
        By which positions are drawn.
    word_ids : list of list or None
        The word of each position of each example, from 0; None for a position that is of no word, such as a class token.

    Attributes
    ----------
    chances : tensor
        p, (examples, classes).
    answers : tensor
        ŷ, (examples,).
    weights : tensor
        α, (examples, positions), the mean over heads and rows.
    attention : tensor
        The same, or with ``word_ids`` the sum over the positions of each word, (examples, words). The methods then count a word as
        one position.
    real : tensor
        Which positions are an example's own, (examples, positions).
    """

    def __init__(
        self,
        module: Any,
        batch: Any,
        logits: Callable[[Any], Any],
        site: str | None,
        row: int | None,
        erase: Any,
        seed: int,
        word_ids: Sequence[Sequence[int | None]] | None = None,
    ) -> None:
        self._logits, self._erase, self._seed, self._word_ids = logits, erase, seed, word_ids
        self.random = torch.Generator().manual_seed(seed)
        self.model = Model(module, batch)
        with Lookups() as lookups, self.model.at_rest():
            self.model()
        self.observed = observed = Observed(self.model, Answer(self._answer), site or "*", (), None, {})
        self.key: Key = observed.last
        self.site = observed.sites[self.key]
        if site is not None and len(chosen(list(observed.heads), site, "site")) > 1:
            raise _engine.wrong_input(f"site '{site}' fits several sites", f"name one: {', '.join(observed.heads)}")
        rows = observed.shapes[self.key][2]
        if row is not None and not -rows <= row < rows:
            raise _engine.wrong_input(
                f"row is {row}, and attention has {rows} rows", "count from 0, or from the end by -1"
            )
        self.rows = slice(None) if row is None else [row % rows]
        with self.model.at_rest():
            base = observed.base()
        self.chances = self.chances_of(base)
        self.answers = self.chances.argmax(-1)
        seen = base.seen[self.key]
        weights = seen.attention.double()[:, :, self.rows]
        counts = torch.as_tensor(observed.real[self.key], device=weights.device)[:, self.rows].double()
        self.maps = weights
        self.allowed = seen.allowed[:, :, self.rows]
        self._counts = counts / counts.sum(-1, keepdim=True).clamp(
            min=1
        )  # (examples, rows): what each row adds to a mean
        self.weights = self.mean(weights)
        self._own = self.allowed.any(1).any(1)  # of (examples, positions)
        self._words = None if word_ids is None else words_of(word_ids, self._own)
        self.attention = self._of_words(self.weights)
        self.real = self._own if self._words is None else self._of_words(self._own.double()) > 0
        self.lengths = self.real.sum(-1)
        self._tokens, _ = tokens_of(lookups.found, self.model.tensors(), observed.examples)

    # ---- passes

    def _answer(self, out: Any) -> Any:
        return self._logits_of(out).log_softmax(-1).amax(-1)

    def _logits_of(self, out: Any) -> Any:
        given = self._logits(out)
        if not isinstance(given, torch.Tensor) or given.dim() != 2 or given.size(1) < 2:
            shape = tuple(given.shape) if isinstance(given, torch.Tensor) else type(given).__name__
            raise _engine.wrong_input(
                f"logits(output) gives {shape}", "it must be (examples, classes), of two classes or more"
            )
        return given.double()

    def chances_of(self, base: Base) -> Any:
        return self._logits_of(base.output).softmax(-1)

    def under(self, plan: Plan | None, batch: Any = None) -> Any:
        """p under a change of attention, or of another batch."""
        model = self.model if batch is None else self.model.showing(batch)
        return self.chances_of(Base(model, self.observed.answer, [self.key], self.observed.examples, plan))

    def plan(self, change: Callable[[Any, Any], Any]) -> Plan:
        """Change the rows that are meant: (weights, allowed), (examples, heads, rows, positions) each, to other weights."""

        def plan(site: Key, attention: Any, allowed: Any) -> Any:
            if site != self.key:
                return attention
            new = attention.clone()
            new[:, :, self.rows] = change(attention[:, :, self.rows], allowed[:, :, self.rows]).to(attention.dtype)
            return new

        return plan

    def mean(self, of_maps: Any) -> Any:
        """The mean over heads and over rows that are no padding: (examples, heads, rows, …) as (examples, …)."""
        by_row = of_maps.mean(1)
        counts = self._counts if by_row.dim() == 2 else self._counts[..., None]
        return (by_row * counts).sum(1)

    # ---- attention that is changed

    def erasure(self) -> Figures:
        """Drop the largest weight or another one, and renormalise: 1 if p moves more without the largest, ½ if equally far."""
        with self.model.at_rest():
            top, other = self.attention.argmax(-1), self._random_others()
            moved = [jsd(self.chances, self.under(self._dropped(self._one_hot(each)))) for each in (top, other)]
        share = (moved[0] > moved[1]).double() + 0.5 * (moved[0] == moved[1]).double()
        return self.of_several({"erasure": share, "erased_top": moved[0], "erased_other": moved[1]})

    def flips(self) -> Figures:
        """Drop weights one after the other: the share that is dropped when ŷ changes, in several orders; 1 if it never does."""
        orders = {"attention": self.attention, "random": self._random_scores()}
        influence = self.influence()
        if influence is not None:
            orders |= {"gradient": influence, "attention_times_gradient": self.attention * influence.abs()}
        with self.model.at_rest():
            return {f"flips_{name}": self._flips(self._ranks(scores)) for name, scores in orders.items()}

    def _flips(self, ranks: Any) -> Array:
        most = int(self.lengths.max())
        share = torch.ones(len(self.lengths), dtype=torch.float64)
        open_ = torch.ones(len(self.lengths), dtype=torch.bool, device=ranks.device)
        for count in range(1, most):
            answers = self.under(self._dropped(ranks < count)).argmax(-1)
            now = open_ & (answers != self.answers) & (count < self.lengths)
            share[now.cpu()] = (count / self.lengths[now].double()).cpu()
            open_ &= ~now
            if not open_.any():
                break
        return self.of_several({"": share})[""]

    def permutation(self, shuffles: int) -> Figures:
        """Shuffle the weights of each row and head over its positions: the median TVD of p over the shuffles."""
        with self.model.at_rest():
            moved = [
                tvd(self.chances, self.under(self.plan(lambda a, ok: shuffled(a, ok, self.random))))
                for _ in range(shuffles)
            ]
        return self.of_several({"permutation": torch.as_tensor(np.median([one.cpu().numpy() for one in moved], 0))})

    def uniform(self) -> Figures:
        """Put uniform weights in the place of attention."""
        even, chances = self._even(), self._under_uniform()
        return self.of_several(
            {
                "uniform_tvd": tvd(self.chances, chances),
                "uniform_changes": (chances.argmax(-1) != self.answers).double(),
                "uniform_jsd": self.mean(jsd(even, self.maps)),
            }
        )

    def answers_of(self, uniform: bool) -> Array:
        """Return ŷ of each example, under uniform weights if wanted."""
        chances = self._under_uniform() if uniform else self.chances
        answers: Array = chances.argmax(-1).cpu().numpy()
        return answers

    def _even(self) -> Any:
        even = self.allowed.double()
        return even / even.sum(-1, keepdim=True).clamp(min=1)

    def _under_uniform(self) -> Any:
        with self.model.at_rest():
            return self.under(self.plan(lambda a, ok: self._even()))

    # ---- tokens that are deleted

    def influence(self) -> Any:
        """∂ log p(ŷ) / ∂e · e of each position's embedding e, (examples, positions); None if no embedding is seen."""
        with self.model.at_rest(), torch.enable_grad(), Embedded(self._tokens) as embedded:
            batch = self.model.batch if self._tokens is not None else over(self.model.batch, embedded.take)
            chances = self.under(None, batch)
            if embedded.out is None:
                return None
            right = chances.gather(-1, self.answers[:, None]).log().sum()
            (gradient,) = torch.autograd.grad(right, embedded.out, allow_unused=True)
        if gradient is None or gradient.shape[:2] != self._own.shape:
            return None
        return self._of_words((gradient.double() * embedded.out.detach().double()).sum(-1))

    def deletes(self) -> bool:
        """Return whether tokens can be deleted."""
        return self._erase is not None

    def rationales(self) -> Figures:
        """Delete the positions of the largest α, or keep them alone: comprehensiveness and sufficiency, means over SHARES."""
        figures: Figures = {}
        with self.model.at_rest():
            for ending, scores in (("", self.attention), ("_random", self._random_scores())):
                ranks = self._ranks(scores)
                lost, short = [], []
                for share in SHARES:
                    count = torch.ceil(share * self.lengths - 1e-9).clamp(min=1)
                    top = ranks < count[:, None]
                    lost.append(self._right(self.chances) - self._right(self._without(~top)))
                    short.append(self._right(self.chances) - self._right(self._without(top)))
                means = {"comprehensiveness": lost, "sufficiency": short}
                figures |= self.of_several({name + ending: torch.stack(of).mean(0) for name, of in means.items()})
        return figures

    def deletions(self) -> Figures:
        """Delete one position: whether ŷ changes, by the largest α, the largest influence, and at random."""
        scores = {"attention": self.attention, "random": self._random_scores()}
        influence = self.influence()
        if influence is not None:
            scores["gradient"] = influence
        with self.model.at_rest():
            return self.of_several(
                {
                    f"deleted_{name}": (self._without(self._ranks(each) > 0).argmax(-1) != self.answers).double()
                    for name, each in scores.items()
                }
            )

    def left_out(self) -> Any:
        """TVD of p if a position is deleted, for each position: (examples, positions)."""
        found = torch.zeros_like(self.attention)
        with self.model.at_rest():
            for place in range(self.real.size(1)):
                if self.real[:, place].any():
                    keep = torch.ones_like(self.real)
                    keep[:, place] = False
                    found[:, place] = tvd(self.chances, self._without(keep))
        return found

    def correlations(self) -> Figures:
        """Kendall's τ-b of α with the size of the influence, and with the effect of leaving a position out."""
        figures: Figures = {}
        influence = self.influence()
        if influence is not None:
            figures["tau_gradient"] = self.tau(influence.abs())
        if self.deletes():
            figures["tau_left_out"] = self.tau(self.left_out())
        return figures

    def tau(self, scores: Any) -> Array:
        """Return Kendall's τ-b of α with scores (examples, positions), of each example; NaN if either is constant."""
        taus = []
        for weights, values, real in zip(self.attention, scores, self.real):
            a, b = (one[real].cpu().numpy().astype(np.float32)[None] for one in (weights, values))
            found = _engine.agreement(a, b, np.array([a.shape[1]], np.int32)) if a.shape[1] > 1 else {}
            taus.append(found.get("agreement_tau", math.nan))
        return np.array(taus)

    def _without(self, keep: Any) -> Any:
        """p of the batch without the positions at which ``keep`` is False; padding stays as it is."""
        keep = self._at_positions(keep, True) | ~self._own
        if callable(self._erase):
            batch: Any = self._erase(self.model.batch if len(self._given()) > 1 else self._given()[0], keep)
        else:
            if self._tokens is None or self._tokens.shape != keep.shape:
                raise _engine.wrong_input(
                    f"positions of attention are {tuple(keep.shape)}, and the batch has no tokens of that shape to put {self._erase} for",
                    "give erase= as a function of (batch, keep), or leave it out",
                )
            tokens = torch.where(keep.to(self._tokens.device), self._tokens, self._erase)
            batch = over(self.model.batch, lambda one: tokens if one is self._tokens else one)
        return self.under(None, (batch,) if isinstance(batch, torch.Tensor) else batch)

    def _given(self) -> Any:
        batch = self.model.batch
        return batch if isinstance(batch, tuple) and len(batch) == 1 else (batch, batch)

    # ---- other models

    def trained(self, fit: Callable[[Any], Any], seed: int, uniform: bool) -> Explained:
        """Return the same for a copy of the module that ``fit`` trains from fresh parameters, with uniform attention if wanted."""
        module = fresh(self.model.module, seed)
        holds = HoldSchedule(Observed(Model(module, self.model.batch), Answer(self._answer), self.site, (), None, {}))
        if uniform:
            holds.add("uniform", self.site, 0, None, None)
        module.train()
        with holds.within(0, None):
            fit(module)
        row = None if isinstance(self.rows, slice) else self.rows[0]
        return Explained(
            module, self.model.batch, self._logits, self.site, row, self._erase, self._seed, self._word_ids
        )

    # ---- positions

    def _of_words(self, of_positions: Any) -> Any:
        """Sum (examples, positions) over the positions of each word."""
        if self._words is None:
            return of_positions
        count = int(self._words.max()) + 1
        places = torch.where(self._words < 0, count, self._words)
        sums = of_positions.new_zeros(len(of_positions), count + 1).scatter_add(1, places, of_positions)
        return sums[:, :count]

    def _at_positions(self, of_words: Any, elsewhere: bool) -> Any:
        """Give each position the value of its word; `elsewhere` is for positions of no word."""
        if self._words is None:
            return of_words
        return torch.where(self._words < 0, elsewhere, of_words.gather(1, self._words.clamp(min=0)))

    def _right(self, chances: Any) -> Any:
        """p of ŷ."""
        return chances.gather(-1, self.answers[:, None])[:, 0]

    def _one_hot(self, places: Any) -> Any:
        return torch.nn.functional.one_hot(places, self.real.size(1)).bool()

    def _dropped(self, places: Any) -> Plan:
        """Weights of these positions (examples, positions) are 0, and the rest renormalised."""

        dropped = self._at_positions(places, False)[:, None, None]

        def change(attention: Any, allowed: Any) -> Any:
            left = attention.masked_fill(dropped, 0)
            return left / left.sum(-1, keepdim=True).clamp(min=torch.finfo(left.dtype).tiny)

        return self.plan(change)

    def _ranks(self, scores: Any) -> Any:
        """The rank of each position by its score, from 0 for the largest; those that are no example's own come last."""
        order = torch.sort(
            scores.double().masked_fill(~self.real, -torch.inf), dim=-1, descending=True, stable=True
        ).indices
        ranks = torch.empty_like(order)
        return ranks.scatter(-1, order, torch.arange(order.size(1), device=order.device).expand_as(order))

    def _random_scores(self) -> Any:
        return torch.rand(self.real.shape, generator=self.random, dtype=torch.float64).to(self.real.device)

    def _random_others(self) -> Any:
        """A position of each example that has not its largest weight."""
        top = self._one_hot(self.attention.argmax(-1))
        return self._random_scores().masked_fill(top | ~self.real, -1.0).argmax(-1)

    def of_several(self, found: dict[str, Any]) -> Figures:
        """NaN for examples of one position, whose attention has no choice."""
        several = (self.lengths > 1).cpu()
        return {
            name: torch.where(several, values.detach().double().cpu(), torch.nan).numpy()
            for name, values in found.items()
        }
