"""The models of the engine as modules of PyTorch: the same names, shapes and outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import _engine
from .pictures import needed


def _recurrent(kind: str, inputs: int, hidden: int, layers: int, both: bool) -> Any:
    nn = needed("torch", "torch").nn
    return (nn.LSTM if kind == "lstm" else nn.GRU)(inputs, hidden, layers, batch_first=True, bidirectional=both)


def _read(torch: Any, module: Any, source: Any) -> tuple[Any, Any, Any]:
    """States of the encoder (B, S, H), its last state, and where a row has ended."""
    lengths = (source >= 0).sum(1)
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        module.embedding(source.clamp(min=0)), lengths.cpu(), batch_first=True, enforce_sorted=False
    )
    states, last = module.encoder(packed)
    states = torch.nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])[0]
    return states, last, source < 0


def classifier(model: Mapping[str, Any], weights: Mapping[str, Any], sizes: Mapping[str, int]) -> Any:
    torch = needed("torch", "torch")
    nn = torch.nn

    class GatedClassifier(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            vocab, width = weights["embedding.weight"].shape
            out = model["hidden"] * (2 if model["bidirectional"] else 1)
            self.embedding = nn.Embedding(vocab, width)
            self.encoder = _recurrent(model["cell"], width, model["hidden"], 1, model["bidirectional"])
            if model["score"] == "linear":
                self.score = nn.Linear(out, 1, bias=False)
            else:
                inner = model["score_hidden"]
                self.score = nn.ModuleDict({"hidden": nn.Linear(out, inner), "out": nn.Linear(inner, 1, bias=False)})
            self.beta = nn.Linear(out, weights["beta.weight"].shape[0], bias=False)

        def forward(self, source: Any) -> tuple[Any, Any]:
            states, _, absent = _read(torch, self, source)
            if isinstance(self.score, nn.Linear):
                scores = self.score(states)[..., 0]
            else:
                scores = self.score["out"](torch.relu(self.score["hidden"](states)))[..., 0]
            if model["attention"] == "uniform":
                scores = torch.zeros_like(scores)
            attention = torch.softmax(scores.masked_fill(absent, -torch.inf), -1)
            return (attention[..., None] * self.beta(states)).sum(1), attention[:, None]

    return GatedClassifier()


def translator(model: Mapping[str, Any], weights: Mapping[str, Any], sizes: Mapping[str, int]) -> Any:
    torch = needed("torch", "torch")
    nn = torch.nn

    class Seq2Seq(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            vocab, width = weights["embedding.weight"].shape
            self.wide = model["hidden"] * (2 if model["bidirectional"] else 1)
            self.start_token = sizes["start_token"]
            self.embedding = nn.Embedding(vocab, width)
            if "target_embedding.weight" in weights:
                self.target_embedding = nn.Embedding(*weights["target_embedding.weight"].shape)
            self.encoder = _recurrent(model["cell"], width, model["hidden"], model["layers"], model["bidirectional"])
            self.decoder = _recurrent(model["cell"], width, self.wide, model["layers"], False)
            self.heads = []
            if "attention.query.weight" in weights:
                self.attention = self.head_of_attention()
                self.heads = [self.attention]
            elif any(name.startswith("head.") for name in weights):
                self.head = nn.ModuleDict({str(number): self.head_of_attention() for number in model["heads"]})
                self.heads = list(self.head.values())
            self.combine = nn.Linear(self.wide * (2 if self.heads else 1), self.wide, bias=False)
            self.output = nn.Linear(self.wide, weights["output.weight"].shape[0], bias=False)

        def head_of_attention(self) -> Any:
            return nn.ModuleDict({"query": nn.Linear(self.wide, self.wide), "context": nn.Linear(self.wide, self.wide)})

        def bridge(self, state: Any) -> Any:
            """The encoder's last state as the decoder's first: both directions side by side."""
            if isinstance(state, tuple):
                return tuple(self.bridge(part) for part in state)
            if not model["bidirectional"]:
                return state
            return state.view(model["layers"], 2, *state.shape[1:]).transpose(1, 2).flatten(2).contiguous()

        def attend(self, head: Any, said: Any, states: Any, absent: Any) -> tuple[Any, Any]:
            scores = head["query"](said) @ states.transpose(1, 2)
            if model["attention"] == "uniform":
                scores = torch.zeros_like(scores)
            attention = torch.softmax(scores.masked_fill(absent[:, None], -torch.inf), -1)
            return attention, head["context"](attention @ states)

        def forward(self, source: Any, target: Any) -> tuple[Any, Any]:
            states, last, absent = _read(torch, self, source)
            first = torch.full((len(target), 1), self.start_token, dtype=target.dtype, device=target.device)
            fed = torch.cat([first, target[:, :-1].clamp(min=0)], 1)
            table = self.target_embedding if hasattr(self, "target_embedding") else self.embedding
            said, _ = self.decoder(table(fed), self.bridge(last))
            attention = None
            if self.heads:
                rows, contexts = zip(*(self.attend(head, said, states, absent) for head in self.heads))
                attention = torch.stack(rows).mean(0)
                said = torch.cat([said, torch.stack(contexts).mean(0)], -1)
            squash = torch.relu if model["combiner"] == "relu" else torch.tanh
            return self.output(squash(self.combine(said))), attention

    return Seq2Seq()


def _layers(weights: Mapping[str, Any], prefix: str) -> Any:
    """PREFIX.0, PREFIX.1, … as linear layers."""
    nn = needed("torch", "torch").nn
    layers: list[Any] = []
    while f"{prefix}.{len(layers)}.weight" in weights:
        out, inputs = weights[f"{prefix}.{len(layers)}.weight"].shape
        layers.append(nn.Linear(inputs, out))
    return nn.ModuleList(layers)


def features(model: Mapping[str, Any], weights: Mapping[str, Any], sizes: Mapping[str, int]) -> Any:
    torch = needed("torch", "torch")
    nn = torch.nn
    leaky = nn.functional.leaky_relu

    class FeatureAttention(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.mlp = _layers(weights, "mlp")
            if model["gate"] == "free":
                self.attention = nn.ParameterDict({"logits": torch.zeros(self.mlp[0].in_features)})
            elif model["gate"] == "input":
                self.attention = _layers(weights, "attention")

        def forward(self, items: Any) -> tuple[Any, Any]:
            attention, x = None, items
            if model["gate"] != "none":
                if model["gate"] == "free":
                    logits = self.attention["logits"].expand(len(items), -1)
                else:
                    logits = self.attention[1](leaky(self.attention[0](items)))
                attention = torch.softmax(logits, -1)
                x = attention * items * (items.shape[1] if model["rescale"] else 1)
            for place, layer in enumerate(self.mlp):
                x = layer(x if place == 0 else leaky(x))
            return x, None if attention is None else attention[:, None]

    return FeatureAttention()


def bags(model: Mapping[str, Any], weights: Mapping[str, Any], sizes: Mapping[str, int]) -> Any:
    torch = needed("torch", "torch")
    nn = torch.nn
    leaky = nn.functional.leaky_relu
    asks = model["score"] != "simple"
    if model["score"] == "flat":
        raise _engine.wrong_input("a bag-attention of score 'flat' has no module: it does not attend", "scores simple, dot, general and additive have")

    class BagAttention(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.items = _layers(weights, "items")
            wide = self.items[-1].out_features
            if model["item_norm"]:
                self.items.add_module("norm", nn.BatchNorm1d(wide))
            if model["score"] == "general":
                self.attention = nn.Linear(wide, wide, bias=False)
            elif model["score"] in ("simple", "additive"):
                inner, inputs = weights["attention.hidden.weight"].shape
                self.attention = nn.ModuleDict({"hidden": nn.Linear(inputs, inner, bias=not asks), "out": nn.Linear(inner, 1, bias=False)})
            self.head = nn.ModuleDict({
                "norm0": nn.BatchNorm1d(wide),
                "linear0": nn.Linear(wide, wide),
                "norm1": nn.BatchNorm1d(wide),
                "linear1": nn.Linear(wide, weights["head.linear1.weight"].shape[0]),
            })

        def states(self, items: Any, present: Any) -> Any:
            """What the network makes of the items that are there; 0 elsewhere."""
            x = items[present]
            for layer in self.items[: len(self.items) - model["item_norm"]]:
                x = leaky(layer(x))
            if model["item_norm"]:
                x = self.items.norm(x)
            return x.new_zeros(*present.shape, x.shape[-1]).masked_scatter(present[..., None], x)

        def scores(self, states: Any, present: Any) -> Any:
            if not asks:
                return self.attention["out"](torch.relu(self.attention["hidden"](states)))[..., 0]
            query = states.sum(1) / present.sum(1, keepdim=True)
            if model["score"] == "dot":
                return (states @ query[..., None])[..., 0] / states.shape[-1] ** 0.5
            if model["score"] == "general":
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

    return BagAttention()


def pooling(model: Mapping[str, Any], weights: Mapping[str, Any], sizes: Mapping[str, int]) -> Any:
    torch = needed("torch", "torch")
    nn = torch.nn
    kind = model["similarity"]
    if kind not in ("gaussian-learned", "general", "additive"):
        raise _engine.wrong_input(f"the similarity '{kind}' has no module", "those that learn have: gaussian-learned, general and additive")

    class Pooling(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            if kind == "gaussian-learned":
                self.w = nn.Parameter(torch.zeros(1))
            elif kind == "general":
                self.weight = nn.Parameter(torch.zeros(*weights["weight"].shape))
            else:
                inner, width = weights["query.weight"].shape
                self.query, self.key = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
                self.out = nn.Linear(inner, 1, bias=False)

        def scores(self, queries: Any, keys: Any) -> Any:
            if kind == "gaussian-learned":
                return -(((queries[:, None] - keys) * self.w) ** 2).sum(-1) / 2
            if kind == "general":
                return queries @ self.weight @ keys.T
            return self.out(torch.tanh(self.query(queries)[:, None] + self.key(keys)))[..., 0]

        def forward(self, keys: Any, values: Any, queries: Any) -> tuple[Any, Any]:
            attention = torch.softmax(self.scores(queries, keys) / model["temperature"], -1)
            return attention @ values, attention[None]

    return Pooling()


Maker = Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, int]], Any]
MAKERS: dict[str, Maker] = {
    "seq2seq": translator,
    "seq2seq-heads": translator,
    "gated-classifier": classifier,
    "feature-attention": features,
    "bag-attention": bags,
    "pooling": pooling,
}
