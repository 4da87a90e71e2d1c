"""What a watch measures, to the loggers of other libraries while the training goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .. import checks
from ..notices import teller

Send = Callable[[Mapping[str, float], int], None]
PREFIX = "fovea/"  # of every name, since the training may log a loss of its own
STEP = f"{PREFIX}step"  # the update of an evaluation, for loggers that count steps of their own


class Loggers:
    """Sends the numbers of each evaluation to loggers.

    Parameters
    ----------
    given : object, iterable of objects or None
        Loggers with ``log_metrics(dict, step)`` as Lightning's, ``add_scalar(tag, value, step)`` as TensorBoard's, or ``log(dict)`` and
        ``define_metric(name)`` as a run of Weights & Biases.

    Raises
    ------
    fovea.WrongType
        If one has none of these methods.
    """

    def __init__(self, given: Any) -> None:
        given = () if given is None else given
        if isinstance(given, str) or _sender(given) is not None or not isinstance(given, Iterable):
            self._senders: list[Send] = [_required(given, "loggers")]
        else:
            self._senders = [_required(one, f"loggers[{place}]") for place, one in enumerate(given)]

    def send(self, step: int, numbers: Mapping[str, float]) -> None:
        """Send the numbers of an evaluation. A logger that fails is warned of and left out from then on: the training goes on."""
        named = {PREFIX + name: float(value) for name, value in numbers.items()}
        for sender in list(self._senders):
            try:
                sender(named, step)
            except Exception as error:
                self._senders.remove(sender)
                teller()(
                    f"a logger failed at update {step} and gets nothing more ({type(error).__name__}: {error}); the run keeps all"
                )


class _OfWandb:
    """Sends to a run of Weights & Biases, which refuses rows before its own step.

    Numbers join the row that the training logs next, and ``fovea/step`` is their axis. A row that the training has not ended by the next
    evaluation is ended then."""

    def __init__(self, run: Any) -> None:
        self._run = run
        self._newest: tuple[int, int] | None = None  # the row that the newest numbers are in, and their update

    def __call__(self, numbers: Mapping[str, float], step: int) -> None:
        if self._newest is None:
            self._run.define_metric(STEP)
            self._run.define_metric(f"{PREFIX}*", step_metric=STEP)
        elif self._newest[0] == self._run.step and self._newest[1] != step:
            self._run.log({}, commit=True)
        self._run.log({**numbers, STEP: step}, commit=False)
        self._newest = self._run.step, step


def _sender(logger: Any) -> Send | None:
    if callable(getattr(logger, "log_metrics", None)):
        return lambda numbers, step: logger.log_metrics(dict(numbers), step)
    if callable(getattr(logger, "add_scalar", None)):

        def each(numbers: Mapping[str, float], step: int) -> None:
            for name, value in numbers.items():
                logger.add_scalar(name, value, step)

        return each
    if all(callable(getattr(logger, name, None)) for name in ("log", "define_metric")):
        return _OfWandb(logger)
    return None


def _required(logger: Any, name: str) -> Send:
    sender = _sender(logger)
    if sender is None:
        raise checks.wrong_type(
            name,
            logger,
            "a run of Weights & Biases, a SummaryWriter of TensorBoard, or a logger of Lightning",
        )
    return sender
