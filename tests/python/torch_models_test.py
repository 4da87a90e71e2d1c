"""Models of every kind as modules of PyTorch, and back, bit for bit."""

import copy

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

RANDOM = np.random.default_rng(0)
ITEMS = RANDOM.normal(size=(5, 3, 4)).astype(np.float32)
LENGTHS = np.array([3, 1, 2, 3, 2], np.int32)
VECTORS = RANDOM.normal(size=(6, 4)).astype(np.float32)


def bags(split, seed, size):
    random = np.random.default_rng([seed, len(split)])
    while True:
        items = random.normal(size=(size, 3, 4))
        yield {"items": items, "lengths": random.integers(1, 4, size), "labels": (items[:, 0, 0] > 0).astype(int)}


def vectors(classes):
    def batches(split, seed, size):
        random = np.random.default_rng([seed, len(split)])
        while True:
            items = random.normal(size=(size, 4))
            yield {"items": items, "labels": items[:, :classes].argmax(1)}

    return batches


def trained(task, model, precision="float"):
    return fovea.run(
        {
            "task": task,
            "model": model,
            "train": {"steps": 8, "batch": 8, "rate": 1e-2, "precision": precision},
            "probe": {"names": ["loss"]},
        }
    )


def same_bits(one, other):
    assert set(one) == set(other)
    for name, values in one.items():
        assert values.dtype == other[name].dtype and values.tobytes() == other[name].tobytes(), name


def goes_there_and_back(run, batch, inputs, answers="scores", *, told):
    """The module's outputs are the engine's; the weights that come back are the same bits, and so is what they give."""
    module = fovea.to_torch(run)
    weights, ours = run.weights(), run.apply(batch)
    state = {
        name: values.numpy() for name, values in module.state_dict().items() if not name.endswith("num_batches_tracked")
    }
    same_bits(state, weights)
    dtype = torch.float64 if any(values.dtype == np.float64 for values in weights.values()) else torch.float32
    tensors = [torch.tensor(values, dtype=dtype if values.dtype.kind == "f" else torch.long) for values in inputs]
    outputs, attention = module(*tensors)
    np.testing.assert_allclose(outputs.detach().numpy(), ours[answers], atol=1e-5)
    if ours["attention"] is None:
        assert attention is None
    else:
        np.testing.assert_allclose(attention.detach().numpy(), ours["attention"], atol=1e-5)
    for back in (fovea.from_torch(module), fovea.from_torch(module.state_dict(), **told)):
        same_bits(back.weights(), weights)
        assert back.apply(batch)[answers].tobytes() == ours[answers].tobytes()


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("gate", ["free", "input", "none"])
@pytest.mark.parametrize("classes, rescale", [(2, False), (3, True)])
def test_features(gate, classes, rescale, precision):
    task = fovea.Task(vectors(classes), kind="labelled_vectors", width=4, classes=classes)
    own = {"free": {"rescale": rescale}, "input": {"rescale": rescale, "gate_hidden": 7}, "none": {}}[gate]
    run = trained(task, {"name": "feature-attention", "gate": gate, "hidden": [6, 5], **own}, precision)
    batch = {"items": VECTORS, "labels": np.zeros(6, np.int32)}
    goes_there_and_back(run, batch, [VECTORS], told={} if gate == "none" else {"rescale": rescale})


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("score", ["simple", "dot", "general", "additive"])
def test_bags(score, norm):
    task = fovea.Task(bags, kind="labelled_bags", width=4, classes=2, most_items=3)
    run = trained(task, {"name": "bag-attention", "score": score, "hidden": [6, 5], "item_norm": norm})
    batch = {"items": ITEMS, "lengths": LENGTHS, "labels": np.zeros(5, np.int32)}
    goes_there_and_back(run, batch, [ITEMS, LENGTHS], told={})


def test_a_flat_bag_has_no_attention():
    task = fovea.Task(bags, kind="labelled_bags", width=4, classes=2, most_items=3)
    run = trained(task, {"name": "bag-attention", "score": "flat", "hidden": [6]})
    ours = run.apply({"items": ITEMS, "lengths": LENGTHS, "labels": np.zeros(5, np.int32)})
    present = (torch.arange(3) < torch.tensor(LENGTHS)[:, None])[..., None]
    scores, attention = fovea.to_torch(run)(torch.tensor(ITEMS) * present, torch.tensor(LENGTHS))
    np.testing.assert_allclose(scores.detach().numpy(), ours["scores"], atol=1e-5)
    assert attention is None


@pytest.mark.parametrize(
    "similarity, own", [("gaussian-learned", {"w": 0.7}), ("general", {}), ("additive", {"hidden": 3})]
)
def test_pooling(similarity, own):
    run = fovea.run(
        {
            "task": {"name": "curve", "points": 20, "width": 2, "queries": 7},
            "model": {"name": "pooling", "similarity": similarity, "temperature": 0.5, **own},
            "train": {"steps": 5, "batch": 1, "rate": 0.1, "precision": "double"},
            "probe": {"names": ["pooling_error"]},
        }
    )
    keys, values, queries = RANDOM.normal(size=(9, 2)), RANDOM.normal(size=(9, 1)), RANDOM.normal(size=(4, 2))
    keys, values, queries = (array.astype(np.float32) for array in (keys, values, queries))
    goes_there_and_back(
        run,
        {"keys": keys, "values": values, "queries": queries},
        [keys, values, queries],
        "predictions",
        told={"temperature": 0.5, "width": 2},
    )


def test_a_similarity_without_a_module_is_named():
    with pytest.raises(fovea.WrongInput, match="'user' has no module"):
        fovea.to_torch(
            fovea.run(
                {
                    "task": {"name": "curve"},
                    "model": {"name": "pooling", "similarity": "user", "formula": "-abs(q - k)"},
                    "train": {"steps": 1, "batch": 1},
                    "probe": {"names": ["pooling_error"]},
                }
            )
        )


@pytest.mark.parametrize(
    "model", [{"heads": [0, 3]}, {"heads": [2], "combiner": "relu"}, {"attention": "uniform"}], ids=str
)
def test_heads(model):
    run = fovea.run(
        {
            "task": {"name": "copy", "vocab": 9, "length": 5},
            "model": {"name": "seq2seq-heads", "hidden": 8, "embedding": 8, **model},
            "train": {"steps": 8, "batch": 8},
            "probe": {"names": ["accuracy"]},
        }
    )
    rows = RANDOM.integers(0, 7, (3, 6)).astype(np.int32)
    module = fovea.to_torch(run)
    ours = run.apply({"source": rows, "target": rows})
    tokens = torch.tensor(rows, dtype=torch.long)
    scores, attention = module(tokens, tokens)
    np.testing.assert_allclose(scores.detach().numpy().reshape(18, -1), ours["scores"], atol=1e-5)
    np.testing.assert_allclose(attention.detach().numpy(), ours["attention"], atol=1e-5)
    told = {key: value for key, value in model.items() if key != "heads"} | {
        "start_token": run._model().sizes["start_token"]
    }
    for back in (fovea.from_torch(module), fovea.from_torch(module.state_dict(), **told)):
        same_bits(back.weights(), run.weights())
        assert back.apply({"source": rows, "target": rows})["scores"].tobytes() == ours["scores"].tobytes()


def test_two_vocabularies():
    random = np.random.default_rng(0)

    def pairs(split, seed, size):
        while True:
            source = np.concatenate([random.integers(0, 5, (size, 4)), np.full((size, 1), 5)], 1)
            yield {"source": source, "target": source + 2}

    task = fovea.Task(pairs, kind="token_pairs", vocab=6, target_vocab=9, start_token=8, end_token=7)
    run = trained(task, {"name": "seq2seq", "hidden": 8, "embedding": 8})
    rows = next(pairs("test", 0, 3))
    module = fovea.to_torch(run)
    ours = run.apply(rows)
    scores, _ = module(*(torch.tensor(rows[side], dtype=torch.long) for side in ("source", "target")))
    np.testing.assert_allclose(scores.detach().numpy().reshape(15, -1), ours["scores"], atol=1e-5)
    back = fovea.from_torch(module.state_dict())
    assert back.apply(rows)["scores"].tobytes() == ours["scores"].tobytes()


def test_stored_runs_in_double_stay_double():
    run = fovea.run(
        "copy-subset",
        quick=True,
        names=["accuracy"],
        steps=5,
        vocab=9,
        length=5,
        hidden=8,
        embedding=8,
        precision="double",
    )
    module = fovea.to_torch(fovea.store()[run.id])
    assert module.output.weight.dtype == torch.float64
    same_bits({name: values.numpy() for name, values in module.state_dict().items()}, run.weights())


def test_a_module_trains_in_torch_and_comes_back():
    """Running means and variances too are what the engine goes by."""
    task = fovea.Task(bags, kind="labelled_bags", width=4, classes=2, most_items=3)
    run = trained(task, {"name": "bag-attention", "hidden": [6], "item_norm": True})
    module = copy.deepcopy(fovea.to_torch(run)).train()
    descent = torch.optim.SGD(module.parameters(), 0.1)
    for _, batch in zip(range(5), bags("train", 7, 16)):
        scores, _ = module(torch.tensor(batch["items"], dtype=torch.float32), torch.tensor(batch["lengths"]))
        torch.nn.functional.cross_entropy(scores, torch.tensor(batch["labels"])).backward()
        descent.step()
        descent.zero_grad()
    module.eval()
    back = fovea.from_torch(module)
    assert back.weights()["items.norm.running_mean"].tobytes() != run.weights()["items.norm.running_mean"].tobytes()
    scores, _ = module(torch.tensor(ITEMS), torch.tensor(LENGTHS))
    ours = back.apply({"items": ITEMS, "lengths": LENGTHS, "labels": np.zeros(5, np.int32)})
    np.testing.assert_allclose(scores.detach().numpy(), ours["scores"], atol=1e-5)


def streams(split, seed, size):
    random = np.random.default_rng([seed, len(split)])
    while True:
        source = random.integers(0, 6, (size, 9))
        yield {"source": source, "target": np.roll(source, 2, 1)}


@pytest.mark.parametrize(
    "model",
    [
        {"mlp": 4},
        {"position": "relative", "biases": False},
        {"position": "rotary", "attention": "relu"},
        {"position": "none", "queries": "merged", "attention": "linear"},
        {"queries": "identity", "norm": "none", "mlp": 2, "activation": "relu"},
    ],
)
def test_transformers(model):
    task = fovea.Task(streams, kind="token_streams", vocab=6, target_vocab=6, longest=9)
    run = trained(task, {"name": "transformer", "width": 8, "heads": 2, "start": 0.4, **model})
    batch = next(streams("test", 1, 3))
    module = fovea.to_torch(run)
    weights, ours = run.weights(), run.apply(batch)
    same_bits({name: values.numpy() for name, values in module.state_dict().items()}, weights)
    scores, maps = module(torch.tensor(batch["source"]))
    np.testing.assert_allclose(scores.detach().numpy(), ours["scores"], atol=2e-5)
    np.testing.assert_allclose(maps[-1].mean(1).detach().numpy(), ours["attention"], atol=1e-5)
    told = {name: model[name] for name in ("attention", "position", "activation") if name in model}
    for back in (fovea.from_torch(module), fovea.from_torch(module.state_dict(), heads=2, **told)):
        same_bits(back.weights(), weights)
        assert back.apply(batch)["scores"].tobytes() == ours["scores"].tobytes()
