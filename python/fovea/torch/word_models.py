"""Models that read each token by itself, as modules of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..pictures import needed

torch = needed("torch", "torch")

from torch import nn  # noqa: E402

from .modules import FromRun, Shapes, loss_of  # noqa: E402


def parameter(shapes: Shapes, name: str) -> Any:
    return nn.Parameter(torch.zeros(shapes[name]))


class ToyGate(FromRun):
    """Two symbols: weights 1 - p and p of symbols 0 and 1, divided by the number of their positions."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.beta0, self.beta1 = parameter(shapes, "beta0"), parameter(shapes, "beta1")
        self.register_parameter("a" if "a" in shapes else "p", parameter(shapes, "a" if "a" in shapes else "p"))

    def forward(self, source: Any) -> tuple[Any, Any]:
        p = torch.sigmoid(self.a) if hasattr(self, "a") else self.p
        there, key = source >= 0, source == 1
        n0, n1 = (there & ~key).sum(1, keepdim=True), key.sum(1, keepdim=True)
        gated = (n0 > 0) & (n1 > 0)
        share = torch.where(gated, torch.where(key, p, 1 - p), torch.ones_like(p))
        weights = (share / torch.where(key, n1, n0).clamp(min=1)).masked_fill(~there, 0)
        attention = self.rule().applied(weights[:, None], there[:, None])
        return (attention[:, 0] * torch.where(key, self.beta1, self.beta0)).sum(1, keepdim=True), attention

    def loss(self, batch: Mapping[str, Any]) -> Any:
        scores, _ = self(batch["source"])
        wrong = torch.where(batch["labels"] == 1, -scores[:, 0], scores[:, 0])
        return 2 * (wrong if self.spec["loss"] == "linear" else nn.functional.softplus(wrong)).mean()


class UnigramGate(FromRun):
    """s = Σ softmax(a) β + c."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.beta, self.a = parameter(shapes, "beta"), parameter(shapes, "a")
        if "bias" in shapes:
            self.bias = parameter(shapes, "bias")

    def forward(self, source: Any) -> tuple[Any, Any]:
        there, tokens = source >= 0, source.clamp(min=0)
        attention = self.attend(self.a[tokens][:, None], there[:, None])
        score = (attention[:, 0] * self.beta[tokens]).sum(1, keepdim=True)
        return score + self.bias if hasattr(self, "bias") else score, attention


class WordMean(FromRun):
    """The mean over words of W e + b, or of a row for each word."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        if "weights" in shapes:
            self.weights, self.bias = parameter(shapes, "weights"), parameter(shapes, "bias")
        else:
            self.embedding = nn.Embedding(*shapes["embedding.weight"])
            outputs, width = shapes["output.weight"]
            self.output = nn.Linear(width, outputs)

    def forward(self, source: Any, target: Any = None) -> tuple[Any, Any]:
        there, tokens = (source >= 0)[..., None], source.clamp(min=0)
        said = self.weights[tokens] + self.bias if hasattr(self, "weights") else self.output(self.embedding(tokens))
        return said.masked_fill(~there, 0).sum(1) / there.sum(1), None


class WordMeanTranslator(WordMean):
    """The same scores at every target position."""

    inputs, answers = ("source", "target"), "target"

    def forward(self, source: Any, target: Any = None) -> tuple[Any, Any]:
        scores, _ = super().forward(source)
        return scores[:, None].expand(-1, target.shape[1], -1), None

    def loss(self, batch: Mapping[str, Any]) -> Any:
        return loss_of(self(batch["source"], batch["target"])[0].flatten(0, 1), batch["target"].flatten())


WORD_MODELS = {
    "toy-gate": ToyGate,
    "unigram-gate": UnigramGate,
    "word-mean": WordMean,
    "word-mean-translator": WordMeanTranslator,
}
