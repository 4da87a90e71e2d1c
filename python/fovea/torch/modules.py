"""The models of the engine as modules of PyTorch: the same names, shapes and outputs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

from .. import _engine
from ..pictures import needed

torch = needed("torch", "torch")

from torch import nn  # noqa: E402

from .rules import Rule, softmax  # noqa: E402

Shapes = Mapping[str, tuple[int, ...]]
leaky = nn.functional.leaky_relu


def recurrent(kind: str, inputs: int, hidden: int, layers: int, both: bool) -> Any:
    return (nn.LSTM if kind == "lstm" else nn.GRU)(inputs, hidden, layers, batch_first=True, bidirectional=both)


def encoded(encoder: Any, x: Any, source: Any) -> tuple[Any, Any, Any]:
    """States of vectors (B, S, H), the last state, and a mask of the positions behind the end of their row."""
    lengths = (source >= 0).sum(1)
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
    states, last = encoder(packed)
    states = torch.nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])[0]
    return states, last, source < 0


def loss_of(scores: Any, answers: Any) -> Any:
    """Return the mean cross-entropy of rows that have an answer; one column is the logit of class 1."""
    if scores.shape[-1] == 1:
        there = answers >= 0
        return nn.functional.binary_cross_entropy_with_logits(scores[there, 0], answers[there].to(scores.dtype))
    return nn.functional.cross_entropy(scores, answers, ignore_index=-1)


class FromRun(nn.Module):  # type: ignore[misc]
    """Build the module. ``spec`` is the model's part of a run's spec, ``sizes`` the sizes of its task."""

    inputs: tuple[str, ...] = ("source",)  # the parts of a batch that a pass reads
    answers = "labels"  # the part that has the right answers

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__()
        self.spec, self.sizes = dict(spec), dict(sizes)
        self.rules: dict[tuple[int, int], Rule] = {}  # by layer and head

    def rule(self, layer: int = 1, head: int = 1) -> Rule:
        """Return the rule of a head in the pass at hand."""
        rule = self.rules.get((layer, head), Rule())
        return dataclasses.replace(rule, pattern="uniform") if self.spec.get("attention") == "uniform" else rule

    def attend(self, scores: Any, present: Any, head: int = 1) -> Any:
        """Return the weights (B, T, S) of scores, by the rule of the head."""
        rule = self.rule(1, head)
        return rule.applied(softmax(rule.changed(scores), present), present)

    def loss(self, batch: Mapping[str, Any]) -> Any:
        """Return the loss of a batch in training."""
        scores, _ = self(*(batch[name] for name in self.inputs if name in batch))
        return loss_of(scores, batch[self.answers].flatten())


class GatedClassifier(FromRun):
    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        vocab, width = shapes["embedding.weight"]
        out = self.spec["hidden"] * (2 if self.spec["bidirectional"] else 1)
        self.embedding = nn.Embedding(vocab, width)
        self.encoder = recurrent(self.spec["cell"], width, self.spec["hidden"], 1, self.spec["bidirectional"])
        if self.spec["score"] == "linear":
            self.score = nn.Linear(out, 1, bias=False)
        else:
            inner = self.spec["score_hidden"]
            self.score = nn.ModuleDict({"hidden": nn.Linear(out, inner), "out": nn.Linear(inner, 1, bias=False)})
        self.beta = nn.Linear(out, shapes["beta.weight"][0], bias="beta.bias" in shapes)

    def forward(self, source: Any) -> tuple[Any, Any]:
        states, _, absent = encoded(self.encoder, self.embedding(source.clamp(min=0)), source)
        if isinstance(self.score, nn.Linear):
            scores = self.score(states)[..., 0]
        else:
            scores = self.score["out"](torch.relu(self.score["hidden"](states)))[..., 0]
        attention = self.attend(scores[:, None], ~absent[:, None])
        return (attention @ self.beta(states))[:, 0], attention


class Seq2Seq(FromRun):
    inputs, answers = ("source", "target"), "target"

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        vocab, width = shapes["embedding.weight"]
        self.recurrent = "encoder.weight_ih_l0" in shapes
        self.both = self.recurrent and self.spec["bidirectional"]
        self.wide = shapes["output.weight"][1]
        self.source_width = self.wide if self.recurrent else width
        self.start_token = sizes["start_token"]
        self.embedding = nn.Embedding(vocab, width)
        if "target_embedding.weight" in shapes:
            self.target_embedding = nn.Embedding(*shapes["target_embedding.weight"])
        if self.recurrent:
            self.encoder = recurrent(self.spec["cell"], width, self.spec["hidden"], self.spec["layers"], self.both)
        self.decoder = recurrent(self.spec["cell"], width, self.wide, self.spec["layers"], False)
        self.heads = []
        if "attention.context.weight" in shapes:
            self.attention = self.head_of_attention(shapes)
            self.heads = [self.attention]
        elif any(name.startswith("head.") for name in shapes):
            self.head = nn.ModuleDict({str(number): self.head_of_attention(shapes) for number in self.spec["heads"]})
            self.heads = list(self.head.values())
        biases = "output.bias" in shapes
        self.combine = nn.Linear(self.wide * (2 if self.heads else 1), self.wide, bias=biases)
        self.output = nn.Linear(self.wide, shapes["output.weight"][0], bias=biases)

    def head_of_attention(self, shapes: Shapes) -> Any:
        context = nn.Linear(self.source_width, self.wide)
        hidden = next((shape for name, shape in shapes.items() if name.endswith("score.hidden.weight")), None)
        if hidden is None:
            return nn.ModuleDict({"query": nn.Linear(self.wide, self.source_width), "context": context})
        score = nn.ModuleDict(
            {"hidden": nn.Linear(hidden[1], hidden[0], bias=False), "out": nn.Linear(hidden[0], 1, bias=False)}
        )
        return nn.ModuleDict({"score": score, "context": context})

    def bridge(self, state: Any) -> Any:
        """The encoder's last state as the decoder's first: both directions side by side."""
        if isinstance(state, tuple):
            return tuple(self.bridge(part) for part in state)
        if not self.both:
            return state
        return state.view(self.spec["layers"], 2, *state.shape[1:]).transpose(1, 2).flatten(2).contiguous()

    def read(self, source: Any) -> tuple[Any, Any, Any]:
        """Source vectors of attention, the decoder's first state (None: 0), and the positions behind the end."""
        if not self.recurrent:
            return self.embedding(source.clamp(min=0)), None, source < 0
        states, last, absent = encoded(self.encoder, self.embedding(source.clamp(min=0)), source)
        return states, self.bridge(last), absent

    def scores(self, head: Any, said: Any, states: Any) -> Any:
        """How well each source position fits each target position: (A d + a) · e, or v · tanh(W [e; d])."""
        if "query" in head:
            return head["query"](said) @ states.transpose(1, 2)
        of_states, of_said = head["score"]["hidden"].weight.split([self.source_width, self.wide], 1)
        joint = (states @ of_states.T)[:, None] + (said @ of_said.T)[:, :, None]
        return head["score"]["out"](torch.tanh(joint))[..., 0]

    def forward(self, source: Any, target: Any) -> tuple[Any, Any]:
        states, first_state, absent = self.read(source)
        first = torch.full((len(target), 1), self.start_token, dtype=target.dtype, device=target.device)
        fed = torch.cat([first, target[:, :-1].clamp(min=0)], 1)
        table = self.target_embedding if hasattr(self, "target_embedding") else self.embedding
        said, _ = self.decoder(table(fed), first_state)
        attention = None
        if self.heads:
            rows, contexts = [], []
            for number, head in enumerate(self.heads, 1):
                rows.append(self.attend(self.scores(head, said, states), ~absent[:, None], number))
                contexts.append(head["context"](rows[-1] @ states))
            attention = torch.stack(rows).mean(0)
            said = torch.cat([said, torch.stack(contexts).mean(0)], -1)
        squash = torch.relu if self.spec["combiner"] == "relu" else torch.tanh
        return self.output(squash(self.combine(said))), attention

    def loss(self, batch: Mapping[str, Any]) -> Any:
        scores, _ = self(batch["source"], batch["target"])
        return loss_of(scores.flatten(0, 1), batch["target"].flatten())


def _layers(shapes: Shapes, prefix: str) -> Any:
    """PREFIX.0, PREFIX.1, … as linear layers."""
    layers: list[Any] = []
    while f"{prefix}.{len(layers)}.weight" in shapes:
        out, inputs = shapes[f"{prefix}.{len(layers)}.weight"]
        layers.append(nn.Linear(inputs, out))
    return nn.ModuleList(layers)


class FeatureAttention(FromRun):
    inputs = ("items",)

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.mlp = _layers(shapes, "mlp")
        if self.spec["gate"] == "free":
            self.attention = nn.ParameterDict({"logits": torch.zeros(self.mlp[0].in_features)})
        elif self.spec["gate"] == "input":
            self.attention = _layers(shapes, "attention")

    def forward(self, items: Any) -> tuple[Any, Any]:
        attention, x = None, items
        if self.spec["gate"] != "none":
            if self.spec["gate"] == "free":
                logits = self.attention["logits"].expand(len(items), -1)
            else:
                logits = self.attention[1](leaky(self.attention[0](items)))
            attention = self.attend(logits[:, None], torch.ones_like(logits, dtype=torch.bool)[:, None])
            x = attention[:, 0] * items * (items.shape[1] if self.spec["rescale"] else 1)
        for place, layer in enumerate(self.mlp):
            x = layer(x if place == 0 else leaky(x))
        return x, attention

    def loss(self, batch: Mapping[str, Any]) -> Any:
        scores, _ = self(batch["items"][:, 0])
        return loss_of(scores, batch["labels"])


class BagAttention(FromRun):
    inputs = ("items", "items lengths")

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.score = spec.get("score", "flat")
        self.asks = self.score != "simple"
        if "embedding.weight" in shapes:
            self.embedding = nn.Embedding(*shapes["embedding.weight"])
        self.items = _layers(shapes, "items")
        wide = self.items[-1].out_features
        if self.spec["item_norm"]:
            self.items.add_module("norm", nn.BatchNorm1d(wide))
        if self.score == "general":
            self.attention = nn.Linear(wide, wide, bias=False)
        elif self.score in ("simple", "additive"):
            inner, inputs = shapes["attention.hidden.weight"]
            self.attention = nn.ModuleDict(
                {"hidden": nn.Linear(inputs, inner, bias=not self.asks), "out": nn.Linear(inner, 1, bias=False)}
            )
        self.head = nn.ModuleDict({"norm0": nn.BatchNorm1d(wide)})
        if "head.linear0.weight" in shapes:
            self.head["linear0"], self.head["norm1"] = nn.Linear(wide, wide), nn.BatchNorm1d(wide)
        self.head["linear1"] = nn.Linear(wide, shapes["head.linear1.weight"][0])

    def item_network(self, x: Any) -> Any:
        for layer in self.items[: len(self.items) - self.spec["item_norm"]]:
            x = leaky(layer(x))
        return self.items.norm(x) if self.spec["item_norm"] else x

    def states(self, items: Any, present: Any) -> Any:
        """What the network makes of the items that are there; 0 elsewhere."""
        x = self.item_network(items[present])
        return x.new_zeros(*present.shape, x.shape[-1]).masked_scatter(present[..., None], x)

    def scores(self, states: Any, present: Any) -> Any:
        if not self.asks:
            return self.attention["out"](torch.relu(self.attention["hidden"](states)))[..., 0]
        query = states.sum(1) / present.sum(1, keepdim=True).clamp(min=1)
        if self.score == "dot":
            return (states @ query[..., None])[..., 0] / states.shape[-1] ** 0.5
        if self.score == "general":
            return (states @ self.attention(query)[..., None])[..., 0]
        both = torch.cat([states, query[:, None].expand_as(states)], -1)
        return self.attention["out"](torch.tanh(self.attention["hidden"](both)))[..., 0]

    def forward(self, items: Any, lengths: Any = None) -> tuple[Any, Any]:
        if lengths is None:
            lengths = torch.full((len(items),), items.shape[1], device=items.device)
        present = torch.arange(items.shape[1], device=items.device) < lengths[:, None]
        if self.score == "flat":
            wide = nn.functional.pad(items, (0, 0, 0, self.sizes["most_items"] - items.shape[1]))
            return self.answer(self.item_network(wide.flatten(1)), torch.ones_like(lengths, dtype=torch.bool)), None
        if hasattr(self, "embedding"):
            items = self.embedding(items.clamp(min=0))
        states = self.states(items, present)
        attention = self.attend(self.scores(states, present)[:, None], present[:, None])
        return self.answer((attention @ states)[:, 0], lengths > 0), attention

    def answer(self, context: Any, filled: Any) -> Any:
        """The head. Empty bags have no part in the norms."""
        x = normed(self.head["norm0"], context, filled)
        if "linear0" in self.head:
            x = normed(self.head["norm1"], leaky(self.head["linear0"](x)), filled)
        return self.head["linear1"](x)


class WordAttention(BagAttention):
    inputs = ("source", "source lengths")

    def forward(self, source: Any, lengths: Any = None) -> tuple[Any, Any]:
        return super().forward(source, (source >= 0).sum(1))


def normed(norm: Any, x: Any, there: Any) -> Any:
    """Batch norm of the rows that are there; other rows give 0."""
    return norm(x) if there.all() else torch.zeros_like(x).masked_scatter(there[:, None], norm(x[there]))


class Pooling(FromRun):
    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.kind = spec["similarity"]
        if self.kind == "user":
            raise _engine.wrong_input(
                "the similarity 'user' has no module: it is a formula or a function of yours", "use another similarity"
            )
        if self.kind == "gaussian-learned":
            self.w = nn.Parameter(torch.zeros(1))
        elif self.kind == "general":
            self.weight = nn.Parameter(torch.zeros(*shapes["weight"]))
        elif self.kind == "additive":
            inner, width = shapes["query.weight"]
            self.query, self.key = (
                nn.Linear(width, inner, bias=False),
                nn.Linear(shapes["key.weight"][1], inner, bias=False),
            )
            self.out = nn.Linear(inner, 1, bias=False)

    def scores(self, queries: Any, keys: Any) -> Any:
        if self.kind == "average":
            return queries.new_zeros(len(queries), len(keys))
        if self.kind == "boxcar":
            near = ((queries[:, None] - keys) ** 2).sum(-1) <= self.spec["width"] ** 2
            return torch.zeros_like(near, dtype=keys.dtype).masked_fill(~near, -torch.inf)
        return self.similarity(queries, keys) / self.spec["temperature"]

    def similarity(self, queries: Any, keys: Any) -> Any:
        if self.kind == "general":
            return queries @ self.weight @ keys.T
        if self.kind == "additive":
            return self.out(torch.tanh(self.query(queries)[:, None] + self.key(keys)))[..., 0]
        if self.kind == "dot":
            return queries @ keys.T / math.sqrt(keys.shape[1])
        squares = ((queries[:, None] - keys) ** 2).sum(-1)
        if self.kind == "epanechnikov":
            share = squares / self.spec["width"] ** 2
            return torch.where(share < 1, torch.log1p(-share.clamp(max=1)), -torch.inf)
        return -squares * (self.w if self.kind == "gaussian-learned" else self.spec["w"]) ** 2 / 2

    def forward(self, keys: Any, values: Any, queries: Any, apart: bool = False) -> tuple[Any, Any]:
        """``apart``: query i does not see key i."""
        scores = self.scores(queries, keys)
        if self.rule().pattern == "uniform":
            scores = torch.zeros_like(scores)
        if apart:
            scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool, device=keys.device), -torch.inf)
        alone = (scores == -torch.inf).all(-1, keepdim=True)  # such a query gets the average of all values
        others = 1 - torch.eye(len(keys), dtype=keys.dtype, device=keys.device) if apart else torch.ones_like(scores)
        attention = torch.softmax(scores.masked_fill(alone, 0), -1)
        average = others / others.sum(-1, keepdim=True).clamp(min=1)
        return torch.where(alone, average, attention) @ values, attention.masked_fill(alone, 0)[None]

    def loss(self, batch: Mapping[str, Any]) -> Any:
        keys, values = batch["items"][0], batch["values"][0]
        if self.spec["train_on"] == "leave-one-out":
            return nn.functional.mse_loss(self(keys, values, keys, True)[0], values)
        return nn.functional.mse_loss(self(keys, values, batch["queries"][0])[0], batch["answers"][0])


MAKERS: dict[str, Callable[[Mapping[str, Any], Shapes, Mapping[str, int]], Any]] = {
    "seq2seq": Seq2Seq,
    "seq2seq-heads": Seq2Seq,
    "gated-classifier": GatedClassifier,
    "feature-attention": FeatureAttention,
    "bag-attention": BagAttention,
    "bag-flat": BagAttention,
    "word-attention": WordAttention,
    "pooling": Pooling,
}
