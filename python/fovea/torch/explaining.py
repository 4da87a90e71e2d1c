"""Whether the attention of a classifier explains its answers: measures of the literature, at a site of an observed module.

Notation: p(x) are the probabilities of the classes, ŷ the most probable one, α the weights of the site, n the positions of an example.
TVD(p, q) = ½ Σ|p − q|. JSD(p, q) = ½ KL(p‖m) + ½ KL(q‖m) with m = ½ (p + q), in nats.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..pictures import needed
from .base_pass import Answer, Base
from .holds import HoldSchedule
from .model import Model, over
from .observed import Lookups, Observed, tokens_of
from .scope import Key, Plan
from .sites import chosen

torch = needed("torch", "torch")

from torch.overrides import TorchFunctionMode  # noqa: E402

Array = npt.NDArray[Any]
Figures = dict[str, Array]  # of each example, by what was measured

SHARES = (0.01, 0.05, 0.1, 0.2, 0.5)  # of the positions that are deleted or kept
CLOSE = 0.01  # of TVD: an answer that differs by no more counts as the same
PENALTY = 500.0  # of what TVD has over CLOSE, while an adversary is sought
RATE = 0.01  # of Adam, while an adversary is sought
ADVERSARY_RATE = 1e-3  # of Adam, while an adversarial model is trained


def tvd(some: Any, others: Any) -> Any:
    """Return the total variation distance of distributions along the last axis."""
    return (some - others).abs().sum(-1) / 2


def kl(some: Any, others: Any) -> Any:
    """Return the Kullback-Leibler divergence along the last axis. An entry of ``some`` that is 0 adds nothing."""
    least = torch.finfo(some.dtype).tiny
    return (some * (some.clamp(min=least).log() - others.clamp(min=least).log())).sum(-1)


def jsd(some: Any, others: Any) -> Any:
    """Return the Jensen-Shannon divergence along the last axis, in nats."""
    mean = (some + others) / 2
    return (kl(some, mean) + kl(others, mean)) / 2


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

    Attributes
    ----------
    chances : tensor
        p, (examples, classes).
    answers : tensor
        ŷ, (examples,).
    attention : tensor
        α, (examples, positions), the mean over heads and rows.
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
    ) -> None:
        self._logits, self._erase, self._seed = logits, erase, seed
        self._random = torch.Generator().manual_seed(seed)
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
        self._rows = slice(None) if row is None else [row % rows]
        with self.model.at_rest():
            base = observed.base()
        self.chances = self._chances(base)
        self.answers = self.chances.argmax(-1)
        seen = base.seen[self.key]
        weights = seen.attention.double()[:, :, self._rows]
        counts = torch.as_tensor(observed.real[self.key], device=weights.device)[:, self._rows].double()
        self.maps = weights
        self.allowed = seen.allowed[:, :, self._rows]
        self._counts = counts / counts.sum(-1, keepdim=True).clamp(
            min=1
        )  # (examples, rows): what each row adds to a mean
        self.attention = self._mean(weights)
        self.real = self.allowed.any(1).any(1)
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

    def _chances(self, base: Base) -> Any:
        return self._logits_of(base.output).softmax(-1)

    def _under(self, plan: Plan | None, batch: Any = None) -> Any:
        """p under a change of attention, or of another batch."""
        model = self.model if batch is None else self.model.showing(batch)
        return self._chances(Base(model, self.observed.answer, [self.key], self.observed.examples, plan))

    def _plan(self, change: Callable[[Any, Any], Any]) -> Plan:
        """Change the rows that are meant: (weights, allowed), (examples, heads, rows, positions) each, to other weights."""

        def plan(site: Key, attention: Any, allowed: Any) -> Any:
            if site != self.key:
                return attention
            new = attention.clone()
            new[:, :, self._rows] = change(attention[:, :, self._rows], allowed[:, :, self._rows]).to(attention.dtype)
            return new

        return plan

    def _mean(self, of_maps: Any) -> Any:
        """The mean over heads and over rows that are no padding: (examples, heads, rows, …) as (examples, …)."""
        by_row = of_maps.mean(1)
        counts = self._counts if by_row.dim() == 2 else self._counts[..., None]
        return (by_row * counts).sum(1)

    # ---- attention that is changed

    def erasure(self) -> Figures:
        """Drop the largest weight or another one, and renormalise: 1 if p moves more without the largest, ½ if equally far."""
        with self.model.at_rest():
            top, other = self.attention.argmax(-1), self._random_others()
            moved = [jsd(self.chances, self._under(self._dropped(self._one_hot(each)))) for each in (top, other)]
        share = (moved[0] > moved[1]).double() + 0.5 * (moved[0] == moved[1]).double()
        return self._of_several({"erasure": share, "erased_top": moved[0], "erased_other": moved[1]})

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
            answers = self._under(self._dropped(ranks < count)).argmax(-1)
            now = open_ & (answers != self.answers) & (count < self.lengths)
            share[now.cpu()] = (count / self.lengths[now].double()).cpu()
            open_ &= ~now
            if not open_.any():
                break
        return self._of_several({"": share})[""]

    def permutation(self, shuffles: int) -> Figures:
        """Shuffle the weights of each row and head over its positions: the median TVD of p over the shuffles."""
        with self.model.at_rest():
            moved = [
                tvd(self.chances, self._under(self._plan(lambda a, ok: shuffled(a, ok, self._random))))
                for _ in range(shuffles)
            ]
        return self._of_several({"permutation": torch.as_tensor(np.median([one.cpu().numpy() for one in moved], 0))})

    def uniform(self) -> Figures:
        """Put uniform weights in the place of attention."""
        even, chances = self._even(), self._under_uniform()
        return self._of_several(
            {
                "uniform_tvd": tvd(self.chances, chances),
                "uniform_changes": (chances.argmax(-1) != self.answers).double(),
                "uniform_jsd": self._mean(jsd(even, self.maps)),
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
            return self._under(self._plan(lambda a, ok: self._even()))

    def adversary(self, steps: int) -> tuple[Figures, Array]:
        """Search other weights with the same answer: the largest JSD from α with a TVD of p of at most 0.01, by Adam on free logits.

        Returns the JSD of each example, and its weights, (examples, heads, rows, positions).
        """
        free = 0.1 * torch.randn(self.maps.shape, generator=self._random, dtype=torch.float64)
        free = free.to(self.maps.device).requires_grad_()
        optimizer = torch.optim.Adam([free], RATE)
        best = torch.zeros(len(self.answers), dtype=torch.float64, device=self.maps.device)
        found = self.maps.clone()
        some = self.allowed.any(-1, keepdim=True)
        with self.model.at_rest(), torch.enable_grad():
            for _ in range(steps):
                weights = free.masked_fill(some & ~self.allowed, -torch.inf).softmax(-1) * some
                far = tvd(self.chances, self._under(self._plan(lambda a, ok: weights)))
                apart = self._mean(jsd(weights, self.maps))
                better = (far <= CLOSE) & (apart > best)
                best = torch.where(better, apart.detach(), best)
                found = torch.where(better[:, None, None, None], weights.detach(), found)
                (free.grad,) = torch.autograd.grad((PENALTY * (far - CLOSE).clamp(min=0) - apart).sum(), free)
                optimizer.step()
        return self._of_several({"adversary": best}), found.cpu().numpy()

    # ---- tokens that are deleted

    def influence(self) -> Any:
        """∂ log p(ŷ) / ∂e · e of each position's embedding e, (examples, positions); None if no embedding is seen."""
        with self.model.at_rest(), torch.enable_grad(), _Embedded(self._tokens) as embedded:
            batch = self.model.batch if self._tokens is not None else over(self.model.batch, embedded.take)
            chances = self._under(None, batch)
            if embedded.out is None:
                return None
            right = chances.gather(-1, self.answers[:, None]).log().sum()
            (gradient,) = torch.autograd.grad(right, embedded.out, allow_unused=True)
        if gradient is None or gradient.shape[:2] != self.real.shape:
            return None
        return (gradient.double() * embedded.out.detach().double()).sum(-1)

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
                figures |= self._of_several({name + ending: torch.stack(of).mean(0) for name, of in means.items()})
        return figures

    def deletions(self) -> Figures:
        """Delete one position: whether ŷ changes, by the largest α, the largest influence, and at random."""
        scores = {"attention": self.attention, "random": self._random_scores()}
        influence = self.influence()
        if influence is not None:
            scores["gradient"] = influence
        with self.model.at_rest():
            return self._of_several(
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
        keep = keep | ~self.real
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
        return self._under(None, (batch,) if isinstance(batch, torch.Tensor) else batch)

    def _given(self) -> Any:
        batch = self.model.batch
        return batch if isinstance(batch, tuple) and len(batch) == 1 else (batch, batch)

    # ---- other models

    def trained(self, fit: Callable[[Any], Any], seed: int, uniform: bool) -> Explained:
        """Return the same for a copy of the module that ``fit`` trains from fresh parameters, with uniform attention if wanted."""
        module = self.fresh(seed)
        holds = HoldSchedule(Observed(Model(module, self.model.batch), Answer(self._answer), self.site, (), None, {}))
        if uniform:
            holds.add("uniform", self.site, 0, None, None)
        module.train()
        with holds.within(0, None):
            fit(module)
        row = None if isinstance(self._rows, slice) else self._rows[0]
        return Explained(module, self.model.batch, self._logits, self.site, row, self._erase, self._seed)

    def fresh(self, seed: int) -> Any:
        """Return a copy of the module with freshly drawn parameters."""
        module = copy.deepcopy(self.model.module)
        random = torch.random.get_rng_state()
        torch.manual_seed(seed)
        try:
            without = [
                name
                for name, part in module.named_modules()
                if any(True for _ in part.parameters(recurse=False)) and not _draws_anew(part)
            ]
        finally:
            torch.random.set_rng_state(random)
        if without:
            raise _engine.wrong_input(
                f"parameters of '{without[0] or type(module).__name__}' cannot be drawn again",
                "give its module a method reset_parameters()",
            )
        return module

    def adversarial(self, strength: float, steps: int, seed: int) -> dict[str, float]:
        """Train a copy to give the same answers with other attention: its loss is TVD(p_a, p) − λ KL(α_a‖α)."""
        module = self.fresh(seed)
        other = Model(module, self.model.batch)
        optimizer = torch.optim.Adam(module.parameters(), ADVERSARY_RATE)
        found: dict[str, float] = {}
        for step in range(steps + 1):
            maps: list[Any] = []

            def plan(site: Key, attention: Any, allowed: Any) -> Any:
                if site == self.key:
                    maps.append(attention[:, :, self._rows].double())
                return attention

            with other.at_rest(), torch.enable_grad():
                base = Base(other, self.observed.answer, [self.key], self.observed.examples, plan)
                far = tvd(self._chances(base), self.chances)
                loss = (far - strength * self._mean(kl(maps[-1], self.maps))).mean()
                if step < steps:
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            found = {"tvd": float(far.mean()), "jsd": float(self._mean(jsd(maps[-1], self.maps)).mean())}
        return {"lambda": strength, **found}

    # ---- positions

    def _right(self, chances: Any) -> Any:
        """p of ŷ."""
        return chances.gather(-1, self.answers[:, None])[:, 0]

    def _one_hot(self, places: Any) -> Any:
        return torch.nn.functional.one_hot(places, self.real.size(1)).bool()

    def _dropped(self, places: Any) -> Plan:
        """Weights of these positions (examples, positions) are 0, and the rest renormalised."""

        def change(attention: Any, allowed: Any) -> Any:
            left = attention.masked_fill(places[:, None, None], 0)
            return left / left.sum(-1, keepdim=True).clamp(min=torch.finfo(left.dtype).tiny)

        return self._plan(change)

    def _ranks(self, scores: Any) -> Any:
        """The rank of each position by its score, from 0 for the largest; those that are no example's own come last."""
        order = torch.sort(
            scores.double().masked_fill(~self.real, -torch.inf), dim=-1, descending=True, stable=True
        ).indices
        ranks = torch.empty_like(order)
        return ranks.scatter(-1, order, torch.arange(order.size(1), device=order.device).expand_as(order))

    def _random_scores(self) -> Any:
        return torch.rand(self.real.shape, generator=self._random, dtype=torch.float64).to(self.real.device)

    def _random_others(self) -> Any:
        """A position of each example that has not its largest weight."""
        top = self._one_hot(self.attention.argmax(-1))
        return self._random_scores().masked_fill(top | ~self.real, -1.0).argmax(-1)

    def _of_several(self, found: dict[str, Any]) -> Figures:
        """NaN for examples of one position, whose attention has no choice."""
        several = (self.lengths > 1).cpu()
        return {
            name: torch.where(several, values.detach().double().cpu(), torch.nan).numpy()
            for name, values in found.items()
        }


def shuffled(attention: Any, allowed: Any, random: Any) -> Any:
    """Return weights in another order over the positions that their row may attend to."""
    keys = torch.rand(attention.shape, generator=random).to(attention.device)
    drawn = keys.masked_fill(~allowed, torch.inf).argsort(-1)
    places = torch.sort((~allowed).int(), dim=-1, stable=True).indices
    new = torch.zeros_like(attention).scatter(-1, places, attention.gather(-1, drawn))
    return torch.where(allowed, new, attention)


def _draws_anew(part: Any) -> bool:
    for name in ("reset_parameters", "_reset_parameters"):
        if callable(getattr(part, name, None)):
            getattr(part, name)()
            return True
    return False


class _Embedded(TorchFunctionMode):  # type: ignore[misc]
    """The embeddings of tokens in a pass, or the vectors that a batch has in their place, for a gradient to be asked of."""

    def __init__(self, tokens: Any) -> None:
        super().__init__()
        self._tokens, self.out = tokens, None

    def take(self, tensor: Any) -> Any:
        """Take the first tensor of vectors of a batch."""
        if self.out is None and tensor.is_floating_point() and tensor.dim() == 3:
            self.out = tensor = tensor.detach().clone().requires_grad_()
        return tensor

    def __torch_function__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if func is torch.nn.functional.embedding and self.out is None and self._tokens is not None:
            ids = (*args, *(kwargs or {}).values())[0]
            if ids.shape == self._tokens.shape and bool((ids.cpu() == self._tokens.cpu()).all()):
                self.out = out = out if out.requires_grad else out.requires_grad_()
        return out


def pairs(of: Sequence[Explained]) -> Iterator[tuple[Explained, Explained]]:
    """Give each two of several models."""
    for place, one in enumerate(of):
        for other in of[:place]:
            yield other, one
