"""β by its definition: all attention of one row put on one place, and the answer read off, place by place.

A clamp is one pass over the batch in which every example has a row of its own clamped. What came before the site is not
computed again: modules that had ended by then give what they gave. Where the rows of a site do not mix afterwards, as in
a last layer, all rows of an example are clamped in one pass, which gives the same numbers.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _engine, checks
from .pictures import needed
from .torch_model import Model, over, versions
from .torch_sites import Ended, Key, Plan, Scope, Seen, Tap

torch = needed("torch", "torch")

Array = npt.NDArray[Any]
AT_ONCE = 64  # examples in one pass, or as many as the batch has


class Answer:
    """What is right, as the caller reads it off the model's output: (examples, rows) of log-probability, NaN where nothing
    is asked."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        checks.function("answer", read)
        self.read = read

    def __call__(self, out: Any) -> Any:
        given = self.read(out)
        if not isinstance(given, torch.Tensor):
            raise checks.wrong_type(
                "what answer(output) gives", given, "a tensor of log-probabilities, (examples, rows)"
            )
        if given.dim() == 1:
            given = given[:, None]
        if given.dim() != 2 or given.numel() == 0 or not given.is_floating_point():
            raise _engine.wrong_input(
                f"answer(output) has the shape {tuple(given.shape)} and holds {str(given.dtype).removeprefix('torch.')}",
                "it must be (examples, rows), the log-probability of what is right",
            )
        given = given.detach().float()
        if bool((given > 1e-3).any()):
            raise _engine.wrong_input(
                f"answer(output) holds {given.nan_to_num(-torch.inf).max().item():.4g}, and the logarithm of a probability is 0 at most",
                "take log_softmax of the scores before the right ones are picked; NaN stands where nothing is asked",
            )
        return given


class Base:
    """One pass as it is, with what each module gave."""

    def __init__(
        self,
        model: Model,
        answer: Answer,
        sites: Sequence[Key],
        examples: int | None,
        plan: Plan | None = None,
        log: bool = False,
    ) -> None:
        with Scope(model.names, log) as scope:
            tap = Tap(scope, dict.fromkeys(sites), examples, plan)
            with tap:
                out = model()
            self.ended = dict(scope.ended)
        self.seen: dict[Key, Seen] = tap.seen
        self.answers = answer(out)
        for key in sites:
            if key not in self.seen:
                raise _engine.failure(
                    f"attention at '{key[0]}' was not seen this time",
                    "a model that is observed has to take the same way each time",
                )


class Clamps:
    """β of sites, unit by unit: in a unit, one row of one head of each example is measured."""

    def __init__(self, model: Model, answer: Answer, heads: str, rows: Sequence[int] | None, seed: int) -> None:
        self.model, self.answer, self.heads, self.rows, self.seed = model, answer, heads, rows, seed
        self.ways: dict[
            Key, tuple[bool, int]
        ] = {}  # whether what came before is used again, copies of the batch in a pass
        self.prices: dict[Key, float] = {}  # seconds of a unit
        self.unsure: set[Key] = (
            set()
        )  # sites of which no answer depends yet, so that the ways to a pass cannot be told apart
        self.mixed: set[Key] = set()  # sites of which a row was seen to change the answer of another
        self.able: dict[Key, Array] = {}  # (examples, rows) that may be measured
        self.order: dict[
            Key, list[list[tuple[int, int]]]
        ] = {}  # (head, row) of each example, in the order of being measured

    def prepare(self, base: Base, key: Key, asked: Array, number: int) -> None:
        """Chooses rows, and finds how a pass is made at least cost, by comparing its answers."""
        allowed = base.seen[key].allowed.cpu().numpy()
        examples, heads, rows, places = allowed.shape
        if self.heads == "all":
            allowed, heads = allowed[:, :1], 1
        able = asked & (allowed.sum(-1) >= 2).any(1)  # (examples, rows)
        if self.rows is not None:
            wanted = np.zeros(rows, bool)
            wanted[[row % rows for row in self.rows if -rows <= row < rows]] = True
            able &= wanted
        self.able[key] = able
        random = np.random.default_rng([self.seed, number])
        self.order[key] = []
        for e in range(examples):
            drawn = [random.permutation(np.flatnonzero(able[e])) for _ in range(heads)]
            turns = range(heads * len(drawn[0]))
            self.order[key].append([((e + m) % heads, int(drawn[(e + m) % heads][m // heads])) for m in turns])
        with self._at(base, key, False, 1) as one_pass:
            marked = one_pass(self._mark(key, 0))[0]
        several = min(max(1, AT_ONCE // examples), places)
        ways = [(True, several), (True, 1), (False, several), (False, 1)]
        self.unsure.discard(key)
        if self._close(marked, base.answers):
            self.unsure.add(key)
            ways = [(False, 1)]
        for reuse, copies in ways:
            took = self._trial(base, key, reuse, copies, marked)
            if took is not None:
                self.ways[key] = (reuse, copies)
                self.prices[key] = took * math.ceil(places / copies)
                return
        raise _engine.failure(
            f"two passes over the same batch gave different answers at '{key[0]}'",
            "β needs a model that is the same each time in evaluation; beta=None leaves it out",
        )

    def _trial(self, base: Base, key: Key, reuse: bool, copies: int, marked: Any) -> float | None:
        """Seconds of a pass made so, if it gives the answers that it should: those of the base and, where attention of all copies but the
        first is marked, those of the mark, each copy its own."""
        try:
            with self._at(base, key, reuse, copies) as one_pass:
                start = now()
                answers = one_pass(None)
                took = now() - start
                if not all(self._close(one, base.answers) for one in answers):
                    return None
                first, *others = one_pass(self._mark(key, base.seen[key].attention.size(0) if copies > 1 else 0))
        except _engine.Error:
            raise
        except Exception:  # copies of the batch do not go through every model
            if not reuse and copies == 1:
                raise
            return None
        right = self._close(first, base.answers if copies > 1 else marked) and all(
            self._close(one, marked) for one in others
        )
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

    def units(self, key: Key) -> int:
        """How many there are, of this site."""
        return max(map(len, self.order[key]), default=0)

    @contextlib.contextmanager
    def _at(self, base: Base, key: Key, reuse: bool, copies: int) -> Iterator[Callable[[Plan | None], list[Any]]]:
        """A pass with this attention at the site, as a function that gives the answers of each copy."""
        examples = base.seen[key].attention.size(0)
        model = self.model
        batch = None if copies == 1 else over(model.batch, lambda tensor: repeated(tensor, examples, copies))
        with Scope(model.names) as scope, _given(scope, base, key, copies) if reuse else contextlib.nullcontext():

            def one_pass(plan: Plan | None) -> list[Any]:
                scope.restart()
                with Tap(scope, base.seen, examples * copies, plan):
                    out = model(batch)
                if copies == 1:
                    return [self.answer(out)]
                return [self.answer(over(out, lambda tensor: part(tensor, examples, copies, n))) for n in range(copies)]

            yield one_pass

    def measure(self, base: Base, key: Key, unit: int, beta: Array) -> bool:
        """Into beta (examples, heads, rows, places) what clamps of this unit give. Whether all rows of the heads in it were
        measured."""
        start = now()
        seen = base.seen[key]
        allowed = seen.allowed.cpu().numpy()
        examples, heads, rows, places = allowed.shape
        jobs = [(e, *turns[unit]) for e, turns in enumerate(self.order[key]) if unit < len(turns)]
        jobs = [
            (e, h, i) for e, h, i in jobs if allowed[e, h, i].any()
        ]  # what a model that diverged gives allows nothing
        if not jobs:
            return False
        lists = [np.flatnonzero(allowed[e, h, i]) for e, h, i in jobs]
        reuse, copies = self.ways[key]
        pick = _Picker(base.answers.cpu().numpy(), rows, allowed)
        with self._at(base, key, reuse, copies) as one_pass:

            def run(whole: bool, lists: list[Array]) -> None:
                for begin in range(0, max(map(len, lists)), copies):
                    chosen = [
                        (n * examples + e, e, h, i, int(there[begin + n]))
                        for (e, h, i), there in zip(jobs, lists)
                        for n in range(copies)
                        if begin + n < len(there)
                    ]
                    answers = torch.cat(one_pass(self._plan(key, seen, chosen, whole))).cpu().numpy()
                    for slot, e, h, i, j in chosen:
                        if whole:
                            can = allowed[e, h, :, j] & self.able[key][e] & (allowed[e, h].sum(-1) >= 2)
                            beta[e, h, can, j] = pick.all_rows(answers[slot])[can]
                        else:
                            beta[e, h, i, j] = pick(answers[slot], i)

            apart = (
                pick.by_row and key not in self.mixed and self._apart(base, key, jobs, lists, one_pass, examples, pick)
            )
            if apart:
                lists = [np.flatnonzero(allowed[e, h].any(0)) for e, h, _ in jobs]
            run(apart, lists)
        if self.heads == "all":
            beta[:, 1:] = beta[:, :1]
        self.prices[key] = now() - start
        return bool(apart)

    def _apart(self, base: Base, key: Key, jobs: Any, lists: Any, one_pass: Any, examples: int, pick: _Picker) -> bool:
        """Whether a clamped row changes its own answer, and not one bit of any other's, and all rows clamped at once give it the
        same answer: of a last row, or of the only one that is asked, the first alone says nothing."""
        before = base.answers.cpu().numpy()
        still = one_pass(None)[0].cpu().numpy()  # of a pass as long, so that sums are made in the same order
        changed = False
        for end in (0, -1):
            chosen = [(e, e, h, i, int(there[end])) for (e, h, i), there in zip(jobs, lists)]
            after = one_pass(self._plan(key, base.seen[key], chosen, False))[0].cpu().numpy()
            for e, _, _, i, _ in chosen:
                differs = np.logical_and(after[e] != still[e], ~np.isnan(before[e]))
                changed |= bool(differs[i])
                differs[i] = False
                if differs.any():
                    self.mixed.add(key)
                    return False
            together = one_pass(self._plan(key, base.seen[key], chosen, True))[0].cpu().numpy()
            if any(together[e][i] != after[e][i] for e, _, _, i, _ in chosen):
                return False
        return changed

    def _plan(self, key: Key, seen: Seen, chosen: Sequence[tuple[int, int, int, int, int]], whole: bool) -> Plan:
        slots, owners, heads, rows, places = (list(column) for column in zip(*chosen))
        each = range(seen.attention.size(1)) if self.heads == "all" else None

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
    """Which answer a row of a site speaks for: its own where there are as many (or, of a model that says what comes next,
    one less); else all that are asked."""

    def __init__(self, answers: Array, rows: int, allowed: Array) -> None:
        self.by_row = of_rows(answers.shape[1], rows)
        self.asked = asked_rows(answers, rows)

    def __call__(self, answers: Array, row: int) -> float:
        return float(answers[row] if self.by_row else np.nansum(answers))

    def all_rows(self, answers: Array) -> Array:
        return np.pad(answers, (0, len(self.asked[0]) - len(answers)), constant_values=np.nan)


def of_rows(answers: int, rows: int) -> bool:
    return answers == rows or (rows > 2 and answers == rows - 1)


def asked_rows(answers: Array, rows: int) -> Array:
    """(examples, rows of a site) where something is asked."""
    asked = ~np.isnan(answers)
    if of_rows(answers.shape[1], rows):
        return np.pad(asked, ((0, 0), (0, rows - answers.shape[1])))
    return np.repeat(asked.any(1, keepdims=True), rows, 1)


def now() -> float:
    """Seconds, when what was begun is done."""
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
    return clock()


def clock() -> float:
    """Of the processor, which others that are at work do not change; where a device may be computing, of the day."""
    device = torch.backends.mps.is_available() or (torch.cuda.is_available() and torch.cuda.is_initialized())
    return time.perf_counter() if device else time.process_time()


def timed(work: Callable[[], Any]) -> float:
    start = now()
    work()
    return now() - start


def repeated(tensor: Any, examples: int, copies: int) -> Any:
    """Copies of a batch, one behind the other, along the axis of its examples."""
    axis = next((axis for axis in range(min(2, tensor.dim())) if tensor.size(axis) == examples), None)
    if copies == 1 or axis is None:
        return tensor
    return tensor.repeat(*(copies if axis == other else 1 for other in range(tensor.dim())))


def part(tensor: Any, examples: int, copies: int, number: int) -> Any:
    """One copy of several."""
    for axis in range(min(2, tensor.dim())):
        if tensor.size(axis) == examples * copies:
            return tensor.narrow(axis, number * examples, examples)
    return tensor


@contextlib.contextmanager
def _given(scope: Scope, base: Base, key: Key, copies: int) -> Iterator[None]:
    """Calls of modules that had ended before the site give what they gave in the base pass."""
    reached, examples = base.seen[key].at, base.seen[key].attention.size(0)
    calls = [(call, module) for module, all_calls in base.ended.items() for call in all_calls if call.at <= reached]
    calls = [
        (call, module) for call, module in calls if versions(call.output) == call.written
    ]  # not changed by who received it
    low = reached
    given: dict[Any, dict[int, Ended]] = {}
    for call, module in sorted(calls, key=lambda pair: -pair[0].at):  # what lies within another is not called at all
        if call.at <= low:
            low = call.begun
            given.setdefault(module, {})[call.number] = call
    outputs = {
        id(call): over(call.output, lambda tensor: repeated(tensor, examples, copies))
        for all_calls in given.values()
        for call in all_calls.values()
    }
    before: list[tuple[Any, Any]] = []
    try:
        for module, numbers in given.items():
            before.append((module, module.__dict__.get("forward")))
            module.forward = _stub(scope, module, module.forward, numbers, outputs)
        yield
    finally:
        for module, own in before:
            if own is None:
                del module.forward
            else:
                module.forward = own


def _stub(
    scope: Scope, module: Any, forward: Callable[..., Any], numbers: dict[int, Ended], outputs: dict[int, Any]
) -> Callable[..., Any]:
    def stub(*args: Any, **kwargs: Any) -> Any:
        call = numbers.get(scope.begun[module] - 1) if scope.here() else None
        if call is None:
            return forward(*args, **kwargs)
        scope.calls += Counter(call.within)
        scope.begun += Counter(call.modules)
        return outputs[id(call)]

    return stub
