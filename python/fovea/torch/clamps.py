"""β by its definition: put all attention of one row on one position and read the answer, position by position.

A clamp is one pass over the batch in which one row of every example is clamped. The part before the site is not
computed again: modules that had ended return their stored outputs. If the rows of a site do not mix afterwards, as in
a last layer, all rows of an example are clamped in one pass, with the same numbers.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from ..pictures import needed
from . import clock
from .base_pass import Answer, Base
from .copies import give_base_outputs, part, repeated
from .model import Model, over
from .scope import Key, Plan, Scope, Seen
from .sites import Tap

torch = needed("torch", "torch")

Array = npt.NDArray[Any]
AT_ONCE = 64  # examples in one pass, or as many as the batch has
FEWEST = 4  # examples whose β is measured, or as many as the batch has
PREPARING = 8  # passes that it takes to find how a site is clamped at least cost, before one was found


class Clamps:
    """β of the same rows at every evaluation: of the first ``examples``, ``rows`` each, at every site and head.

    The rows of an example are taken in an order that is drawn once. Sites of as many rows have the same order, and rows that can be
    measured at all of these sites come first.
    """

    def __init__(self, model: Model, answer: Answer, heads: str, wanted: Sequence[int] | None, seed: int) -> None:
        self.model, self.answer, self.together, self.wanted, self.seed = model, answer, heads == "all", wanted, seed
        self.examples: int | None = None  # that are measured; None: not chosen yet
        self.rows = 0
        self.ways: dict[
            Key, tuple[bool, int]
        ] = {}  # whether what came before is used again, copies of the batch in a pass
        self.prices: dict[Key, float] = {}  # seconds of a row of each example, of one head
        self.unsure: set[Key] = (
            set()
        )  # sites of which no answer depends yet, so that the ways to a pass cannot be told apart
        self.mixed: set[Key] = set()  # sites of which a row was seen to change the answer of another
        self.apart: set[Key] = set()  # sites whose rows were clamped together the last time
        self.heads: dict[Key, int] = {}  # that are clamped one by one
        self.places: dict[Key, int] = {}
        self.able: dict[Key, Array] = {}  # (examples, rows) that may be measured
        self.order: dict[Key, list[list[int]]] = {}  # rows of each example, as drawn
        self._preparing = 0.0  # seconds that the dearest site took to prepare

    def draw(self, base: Base, asked: Mapping[Key, Array]) -> None:
        """Draw the order of rows at every site; ``asked`` (examples, rows) marks rows with a question."""
        for key, of_answer in asked.items():
            allowed = base.seen[key].allowed.cpu().numpy()
            self.heads[key] = 1 if self.together else allowed.shape[1]
            self.places[key] = allowed.shape[3]
            able = of_answer & (allowed[:, : self.heads[key]].sum(-1) >= 2).any(1)
            if self.wanted is not None:
                rows = allowed.shape[2]
                able[:, np.setdiff1d(range(rows), [row % rows for row in self.wanted if -rows <= row < rows])] = False
            self.able[key] = able
        for key, able in self.able.items():
            random = np.random.default_rng([self.seed, able.shape[1]])
            at_all = np.all([other for other in self.able.values() if other.shape == able.shape], 0)
            drawn = [random.permutation(able.shape[1]) for _ in able]
            self.order[key] = [
                [*rows[both[rows]].tolist(), *rows[(one & ~both)[rows]].tolist()]
                for rows, one, both in zip(drawn, able, at_all)
            ]

    def most(self, key: Key) -> int:
        """Return how many rows an example of the site has."""
        return max(map(len, self.order[key]), default=0)

    def units(self, key: Key, rows: int | None = None) -> int:
        """Return how often a site is clamped for so many rows of each example, or for all: rows that do not mix are clamped together."""
        most = self.most(key)
        return self.heads[key] * (min(most, 1) if key in self.apart else most if rows is None else min(most, rows))

    def price(self, rows: int | None = None) -> float:
        """Return the seconds of an evaluation of so many rows of each example; of those that were chosen, if none is given."""
        return sum(self.prices[key] * self.units(key, self.rows if rows is None else rows) for key in self.order)

    def price_of_all(self) -> float:
        """Return the seconds of an evaluation of all rows."""
        return sum(self.prices[key] * self.units(key) for key in self.order)

    def least(self, one_pass: float) -> float:
        """Return the seconds that β takes at least, before sites are prepared: one row of a few examples, in passes that are as fast as
        one over the batch."""
        examples = max(1, min(FEWEST, *(len(able) for able in self.able.values())))
        several = {key: _several(examples, self.places[key] * self.heads[key]) for key in self.order}
        return one_pass * sum(self.places[key] * self.units(key, 1) / several[key] for key in self.order)

    def choose(self, base: Base, seconds: float) -> None:
        """Choose which rows are measured from now on: as many as these seconds have time for, and one of a few examples at least."""
        examples = len(base.answers)
        least = self.price(1)
        most = max(map(self.most, self.order), default=0)
        self.rows = max((rows for rows in range(1, most + 1) if self.price(rows) <= max(seconds, least)), default=1)
        self.examples = examples if least <= seconds else max(min(FEWEST, examples), int(examples * seconds / least))
        if self.examples < examples:
            try:
                self.prepare_all(base)
            except Exception:  # a part of the batch does not go through every model
                self.examples = examples
                self.prepare_all(base)

    def require_same(self, base: Base, answers: Any) -> None:
        """Require the answers of the base in another pass over the batch.

        Raises
        ------
        fovea.Failure
            If the model differs from pass to pass."""
        if not self._close(answers, base.answers):
            raise _not_the_same("")

    def unprepared(self) -> list[Key]:
        """Return the sites of which it is not known yet how a pass is made at least cost."""
        return [key for key in self.order if key in self.unsure or key not in self.ways]

    def prepare_all(self, base: Base) -> None:
        """Prepare every site."""
        for key in self.order:
            self.prepare(base, key)

    def chosen(self, key: Key) -> Array:
        """Return (examples, rows) that are measured at every evaluation."""
        chosen = np.zeros_like(self.able[key])
        for example, rows in enumerate(self.order[key][: self.examples]):
            chosen[example, rows[: self.rows]] = True
        return chosen

    def preparing(self, one_pass: float) -> float:
        """Return the seconds that preparing a site takes: as the dearest so far, or as this many passes."""
        return max(self._preparing, PREPARING * one_pass)

    def prepare(self, base: Base, key: Key) -> None:
        """Find how a pass is made at least cost, by comparing its answers."""
        start = clock.now()
        self._prepare(base, key)
        self._preparing = max(self._preparing, clock.now() - start)

    def _prepare(self, base: Base, key: Key) -> None:
        examples = self._picked(base)
        places = base.seen[key].attention.size(-1)
        with self._at(base, key, False, 1) as one_pass:
            marked = one_pass(self._mark(key, 0))[0]
        several = _several(examples, places * self.heads[key])
        ways = [(True, several), (True, 1), (False, several), (False, 1)]
        self.unsure.discard(key)
        if self._close(marked, base.answers[:examples]):
            self.unsure.add(key)
            ways = [(False, 1)]
        for reuse, copies in ways:
            took = self._trial(base, key, reuse, copies, marked)
            if took is not None:
                self.ways[key] = (reuse, copies)
                self.prices[key] = took * places / copies
                self._apart(base, key)
                return
        raise _not_the_same(f" at '{key[0]}'")

    def _picked(self, base: Base) -> int:
        """Return how many examples go through a pass: the first of the batch."""
        return len(base.answers) if self.examples is None else self.examples

    def _trial(self, base: Base, key: Key, reuse: bool, copies: int, marked: Any) -> float | None:
        """Return the seconds of such a pass, if its answers are right.

        The answers must equal the answers of the base. If attention of all copies but the first is marked, each copy must have the
        answers of its mark."""
        examples = self._picked(base)
        before = base.answers[:examples]
        try:
            with self._at(base, key, reuse, copies) as one_pass:
                start = clock.now()
                answers = one_pass(None)
                took = clock.now() - start
                if not all(self._close(one, before) for one in answers):
                    return None
                first, *others = one_pass(self._mark(key, examples if copies > 1 else 0))
        except _engine.Error:
            raise
        except Exception:  # copies of the batch do not go through every model
            if not reuse and copies == 1:
                raise
            return None
        right = self._close(first, before if copies > 1 else marked) and all(self._close(one, marked) for one in others)
        return took if right else None

    def _close(self, some: Any, others: Any) -> bool:
        return some.shape == others.shape and bool(
            torch.allclose(some, others, atol=self.model.close, rtol=self.model.close, equal_nan=True)
        )

    @staticmethod
    def _mark(key: Key, begin: int) -> Plan:
        """From this example on, attention of the site is all on the first place that a row may look at."""

        def plan(site: Key, attention: Any, allowed: Any) -> Any:
            if site != key:
                return attention
            if attention.size(0) <= begin:
                raise ValueError("the batch has no copies here")
            first = (
                torch.nn.functional.one_hot(allowed.int().argmax(-1), attention.size(-1)).to(attention.dtype) * allowed
            )
            return torch.cat([attention[:begin], first[begin:]])

        return plan

    @contextlib.contextmanager
    def _at(self, base: Base, key: Key, reuse: bool, copies: int) -> Iterator[Callable[[Plan | None], list[Any]]]:
        """A pass with this attention at the site, as a function that gives the answers of each copy."""
        of_batch, examples = base.seen[key].attention.size(0), self._picked(base)
        model = self.model
        batch = over(model.batch, lambda tensor: repeated(tensor, of_batch, examples, copies))
        with (
            Scope(model.names) as scope,
            give_base_outputs(scope, base, key, examples, copies) if reuse else contextlib.nullcontext(),
        ):

            def one_pass(plan: Plan | None) -> list[Any]:
                scope.restart()
                with Tap(scope, base.seen, examples * copies, plan):
                    out = model(batch)
                if copies == 1 and examples == of_batch:
                    return [self.answer(out)]
                parts = (over(out, lambda tensor: part(tensor, of_batch, examples, copies, n)) for n in range(copies))
                return [self.answer(one)[:examples] for one in parts]

            yield one_pass

    def measure(self, base: Base, key: Key, beta: Array) -> None:
        """Fill beta (examples, heads, rows, positions) by clamps of the chosen rows, or of all rows if rows do not mix."""
        start = clock.now()
        seen = base.seen[key]
        allowed = seen.allowed.cpu().numpy()
        examples = self._picked(base)
        reuse, copies = self.ways[key]
        pick = _Picker(base.answers.cpu().numpy(), allowed.shape[2])
        apart = self._apart(base, key)
        with self._at(base, key, reuse, copies) as one_pass:
            tasks = [self._tasks(key, e, allowed[e], apart) for e in range(examples)]
            while chosen := [
                (copy * examples + e, e, *task)
                for e, of_example in enumerate(tasks)
                for copy, task in enumerate(itertools.islice(of_example, copies))
            ]:
                answers = torch.cat(one_pass(self._plan(key, seen, chosen, apart, self.together))).cpu().numpy()
                for slot, e, h, i, j in chosen:
                    if apart:
                        can = allowed[e, h, :, j] & self.able[key][e] & (allowed[e, h].sum(-1) >= 2)
                        beta[e, h, can, j] = pick.all_rows(answers[slot])[can]
                    else:
                        beta[e, h, i, j] = pick(answers[slot], i)
        if self.together:
            beta[:, 1:] = beta[:, :1]
        self.prices[key] = (clock.now() - start) / max(self.units(key, self.rows), 1)

    def _tasks(self, key: Key, example: int, allowed: Array, apart: bool) -> Iterator[tuple[int, int, int]]:
        """Give head, row and position of each clamp of an example."""
        for head in range(self.heads[key]):
            for row in self.order[key][example][: 1 if apart else self.rows]:
                for place in np.flatnonzero(allowed[head].any(0) if apart else allowed[head, row]).tolist():
                    yield head, row, place

    def _apart(self, base: Base, key: Key) -> bool:
        """Return whether the rows of a site do not mix.

        A row with clamped heads must change its own answer, and not one bit of the others. All rows clamped at once must give it the
        same answer. For a last row, or the only asked one, the first condition alone is no evidence."""
        self.apart.discard(key)
        seen, examples = base.seen[key], self._picked(base)
        allowed = seen.allowed.cpu().numpy()
        rows = [
            (e, drawn[0])
            for e, drawn in enumerate(self.order[key][:examples])
            if drawn and allowed[e, 0, drawn[0]].any()
        ]
        if not of_rows(base.answers.shape[1], allowed.shape[2]) or key in self.mixed or not rows:
            return False
        before = base.answers.cpu().numpy()
        changed = False
        with self._at(base, key, self.ways[key][0], 1) as one_pass:
            # A pass as long, with the same product at the site, so that sums are made in the same order.
            still = one_pass(lambda site, at, _: at.clone() if site == key else at)[0].cpu().numpy()
            for end in (0, -1):
                chosen = [(e, e, 0, i, int(np.flatnonzero(allowed[e, 0, i])[end])) for e, i in rows]
                after = one_pass(self._plan(key, seen, chosen, False, True))[0].cpu().numpy()
                for e, i in rows:
                    differs = np.logical_and(after[e] != still[e], ~np.isnan(before[e]))
                    changed |= bool(differs[i])
                    differs[i] = False
                    if differs.any():
                        self.mixed.add(key)
                        return False
                together = one_pass(self._plan(key, seen, chosen, True, True))[0].cpu().numpy()
                if any(together[e][i] != after[e][i] for e, i in rows):
                    return False
                if changed:
                    self.apart.add(key)
                    return True
        return False

    def _plan(
        self, key: Key, seen: Seen, chosen: Sequence[tuple[int, int, int, int, int]], whole: bool, together: bool
    ) -> Plan:
        """Clamp rows at a place; ``whole``: every row that may look at it; ``together``: every head."""
        slots, owners, heads, rows, places = (list(column) for column in zip(*chosen))
        each = range(seen.attention.size(1)) if together else None

        def plan(site: Key, attention: Any, allowed: Any) -> Any:
            if site != key:
                return attention
            device = attention.device
            new = attention.clone()
            s, i, j = (torch.tensor(column, device=device) for column in (slots, rows, places))
            hot = torch.nn.functional.one_hot(j, attention.size(-1)).to(attention.dtype)
            for head in each or [None]:
                h = torch.tensor(heads, device=device) if head is None else torch.full_like(s, head)
                if whole:
                    can = seen.allowed[torch.tensor(owners, device=device), h, :, j]  # (clamps, rows)
                    new[s, h] = torch.where(can[..., None], hot[:, None], new[s, h])
                else:
                    new[s, h, i] = hot
            return new

        return plan


class _Picker:
    """Return the answer of each row of a site.

    It is the row's own if there are as many answers, or one fewer, as for the next token. Otherwise it is all asked answers."""

    def __init__(self, answers: Array, rows: int) -> None:
        self.by_row = of_rows(answers.shape[1], rows)
        self.asked = asked_rows(answers, rows)

    def __call__(self, answers: Array, row: int) -> float:
        return float(answers[row] if self.by_row else np.nansum(answers))

    def all_rows(self, answers: Array) -> Array:
        return np.pad(answers, (0, len(self.asked[0]) - len(answers)), constant_values=np.nan)


def _several(examples: int, clamps: int) -> int:
    """Return how many copies of so many examples go through a pass, for so many clamps of each."""
    return min(max(1, AT_ONCE // examples), clamps)


def _not_the_same(where: str) -> Exception:
    return _engine.failure(
        f"two passes over the same batch gave different answers{where}",
        "β needs a model that is the same each time in evaluation; beta=None leaves it out",
    )


def of_rows(answers: int, rows: int) -> bool:
    return answers == rows or (rows > 2 and answers == rows - 1)


def asked_rows(answers: Array, rows: int) -> Array:
    """Return (examples, rows of a site): True if something is asked."""
    asked = ~np.isnan(answers)
    if of_rows(answers.shape[1], rows):
        return np.pad(asked, ((0, 0), (0, rows - answers.shape[1])))
    return np.repeat(asked.any(1, keepdims=True), rows, 1)
