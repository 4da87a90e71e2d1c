"""The watch of a training in PyTorch (fovea.observe)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from .. import _engine, checks
from ..notices import teller
from ..runs import Run
from . import clock, open_watches
from .arguments import as_float, require_number, require_state
from .audit import Audit
from .base_pass import Answer
from .clamps import Clamps
from .cost import Cost
from .effects import Effects
from .evaluating import Evaluation, watch_spec
from .evaluation import Evaluator
from .further import Shown
from .holds import ABLATED, HoldSchedule
from .loggers import Loggers
from .model import Model, rank
from .newest_update import NewestUpdate
from .observed import Observed
from .own_probes import OwnProbes
from .persistence import Persistence
from .recorder import Recorder
from .schedule import Schedule


class Watch:
    """An observed PyTorch training: it evaluates the model and keeps the results as a run. ``fovea.observe`` makes it.

    As a context it closes itself. A run that an exception ends is kept as failed. The evaluations of a watch that is never closed are kept
    as a stopped run when Python ends, with a message on stderr. A watch that is dropped before, as when the cell of a notebook is run again,
    does not keep its model alive. Its run is kept when the next watch begins.

    Attributes
    ----------
    number : int
        The number of updates that are done.

    Examples
    --------
    >>> import tempfile, torch, fovea
    >>> layer, x = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), torch.randn(4, 6, 8)
    >>> with fovea.observe(layer, x, lambda out: out.log_softmax(-1)[..., 0], store=tempfile.mkdtemp() + "/runs.db") as watch:
    ...     watch.ablate(until=1, head=2)
    ...     state = watch.state_dict()  # into the checkpoint of the training
    ...     watch.load_state_dict(state)
    ...     sites, whole = watch.sites, watch.cost().whole
    >>> sites, watch.unseen, whole > 0, watch.number, watch.spent > 0
    ({'self_attn': (4, 2, 6, 6)}, {}, True, 0, True)
    """

    _unclosed = False  # whether its run is still to be kept

    def __init__(
        self,
        model: Any,
        shown: Shown,
        *,
        further: Mapping[str, Shown],
        probes: Any,
        hooks: Sequence[str],
        lens: bool,
        ablate: bool,
        patch: str | None,
        loggers: Any,
        rungs: Mapping[str, Any],
        every: int | None,
        steps: int | None,
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
        begun = clock.now()
        self.number = 0  #: updates done
        self._closed, self._silent = False, rank() > 0
        self._run: Run | None = None  # what close() gave
        self._update = NewestUpdate()
        self._recorder = Recorder()
        self._persistence = Persistence(name, settings, store, self._recorder)
        if not self._silent:
            self._persistence.require_store()
        self._loggers = Loggers(loggers)
        rows_listed = None if isinstance(rows, str) else list(rows)
        self._observed = observed = Observed(
            Model(model, shown.batch), Answer(shown.answer), sites, rows_listed or (), shown.truth, rungs
        )
        others = {name: observed.other(name, one, sites) for name, one in further.items()}
        kept = observed.examples_kept(keep, self._silent)
        own = OwnProbes(probes, keep)
        clamps = None if beta is None else Clamps(observed.model, observed.answer, heads, rows_listed, seed)
        effects = Effects(observed, kept, hooks, lens, ablate, None if patch is None else others[patch])
        audited = Audit(observed, clamps, heads == "all") if audit else None
        more = {n: Evaluator(o, None, None, o.examples_kept(keep, self._silent), own) for n, o in others.items()}
        self._evaluator = Evaluator(observed, clamps, audited, kept, own, effects, more)
        self._schedule = Schedule(self._evaluator, every, share, steps)
        self._holds = HoldSchedule(observed)
        self._spec = watch_spec(self._evaluator, self._schedule.fixed, kept, seed)
        of_beta = {"rows": rows, "heads": heads, "share": "none" if share is None else share}
        self._measured = {"beta": "clamp", **of_beta} if clamps else {"beta": "none"}
        self._schedule.spend(clock.now() - begun, "all")
        if not self._silent:
            for site, why in observed.unseen.items():
                teller()(f"attention of '{site}' is not seen: it {why}")
            open_watches.begun(self)
            observed.model.note_autocast()

    @property
    def sites(self) -> dict[str, tuple[int, ...]]:
        """The observed sites: (examples, heads, rows, positions) by the site's name."""
        return {name: self._observed.shapes[key] for key, name in self._observed.sites.items()}

    @property
    def unseen(self) -> dict[str, str]:
        """The modules that look like attention and cannot be read: the reason, by the module's name."""
        return dict(self._observed.unseen)

    @property
    def spent(self) -> float:
        """The seconds that observing has taken so far: of the processor, or of the day if a device computes."""
        return self._schedule.spent

    def step(self, **metrics: Any) -> None:
        """Note an update: after ``backward``, before the optimiser's step.

        The model is evaluated if the schedule asks for it. The evaluation does not change it. If the first evaluation fails, its error is
        raised. If a later one fails, a warning follows, and the training goes on.

        Parameters
        ----------
        **metrics : float or tensor of one number
            Numbers of the update, such as ``loss``. They are kept as ``train_loss`` and the like, for evaluated updates.
        """
        begun = clock.seconds()
        self._open()
        for name, value in metrics.items():
            require_number(name, value)
        self._holds.stepped(self.number)
        loss = metrics.get("loss", float("nan"))
        if self._schedule.chooses and getattr(loss, "is_cpu", True):  # a device is not waited for
            self._schedule.told(as_float(loss))
        due = not self._silent and self._schedule.due(self.number, not self._recorder.evaluations)
        if due:
            with self._update.having(metrics):
                trouble = self._try_evaluation()
            if trouble:
                self._update.warn(f"{trouble}. Further failures are not reported", "failure")
            start = clock.now()
            self._observed.model.note_autocast()
            self._persistence.keep_meanwhile(self._whole_spec, self.number)
            self._schedule.spend(clock.now() - start, "all")
        self.number += 1
        self._schedule.updated(begun, due)

    def _go_on_at(self, number: int) -> None:
        """This update is the next: of a training that goes on without the watch's state."""
        self._open()
        self.number = checks.whole("number", number, 0)
        self._schedule.go_on(self.number)

    def _tell(self, number: int, **metrics: float) -> None:
        """What is known of an update later, as a mean over several: kept as ``train_loss`` and the like."""
        self._open()
        for name, value in metrics.items():
            require_number(name, value)
            self._recorder.number(number, f"train_{name}", float(value))

    def hold(
        self,
        how: str | Callable[[Any, Any], Any],
        sites: str | Sequence[str] = "*",
        start: int = 0,
        until: int | None = None,
        *,
        head: int | None = None,
    ) -> None:
        """Hold attention for updates ``start`` to ``until`` - 1, within ``intervening``.

        Parameters
        ----------
        how : str or function
            ``"uniform"``: over the positions that a row may attend to. ``"previous"``, ``"first"``: at that position. ``"truth"``: at
            the true position; rows without one follow their scores. A function of (attention, allowed), both (examples, heads, rows,
            positions), returns the weights. They must be at least 0, must be 0 if ``allowed`` is False, and must sum to 1.
        sites : str or sequence of str
            Names or patterns, as ``attention_sites`` lists them; all sites by default.
        start, until : int
            The first update under the hold, and the first one after it. Without ``until`` it lasts to the end of the training.
        head : int, optional
            One head of each of these sites, from 1; all heads by default.
        """
        self._open()
        if how == ABLATED:
            raise _engine.wrong_input("'ablate' is no pattern of attention", "ablate heads by watch.ablate()")
        self._holds.add(how, sites, start, until, head)

    def ablate(
        self, sites: str | Sequence[str] = "*", start: int = 0, until: int | None = None, *, head: int | None = None
    ) -> None:
        """Set all weights and the output of heads to 0 for updates ``start`` to ``until`` - 1, within ``intervening``: no gradient flows.

        Parameters
        ----------
        sites, start, until, head
            The same as of ``hold``.
        """
        self._open()
        self._holds.add(ABLATED, sites, start, until, head)

    @contextlib.contextmanager
    def intervening(self, truth: Any = None) -> Iterator[None]:
        """Apply the holds of this update to a forward pass of the training.

        Parameters
        ----------
        truth : array-like, optional
            The truth of the training's batch, (examples, rows), if a hold uses it, now or later. The ``truth`` of ``observe`` is about
            the batch of the evaluations, and evaluations use it for such a hold.

        Returns
        -------
        context manager
            The forward pass belongs in its ``with``.
        """
        self._open()
        self._observed.model.note_pass()
        with self._holds.within(self.number, truth):
            yield

    def cost(self) -> Cost:
        """Measure the time of evaluations, and predict their share of the training.

        Returns
        -------
        Cost
            It is printed as a table. ``cost.whole`` is the seconds of an evaluation with all of β.

        Examples
        --------
        >>> import torch, fovea
        >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        >>> watch = fovea.observe(layer, torch.randn(4, 6, 8), lambda out: out.log_softmax(-1)[..., 0], name="cost")
        >>> print(watch.cost())  # doctest: +ELLIPSIS
        an update ...
        an evaluation ...
        """
        self._open()
        if self._silent:
            raise _engine.wrong_input(
                "this process observes nothing: the first of the processes does", "ask the one of rank 0"
            )
        return self._schedule.cost()

    def _evaluate(self, last: bool = False) -> None:
        evaluation = Evaluation(self._evaluator, self._schedule, self._holds, self.number)
        if not evaluation.measure(first=not self._recorder.evaluations, last=last):
            self._update.warn_of_nan(self.number)
        start = clock.now()
        numbers = {**evaluation.numbers, **self._update.numbers(self._evaluator, self.number, last)}
        self._recorder.numbers(self.number, numbers)
        self._recorder.evaluated(self.number, evaluation.arrays)
        self._loggers.send(self.number, numbers)
        self._schedule.evaluated(self.number, numbers["loss"])
        self._schedule.spend(took := clock.now() - start)
        self._evaluator.took_more(took)

    def _try_evaluation(self, last: bool = False) -> str:
        """Evaluate the model. Return a message if it failed, but raise the error of the first evaluation."""
        start = clock.now()
        try:
            self._evaluate(last)
        except Exception as why:
            if not self._recorder.evaluations:
                raise
            self._schedule.evaluated(self.number, float("nan"))
            self._schedule.spend(clock.now() - start)
            return f"the evaluation at update {self.number} failed, and earlier evaluations are kept ({type(why).__name__}: {why})"
        return ""

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the watch for a checkpoint of the training.

        Returns
        -------
        dict
            ``torch.save`` takes it.
        """
        return {
            **self._persistence.state_dict(),
            "number": self.number,
            "sites": list(self._observed.sites.values()),
            "course": self._recorder.state_dict(),
            "holds": self._holds.tables(),
            **self._evaluator.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a ``state_dict``: with its evaluations, its holds by the number of the update, and its run in the store.

        Parameters
        ----------
        state : dict
            The result of ``state_dict``.
        """
        self._open()
        state = require_state(state, list(self._observed.sites.values()))
        self.number = int(state["number"])
        self._schedule.go_on(self.number)
        self._evaluator.load_state_dict(state)
        self._holds.go_on(state.get("holds", []), self.number)
        went_back = len(self._recorder.evaluations) > 0  # all that it has now is this watch's to keep
        self._recorder.load_state_dict(state["course"])
        self._persistence.load_state_dict(state, went_back)

    def _whole_spec(self) -> dict[str, Any]:
        """The spec of the run as it is now."""
        observed = {**self._measured, **self._observed.model.autocast_setting()}
        return {**self._spec, "intervene": self._holds.tables(), "train": {"program": "PyTorch", "observed": observed}}

    def _unkept(self) -> open_watches.Unkept:  # what it saw, without its model
        return self._persistence.unkept(self._whole_spec(), self.number)

    def close(self, state: str = "done", error: str = "") -> Run | None:
        """Evaluate once more and keep the run in the store.

        A closed watch returns the same run again. If the last evaluation fails, a warning follows, and earlier evaluations are kept.

        Parameters
        ----------
        state : str
            ``"done"``, ``"stopped"`` or ``"failed"``.
        error : str
            The reason of a failure.

        Returns
        -------
        fovea.Run or None
            The run. None in all processes but the first.
        """
        if self._closed:
            return self._run
        self._observed.model.forget_autocast()
        if self._silent:
            self._closed = True
            return None
        evaluations, trouble = self._recorder.evaluations, ""
        if state != "failed" and evaluations[-1:] != [self.number]:
            trouble = self._try_evaluation(last=True)
        if evaluations and (audit := self._evaluator.audit):
            self._recorder.numbers(evaluations[-1], whole := audit.whole())
            self._loggers.send(evaluations[-1], whole)
        if self.number > 0:
            self._schedule.warn_of_no_beta()
        start = clock.now()
        self._run = self._persistence.saver(self._whole_spec(), self.number, state, error)()
        self._schedule.spend(clock.now() - start, "all")
        self._closed = True
        open_watches.closed(self)
        if trouble:
            teller()(trouble)
        return self._run

    def _open(self) -> None:
        if self._closed:
            raise _engine.wrong_input("this watch is closed, and its run kept", "observe again: fovea.observe")

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
            open_watches.dropped(self)

    def __repr__(self) -> str:
        model, sites, evaluations = self._observed.model.module, self._observed.sites, self._recorder.evaluations
        return f"<watch of {type(model).__name__}: {len(sites)} sites, {self.number} updates, {len(evaluations)} evaluations>"
