"""What an evaluation measures besides attention: the logit lens, heads that are ablated or patched, and activations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from .. import _engine
from ..pictures import needed
from . import clock
from .base_pass import Base, loss_of
from .observed import Observed
from .recorder import MOST_AT_ONCE
from .residual import HOOKS, Residual
from .scope import Key

torch = needed("torch", "torch")

Array = npt.NDArray[Any]


class Effects:
    """Measures the evaluated batch in passes of their own.

    Parameters
    ----------
    observed : Observed
    keep : int
        Of how many examples activations are kept.
    hooks : list of str
        Which activations are kept, by TransformerLens's names.
    lens : bool
        Whether the answer is read off the residual stream of each layer.
    ablate : bool
        Whether each head's output is set to 0 in turn.
    patch : Observed or None
        The batch that each head's output is taken from in turn.

    Attributes
    ----------
    seconds : dict
        What each of them took at the newest evaluation.
    """

    def __init__(
        self,
        observed: Observed,
        keep: int,
        hooks: Sequence[str],
        lens: bool,
        ablate: bool,
        patch: Observed | None,
    ) -> None:
        self._observed, self._keep, self._hooks = observed, keep, list(hooks)
        self._lens, self._ablate, self._patch = lens, ablate, patch
        self.seconds: dict[str, float] = {}
        self._residual: Residual | None = None
        if not (hooks or lens or patch):
            return
        self._residual = Residual(observed)
        for hook in hooks:
            if hook not in HOOKS:
                raise _engine.wrong_input(f"hooks has '{hook}'", _engine.suggest_name(hook, HOOKS))
        if (lens or set(hooks) - {"hook_z"}) and not self._residual.blocks:
            raise _engine.wrong_input(
                "the residual stream of this model cannot be read: no module around a site takes and gives (examples, positions, width)",
                "leave lens, hook_resid_pre and hook_resid_post out",
            )
        if "hook_z" in hooks or patch:
            unread = [name for key, name in observed.sites.items() if key not in self._residual.turned]
            if unread:
                raise _engine.wrong_input(
                    f"the outputs of the heads of '{unread[0]}' cannot be read off the product with its attention",
                    "leave hook_z and patch out, or leave the site out: sites=",
                )
        for key, name in observed.sites.items() if patch else ():
            if patch is not None and patch.shapes.get(key) != observed.shapes[key]:
                raise _engine.wrong_input(
                    f"attention of '{name}' has the shape {patch.shapes.get(key)} in the batch that is patched from, and {observed.shapes[key]} in the other",
                    "give two batches of one shape",
                )

    def measure(self, base: Base) -> tuple[dict[str, float], list[tuple[str, Array]]]:
        """Return numbers and arrays of an evaluation."""
        numbers: dict[str, float] = {}
        arrays: list[tuple[str, Array]] = []
        if self._hooks or self._lens:
            start = clock.now()
            streams, outputs = self._read()
            arrays = self._kept(streams, outputs)
            if self._hooks:
                self.seconds["hooks"] = clock.now() - start
            if self._lens:
                numbers.update(self._read_off(streams))
                self.seconds["lens"] = clock.now() - start - self.seconds.get("hooks", 0.0)
        if self._ablate:
            start = clock.now()
            for key, head, suffix in self._heads(base):
                numbers["loss_ablated" + suffix] = _loss(self._observed.base(_silenced(key, head)).answers)
            self.seconds["ablation"] = clock.now() - start
        if self._patch:
            start = clock.now()
            numbers.update(self._patched(base))
            self.seconds["patching"] = clock.now() - start
        return numbers, arrays

    def _heads(self, base: Base) -> list[tuple[Key, int, str]]:
        """The site, the index and the ending of names of each head."""
        observed = self._observed
        return [
            (key, head, observed.suffix(key, head))
            for key in observed.sites
            for head in range(base.seen[key].attention.size(1))
        ]

    def _read(self) -> tuple[dict[str, dict[int, Any]], dict[Key, Any]]:
        assert self._residual is not None
        heads = self._residual.heads(self._observed)
        with self._residual.streams() as streams:
            self._observed.base(outputs=heads)
        return streams, heads.seen

    def _kept(self, streams: dict[str, dict[int, Any]], outputs: dict[Key, Any]) -> list[tuple[str, Array]]:
        found = [
            (f"{hook}.layer.{number}", stream)
            for hook in self._hooks
            if hook in streams
            for number, stream in streams[hook].items()
        ]
        if "hook_z" in self._hooks:
            found += [(f"hook_z.layer.{self._observed.numbers[key]}", z.transpose(1, 2)) for key, z in outputs.items()]
        return [
            (name, values[: min(self._keep, MOST_AT_ONCE // values[0].numel())].float().cpu().numpy())
            for name, values in found
            if self._keep and values[0].numel() <= MOST_AT_ONCE
        ]

    def _read_off(self, streams: dict[str, dict[int, Any]]) -> dict[str, float]:
        """The loss by layer; layer 0 is the input of the first block."""
        assert self._residual is not None
        stack = self._residual.stack
        by_layer = {0: streams["hook_resid_pre"].get(stack[0])}
        by_layer |= {number: streams["hook_resid_post"].get(number) for number in stack}
        return {
            f"loss_lens_l{number}": _loss(self._residual.read_off(stream))
            for number, stream in by_layer.items()
            if stream is not None
        }

    def _patched(self, base: Base) -> dict[str, float]:
        assert self._residual is not None and self._patch is not None
        source = self._residual.heads(self._patch)
        self._patch.base(outputs=source)
        numbers = {}
        for key, head, suffix in self._heads(base):

            def change(site: Key, z: Any) -> Any:
                if site != key:
                    return z
                z = z.clone()
                z[:, head] = source.seen[key][:, head]
                return z

            outputs = self._residual.heads(self._observed, change)
            numbers["loss_patched" + suffix] = _loss(self._observed.base(outputs=outputs).answers)
        return numbers


def _silenced(key: Key, head: int) -> Any:
    def plan(site: Key, attention: Any, allowed: Any) -> Any:
        if site != key:
            return attention
        attention = attention.clone()
        attention[:, head] = 0
        return attention

    return plan


def _loss(answers: Any) -> float:
    return loss_of(answers.cpu().numpy())
