"""Writes exact.json: the models of fovea/model/exact as PyTorch computes them, in double precision: loss, gradients, and the loss after twenty steps of Adam.

    python3 tests/reference/make_exact.py        (needs torch)

tests/model/exact/exact_reference_test.cpp gives Fovea the same weights and the same batch, and compares.
"""

import json
import pathlib

import torch

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(7)


def draw(*shape):
    """Multiples of 1/64: exact in single precision, in which batches are."""
    return (torch.randn(*shape, generator=generator) * 64).round() / 64


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


def linear(p, batch):
    """Each head sums values over the pairs, weighed by keys and queries, in the order of attention."""
    x, y, query = batch["items"], batch["values"], batch["queries"][:, 0]
    if "key_query" in p:
        weights = torch.einsum("bnd,hde,be->bhn", x, p["key_query"], query)
    else:
        keys, queries = torch.einsum("bnd,hrd->bhnr", x, p["key"]), torch.einsum("bd,hrd->bhr", query, p["query"])
        weights = (keys * queries[:, :, None]).sum(-1)
    heads = (weights * y[:, None, :, 0]).mean(-1)
    return ((heads @ p["value"] - batch["answers"][:, 0, 0]) ** 2).mean()


def sparse(p, batch):
    logits = p["logits"]
    if "shared_logit" in p:
        logits = torch.where(batch["marked"][0] > 0, p["shared_logit"], logits)
    said = (batch["items"] * logits.softmax(-1)[:, None]).sum(1) @ p["map.weight"].T
    return ((said - batch["answers"][:, 0]) ** 2).mean() / 2


def product(p, batch):
    def outer(a, b, c):
        return torch.einsum("i,j,k->ijk", a, b, c)

    return ((outer(p["a"], p["b"], p["c"]) - outer(*batch["answers"][0])) ** 2).mean() / 2


def race(p, batch):
    """Vectors that are given are the task's own."""
    truth = dict(zip("abcd", [*batch["answers"][0], batch["items"][0, 0]]))
    at = {name: p.get(name, truth[name]) for name in "abcd"}

    def error(names):
        def outer(vectors):
            return torch.einsum("i,j,k->ijk", *(vectors[name] for name in names))

        return ((outer(at) - outer(truth)) ** 2).mean() / 2

    cost = (torch.outer(at["a"], at["d"]) ** 2).mean() / 2
    return (error("abc") + 0.25) * error("dbc") + 0.5 * cost


def rank_one(p, batch):
    x = batch["items"]
    s = x @ p["query"] / x.shape[-1] ** 0.5
    said = (s[:, :, None] * s[:, None]).softmax(-1) @ x
    return ((said - batch["answers"]) ** 2).sum() / (2 * len(x) * x.shape[-1])


def disentangled(p, batch):
    tokens, asked = batch["source"], batch["target"]
    B, T = tokens.shape
    vocab = p["readout.weight"].shape[1] // 4 - T
    places = torch.eye(T).expand(B, T, T)
    h = torch.cat([torch.nn.functional.one_hot(tokens, vocab).double(), places], -1)
    for layer in (1, 2):
        scores = (h @ p[f"layer.{layer}.weight"].T) @ h.transpose(1, 2)
        scores = scores.masked_fill(torch.ones(T, T).triu(1).bool(), -torch.inf)
        h = torch.cat([h, scores.softmax(-1) @ h], -1)
    logits = h @ p["readout.weight"].T
    return torch.nn.functional.cross_entropy(logits[asked >= 0], asked[asked >= 0])


def induction(p, batch):
    """Each place that asks looks at those before it, by what the place before each of them holds."""
    tokens, asked = batch["source"], batch["target"]
    T = tokens.shape[1]
    lag = torch.arange(T)[:, None] - torch.arange(T)
    first = p["lags"][lag.clamp(min=0)].masked_fill(lag < 0, -torch.inf).softmax(-1)
    c, losses = p["scale"][0], []
    for b, t in (asked >= 0).nonzero().tolist():
        context = tokens[b, :t]
        weights = (first[:t, :t] @ (c * p["match"][tokens[b, t], context])).softmax(-1)
        logits = weights @ (c * p["output"][context])
        losses.append(torch.nn.functional.cross_entropy(logits[None], asked[b, t : t + 1]))
    return torch.stack(losses).mean()


def answers(logits, batch):
    """Cross-entropy at the places that ask: of the answers' distributions, or of the answers."""
    asked = batch["target"] >= 0
    said = logits[asked].log_softmax(-1)
    if "truth" in batch:
        return -(batch["truth"][asked] * said).sum(-1).mean()
    return torch.nn.functional.nll_loss(said, batch["target"][asked])


def by_position(p, tokens):
    """Each head's weights, from a logit for each lag."""
    T = tokens.shape[1]
    lag = torch.arange(T)[:, None] - torch.arange(T)
    return p["lags"][:, lag.clamp(min=0)].masked_fill(lag < 0, -torch.inf).softmax(-1)


def position_heads(p, batch):
    tokens = batch["source"]
    said = torch.stack([output[tokens] for output in p["output"]], 1)
    return answers((by_position(p, tokens) @ said).sum(1), batch)


def position_match(p, batch):
    tokens = batch["source"]
    B, T = tokens.shape
    heads = p["lags"].shape[0]
    x = torch.nn.functional.one_hot(tokens, p["match"].shape[0] // (1 + heads)).double()
    f = torch.cat([x] + [A @ x for A in by_position(p, tokens)], -1)
    scores = (f @ p["match"]) @ f.transpose(1, 2)
    scores = scores.masked_fill(torch.ones(T, T).triu(1).bool(), -torch.inf)
    return answers((scores.softmax(-1) @ x + 1e-8).log(), batch)


def logistic(p, batch):
    """Keys and queries are rows; one matrix is their product."""
    x, values, z, labels = batch["items"], batch["values"][:, :, 0], batch["queries"][:, 0], batch["answers"][:, 0, 0]
    W = p["key_query"] if "key_query" in p else p["key"].T @ p["query"]
    weights = torch.einsum("btd,de,be->bt", x, W, z).softmax(-1)
    return torch.nn.functional.softplus(-labels * (weights * values).sum(-1)).mean()


def case(model, settings, loss, parameters, batch, fixed=None):
    """`fixed`: what does not learn; its gradient is 0."""
    p = {name: (draw(*shape) * 0.5).requires_grad_() for name, shape in parameters.items()}
    p |= {name: torch.tensor(values) for name, values in (fixed or {}).items()}
    entry = {"model": model, "settings": settings, "batch": {}, "parameters": {n: flat(v) for n, v in p.items()}}
    for name, value in batch.items():
        whole = not value.is_floating_point()
        values = value.flatten().tolist() if whole else flat(value)
        entry["batch"][name] = {"shape": list(value.shape), "values": values}
    first = loss(p, batch)
    first.backward()
    entry["loss"] = first.item()
    entry["gradients"] = {n: flat(torch.zeros_like(v) if v.grad is None else v.grad) for n, v in p.items()}
    optimiser = torch.optim.Adam([v for v in p.values() if v.requires_grad], lr=1e-2)
    for _ in range(20):
        optimiser.zero_grad()
        loss(p, batch).backward()
        optimiser.step()
    entry["loss after 20"] = loss(p, batch).item()
    return entry


def pairs(B, N, D):
    return {"items": draw(B, N, D), "values": draw(B, N, 1), "queries": draw(B, 1, D), "answers": draw(B, 1, 1)}


def labelled(B, T, d):
    return pairs(B, T, d) | {"answers": torch.where(draw(B, 1, 1) > 0, 1.0, -1.0)}


def vectors(B, T, d, marked):
    marks = (torch.arange(T) >= T - marked).long().expand(B, T)
    return {"items": draw(B, T, d), "answers": draw(B, 1, d), "marked": marks}


def streams(B, T, vocab, target, first=0):
    asked = torch.randint(-1, target, (B, T), generator=generator)
    asked[:, :first] = -1
    asked[:, -1] = 0
    return {"source": torch.randint(0, vocab, (B, T), generator=generator), "target": asked}


def with_truth(batch, target):
    """The distributions of answers, in multiples of 1/64, so that rows have sum 1; 0 where nothing is asked."""
    truth = (draw(*batch["target"].shape, target).softmax(-1) * 64).floor() / 64
    truth[..., 0] += 1 - truth.sum(-1)
    return batch | {"truth": truth * (batch["target"] >= 0)[:, :, None]}


CASES = [
    case("linear-attention", {"heads": 3}, linear, {"value": (3,), "key_query": (3, 4, 4)}, pairs(6, 5, 4)),
    case(
        "linear-attention",
        {"form": "separate", "heads": 3, "rank": 2},
        linear,
        {"value": (3,), "key": (3, 2, 4), "query": (3, 2, 4)},
        pairs(6, 5, 4),
    ),
    case("sparse-attention", {}, sparse, {"logits": (6,), "map.weight": (3, 3)}, vectors(5, 6, 3, marked=1)),
    case(
        "sparse-attention",
        {"shared": True},
        sparse,
        {"logits": (6,), "shared_logit": (1,), "map.weight": (3, 3)},
        vectors(5, 6, 3, marked=3),
    ),
    case("product", {}, product, {"a": (5,), "b": (5,), "c": (5,)}, {"items": draw(1, 1, 1), "answers": draw(1, 3, 5)}),
    case(
        "disentangled",
        {},
        disentangled,
        {"layer.1.weight": (11, 11), "layer.2.weight": (22, 22), "readout.weight": (3, 44)},
        streams(4, 7, 4, 3),
    ),
    case(
        "induction-exact",
        {},
        induction,
        {"lags": (7,), "match": (4, 4), "output": (4, 5)},
        streams(4, 7, 4, 5, first=1),
        {"scale": [2.0]},
    ),
    case(
        "induction-exact",
        {"shared_pace": False},
        induction,
        {"lags": (7,), "match": (4, 4), "output": (4, 5)},
        streams(4, 7, 4, 5, first=1),
        {"scale": [1.0]},
    ),
    case("logistic-attention", {}, logistic, {"key_query": (4, 4)}, labelled(5, 6, 4)),
    case("logistic-attention", {"form": "separate"}, logistic, {"key": (4, 4), "query": (4, 4)}, labelled(5, 6, 4)),
    case("position-heads", {}, position_heads, {"lags": (3, 7), "output": (3, 4, 3)}, streams(4, 7, 4, 3)),
    case(
        "position-heads",
        {"heads": 2},
        position_heads,
        {"lags": (2, 7), "output": (2, 4, 3)},
        with_truth(streams(4, 7, 4, 3), 3),
    ),
    case("position-match", {}, position_match, {"lags": (2, 7), "match": (12, 12)}, streams(4, 7, 4, 4)),
    case(
        "position-match",
        {"heads": 1},
        position_match,
        {"lags": (1, 7), "match": (8, 8)},
        with_truth(streams(4, 7, 4, 4), 4),
    ),
    case(
        "race-product",
        {"offset": 0.25, "cost": 0.5},
        race,
        {"a": (5,), "b": (5,), "c": (5,), "d": (7,)},
        {"items": draw(1, 1, 7), "answers": draw(1, 3, 5)},
    ),
    case(
        "race-product",
        {"offset": 0.25, "cost": 0.5, "given": True},
        race,
        {"a": (5,), "d": (7,)},
        {"items": draw(1, 1, 7), "answers": draw(1, 3, 5)},
    ),
    case(
        "rank-one-attention",
        {},
        rank_one,
        {"query": (4,)},
        {"items": draw(5, 3, 4), "queries": draw(5, 3, 1), "answers": draw(5, 3, 4)},
    ),
]

path = pathlib.Path(__file__).with_name("exact.json")
path.write_text(json.dumps({"cases": CASES}, indent=0) + "\n")
