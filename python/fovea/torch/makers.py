"""The module of each model of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _engine
from ..pictures import needed

torch = needed("torch", "torch")

from .exact_models import EXACT_MODELS  # noqa: E402
from .modules import MAKERS, Shapes  # noqa: E402
from .moving_models import MOVING_MODELS  # noqa: E402
from .taggers import TAGGERS  # noqa: E402
from .transformer import Transformer  # noqa: E402
from .word_models import WORD_MODELS  # noqa: E402

_ALL = {**MAKERS, **WORD_MODELS, **EXACT_MODELS, **MOVING_MODELS, **TAGGERS, "transformer": Transformer}


def module_of(spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int], double: bool) -> Any:
    """Return the module of a model, its parameters not yet set.

    Parameters
    ----------
    spec : dict
        The ``model`` of a run's spec.
    shapes : dict
        The shape of each parameter by its name.
    sizes : dict
        The sizes of the task.
    double : bool
        Whether its numbers have 64 bits.
    """
    if spec["name"] not in _ALL:
        raise _engine.wrong_input(
            f"model '{spec['name']}' has no module of PyTorch", "use another model, or train it without engine 'torch'"
        )
    made = _ALL[spec["name"]](spec, shapes, sizes)
    return made.double() if double else made
