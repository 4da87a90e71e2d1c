"""The models of the engine as modules of PyTorch: the same names, shapes and outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import _engine
from ..pictures import needed

torch = needed("torch", "torch")

from torch import nn  # noqa: E402

Shapes = Mapping[str, tuple[int, ...]]
leaky = nn.functional.leaky_relu


def _recurrent(kind: str, inputs: int, hidden: int, layers: int, both: bool) -> Any:
    return (nn.LSTM if kind == "lstm" else nn.GRU)(inputs, hidden, layers, batch_first=True, bidirectional=both)


def _read(module: Any, source: Any) -> tuple[Any, Any, Any]:
    """States of the encoder (B, S, H), its last state, and a mask of ended rows."""
    lengths = (source >= 0).sum(1)
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        module.embedding(source.clamp(min=0)), lengths.cpu(), batch_first=True, enforce_sorted=False
    )
    states, last = module.encoder(packed)
    states = torch.nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])[0]
    return states, last, source < 0


class FromRun(nn.Module):  # type: ignore[misc]
    """Build the module. ``spec`` is the model's part of a run's spec, ``sizes`` the sizes of its task."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__()
        self.spec, self.sizes = dict(spec), dict(sizes)


class GatedClassifier(FromRun):
    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        vocab, width = shapes["embedding.weight"]
        out = self.spec["hidden"] * (2 if self.spec["bidirectional"] else 1)
        self.embedding = nn.Embedding(vocab, width)
        self.encoder = _recurrent(self.spec["cell"], width, self.spec["hidden"], 1, self.spec["bidirectional"])
        if self.spec["score"] == "linear":
            self.score = nn.Linear(out, 1, bias=False)
        else:
            inner = self.spec["score_hidden"]
            self.score = nn.ModuleDict({"hidden": nn.Linear(out, inner), "out": nn.Linear(inner, 1, bias=False)})
        self.beta = nn.Linear(out, shapes["beta.weight"][0], bias="beta.bias" in shapes)

    def forward(self, source: Any) -> tuple[Any, Any]:
        states, _, absent = _read(self, source)
        if isinstance(self.score, nn.Linear):
            scores = self.score(states)[..., 0]
        else:
            scores = self.score["out"](torch.relu(self.score["hidden"](states)))[..., 0]
        if self.spec["attention"] == "uniform":
            scores = torch.zeros_like(scores)
        attention = torch.softmax(scores.masked_fill(absent, -torch.inf), -1)
        return (attention[..., None] * self.beta(states)).sum(1), attention[:, None]


class Seq2Seq(FromRun):
    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        vocab, width = shapes["embedding.weight"]
        self.wide = self.spec["hidden"] * (2 if self.spec["bidirectional"] else 1)
        self.start_token = sizes["start_token"]
        self.embedding = nn.Embedding(vocab, width)
        if "target_embedding.weight" in shapes:
            self.target_embedding = nn.Embedding(*shapes["target_embedding.weight"])
        self.encoder = _recurrent(
            self.spec["cell"], width, self.spec["hidden"], self.spec["layers"], self.spec["bidirectional"]
        )
        self.decoder = _recurrent(self.spec["cell"], width, self.wide, self.spec["layers"], False)
        self.heads = []
        if "attention.query.weight" in shapes:
            self.attention = self.head_of_attention()
            self.heads = [self.attention]
        elif any(name.startswith("head.") for name in shapes):
            self.head = nn.ModuleDict({str(number): self.head_of_attention() for number in self.spec["heads"]})
            self.heads = list(self.head.values())
        biases = "output.bias" in shapes
        self.combine = nn.Linear(self.wide * (2 if self.heads else 1), self.wide, bias=biases)
        self.output = nn.Linear(self.wide, shapes["output.weight"][0], bias=biases)

    def head_of_attention(self) -> Any:
        return nn.ModuleDict({"query": nn.Linear(self.wide, self.wide), "context": nn.Linear(self.wide, self.wide)})

    def bridge(self, state: Any) -> Any:
        """The encoder's last state as the decoder's first: both directions side by side."""
        if isinstance(state, tuple):
            return tuple(self.bridge(part) for part in state)
        if not self.spec["bidirectional"]:
            return state
        return state.view(self.spec["layers"], 2, *state.shape[1:]).transpose(1, 2).flatten(2).contiguous()

    def attend(self, head: Any, said: Any, states: Any, absent: Any) -> tuple[Any, Any]:
        scores = head["query"](said) @ states.transpose(1, 2)
        if self.spec["attention"] == "uniform":
            scores = torch.zeros_like(scores)
        attention = torch.softmax(scores.masked_fill(absent[:, None], -torch.inf), -1)
        return attention, head["context"](attention @ states)

    def forward(self, source: Any, target: Any) -> tuple[Any, Any]:
        states, last, absent = _read(self, source)
        first = torch.full((len(target), 1), self.start_token, dtype=target.dtype, device=target.device)
        fed = torch.cat([first, target[:, :-1].clamp(min=0)], 1)
        table = self.target_embedding if hasattr(self, "target_embedding") else self.embedding
        said, _ = self.decoder(table(fed), self.bridge(last))
        attention = None
        if self.heads:
            rows, contexts = zip(*(self.attend(head, said, states, absent) for head in self.heads))
            attention = torch.stack(rows).mean(0)
            said = torch.cat([said, torch.stack(contexts).mean(0)], -1)
        squash = torch.relu if self.spec["combiner"] == "relu" else torch.tanh
        return self.output(squash(self.combine(said))), attention


def _layers(shapes: Shapes, prefix: str) -> Any:
    """PREFIX.0, PREFIX.1, … as linear layers."""
    layers: list[Any] = []
    while f"{prefix}.{len(layers)}.weight" in shapes:
        out, inputs = shapes[f"{prefix}.{len(layers)}.weight"]
        layers.append(nn.Linear(inputs, out))
    return nn.ModuleList(layers)


class FeatureAttention(FromRun):
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
            attention = torch.softmax(logits, -1)
            x = attention * items * (items.shape[1] if self.spec["rescale"] else 1)
        for place, layer in enumerate(self.mlp):
            x = layer(x if place == 0 else leaky(x))
        return x, None if attention is None else attention[:, None]


class BagAttention(FromRun):
    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        if spec["score"] == "flat":
            raise _engine.wrong_input(
                "a bag-attention of score 'flat' has no module: it does not attend",
                "scores simple, dot, general and additive have",
            )
        self.asks = spec["score"] != "simple"
        self.items = _layers(shapes, "items")
        wide = self.items[-1].out_features
        if self.spec["item_norm"]:
            self.items.add_module("norm", nn.BatchNorm1d(wide))
        if self.spec["score"] == "general":
            self.attention = nn.Linear(wide, wide, bias=False)
        elif self.spec["score"] in ("simple", "additive"):
            inner, inputs = shapes["attention.hidden.weight"]
            self.attention = nn.ModuleDict(
                {"hidden": nn.Linear(inputs, inner, bias=not self.asks), "out": nn.Linear(inner, 1, bias=False)}
            )
        self.head = nn.ModuleDict(
            {
                "norm0": nn.BatchNorm1d(wide),
                "linear0": nn.Linear(wide, wide),
                "norm1": nn.BatchNorm1d(wide),
                "linear1": nn.Linear(wide, shapes["head.linear1.weight"][0]),
            }
        )

    def states(self, items: Any, present: Any) -> Any:
        """What the network makes of the items that are there; 0 elsewhere."""
        x = items[present]
        for layer in self.items[: len(self.items) - self.spec["item_norm"]]:
            x = leaky(layer(x))
        if self.spec["item_norm"]:
            x = self.items.norm(x)
        return x.new_zeros(*present.shape, x.shape[-1]).masked_scatter(present[..., None], x)

    def scores(self, states: Any, present: Any) -> Any:
        if not self.asks:
            return self.attention["out"](torch.relu(self.attention["hidden"](states)))[..., 0]
        query = states.sum(1) / present.sum(1, keepdim=True)
        if self.spec["score"] == "dot":
            return (states @ query[..., None])[..., 0] / states.shape[-1] ** 0.5
        if self.spec["score"] == "general":
            return (states @ self.attention(query)[..., None])[..., 0]
        both = torch.cat([states, query[:, None].expand_as(states)], -1)
        return self.attention["out"](torch.tanh(self.attention["hidden"](both)))[..., 0]

    def forward(self, items: Any, lengths: Any = None) -> tuple[Any, Any]:
        if lengths is None:
            lengths = torch.full((len(items),), items.shape[1], device=items.device)
        present = torch.arange(items.shape[1], device=items.device) < lengths[:, None]
        states = self.states(items, present)
        attention = torch.softmax(self.scores(states, present).masked_fill(~present, -torch.inf), -1)
        context = (attention[..., None] * states).sum(1)
        hidden = leaky(self.head["linear0"](self.head["norm0"](context)))
        return self.head["linear1"](self.head["norm1"](hidden)), attention[:, None]


class Pooling(FromRun):
    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.kind = spec["similarity"]
        if self.kind not in ("gaussian-learned", "general", "additive"):
            raise _engine.wrong_input(
                f"the similarity '{self.kind}' has no module",
                "those that learn have: gaussian-learned, general and additive",
            )
        if self.kind == "gaussian-learned":
            self.w = nn.Parameter(torch.zeros(1))
        elif self.kind == "general":
            self.weight = nn.Parameter(torch.zeros(*shapes["weight"]))
        else:
            inner, width = shapes["query.weight"]
            self.query, self.key = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
            self.out = nn.Linear(inner, 1, bias=False)

    def scores(self, queries: Any, keys: Any) -> Any:
        if self.kind == "gaussian-learned":
            return -(((queries[:, None] - keys) * self.w) ** 2).sum(-1) / 2
        if self.kind == "general":
            return queries @ self.weight @ keys.T
        return self.out(torch.tanh(self.query(queries)[:, None] + self.key(keys)))[..., 0]

    def forward(self, keys: Any, values: Any, queries: Any) -> tuple[Any, Any]:
        attention = torch.softmax(self.scores(queries, keys) / self.spec["temperature"], -1)
        return attention @ values, attention[None]


MAKERS: dict[str, Callable[[Mapping[str, Any], Shapes, Mapping[str, int]], Any]] = {
    "seq2seq": Seq2Seq,
    "seq2seq-heads": Seq2Seq,
    "gated-classifier": GatedClassifier,
    "feature-attention": FeatureAttention,
    "bag-attention": BagAttention,
    "pooling": Pooling,
}
