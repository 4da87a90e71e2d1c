"""The embeddings of a batch, as a tensor whose gradient can be taken."""

from __future__ import annotations

from typing import Any

from ..pictures import needed

torch = needed("torch", "torch")

from torch.overrides import TorchFunctionMode  # noqa: E402


class Embedded(TorchFunctionMode):  # type: ignore[misc]
    """The embeddings of tokens in a pass, or the vectors that a batch has in their place, for a gradient to be asked of."""

    def __init__(self, tokens: Any) -> None:
        super().__init__()
        self._tokens, self.out = tokens, None

    def take(self, tensor: Any) -> Any:
        """Take the first tensor of vectors of a batch."""
        if self.out is None and tensor.is_floating_point() and tensor.dim() == 3:
            self.out = tensor = tensor.detach().clone().requires_grad_()
        return tensor

    def __torch_function__(self, func: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        if func is torch.nn.functional.embedding and self.out is None and self._tokens is not None:
            ids = (*args, *(kwargs or {}).values())[0]
            if ids.shape == self._tokens.shape and bool((ids.cpu() == self._tokens.cpu()).all()):
                self.out = out = out if out.requires_grad else out.requires_grad_()
        return out
