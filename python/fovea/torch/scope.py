"""The state of a pass while a model is read: the module of a call, and the attention of each site."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..pictures import needed
from .model import versions

torch = needed("torch", "torch")


Key = tuple[str, int]  # the innermost module's name, and which call in it this is
Plan = Callable[[Key, Any, Any], Any]  # (site, attention, allowed) -> attention
Outputs = Callable[[Key, Any], Any]  # (site, what its attention weighed) -> the same, or another


@dataclass
class Seen:
    """One site in one pass; attention and allowed are (examples, heads, rows, places)."""

    attention: Any
    allowed: Any
    at: int  # how many calls of modules had ended before it
    within: Any = None  # the innermost module at work, and what it was called with


@dataclass
class Ended:
    """A finished call of a module: its output, and how often it attended within."""

    number: int  # of the calls of this module
    begun: int
    at: int
    output: Any
    written: list[int]  # how often the tensors in it had been written to then
    within: Counter[str]
    modules: Counter[Any]  # and how often other modules were called


class Scope:
    """Follows which module is at work, in one thread, by hooks that are gone when it is left."""

    def __init__(self, names: Mapping[Any, str], log: bool = False) -> None:
        self.names, self.log = names, log
        self.thread = threading.get_ident()
        self.handles: list[Any] = []
        self.restart()

    def restart(self) -> None:
        """Before each pass."""
        self.stack: list[tuple[Any, int, int, Any, Any]] = []
        self.calls: Counter[str] = Counter()  # of attention, by the module's name
        self.passes: list[Counter[str]] = []  # the same of each pass, of what is called within the model
        self.begun: Counter[Any] = Counter()  # calls of each module
        self.ended: dict[Any, list[Ended]] = {}
        self.clock = 0

    def __enter__(self) -> Scope:
        try:
            for module in self.names:
                if not isinstance(module, torch.jit.ScriptModule):
                    self.handles.append(module.register_forward_pre_hook(self._begin, with_kwargs=True))
                    self.handles.append(module.register_forward_hook(self._end, always_call=True))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: Any) -> None:
        for handle in self.handles:
            handle.remove()
        self.handles.clear()
        self.restart()

    def here(self) -> bool:
        return threading.get_ident() == self.thread

    def _begin(self, module: Any, inputs: Any, named: Any) -> None:
        if self.here():
            if not self.stack:  # another pass, or a checkpointed module that is computed again
                self.calls, self.begun = Counter(), Counter()
                self.passes.append(Counter())
            number = self.begun[module]
            self.begun[module] += 1
            before = (self.calls.copy(), self.begun.copy()) if self.log else None
            self.stack.append((module, number, self.clock, before, (*inputs, *named.values())))

    def _end(self, module: Any, inputs: Any, output: Any) -> None:
        if not self.here() or not self.stack:
            return
        _, number, begun, before, _ = self.stack.pop()
        if before is not None:
            self.clock += 1
            ended = Ended(
                number, begun, self.clock, output, versions(output), self.calls - before[0], self.begun - before[1]
            )
            self.ended.setdefault(module, []).append(ended)

    def inner(self) -> str:
        """Return the name of the innermost module at work."""
        return self.names[self.stack[-1][0]] if self.stack else ""

    def key(self) -> Key:
        """Return the name of the site that is computed now."""
        inner = self.inner()
        self.calls[inner] += 1
        if self.stack:
            self.passes[-1][inner] += 1
        return inner, self.calls[inner]
