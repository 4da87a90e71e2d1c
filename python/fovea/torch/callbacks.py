"""fovea.observe as a callback, for loops of other libraries: Lightning and transformers."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _engine
from ..pictures import needed
from .observe import observe

if TYPE_CHECKING:
    from ..runs import Run
    from .watch import Watch

Hold = tuple[tuple[Any, ...], dict[str, Any]]


class _Callback:
    """What both have in common: a watch that begins with the training, and the run when it is over."""

    def __init__(self, batch: Any, answer: Callable[[Any], Any] | None, options: dict[str, Any]) -> None:
        super().__init__()
        self.batch, self.answer, self.options = batch, answer, options
        self.watch: Watch | None = None
        self.run: Run | None = None  #: when the training is over
        self._holds: list[Hold] = []
        self._state: Any = None
        self._pass = contextlib.ExitStack()

    def hold(self, *args: Any, **kwargs: Any) -> None:
        """Hold attention as ``Watch.hold`` does; call it before the training begins. ``"truth"`` needs your own loop, which has the truth of its batches."""
        if "truth" in (*args[:1], kwargs.get("how")):
            raise _engine.wrong_input(
                "a callback does not have the truth of the training's batches",
                "hold at it in your own loop: watch.intervening(truth=…)",
            )
        self._holds.append((args, kwargs))

    def _begin(self, model: Any, number: int = 0, steps: Any = None, loggers: Any = ()) -> None:
        """Continue at this update, if no state names another; ``steps``: the length of the training, if known; ``loggers``: the loggers of the training."""
        self._pass.close()  # of a training that an exception ended
        known = {"steps": steps} if isinstance(steps, int) and steps > 0 else {}
        given = {**known, **self.options}
        if given.get("loggers") is True:
            given["loggers"] = loggers
        self.watch = observe(model, self.batch, self.answer, **given)
        if self._state is not None:
            self.watch.load_state_dict(self._state)
        elif number > 0:
            self.watch._go_on_at(number)
        for args, kwargs in self._holds:
            self.watch.hold(*args, **kwargs)

    def _before_pass(self) -> None:
        self._pass.close()
        if self.watch is not None:
            self._pass.enter_context(self.watch.intervening())

    def _before_update(self, **metrics: Any) -> None:
        self._pass.close()
        if self.watch is not None:
            self.watch.step(**metrics)

    def _end(self, state: str = "done", error: str = "") -> None:
        self._pass.close()
        if self.watch is not None:
            self.run = self.watch.close(state, error)
            self.watch = None


def lightning_callback(batch: Any = None, answer: Callable[[Any], Any] | None = None, **options: Any) -> Any:
    """Observe a training of Lightning. The state of the callback goes into the checkpoints of Lightning.

    Parameters
    ----------
    batch
        What the model is called with at each evaluation.
    answer
        The log-probability of the right answer, of the output of the model.
    **options
        Further arguments of ``fovea.observe``. ``loggers=True``: the loggers of the trainer.

    Returns
    -------
    callback
        Its ``run`` is there when the training is over.

    Raises
    ------
    WrongInput
        If the library is not installed, or the training begins and no attention is seen.

    Examples
    --------
    >>> import fovea, lightning  # doctest: +SKIP
    >>> watching = fovea.lightning_callback(batch, answer, every=100)  # doctest: +SKIP
    >>> lightning.Trainer(callbacks=[watching]).fit(module)  # doctest: +SKIP
    >>> watching.run.metrics  # doctest: +SKIP
    """
    base: Any
    try:
        base = importlib.import_module("lightning.pytorch").Callback
    except ModuleNotFoundError:
        base = needed("pytorch_lightning", "lightning").Callback

    class Observing(_Callback, base):  # type: ignore[misc, valid-type, unused-ignore]
        def on_fit_start(self, trainer: Any, module: Any) -> None:
            self._begin(module, steps=getattr(trainer, "max_steps", None), loggers=getattr(trainer, "loggers", ()))

        def on_train_batch_start(self, trainer: Any, module: Any, batch: Any, index: int) -> None:
            self._before_pass()

        def on_before_optimizer_step(self, trainer: Any, module: Any, optimizer: Any) -> None:
            self._before_update(
                **{name: value for name, value in trainer.callback_metrics.items() if name.isidentifier()}
            )

        def on_fit_end(self, trainer: Any, module: Any) -> None:
            self._end()

        def on_exception(self, trainer: Any, module: Any, exception: BaseException) -> None:
            stopped = isinstance(exception, KeyboardInterrupt)
            self._end("stopped" if stopped else "failed", "" if stopped else f"{type(exception).__name__}: {exception}")

        def state_dict(self) -> dict[str, Any]:
            return {} if self.watch is None else self.watch.state_dict()

        def load_state_dict(self, state_dict: dict[str, Any]) -> None:
            self._state = state_dict or None
            if self.watch is not None and self._state:
                self.watch.load_state_dict(self._state)

    return Observing(batch, answer, options)


def trainer_callback(batch: Any = None, answer: Callable[[Any], Any] | None = None, **options: Any) -> Any:
    """Observe a training of the ``Trainer`` of transformers.

    Parameters
    ----------
    batch
        What the model is called with at each evaluation.
    answer
        The log-probability of the right answer, of the output of the model.
    **options
        Further arguments of ``fovea.observe``.

    Returns
    -------
    callback
        Its ``run`` is there when the training is over.

    Raises
    ------
    WrongInput
        If the library is not installed, or the training begins and no attention is seen.

    Examples
    --------
    >>> import fovea, transformers  # doctest: +SKIP
    >>> watching = fovea.trainer_callback(dict(input_ids=ids), answer, every=100)  # doctest: +SKIP
    >>> transformers.Trainer(model, args, callbacks=[watching]).train()  # doctest: +SKIP
    >>> watching.run.metrics  # doctest: +SKIP
    """
    base: Any = needed("transformers", "transformers").TrainerCallback
    if options.get("loggers") is True:
        raise _engine.wrong_input(
            "loggers is True, and a Trainer of transformers has no loggers to take",
            "give them: loggers=writer, with a SummaryWriter or a run of wandb.init()",
        )

    class Observing(_Callback, base):  # type: ignore[misc, valid-type, unused-ignore]
        def on_train_begin(self, args: Any, state: Any, control: Any, model: Any = None, **rest: Any) -> None:
            self._begin(model, int(state.global_step), getattr(state, "max_steps", None))

        def on_step_begin(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
            self._before_pass()

        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
            self._before_update()

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **rest: Any) -> None:
            if self.watch is not None and "loss" in (logs or {}):  # the mean since it was last logged
                self.watch._tell(int(state.global_step), loss=logs["loss"])

        def on_train_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
            self._end()

    return Observing(batch, answer, options)
