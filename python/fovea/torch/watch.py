"""The watch of a training in PyTorch (fovea.observe)."""

from __future__ import annotations

import contextlib
import datetime
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine, checks
from ..notices import teller
from ..pictures import needed
from ..run_store import name_of_own, spec_of
from ..run_store import store as store_of
from ..runs import Run
from . import open_watches as unclosed
from .arguments import ladder_of, require_answer, require_number, require_rows, truth_of
from .clamps import Answer, Base, Clamps, clock, now
from .cost import Cost
from .evaluation import LookedUp, real_rows, words_of
from .holds import Hold, plan_of, require_as_often, require_no_truth
from .measures import MOST_AT_ONCE, Course, Measures
from .model import Model, rank
from .persistence import Keeping
from .schedule import EARNED, EVERY
from .sites import Key, Scope, Tap, chosen, found, name_of

torch = needed("torch", "torch")

Array = npt.NDArray[Any]


class Watch(Keeping):
    """What ``fovea.observe`` gives: it looks at a model while that is trained, and keeps what it sees as a run.

    As a context it closes itself, and what an exception ends is kept as a run that failed. Of a watch that is never closed the looks
    that were made are kept as a stopped run when Python ends, and stderr says so. One that is dropped before, as when the cell of a
    notebook is run again, does not keep its model alive: its run is kept when the next watch begins.

    >>> import tempfile, torch, fovea
    >>> layer, x = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), torch.randn(4, 6, 8)
    >>> with fovea.observe(layer, x, lambda out: out.log_softmax(-1)[..., 0], store=tempfile.mkdtemp() + "/runs.db") as watch:
    ...     state = watch.state_dict()  # into the checkpoint of the training
    ...     watch.load_state_dict(state)
    ...     sites, whole = watch.sites, watch.cost().whole
    >>> sites, watch.unseen, whole > 0, watch.number
    ({'self_attn': (4, 2, 6, 6)}, {}, True, 0)
    """

    _unclosed = False  # whether its run is still to be kept

    def __init__(
        self,
        model: Any,
        batch: Any,
        answer: Callable[[Any], Any],
        *,
        truth: Any,
        rungs: Mapping[str, Any],
        every: int | None,
        sites: str | Sequence[str],
        beta: str | None,
        rows: str | Sequence[int],
        heads: str,
        share: float | None,
        audit: bool,
        keep: int,
        name: str,
        settings: Mapping[str, Any],
        seed: int,
        store: Any,
    ) -> None:
        begun = now()
        self.number = 0  #: updates done
        self._closed = False
        self._run: Run | None = None  # what close() gave
        self._silent = rank() > 0
        self._holds: list[Hold] = []
        self._model = Model(model, batch)
        self._answer = Answer(answer)
        self._every, self._share, self._keep, self._name = every or EVERY, share, keep, name_of_own(name)
        self._adapts = every is None and share is not None  # how often it looks
        spec_of(settings)
        self._settings, self._seed, self._store = dict(settings), seed, store_of(store)
        if not self._silent:
            self._store.require_place()
        self._key = uuid.uuid4().hex
        self._course = Course()
        self._started = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._begun = time.perf_counter()
        self._before = 0.0  # seconds of the training before it was resumed
        self._looks_before = 0
        self._priced: tuple[float, float] | None = None  # seconds of a look without β, the newest, and of a pass
        self._updates: list[float] = []  # seconds of the newest updates
        self._stepped: float | None = None
        self._earned_until = 0.0  # updates
        self._last: list[tuple[str, Array]] = []  # arrays of the newest look
        self._given: dict[str, Any] = {}  # what the training said of itself
        self._told = False
        self._told_of_less = False
        self._lost = False  # that it diverged was told
        self._told_of_no_gradient = False
        self._held = False  # a pass of this update was held
        self._held_before: list[dict[str, Any]] = []  # by the training that is gone on with
        self._resumed_at = 0
        self._kept_at = self._begun

        with LookedUp() as looked_up:
            at_first = found(self._model, None)
        self._often = at_first.often
        with torch.no_grad():
            self._answers = self._answer(at_first.output).cpu().numpy()
        self._asked_at_first = ~np.isnan(self._answers)
        if not self._asked_at_first.any():
            raise _engine.wrong_input(
                "answer(output) is not a number anywhere",
                "nan stands only where nothing is asked; look at the model and the batch",
            )
        examples, rows_answered = self._answers.shape
        by_example = found(self._model, examples)
        seen, self._numbers, self._unseen = by_example.sites, by_example.numbers, by_example.unseen
        self._every_shape = {key: tuple(seen[key].attention.shape) for key in seen}
        self._every_site = {name_of(key): shape[1] for key, shape in self._every_shape.items()}  # how many heads
        names = set(chosen(list(self._every_site), sites, "sites"))
        self._sites: dict[Key, str] = {key: name_of(key) for key in seen if name_of(key) in names}
        self._shapes = {key: self._every_shape[key] for key in self._sites}
        self._real = {key: real_rows(seen[key]) for key in self._sites}
        require_answer(self._answers, self.sites, [seen[key].attention.shape for key in seen])
        require_rows(() if isinstance(rows, str) else rows, self._shapes.values())
        fits = [rows * places for _, _, rows, places in self._shapes.values() if rows * places <= MOST_AT_ONCE]
        if len(fits) < len(self._shapes) and keep > 0 and not self._silent:
            large = [
                name for key, name in self._sites.items() if self._shapes[key][2] * self._shapes[key][3] > MOST_AT_ONCE
            ]
            teller()(
                f"maps of '{large[0]}' hold more than {MOST_AT_ONCE} numbers and are not kept; its series are. A shorter batch has room for them"
            )
        self._keep = min([keep, *(MOST_AT_ONCE // size for size in fits)])
        self._truth = truth_of(truth, examples, self._shapes.values(), [seen[key].attention.shape for key in seen])
        self._rungs = ladder_of(rungs, self._answers)
        of_words, self._table = words_of(looked_up.found, self._model.tensors(), examples)
        self._tokens = None if of_words is None else of_words.cpu().numpy().astype(np.int32)
        self._measures = Measures(self._tokens)
        self._clamps = (
            None
            if beta is None
            else Clamps(self._model, self._answer, heads, None if isinstance(rows, str) else list(rows), seed)
        )
        self._rows, self._heads = rows, heads
        self._wants_audit = audit
        self._audit, self._audit_memory = None, []
        self._credit = begun - now()  # seconds that looks may still take
        self._saved = 0.0
        if not self._silent:
            for name, why in self._unseen.items():
                teller()(f"attention of '{name}' is not seen: it {why}")
            unclosed.begun(self)
            self._model.note_autocast()

    @property
    def sites(self) -> dict[str, tuple[int, ...]]:
        """What is observed: (examples, heads, rows, places) by the site's name."""
        return {name: self._shapes[key] for key, name in self._sites.items()}

    @property
    def unseen(self) -> dict[str, str]:
        """What looks like attention and cannot be seen: why, by the name of its module."""
        return dict(self._unseen)

    # ---- what the training says

    def step(self, **metrics: Any) -> None:
        """After ``backward``, before the optimiser's step. What it is told of the update is kept as ``train_loss`` and the
        like; every so many updates it looks at the model, which changes nothing of it."""
        self._open()
        for name, value in metrics.items():
            require_number(name, value)
        due = [hold for hold in self._holds if hold.at(self.number)]
        if due and not self._held:
            raise _engine.wrong_input(
                f"attention is to be held at update {self.number}, and none of {', '.join(sorted(due[0].sites)[:4])} was held before step()",
                "wrap the forward pass in watch.intervening()",
            )
        self._held = False
        self._given = metrics
        if not self._silent and self._due():
            self._look()
            self._model.note_autocast()
            self._keep_meanwhile()
        elif self._stepped is not None:
            self._updates = [*self._updates[-99:], clock() - self._stepped]
        self.number += 1
        self._stepped = clock()

    def _go_on_at(self, number: int) -> None:
        """This update is the next: of a training that goes on without the watch's state."""
        self._open()
        self.number, self._earned_until = checks.whole("number", number, 0), float(number)

    def _tell(self, number: int, **metrics: float) -> None:
        """What is known of an update later, as a mean over several: kept as ``train_loss`` and the like."""
        self._open()
        for name, value in metrics.items():
            require_number(name, value)
            self._course.number(number, f"train_{name}", float(value))

    def hold(
        self,
        how: str | Callable[[Any, Any], Any],
        sites: str | Sequence[str] = "*",
        start: int = 0,
        until: int | None = None,
        *,
        head: int | None = None,
    ) -> None:
        """Attention is held for updates ``start`` to ``until`` - 1, within ``intervening``: ``"uniform"`` over the places
        that a row may look at, at the place ``"previous"`` to it, at the ``"first"``, or at the ``"truth"`` (rows without
        one follow their scores); or as a function of (attention, allowed) says, (examples, heads, rows, places). ``head``
        is one of them, counted from 1."""
        self._open()
        start = checks.whole("start", start, 0)
        until = None if until is None else checks.whole("until", until)
        if until is not None and until <= start:
            raise _engine.wrong_input(f"until is {until}", f"it must be after start, which is {start}")
        names = set(chosen(list(self._every_site), checks.texts("sites", sites, "blocks.1.*"), "sites"))
        made = Hold.of(how, names, start, until, head)
        fewest = min(names, key=self._every_site.__getitem__)
        if made.head is not None and made.head > self._every_site[fewest]:
            raise _engine.wrong_input(
                f"head {head} cannot be held: '{fewest}' has {self._every_site[fewest]}", "heads count from 1"
            )
        self._holds.append(made)

    @contextlib.contextmanager
    def intervening(self, truth: Any = None) -> Iterator[None]:
        """Around a forward pass of the training: attention is held as ``hold`` said, if it is now. ``truth`` is that of the
        batch that goes through, where attention is held at it, now or later: that which ``observe`` was given is of the batch
        that is looked at, by which looks show such a hold."""
        self._open()
        if self._model.in_place and torch.is_grad_enabled():
            self._model.note_autocast()
        if truth is None:
            require_no_truth(self._holds, self.number)
        due = [hold for hold in self._holds if hold.at(self.number)]
        plan = plan_of(due, truth, torch.is_grad_enabled())
        if plan is None:
            yield
            return
        with (
            self._model.eagerly(),
            Scope(self._model.names) as scope,
            Tap(scope, plan.keys(), None, plan, self._every_shape) as tap,
        ):
            try:
                yield
            finally:
                self._held |= bool(tap.seen)
            require_as_often(due, scope.passes, self._often, self._every_site)

    # ---- looking

    def cost(self) -> Cost:
        """What looks take, timed now, and what part of the training that will be.

        >>> import torch, fovea
        >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> watch = fovea.observe(layer, torch.randn(4, 6, 8), lambda out: out.log_softmax(-1)[..., 0], name="cost")
        >>> print(watch.cost())  # doctest: +ELLIPSIS
        an update ...
        a look ...
        """
        self._open()
        if self._silent:
            raise _engine.wrong_input(
                "this process observes nothing: the first of the processes does", "ask the one of rank 0"
            )
        look, one_pass = self._price()
        sites = list(self._sites) if self._clamps else []
        update, timed = self._update()
        return Cost(
            look,
            {self._sites[key]: self._clamps.prices[key] for key in sites if self._clamps},
            {self._sites[key]: self._clamps.units(key) for key in sites if self._clamps},
            self._clamps.price(1) if self._clamps else 0.0,
            update,
            self._interval(),
            self._share,
            timed,
        )

    def _look(self, last: bool = False) -> None:
        first = not self._course.looks
        start = now()
        with self._model.at_rest():
            base = self._base(log=self._clamps is not None)
            if self._diverged(base, last):
                return
            numbers, arrays = self._measured(base, first)
            holds = [hold for hold in self._holds if hold.at(self.number)]
            plan = plan_of(holds, self._truth)
            if plan is not None and (self._truth is not None or not any(hold.how == "truth" for hold in holds)):
                held, _ = self._measured(self._base(plan), False)
                numbers.update({f"{name}_held": value for name, value in held.items() if name not in self._rungs})
            took = now() - start
            unsure = self._clamps is not None and len(self._clamps.unsure) > 0
            one_pass = self._priced[1] if self._priced and not unsure else self._prepared(base)
            self._priced = took, one_pass
            self._earn()
            if first:  # takes half of what the first updates will have earned
                self._earned_until += self._every / 2
                self._credit += EARNED * (self._share or 0) * self._update()[0] * self._every / 2
            self._credit -= now() - start
            beta: dict[Key, Array] = {}
            if self._clamps:
                beta = self._beta(base, 0.0 if last else took)
                if beta:
                    more, kept = self._compared(base, beta)
                    numbers.update(more)
                    arrays += kept
            start = now()
            if self._wants_audit:
                numbers.update(self._audited(self._followed(base), base, self.number, first, beta))
            self._credit -= now() - start
            self._priced = took + now() - start, one_pass
        self._told_of_update(last)
        for name, number in numbers.items():
            self._course.number(self.number, name, number)
        self._last = arrays
        self._course.keep(self.number, arrays)

    def _diverged(self, base: Base, last: bool) -> bool:
        """Whether an answer that was a number is none any more: then the loss alone is kept, as nan."""
        if not (np.isnan(base.answers.cpu().numpy()) & self._asked_at_first).any():
            return False
        if not self._lost:
            self._lost = True
            teller()(
                f"at update {self.number} the answer is not a number where it was one; loss is kept as nan, and nothing else is measured"
            )
        self._course.number(self.number, "loss", float("nan"))
        self._told_of_update(last)
        self._last = []
        self._course.keep(self.number, [])
        return True

    # ---- what becomes of it

    def close(self, state: str = "done", error: str = "") -> Run | None:
        """Looks once more and keeps the run, in the store; of several processes the first does, and the others get None.
        ``state`` is ``"done"``, ``"stopped"`` or ``"failed"``. A watch that is closed gives the same run again. Where the last look
        fails, a warning says so, and what was seen before is kept."""
        if self._closed:
            return self._run
        self._model.forget_autocast()
        if self._silent:
            self._closed = True
            return None
        trouble = ""
        if state != "failed" and self._course.looks[-1:] != [self.number]:
            self._given = {}
            try:
                self._look(last=True)
            except Exception as why:
                if not self._course.looks:
                    raise
                trouble = f"the last look, at update {self.number}, failed, and what was seen before is kept ({type(why).__name__}: {why})"
        for name, number in (self._audit.whole() if self._audit and self._course.looks else {}).items():
            self._course.number(self._course.looks[-1], name, number)
        self._run = self._keeping(state, error)()
        self._closed = True
        unclosed.closed(self)
        if trouble:
            teller()(trouble)
        return self._run

    def _open(self) -> None:
        if self._closed:
            raise _engine.wrong_input("this watch is closed, and its run kept", "observe anew: fovea.observe")

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._closed:
            return
        if kind is None or issubclass(kind, KeyboardInterrupt):
            self.close("done" if kind is None else "stopped")
        else:
            self.close("failed", f"{kind.__name__}: {error}")

    def __del__(self) -> None:
        if self._unclosed:
            unclosed.dropped(self)

    def __repr__(self) -> str:
        return f"<watch of {type(self._model.module).__name__}: {len(self._sites)} sites, {self.number} updates, {len(self._course.looks)} looks>"
