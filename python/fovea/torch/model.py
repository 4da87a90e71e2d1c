"""A module of PyTorch and its batch, evaluated without a change."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import os
import random
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _engine
from ..pictures import needed

torch = needed("torch", "torch")

from torch import nn  # noqa: E402


@dataclass(frozen=True)
class Autocast:
    """What ``torch.autocast`` is for a device in this thread: off, or the type that it casts to."""

    device: str
    dtype: Any  # None: off

    @classmethod
    def now(cls, device: str) -> Autocast | None:
        """Return the state of this thread; None if PyTorch has none for the device, or is older than 2.4."""
        available = getattr(torch.amp, "is_autocast_available", None)
        if available is None or not available(device):
            return None
        return cls(device, torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else None)

    def entered(self) -> Any:
        """Return a context with this state. Casts are not cached: training would use casts of a pass without gradients."""
        if self.dtype is None:
            return torch.autocast(self.device, enabled=False)
        return torch.autocast(self.device, self.dtype, cache_enabled=False)


@dataclass
class Model:
    """A model and its batch.

    It is evaluated in evaluation mode, without gradients, under the autocast of the training, and without a change."""

    module: Any
    batch: Any
    names: dict[Any, str] = field(init=False)
    compiled: bool = field(init=False)  # in part, at least
    in_place: bool = field(init=False)  # by module.compile()
    autocast: Autocast | None = field(init=False)  # of the newest pass of the training that was noted
    _outer: Any = field(init=False)  # what torch.compile or DistributedDataParallel made of the module
    _noting: Any = field(init=False, default=None)  # the hook that waits for the next one

    def __post_init__(self) -> None:
        modules = list(self.module.modules())
        self.in_place = any(getattr(module, "_compiled_call_impl", None) for module in modules)
        self.compiled = self.in_place or any(hasattr(module, "_orig_mod") for module in modules)
        given, self.module = self.module, _unwrapped(self.module)
        self._outer = None if given is self.module else given
        self.names = {}
        for name, module in self.module.named_modules():
            self.names.setdefault(module, name.replace("_orig_mod.", "").removesuffix("._orig_mod"))
        if isinstance(self.batch, torch.Tensor):
            self.batch = (self.batch,)
        self.autocast = self._autocast_now()

    def showing(self, batch: Any) -> Model:
        """Return the same module with another batch."""
        other = copy.copy(self)
        other.batch = (batch,) if isinstance(batch, torch.Tensor) else batch
        return other

    @property
    def device(self) -> Any:
        return next((p.device for p in self.module.parameters()), None)

    def _autocast_now(self) -> Autocast | None:
        device = self.device
        return Autocast.now("cpu" if device is None else str(device.type))

    def note_autocast(self) -> None:
        """Note the autocast of the next pass of the training, in this thread.

        The hook is global, or belongs to the wrapper of the module. It is removed when that pass begins, and leaves the module as it is. A
        module that was compiled in place would be compiled with the hook, so its current autocast is used.
        """
        if self.in_place:
            self.autocast = self._autocast_now()
        if self.in_place or self._noting is not None:
            return
        known, thread = weakref.ref(self), threading.get_ident()

        def note(module: Any, inputs: Any) -> None:
            model = known()
            if model is None:
                handle.remove()
            elif (
                threading.get_ident() == thread
                and torch.is_grad_enabled()
                and (module is model._outer or getattr(module, "_orig_mod", module) in model.names)
            ):
                model.forget_autocast()
                model.autocast = model._autocast_now()

        everywhere = nn.modules.module.register_module_forward_pre_hook
        handle = self._noting = (self._outer.register_forward_pre_hook if self._outer is not None else everywhere)(note)

    def note_pass(self) -> None:
        """Note the autocast of a pass of the training that begins now, if no hook can see it."""
        if self.in_place and torch.is_grad_enabled():
            self.autocast = self._autocast_now()

    def autocast_setting(self) -> dict[str, str]:
        """Return the type that the training casts to, as a run keeps it; empty if it casts to none."""
        dtype = self.autocast.dtype if self.autocast else None
        return {"autocast": str(dtype).removeprefix("torch.")} if dtype else {}

    def forget_autocast(self) -> None:
        """Wait for no pass of the training."""
        if self._noting is not None:
            self._noting.remove()
            self._noting = None

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
        autocast = self.autocast.entered() if self.autocast else contextlib.nullcontext()
        with torch.random.fork_rng(devices=devices), _random_kept(), torch.no_grad(), self.eagerly(), autocast:
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
        device = self.device
        if device is not None:
            batch = over(batch, lambda tensor: tensor.to(device))
        return self.module(**batch) if isinstance(batch, Mapping) else self.module(*batch)

    @property
    def close(self) -> float:
        """How far two ways to the same answer may differ."""
        exact = all(p.dtype in (torch.float32, torch.float64) for p in self.module.parameters())
        return 2e-5 if exact and not (self.autocast and self.autocast.dtype) else 2e-2

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
    """Apply to all tensors in it."""
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
    """Return the module without the wrappers of torch.compile and DistributedDataParallel."""
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
