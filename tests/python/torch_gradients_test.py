"""The modules of PyTorch against the engine: losses, gradients and outputs of the same updates, in double precision."""

import json
import pathlib

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

from fovea.torch.makers import module_of  # noqa: E402
from fovea.torch.rules import Rule  # noqa: E402

COPY = {"name": "copy", "vocab": 9, "length": 5, "shortest": 3}
WORDS = {"name": "keyword", "vocab": 9, "length": 6}
STREAM = {"name": "markov-icl", "states": 3, "length": 12}
MENTIONS = {"name": "entities", "corpus": "made-mentions", "features": False}
SMALL = {"hidden": 8, "embedding": 6}
LAYERS = {"name": "transformer", "width": 8, "heads": 2, "layers": 2, "start": 0.4}


def spec(task, model, intervene=(), steps=3):
    return {
        "task": task,
        "model": model,
        "train": {"steps": steps, "batch": 8, "rate": 1e-2, "precision": "double"},
        "probe": {"names": ["loss"]},
        "intervene": list(intervene),
    }


def updates(of):
    """What the engine computed in each update, and the run."""
    seen = []

    def look(step):
        arrays = {"source": step.source, "target": step.target, "labels": step.labels}
        batch = {name: torch.tensor(np.array(one)).long() for name, one in arrays.items() if one is not None}
        seen.append(
            {
                "loss": step.loss,
                "parameters": {name: torch.tensor(np.array(one)) for name, one in step.parameters.items()},
                "gradients": {name: np.array(one) for name, one in step.gradients.items()},
                "batch": batch,
            }
        )

    return fovea.run(of, keep=False, on_step=look, progress=False), seen


def agree(run, update, batch, rules=None):
    shapes = {name: tuple(one.shape) for name, one in update["parameters"].items()}
    module = module_of(run.spec["model"], shapes, run._model().sizes, True).train()
    assert {name for name in module.state_dict() if "num_batches" not in name} == set(shapes)
    module.load_state_dict(update["parameters"], strict=False)
    module.rules = rules or {}
    loss = module.loss(batch)
    assert loss.item() == pytest.approx(update["loss"], rel=1e-12)
    if loss.requires_grad:
        loss.backward()
    for name, parameter in module.named_parameters():
        ours = update["gradients"][name]
        theirs = np.zeros_like(ours) if parameter.grad is None else parameter.grad.numpy()
        np.testing.assert_allclose(theirs, ours, rtol=1e-9, atol=1e-13, err_msg=name)


TOKENS = [
    (COPY, {"name": "seq2seq", **SMALL}),
    (COPY, {"name": "seq2seq", **SMALL, "score": "additive", "biases": True}),
    (COPY, {"name": "seq2seq", **SMALL, "encoder": "embedding"}),
    (COPY, {"name": "seq2seq", **SMALL, "encoder": "embedding", "score": "additive", "cell": "gru"}),
    (COPY, {"name": "seq2seq", **SMALL, "attention": "none"}),
    (COPY, {"name": "seq2seq", **SMALL, "bidirectional": True, "layers": 2, "combiner": "relu", "cell": "gru"}),
    (COPY, {"name": "seq2seq", **SMALL, "attention": "uniform"}),
    (COPY, {"name": "seq2seq-heads", **SMALL, "heads": [0, 3]}),
    (COPY, {"name": "word-mean-translator", "embedding": 4}),
    (WORDS, {"name": "gated-classifier", **SMALL}),
    (WORDS, {"name": "gated-classifier", **SMALL, "score": "mlp", "cell": "gru", "bidirectional": True}),
    (WORDS, {"name": "word-mean", "embedding": 4}),
    (WORDS, {"name": "word-mean", "embedding": 0}),
    (WORDS, {"name": "word-attention", "embedding": 4, "hidden": [5]}),
    (WORDS, {"name": "word-attention", "embedding": 4, "hidden": [5], "score": "additive", "item_norm": True}),
    (WORDS, {"name": "unigram-gate", "beta_spread": 0.3, "logit_spread": 0.3, "bias": True}),
    ({"name": "two-sequences"}, {"name": "toy-gate"}),
    (
        {"name": "two-sequences"},
        {"name": "toy-gate", "gate": "bounded", "loss": "logistic", "beta0": 0.1, "beta1": -0.3},
    ),
    ({"name": "causal-tree"}, {"name": "disentangled"}),
    (MENTIONS, {"name": "linear-tagger", "reach": 2}),
    (MENTIONS, {"name": "window-tagger", **SMALL, "reach": 1}),
    (STREAM, {**LAYERS, "mlp": 4, "attention": "softmax-one"}),
    (STREAM, {**LAYERS, "position": "relative", "biases": False, "attention": "softmax-sink"}),
    (STREAM, {**LAYERS, "position": "rotary", "attention": "relu", "tied": True}),
    (STREAM, {**LAYERS, "position": "none", "queries": "merged", "attention": "linear", "gate": True}),
    (STREAM, {**LAYERS, "queries": "identity", "norm": "none", "mlp": 2, "activation": "relu"}),
]


@pytest.mark.parametrize("task, model", TOKENS, ids=str)
def test_models_of_tokens(task, model):
    run, seen = updates(spec(task, model))
    for update in seen:
        agree(run, update, update["batch"] | lengths(update["batch"]))


def test_a_pattern_that_is_not_there_is_refused():
    with pytest.raises(fovea.WrongInput, match="there is no pattern 'window'"):
        Rule("window").held(torch.zeros(1, 2, 2), torch.ones(1, 1, 2, dtype=torch.bool))


def lengths(batch):
    return {"source lengths": (batch["source"] >= 0).sum(1)}


RULES = [
    (COPY, {"name": "seq2seq", **SMALL}, {"hold": "uniform"}, (1, 1), Rule("uniform")),
    ({"name": "two-sequences"}, {"name": "toy-gate"}, {"hold": "uniform"}, (1, 1), Rule("uniform")),
    (STREAM, LAYERS, {"hold": "previous", "of": "layer.1.head.2"}, (1, 2), Rule("previous")),
    (STREAM, {**LAYERS, "attention": "linear"}, {"hold": "first", "of": "layer.2.head.1"}, (2, 1), Rule("first")),
    (STREAM, LAYERS, {"hold": "uniform", "of": "layer.2.head.1"}, (2, 1), Rule("uniform")),
    (STREAM, LAYERS, {"ablate": "layer.2.head.1"}, (2, 1), Rule(ablated=True)),
    (STREAM, LAYERS, {"copy": 1.5, "of": "layer.2.head.1"}, (2, 1), Rule(copy=1.5)),
    (
        COPY,
        {"name": "seq2seq-heads", **SMALL, "heads": [0, 3]},
        {"hold": "uniform", "of": "layer.1.head.2"},
        (1, 2),
        Rule("uniform"),
    ),
]


@pytest.mark.parametrize("task, model, intervention, head, rule", RULES, ids=str)
def test_rules_of_heads(task, model, intervention, head, rule):
    run, seen = updates(spec(task, model, [intervention]))
    for update in seen:
        agree(run, update, update["batch"], {head: rule})


def test_a_rule_of_another_head_is_another_loss():
    run, seen = updates(spec(STREAM, LAYERS, [{"hold": "previous", "of": "layer.1.head.2"}]))
    with pytest.raises(AssertionError):
        agree(run, seen[0], seen[0]["batch"], {(1, 1): Rule("previous")})


# Scores of the head are proportional to these rows of its queries.
@pytest.mark.parametrize(
    "task, model, queries, rows",
    [
        (STREAM, LAYERS, ["layer.1.query.weight", "layer.1.query.bias"], slice(4, 8)),
        (STREAM, {**LAYERS, "position": "relative"}, ["layer.1.query.weight", "layer.1.query.bias"], slice(4, 8)),
        ({"name": "causal-tree"}, {"name": "disentangled"}, ["layer.1.weight"], slice(None)),
    ],
    ids=str,
)
def test_a_factor_of_scores_is_one_of_queries(task, model, queries, rows):
    run, seen = updates(spec(task, model))
    parameters, batch = seen[-1]["parameters"], seen[-1]["batch"]
    scaled = {name: one.clone() for name, one in parameters.items()}
    for name in queries:
        scaled[name][rows] *= -3
    head = (1, 2) if model["name"] == "transformer" else (1, 1)
    losses = []
    for values, rules in [(parameters, {head: Rule(factor=-3.0)}), (scaled, {}), (parameters, {})]:
        shapes = {name: tuple(one.shape) for name, one in values.items()}
        module = module_of(run.spec["model"], shapes, run._model().sizes, True).train()
        module.load_state_dict(values)
        module.rules = rules
        losses.append(module.loss(batch).item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-12)
    assert losses[0] != pytest.approx(losses[2], rel=1e-6)


def test_scores_are_multiplied_and_then_shifted():
    scores = torch.tensor([[[1.0, 0.0], [2.0, 3.0]]])
    shift = torch.tensor([[[5.0, 0.0], [6.0, 7.0]]])
    assert torch.equal(Rule(factor=2.0, shift=shift).changed(scores), 2 * scores + shift)
    assert Rule().changed(scores) is scores


def own_task(make, **sizes):
    """A task whose training batches are noted."""
    noted = []

    def batches(split, seed, size):
        random = np.random.default_rng([seed, len(split)])
        while True:
            batch = make(random, size)
            if split == "train":
                noted.append(batch)
            yield batch

    return fovea.Task(batches, **sizes), noted


def tensors(batch):
    arrays = {name: np.asarray(one) for name, one in batch.items()}
    return {
        name: torch.tensor(one).double() if one.dtype.kind == "f" else torch.tensor(one).long()
        for name, one in arrays.items()
    }


def bags(random, size):
    items = random.normal(size=(size, 3, 4)).astype(np.float32)
    return {"items": items, "lengths": random.integers(1, 4, size), "labels": random.integers(0, 2, size)}


def vectors(random, size):
    items = random.normal(size=(size, 4)).astype(np.float32)
    return {"items": items, "labels": items[:, :3].argmax(1)}


def points(random, size):
    shapes = {"keys": (9, 2), "values": (9, 1), "queries": (4, 2), "answers": (4, 1)}
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


BAGS = [
    *(
        {"name": "bag-attention", "score": score, "hidden": [6, 5]}
        for score in ("simple", "dot", "general", "additive", "flat")
    ),
    {"name": "bag-attention", "hidden": [6, 5], "item_norm": True},
    {"name": "bag-attention", "hidden": [6, 5], "head": "linear"},
    {"name": "bag-flat", "hidden": [6, 5]},
]


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("model", BAGS, ids=str)
def test_bags(model, held):
    if held and "flat" in (model["name"][4:], model.get("score")):
        return
    task, noted = own_task(bags, kind="labelled_bags", width=4, classes=2, most_items=3)
    run, seen = updates(spec(task, model, [{"hold": "uniform"}] if held else []))
    for update, batch in zip(seen, noted[-len(seen) :]):
        told = tensors(batch)
        told["items lengths"] = told.pop("lengths")
        told["items"] *= (torch.arange(3) < told["items lengths"][:, None])[..., None]
        agree(run, update, told, {(1, 1): Rule("uniform")} if held else {})


@pytest.mark.parametrize("gate", ["free", "input", "none"])
def test_features(gate):
    task, noted = own_task(vectors, kind="labelled_vectors", width=4, classes=3)
    run, seen = updates(spec(task, {"name": "feature-attention", "gate": gate, "hidden": [6, 5]}))
    for update, batch in zip(seen, noted[-len(seen) :]):
        told = tensors(batch)
        agree(run, update, {**told, "items": told["items"][:, None]})


@pytest.mark.parametrize("train_on", ["queries", "leave-one-out"])
@pytest.mark.parametrize(
    "similarity", ["average", "gaussian", "boxcar", "epanechnikov", "gaussian-learned", "dot", "general", "additive"]
)
def test_pooling(similarity, train_on):
    task, noted = own_task(points, kind="points", width=2, value_width=1)
    of = spec(task, {"name": "pooling", "similarity": similarity, "train_on": train_on})
    of["train"]["batch"], of["probe"]["names"] = 1, ["pooling_error"]
    run, seen = updates(of)
    for update, batch in zip(seen, noted[-len(seen) :]):
        told = {name: one[None] for name, one in tensors(batch).items()}
        agree(run, update, {**told, "items": told["keys"]})


def reference(name):
    """What tests/reference/make_NAME.py wrote, which shares no code with the modules."""
    return json.loads((pathlib.Path(__file__).parents[1] / "reference" / f"{name}.json").read_text())


def loaded(spec, weights, shapes, sizes):
    module = module_of(spec, shapes, sizes, True).train()
    state = {name: torch.tensor(values, dtype=torch.float64).view(shapes[name]) for name, values in weights.items()}
    module.load_state_dict(state)
    return module


def agrees(module, batch, loss, gradients):
    said = module.loss(batch)
    said.backward()
    if loss is not None:
        assert said.item() == pytest.approx(loss, rel=1e-9)
    for name, parameter in module.named_parameters():
        theirs = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        np.testing.assert_allclose(theirs.flatten().numpy(), gradients[name], atol=1e-9, err_msg=name)


@pytest.mark.parametrize("case", reference("exact")["cases"], ids=lambda case: f"{case['model']} {case['settings']}")
def test_exact_models(case):
    batch = {
        name: torch.tensor(part["values"])
        .view(part["shape"])
        .to(torch.float64 if isinstance(part["values"][0], float) else torch.long)
        for name, part in case["batch"].items()
    }
    d = batch["items"].shape[-1] if "items" in batch else 0
    model, settings, lags = case["model"], case["settings"], case["parameters"].get("lags", ())
    heads, rank = settings.get("heads", len(lags) // 7 or 1), settings.get("rank", 1)
    of_model = {
        "linear-attention": {
            "value": (heads,),
            "key_query": (heads, d, d),
            "key": (heads, rank, d),
            "query": (heads, rank, d),
        },
        "sparse-attention": {"logits": (6,), "shared_logit": (1,), "map.weight": (d, d)},
        "product": {"a": (5,), "b": (5,), "c": (5,)},
        "rank-one-attention": {"query": (d,)},
        "race-product": {"a": (5,), "b": (5,), "c": (5,), "d": (7,)},
        "disentangled": {"layer.1.weight": (11, 11), "layer.2.weight": (22, 22), "readout.weight": (3, 44)},
        "induction-exact": {"lags": (7,), "match": (4, 4), "output": (4, 5), "scale": (1,)},
        "logistic-attention": {"key_query": (d, d), "key": (d, d), "query": (d, d)},
        "position-heads": {"lags": (heads, 7), "output": (heads, 4, 3)},
        "position-match": {"lags": (heads, 7), "match": (4 + 4 * heads, 4 + 4 * heads)},
    }[model]
    shapes = {name: of_model[name] for name in case["parameters"]}
    module = loaded({"name": model, **settings}, case["parameters"], shapes, {"vocab": 4})
    agrees(module, batch, case["loss"], case["gradients"])


def test_a_gradient_is_precise_if_one_weight_is_nearly_1():
    random = np.random.default_rng(0)
    x, z, u = random.normal(size=(4, 3)), random.normal(size=3), random.normal(size=4)
    W = 100 * random.normal(size=(3, 3))
    p = np.exp(x @ W @ z - np.logaddexp.reduce(x @ W @ z))
    assert 0 < np.sort(p)[-2] < 1e-17
    slopes = -1 / (1 + np.exp(p @ u)) * p * ((u[:, None] - u) @ p)
    batch = {"items": x[None], "values": u[None, :, None], "queries": z[None, None], "answers": np.ones((1, 1, 1))}
    module = loaded({"name": "logistic-attention"}, {"key_query": W}, {"key_query": (3, 3)}, {})
    module.loss(tensors(batch)).backward()
    np.testing.assert_allclose(module.key_query.grad.numpy(), np.outer(x.T @ slopes, z), rtol=1e-9)


TAGGERS = reference("taggers")


@pytest.mark.parametrize("case", TAGGERS["cases"], ids=lambda case: f"{case['model']} {case['settings']}")
def test_taggers(case):
    rows = {"embedding": 9, "feature_embedding": 5, "offset": 4, "score": 1, "attention": 8, "output": 5}
    rows["encoder"] = 12 if case["settings"].get("cell") == "gru" else 16
    shapes = {}
    for name, values in case["weights"].items():
        count = rows[name.split(".")[0]]
        shapes[name] = (count,) if "bias" in name else (count, len(values) // count)
    spec = {"name": case["model"], **case["settings"], "hidden": TAGGERS["hidden"], "reach": TAGGERS["reach"]}
    module = loaded(spec, case["weights"], shapes, {})
    batch = {
        "source": torch.tensor(TAGGERS["words"]).view(4, -1),
        "target": torch.tensor(TAGGERS["answers"]).view(4, -1),
    }
    if case["features"]:
        batch["features"] = torch.tensor(TAGGERS["kinds"]).view(4, -1, TAGGERS["width"])
    agrees(module, batch, case["loss"], case["gradients"])
    scores, attention = module(batch["source"], batch.get("features"))
    there = batch["source"] >= 0
    for ours, theirs in ((scores.view(*there.shape, -1), "logits"), (attention, "attention")):
        expected = torch.tensor(case[theirs], dtype=torch.float64).view(ours.shape)
        np.testing.assert_allclose(ours[there].detach().numpy(), expected[there].numpy(), atol=1e-9)


@pytest.mark.parametrize("case", reference("addresses")["cases"], ids=lambda case: case["attention"])
def test_addresses(case):
    spec = {"name": "address-attention", "hidden": 4, "experts": 4, "factor": 0.7, "attention": case["attention"]}
    rows = {"counter": 3, "page": 5, "offset": 7, "page_head": 5, "offset_head": 7, "page_lstm": 16, "offset_lstm": 16}
    shapes = {}
    for name, values in case["weights"].items():
        count = rows[name.split(".")[0]]
        shapes[name] = (count,) if "bias" in name else (count, len(values) // count)
    batch = {
        "source": torch.tensor(case["source"]).view(case["windows"], -1),
        "target": torch.tensor(case["target"]).view(case["windows"], 2),
    }
    agrees(loaded(spec, case["weights"], shapes, {}), batch, case["loss"], case["gradients"])


def test_glimpses():
    """At given places: what is drawn follows from where the state would look."""
    of = reference("glimpse")
    spec = {"name": "glimpse", "patch": 3, "scales": 2, "glimpses": 3, "policy": "learned", "pace": 0.5, "spread": 0.3}
    outs = {"what": 5, "where": 4, "join_what": 6, "join_where": 6, "core_glimpse": 7, "core_state": 7, "classes": 4}
    outs |= {"location": 2, "baseline": 1}
    shapes = {}
    for name, values in of["weights"].items():
        count = outs[name.split(".")[0]]
        shapes[name] = (count,) if "bias" in name else (count, len(values) // count)
    module = loaded({**spec, "reward_weight": 0.7}, of["weights"], shapes, {"width": of["side"] ** 2})
    images = torch.tensor(of["pixels"], dtype=torch.float64).view(of["images"], 1, -1)
    drawn = torch.tensor(of["drawn"], dtype=torch.float64).view(of["glimpses"], of["images"], 2)
    draws = drawn.clone()
    for t in range(1, of["glimpses"]):
        with torch.no_grad():
            draws[t] = (drawn[t] - module.course(images, draws)[1][t - 1]) / spec["spread"]
    batch = {"items": images, "draws": draws, "labels": torch.tensor(of["labels"])}
    agrees(module, batch, of["loss"], of["gradients"])
    scores = module.classes(module.course(images, draws)[0][-1])
    np.testing.assert_allclose(scores.detach().flatten().numpy(), of["scores"], atol=1e-9)
