"""A module of PyTorch and what it is shown, looked at without being changed."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import os
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _engine
from .pictures import needed

torch = needed("torch", "torch")

from torch import nn  # noqa: E402


@dataclass
class Model:
    """A model, what it is shown, and how it is looked at: in evaluation, without gradients, changing nothing."""

    module: Any
    batch: Any
    names: dict[Any, str] = field(init=False)
    compiled: bool = field(init=False)  # in part, at least

    def __post_init__(self) -> None:
        self.compiled = any(
            getattr(module, "_compiled_call_impl", None) or hasattr(module, "_orig_mod")
            for module in self.module.modules()
        )
        self.module = _unwrapped(self.module)
        self.names = {}
        for name, module in self.module.named_modules():
            self.names.setdefault(module, name.replace("_orig_mod.", "").removesuffix("._orig_mod"))
        if isinstance(self.batch, torch.Tensor):
            self.batch = (self.batch,)

    @contextlib.contextmanager
    def at_rest(self) -> Iterator[None]:
        """Dropout off; the random numbers, the modes of all modules and their buffers as they were afterwards."""
        training = [module for module in self.module.modules() if module.training]
        buffers = [
            (module, name, one, _version(one), one.detach().clone())
            for module in self.module.modules()
            for name, one in _buffers(module)
        ]
        devices = sorted({p.device.index for p in self.module.parameters() if p.device.type == "cuda"})
        with torch.random.fork_rng(devices=devices), _random_kept(), torch.no_grad(), self.eagerly():
            try:
                for module in training:
                    module.training = False
                yield
            finally:
                for module in training:
                    module.training = True
                for module, name, one, version, kept in buffers:
                    module._buffers[name] = one
                    if _version(one) != version:
                        one.copy_(kept)

    @contextlib.contextmanager
    def eagerly(self) -> Iterator[None]:
        """What is compiled runs as it is written, for attention to be seen."""
        stance = getattr(torch.compiler, "set_stance", None)
        with stance("force_eager") if self.compiled and stance else contextlib.nullcontext():
            yield

    def __call__(self, batch: Any = None) -> Any:
        batch = self.batch if batch is None else batch
        device = next((p.device for p in self.module.parameters()), None)
        if device is not None:
            batch = over(batch, lambda tensor: tensor.to(device))
        return self.module(**batch) if isinstance(batch, Mapping) else self.module(*batch)

    @property
    def close(self) -> float:
        """How far two ways to the same answer may differ."""
        return 2e-5 if all(p.dtype in (torch.float32, torch.float64) for p in self.module.parameters()) else 2e-2

    def tensors(self) -> list[Any]:
        found: list[Any] = []
        over(self.batch, found.append)
        return found


def _buffers(module: Any) -> list[tuple[str, Any]]:
    if isinstance(module, torch.jit.ScriptModule):
        return []
    return [(name, one) for name, one in module._buffers.items() if one is not None]


def _version(tensor: Any) -> int:
    """How often it was written to."""
    return -1 if tensor.is_inference() else int(tensor._version)


def versions(tree: Any) -> list[int]:
    """Of all tensors in it."""
    if isinstance(tree, torch.Tensor):
        return [_version(tree)]
    inner: list[Any] = []
    if isinstance(tree, Mapping):
        inner = list(tree.values())
    elif isinstance(tree, (list, tuple)):
        inner = list(tree)
    elif _is_record(tree):
        inner = list(_fields(tree).values())
    return [version for one in inner for version in versions(one)]


@contextlib.contextmanager
def _random_kept() -> Iterator[None]:
    """The random numbers of Python, NumPy and Apple's devices as they were, for a forward that draws from them."""
    apple = torch.backends.mps.is_available()
    of_python, of_numpy, of_apple = (
        random.getstate(),
        np.random.get_state(),
        torch.mps.get_rng_state() if apple else None,
    )
    try:
        yield
    finally:
        random.setstate(of_python)
        np.random.set_state(of_numpy)
        if apple:
            torch.mps.set_rng_state(of_apple)


def over(tree: Any, change: Callable[[Any], Any]) -> Any:
    """A batch or an output with each of its tensors changed."""
    if isinstance(tree, torch.Tensor):
        return change(tree)
    if isinstance(tree, Mapping):
        changed = {name: over(value, change) for name, value in tree.items()}
        if type(tree) is dict:
            return changed
        try:
            return type(tree)(**changed)  # such as a ModelOutput of transformers, whose parts are attributes, too
        except TypeError:
            return changed
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(over(value, change) for value in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(over(value, change) for value in tree)
    if _is_record(tree):
        changed = copy.copy(tree)
        for name, value in _fields(tree).items():
            object.__setattr__(changed, name, over(value, change))
        return changed
    return tree


def _is_record(tree: Any) -> bool:
    return dataclasses.is_dataclass(tree) and not isinstance(tree, type)


def _fields(tree: Any) -> dict[str, Any]:
    return {one.name: getattr(tree, one.name) for one in dataclasses.fields(tree) if hasattr(tree, one.name)}


def _unwrapped(module: Any) -> Any:
    """Without what torch.compile and DistributedDataParallel put around it."""
    while True:
        if type(module).__name__ in ("FullyShardedDataParallel", "FSDP"):
            raise _engine.wrong_input(
                "the model is sharded over processes, and a look at it would wait for all of them",
                "observe one that is not",
            )
        if hasattr(module, "_orig_mod"):
            module = module._orig_mod
        elif isinstance(module, (nn.DataParallel, nn.parallel.DistributedDataParallel)):
            module = module.module
        else:
            return module


def rank() -> int:
    """Which of several processes this is."""
    distributed = torch.distributed
    return (
        distributed.get_rank()
        if distributed.is_available() and distributed.is_initialized()
        else int(os.environ.get("RANK", 0) or 0)
    )
