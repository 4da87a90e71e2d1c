"""PyTorch both ways: a run as a module, and a module's weights as a model of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _engine
from .pictures import needed
from .models import Model
from .runs import Run

if TYPE_CHECKING:
    import torch


def to_torch(run: Run) -> torch.nn.Module:
    """The model of a run as a ``torch.nn.Module`` with the same weights, to the bit, and the same outputs.

    ``module(source, target)`` of a translator, ``module(source)`` of a classifier, give ``(scores, attention)``; tokens are
    padded with -1. A translator's ``source`` and ``target`` are as in a batch of fovea: both hold the token that closes a sequence.
    """
    model = run.spec["model"]
    weights = run.weights()
    kinds = {"seq2seq": translator, "gated-classifier": classifier}
    if model["name"] not in kinds:
        raise _engine.wrong_input(f"a model '{model['name']}' has no module yet", f"those of {' and '.join(kinds)} have")
    made = kinds[model["name"]](model, weights, run._model().start_token)
    make_tensor = needed("torch", "torch").from_numpy
    made.load_state_dict({name: make_tensor(values.copy()) for name, values in weights.items()})
    return made.eval()


def from_torch(module: torch.nn.Module | Mapping[str, Any], *, start_token: int | None = None, **settings: Any) -> Model:
    """A model of the engine with the weights of a module, or of a state dict, whose parameters have the names that
    ``to_torch`` gives them: ``embedding``, ``encoder`` and ``score`` and ``beta`` (a classifier), or ``decoder``, ``attention.query``,
    ``attention.context``, ``combine`` and ``output`` (a translator; its ``start_token`` is what the decoder is fed first, the last
    word of the vocabulary if nothing is said). ``settings`` are those of the model that weights do not tell, as ``combiner="relu"``."""
    state = module if isinstance(module, Mapping) else module.state_dict()
    weights = {name: _array(name, values) for name, values in state.items()}
    if start_token is None:
        start_token = int(getattr(module, "start_token", -1))
    spec, shape = _told_by(weights, start_token)
    twice = any(values.dtype == np.float64 for values in weights.values())
    return Model({**spec, **settings}, shape, weights, twice=twice)


def _told_by(weights: Mapping[str, npt.NDArray[Any]], start_token: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The model and the sizes of its task, as the weights' shapes tell them."""
    for name in ("embedding.weight", "encoder.weight_ih_l0", "encoder.weight_hh_l0"):
        if name not in weights:
            there = ", ".join(sorted(weights)[:8])
            raise _engine.wrong_input(f"there are no weights '{name}'", f"the names that fovea.to_torch gives are needed; here are {there}")
    vocab, embedding = weights["embedding.weight"].shape
    rows, hidden = weights["encoder.weight_hh_l0"].shape
    if rows not in (3 * hidden, 4 * hidden):
        raise _engine.wrong_input(
            f"'encoder.weight_hh_l0' has the shape ({rows}, {hidden})", "an LSTM has four rows for each unit, a GRU three"
        )
    spec = {
        "embedding": embedding,
        "hidden": hidden,
        "cell": "lstm" if rows == 4 * hidden else "gru",
        "bidirectional": "encoder.weight_ih_l0_reverse" in weights,
    }
    if "decoder.weight_ih_l0" in weights:
        layers = sum(name.startswith("encoder.weight_ih_l") and not name.endswith("_reverse") for name in weights)
        start = vocab - 1 if start_token < 0 else start_token
        attends = "attention.query.weight" in weights
        spec.update(name="seq2seq", layers=layers, attention="learned" if attends else "none")
        return spec, {"kind": "token_pairs", "vocab": vocab, "target_vocab": vocab, "start_token": start, "end_token": max(0, vocab - 2)}
    beta = weights.get("beta.weight")
    classes = 2 if beta is None or beta.shape[0] == 1 else beta.shape[0]
    inner = weights.get("score.hidden.weight")
    spec.update(name="gated-classifier", score="linear" if inner is None else "mlp")
    if inner is not None:
        spec.update(score_hidden=inner.shape[0])
    return spec, {"kind": "labelled_tokens", "vocab": vocab, "classes": classes}


def _array(name: str, values: Any) -> npt.NDArray[Any]:
    array = np.asarray(values.detach().cpu().numpy() if hasattr(values, "detach") else values)
    if array.dtype not in (np.float32, np.float64):
        raise _engine.wrong_input(f"the weights '{name}' are {array.dtype}", "give float32 or float64")
    return array


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


def classifier(model: Mapping[str, Any], weights: Mapping[str, Any], start_token: int) -> Any:
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


def translator(model: Mapping[str, Any], weights: Mapping[str, Any], start_token: int) -> Any:
    torch = needed("torch", "torch")
    nn = torch.nn

    class Seq2Seq(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            vocab, width = weights["embedding.weight"].shape
            self.wide = model["hidden"] * (2 if model["bidirectional"] else 1)
            self.start_token = start_token
            self.embedding = nn.Embedding(vocab, width)
            self.encoder = _recurrent(model["cell"], width, model["hidden"], model["layers"], model["bidirectional"])
            self.decoder = _recurrent(model["cell"], width, self.wide, model["layers"], False)
            attends = "attention.query.weight" in weights
            if attends:
                self.attention = nn.ModuleDict(
                    {"query": nn.Linear(self.wide, self.wide), "context": nn.Linear(self.wide, self.wide)}
                )
            self.combine = nn.Linear(self.wide * (2 if attends else 1), self.wide, bias=False)
            self.output = nn.Linear(self.wide, weights["output.weight"].shape[0], bias=False)

        def bridge(self, state: Any) -> Any:
            """The encoder's last state as the decoder's first: both directions side by side."""
            if isinstance(state, tuple):
                return tuple(self.bridge(part) for part in state)
            if not model["bidirectional"]:
                return state
            return state.view(model["layers"], 2, *state.shape[1:]).transpose(1, 2).flatten(2).contiguous()

        def forward(self, source: Any, target: Any) -> tuple[Any, Any]:
            states, last, absent = _read(torch, self, source)
            first = torch.full((len(target), 1), self.start_token, dtype=target.dtype, device=target.device)
            fed = torch.cat([first, target[:, :-1].clamp(min=0)], 1)
            said, _ = self.decoder(self.embedding(fed), self.bridge(last))
            attention = None
            if hasattr(self, "attention"):
                scores = self.attention["query"](said) @ states.transpose(1, 2)
                if model["attention"] == "uniform":
                    scores = torch.zeros_like(scores)
                attention = torch.softmax(scores.masked_fill(absent[:, None], -torch.inf), -1)
                said = torch.cat([said, self.attention["context"](attention @ states)], -1)
            squash = torch.relu if model["combiner"] == "relu" else torch.tanh
            return self.output(squash(self.combine(said))), attention

    return Seq2Seq()
