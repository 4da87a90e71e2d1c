"""PyTorch both ways: a run as a module, and a module's weights as a model of the engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _engine, checks
from ..models import Model
from ..pictures import needed
from ..runs import Run, a_run

if TYPE_CHECKING:
    import torch

Weights = Mapping[str, npt.NDArray[Any]]


def to_torch(run: Run) -> torch.nn.Module:
    """Make a module of PyTorch of a run, with the same weights to the bit and the same outputs.

    Every model has a module, except pooling with a similarity of yours. Tokens are padded with -1. The source and target of a translator have
    the token that closes a sequence, as in a batch of ``fovea``.

    Parameters
    ----------
    run
        A run whose weights were kept.

    Returns
    -------
    torch.nn.Module
        It returns ``(scores, attention)`` of ``module(source, target)`` of a translator, ``module(source)`` of a classifier,
        ``module(source, features)`` of a tagger, ``module(items)`` of vectors and ``module(items, lengths)`` of bags.
        ``module(keys, values, queries)`` of pooling returns ``(predictions, attention)``. ``module(source)`` of a transformer returns scores,
        and the attention of all heads, ``(layers, B, heads, T, T)``. The other models return ``(predictions, attention)``, without attention None.

    Raises
    ------
    WrongInput
        If the similarity of pooling is a function of yours, or the weights were not kept.

    Examples
    --------
    >>> import fovea, torch  # doctest: +SKIP
    >>> run = fovea.run("copy-subset", quick=True, steps=5, vocab=9, length=4, keep=False)  # doctest: +SKIP
    >>> source = torch.tensor([[1, 2, 3, 4, 8]])  # doctest: +SKIP
    >>> fovea.to_torch(run)(source, source)[1].shape  # doctest: +SKIP
    torch.Size([1, 5, 5])
    """
    model = a_run(run).spec["model"]
    torch = needed("torch", "torch")
    from .makers import module_of

    weights, sizes = run.weights(), run._model().sizes
    double = any(values.dtype == np.float64 for values in weights.values())
    made = module_of(model, {name: values.shape for name, values in weights.items()}, sizes, double)
    made.load_state_dict({name: torch.from_numpy(values.copy()) for name, values in weights.items()})
    return made.eval()


def from_torch(module: torch.nn.Module | Mapping[str, Any], **settings: Any) -> Model:
    """Make a model of the engine with the weights of a module of PyTorch.

    Parameters
    ----------
    module
        A module or a state dict, whose parameters have the names that ``to_torch`` gives them.
    **settings
        Settings that weights do not show. The model may have ``combiner="relu"``, ``rescale=True`` or ``temperature=2``. Its task may have the
        ``start_token`` of a translator (else the last word), or ``width`` and ``value_width`` of pooling (else 1). A module of ``to_torch`` has them.

    Returns
    -------
    Model
        The model, apart from any run.

    Raises
    ------
    WrongInput
        If names or shapes of the weights are of no model.

    Examples
    --------
    >>> import fovea
    >>> weights = fovea.run("copy-subset", quick=True, steps=5, keep=False).weights()
    >>> sorted(fovea.from_torch(weights).weights()) == sorted(weights)
    True
    """
    if not isinstance(module, Mapping) and not hasattr(module, "state_dict"):
        raise checks.wrong_type("module", module, "a torch.nn.Module, or a dict of weights by their names")
    state = checks.table("module", module if isinstance(module, Mapping) else module.state_dict(), "output.weight")
    if not state:
        raise _engine.wrong_input(
            "there are no weights", "give a module that has some, or a dict of them by their names"
        )
    weights = {
        name: _array(name, values) for name, values in state.items() if not name.endswith(".num_batches_tracked")
    }
    spec, sizes = _told_by(weights)
    spec.update(getattr(module, "spec", {}))
    sizes.update((name, value) for name, value in getattr(module, "sizes", {}).items() if name in sizes)
    for name, value in settings.items():
        (sizes if name in sizes else spec)[name] = value
    double = any(values.dtype == np.float64 for values in weights.values())
    return Model(spec, sizes, weights, double=double)


def _told_by(weights: Weights) -> tuple[dict[str, Any], dict[str, Any]]:
    """Find the model and the sizes of its task from the weights' names and shapes."""
    for name, tell in (
        ("mlp.0.weight", _features),
        ("head.linear0.weight", _bags),
        ("w", _pooling),
        ("weight", _pooling),
        ("query.weight", _pooling),
        ("layer.1.value.weight", _transformer),
    ):
        if name in weights:
            return tell(weights)
    return _recurrent(weights)


def _features(weights: Weights) -> tuple[dict[str, Any], dict[str, Any]]:
    outs = _outs(weights, "mlp")
    gate = "free" if "attention.logits" in weights else "input" if "attention.0.weight" in weights else "none"
    spec: dict[str, Any] = {"name": "feature-attention", "gate": gate, "hidden": outs[:-1]}
    if gate == "input":
        spec["gate_hidden"] = len(weights["attention.0.weight"])
    return spec, {"kind": "labelled_vectors", "width": weights["mlp.0.weight"].shape[1], "classes": max(2, outs[-1])}


def _bags(weights: Weights) -> tuple[dict[str, Any], dict[str, Any]]:
    hidden = weights.get("attention.hidden.weight")
    score = "general" if "attention.weight" in weights else "dot"
    if hidden is not None:
        score = "simple" if "attention.hidden.bias" in weights else "additive"
    spec: dict[str, Any] = {
        "name": "bag-attention",
        "score": score,
        "hidden": _outs(weights, "items"),
        "item_norm": "items.norm.weight" in weights,
    }
    if hidden is not None:
        spec["score_hidden"] = len(hidden)
    classes = len(weights["head.linear1.weight"])
    return spec, {
        "kind": "labelled_bags",
        "width": weights["items.0.weight"].shape[1],
        "classes": classes,
        "most_items": 1 << 20,
    }


def _pooling(weights: Weights) -> tuple[dict[str, Any], dict[str, Any]]:
    spec: dict[str, Any] = {"name": "pooling", "similarity": "gaussian-learned"}
    width = 1
    if "weight" in weights:
        spec["similarity"], width = "general", weights["weight"].shape[1]
    elif "query.weight" in weights:
        spec["similarity"] = "additive"
        spec["hidden"], width = weights["query.weight"].shape
    return spec, {"kind": "points", "width": width, "value_width": 1}


def _transformer(weights: Weights) -> tuple[dict[str, Any], dict[str, Any]]:
    """Compare all but the parts without weights: the number of heads, rotary positions, the rule of attention."""
    layers = {int(name.split(".")[1]) for name in weights if name.startswith("layer.")}
    vocab, width = weights["embedding.weight"].shape
    up = weights.get("layer.1.mlp.0.weight")
    relative = weights.get("layer.1.position.weight")
    learned = weights.get("position.weight")
    has_query, has_key = ("layer.1.query.weight" in weights), ("layer.1.key.weight" in weights)
    spec: dict[str, Any] = {
        "name": "transformer",
        "layers": len(layers),
        "width": width,
        "mlp": 0 if up is None else len(up) // width,
        "norm": "pre" if "norm.weight" in weights else "none",
        "position": "learned" if learned is not None else "relative" if relative is not None else "none",
        "queries": "separate" if has_query and has_key else "merged" if has_query else "identity",
        "biases": "layer.1.value.bias" in weights,
        "gate": "layer.1.gate.weight" in weights,
        "tied": "unembedding.weight" not in weights,
    }
    if "layer.1.sink" in weights:
        spec.update(attention="softmax-sink", heads=len(weights["layer.1.sink"]))
    longest = next((len(table) for table in (learned, relative) if table is not None), 1 << 16)
    return spec, {
        "kind": "token_streams",
        "vocab": vocab,
        "target_vocab": len(weights["embedding.weight" if spec["tied"] else "unembedding.weight"]),
        "longest": longest,
    }


def _recurrent(weights: Weights) -> tuple[dict[str, Any], dict[str, Any]]:
    for name in ("embedding.weight", "encoder.weight_ih_l0", "encoder.weight_hh_l0"):
        if name not in weights:
            there = ", ".join(sorted(weights)[:8])
            raise _engine.wrong_input(
                f"there are no weights '{name}'", f"the names that fovea.to_torch gives are needed; here are {there}"
            )
    vocab, embedding = weights["embedding.weight"].shape
    rows, hidden = weights["encoder.weight_hh_l0"].shape
    if rows not in (3 * hidden, 4 * hidden):
        raise _engine.wrong_input(
            f"'encoder.weight_hh_l0' has the shape ({rows}, {hidden})",
            "an LSTM has four rows for each unit, a GRU three",
        )
    spec = {
        "embedding": embedding,
        "hidden": hidden,
        "cell": "lstm" if rows == 4 * hidden else "gru",
        "bidirectional": "encoder.weight_ih_l0_reverse" in weights,
    }
    if "decoder.weight_ih_l0" not in weights:
        return _classifier(spec, weights)
    layers = sum(name.startswith("encoder.weight_ih_l") and not name.endswith("_reverse") for name in weights)
    heads = [int(name.split(".")[1]) for name in weights if re.fullmatch(r"head\.\d+\.query\.weight", name)]
    attends = heads or "attention.query.weight" in weights
    spec.update(name="seq2seq-heads" if heads else "seq2seq", layers=layers, attention="learned" if attends else "none")
    if heads:
        spec["heads"] = heads
    if "output.bias" in weights:
        spec["biases"] = True
    targets = len(weights.get("target_embedding.weight", weights["embedding.weight"]))
    return spec, {
        "kind": "token_pairs",
        "vocab": vocab,
        "target_vocab": targets,
        "start_token": targets - 1,
        "end_token": max(0, targets - 2),
    }


def _classifier(spec: dict[str, Any], weights: Weights) -> tuple[dict[str, Any], dict[str, Any]]:
    beta = weights.get("beta.weight")
    classes = 2 if beta is None or beta.shape[0] == 1 else beta.shape[0]
    inner = weights.get("score.hidden.weight")
    spec.update(name="gated-classifier", score="linear" if inner is None else "mlp")
    if inner is not None:
        spec.update(score_hidden=inner.shape[0])
    if "beta.bias" in weights:
        spec["biases"] = True
    return spec, {"kind": "labelled_tokens", "vocab": len(weights["embedding.weight"]), "classes": classes}


def _outs(weights: Weights, prefix: str) -> list[int]:
    """How wide PREFIX.0, PREFIX.1, … are."""
    outs: list[int] = []
    while f"{prefix}.{len(outs)}.weight" in weights:
        outs.append(len(weights[f"{prefix}.{len(outs)}.weight"]))
    return outs


def _array(name: str, values: Any) -> npt.NDArray[Any]:
    array = np.asarray(values.detach().cpu().numpy() if hasattr(values, "detach") else values)
    if array.dtype not in (np.float32, np.float64):
        raise _engine.wrong_input(f"the weights '{name}' are {array.dtype}", "give float32 or float64")
    return array
