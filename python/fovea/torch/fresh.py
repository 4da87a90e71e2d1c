"""A copy of a module with freshly drawn parameters."""

from __future__ import annotations

import copy
from typing import Any

from .. import _engine
from ..pictures import needed

torch = needed("torch", "torch")


def fresh(module: Any, seed: int) -> Any:
    """Return a copy of the module with freshly drawn parameters."""
    module = copy.deepcopy(module)
    random = torch.random.get_rng_state()
    torch.manual_seed(seed)
    try:
        without = [
            name
            for name, part in module.named_modules()
            if any(True for _ in part.parameters(recurse=False)) and not _draws_again(part)
        ]
    finally:
        torch.random.set_rng_state(random)
    if without:
        raise _engine.wrong_input(
            f"parameters of '{without[0] or type(module).__name__}' cannot be drawn again",
            "give its module a method reset_parameters()",
        )
    return module


def _draws_again(part: Any) -> bool:
    for name in ("reset_parameters", "_reset_parameters"):
        if callable(getattr(part, name, None)):
            getattr(part, name)()
            return True
    return False
