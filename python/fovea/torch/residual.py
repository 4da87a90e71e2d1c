"""The residual stream of a model and the outputs of its heads: found, read and changed in passes over one batch.

Names are TransformerLens's. ``hook_resid_pre`` is the input of a block and ``hook_resid_post`` its output, both (examples,
positions, width). ``hook_z`` is the output of the heads of a site before they are mixed, (examples, rows, heads, width of a head).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..pictures import needed
from .base_pass import Base
from .model import Model, over
from .observed import Observed
from .scope import Key

torch = needed("torch", "torch")

from torch import nn  # noqa: E402

Change = Callable[[Key, Any], Any]  # (site, z) -> z, (examples, heads, rows, width) each
HOOKS = ("hook_resid_pre", "hook_resid_post", "hook_z")


@dataclass(frozen=True)
class Block:
    """A module that takes the residual stream and gives it back: the layer around a site."""

    module: Any
    name: str
    turned: bool  # (positions, examples, width)

    def read(self, tree: Any) -> Any:
        """Return the first stream in it, (examples, positions, width); None if there is none."""
        stream = _first(tree)
        return stream.transpose(0, 1) if stream is not None and self.turned else stream

    def put(self, tree: Any, stream: Any) -> Any:
        """Return the same with another stream."""
        old = _first(tree)
        new = stream.transpose(0, 1) if self.turned else stream
        return over(tree, lambda tensor: new if tensor is old else tensor)


class Heads:
    """Reads the outputs of heads in a pass, and changes them.

    Parameters
    ----------
    shapes : dict
        (examples, heads, rows, positions) of each site.
    turned : dict
        The sites whose outputs are read, and whether their rows come before their heads.
    change : function, optional
        Gives other outputs.

    Attributes
    ----------
    seen : dict
        (examples, heads, rows, width) of each site.
    """

    def __init__(
        self, shapes: dict[Key, tuple[int, ...]], turned: dict[Key, bool], change: Change | None = None
    ) -> None:
        self._shapes, self._turned, self._change = shapes, turned, change
        self.seen: dict[Key, Any] = {}

    def __call__(self, key: Key, out: Any) -> Any:
        """Read the outputs of a site, as a Tap has them."""
        if key not in self._turned:
            return out
        examples, heads, rows, _ = self._shapes[key]
        turned, width = self._turned[key], out.size(-1)
        if out.numel() != examples * heads * rows * width:
            return out
        first, second = (rows, heads) if turned else (heads, rows)
        z = out.reshape(examples, first, second, width)
        z = z.transpose(1, 2) if turned else z
        self.seen[key] = z.detach()
        if self._change is None:
            return out
        z = self._change(key, z)
        return (z.transpose(1, 2) if turned else z).reshape(out.shape)


class Residual:
    """The blocks around the sites of a model, and how the outputs of its heads are read.

    Parameters
    ----------
    observed : Observed
        The model, its batch and its sites.

    Attributes
    ----------
    blocks : dict
        The block of each layer, by the layer's number. Sites of one block have one entry, of the first.
    stack : list of int
        The layers of the stack of the last block, in order.
    turned : dict
        The sites whose heads' outputs are read, and whether their rows come before their heads.
    """

    def __init__(self, observed: Observed) -> None:
        self._observed = observed
        with observed.model.at_rest():
            self.blocks = self._found()
            self.turned = self._readable()
        last = list(self.blocks.values())[-1:]
        parent = last[0].name.rpartition(".")[0] if last else ""
        self.stack = [number for number, block in self.blocks.items() if block.name.rpartition(".")[0] == parent]

    def heads(self, observed: Observed, change: Change | None = None) -> Heads:
        """Return a reader of the outputs of heads in a pass over a batch of the same model."""
        return Heads(observed.shapes, self.turned, change)

    @contextlib.contextmanager
    def streams(self) -> Iterator[dict[str, dict[int, Any]]]:
        """Read the residual stream in a pass: before and after the block of each layer."""
        found: dict[str, dict[int, Any]] = {"hook_resid_pre": {}, "hook_resid_post": {}}
        handles = []

        def note(hook: str, number: int, block: Block, tree: Any) -> None:
            stream = block.read(tree)
            if stream is not None:
                found[hook].setdefault(number, stream.detach().clone())  # it may be written to later

        try:
            for number, block in self.blocks.items():
                handles.append(
                    block.module.register_forward_pre_hook(
                        lambda _, args, kwargs, n=number, b=block: note("hook_resid_pre", n, b, (args, kwargs)),
                        with_kwargs=True,
                    )
                )
                handles.append(
                    block.module.register_forward_hook(
                        lambda _, args, out, n=number, b=block: note("hook_resid_post", n, b, out)
                    )
                )
            yield found
        finally:
            for handle in handles:
                handle.remove()

    def read_off(self, stream: Any) -> Any:
        """Return the answers if the last block gives this stream: the blocks between are passed over."""
        block = self.blocks[self.stack[-1]]
        handle = block.module.register_forward_hook(lambda _, args, out: block.put(out, stream.clone()))
        try:
            return self._observed.answer(self._observed.model())
        finally:
            handle.remove()

    def _found(self) -> dict[int, Block]:
        """The block around each site: of the modules that take and give a stream of the site's shape, an element of a list of layers, or
        else the outermost; no stack of layers."""
        observed = self._observed
        calls = _calls_of(observed.model)
        blocks: dict[int, Block] = {}
        for key in observed.sites:
            examples, _, rows, _ = observed.shapes[key]
            fit = []
            for name in _around(key[0]):
                module, taken, given, times = calls.get(name, (None, None, None, 0))
                if times != 1 or taken is None or taken != given or _is_stack(name, list(observed.sites), calls):
                    continue
                if taken[:2] in ((examples, rows), (rows, examples)):
                    fit.append(Block(module, name, _is_turned(module, taken[:2], (examples, rows))))
            listed = [block for block in fit if _in_list(block.name, calls)]
            for block in (listed or fit)[:1]:
                if block.name not in [known.name for known in blocks.values()]:
                    blocks[observed.numbers[key]] = block
        return blocks

    def _readable(self) -> dict[Key, bool]:
        """The sites at which one row of one head without attention gives 0 in its own place and changes nothing else."""
        observed, readable = self._observed, {}
        base = observed.base()
        for key, shape in observed.shapes.items():
            example, head, row = self._some_row(base, key)
            for turned in dict.fromkeys((False, shape[1] > 1 and shape[2] > 1)):
                before, after = (Heads(observed.shapes, {key: turned}) for _ in range(2))

                def plan(site: Key, attention: Any, allowed: Any, factor: float) -> Any:
                    attention = attention.clone()  # both passes take the same product, whatever the factor
                    if site == key:
                        attention[example, head, row] *= factor
                    return attention

                observed.base(partial(plan, factor=1.0), outputs=before)
                observed.base(partial(plan, factor=0.0), outputs=after)
                if key not in before.seen:
                    continue
                differs = (before.seen[key] != after.seen[key]).any(-1)
                if differs[example, head, row] and differs.sum() == 1 and not after.seen[key][example, head, row].any():
                    readable[key] = turned
                    break
        return readable

    @staticmethod
    def _some_row(base: Base, key: Key) -> tuple[int, int, int]:
        """The last example and head, and the first row that may attend to something: another index in each order of the axes."""
        can = base.seen[key].allowed.any(-1)
        example, head = can.size(0) - 1, can.size(1) - 1
        return example, head, int(can[example, head].int().argmax())


Calls = dict[str, tuple[Any, Any, Any, int]]


def _calls_of(model: Model) -> Calls:
    """Each module by its name, the shapes of the first stream that it took and gave, and how often it was called."""
    calls: Calls = {}
    handles: list[Any] = []

    def note(module: Any, args: Any, kwargs: Any, out: Any) -> None:
        name = model.names[module]
        times = calls[name][3] if name in calls else 0
        shapes = (None if one is None else tuple(one.shape) for one in (_first((args, kwargs)), _first(out)))
        calls[name] = (module, *shapes, times + 1)

    try:
        for module in model.names:
            if not isinstance(module, torch.jit.ScriptModule):
                handles.append(module.register_forward_hook(note, with_kwargs=True))
        model()
    finally:
        for handle in handles:
            handle.remove()
    for module, name in model.names.items():  # such as a list of layers, which is not called
        calls.setdefault(name, (module, None, None, 0))
    return calls


def _first(tree: Any) -> Any:
    """The first tensor of real numbers with three axes."""
    found: list[Any] = []

    def note(tensor: Any) -> Any:
        if tensor.dim() == 3 and tensor.is_floating_point():
            found.append(tensor)
        return tensor

    over(tree, note)
    return found[0] if found else None


def _is_turned(module: Any, axes: tuple[int, ...], straight: tuple[int, int]) -> bool:
    """Whether positions come before examples. If there are as many of both, parts of PyTorch have it as ``batch_first``."""
    if straight[0] != straight[1]:
        return axes != straight
    return any(getattr(part, "batch_first", True) is False for part in module.modules())


def _around(name: str) -> list[str]:
    """The names of a module and of those around it, the outermost first."""
    parts = name.split(".") if name else []
    return [".".join(parts[:count]) for count in range(len(parts) + 1)]


def _in_list(name: str, calls: Calls) -> bool:
    parent = calls.get(name.rpartition(".")[0]) if name else None
    return parent is not None and isinstance(parent[0], (nn.ModuleList, nn.Sequential, nn.ModuleDict))


def _is_stack(name: str, sites: Sequence[Key], calls: Calls) -> bool:
    """Whether it has a list of layers, two or more of which attend."""
    within = [site for site, _ in sites if name in _around(site)]
    layers = {
        next((one for one in _around(site) if len(one) > len(name) and _in_list(one, calls)), "") for site in within
    }
    return len(layers - {""}) > 1
