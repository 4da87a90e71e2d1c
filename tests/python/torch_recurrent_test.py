"""Recurrent models as modules of PyTorch, and back."""

import numpy as np
import pytest

import fovea

COPY = dict(quick=True, names=["accuracy"], steps=20, vocab=9, length=5, hidden=8, embedding=8, keep=False)
MODELS = [
    {},
    {"cell": "gru"},
    {"bidirectional": True, "layers": 2},
    {"combiner": "relu"},
    {"attention": "uniform"},
    {"attention": "none"},
    {"biases": True},
    {"biases": True, "attention": "none"},
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_translator_goes_to_torch_and_back(model):
    torch = pytest.importorskip("torch")
    run = fovea.run("copy-subset", **{**COPY, **{f"model__{key}": value for key, value in model.items()}})
    module = fovea.to_torch(run)
    weights = run.weights()
    state = module.state_dict()
    assert set(state) == set(weights)
    assert all(state[name].numpy().tobytes() == weights[name].tobytes() for name in weights)
    source = np.array([[1, 2, 3, 4, 0, 9], [5, 6, 9, -1, -1, -1]], np.int32)
    target = np.array([[1, 2, 3, 9, -1, -1], [5, 6, 7, 8, 0, 9]], np.int32)
    batch = {"source": source, "target": target}
    scores, attention = module(torch.tensor(source, dtype=torch.long), torch.tensor(target, dtype=torch.long))
    ours = run.apply(batch)
    present = target.ravel() >= 0
    np.testing.assert_allclose(scores.detach().numpy().reshape(12, -1)[present], ours["scores"][present], atol=1e-5)
    if ours["attention"] is not None:
        np.testing.assert_allclose(
            attention.detach().numpy().reshape(12, -1)[present], ours["attention"].reshape(12, -1)[present], atol=1e-5
        )
    told = {key: value for key, value in model.items() if key in ("combiner",) or value == "uniform"}
    back = fovea.from_torch(module, **told)
    assert {name: values.tobytes() for name, values in back.weights().items()} == {
        name: values.tobytes() for name, values in weights.items()
    }
    assert back.apply(batch)["scores"].tobytes() == ours["scores"].tobytes()


@pytest.mark.parametrize(
    "model", [{}, {"bidirectional": True, "score": "mlp"}, {"cell": "gru"}, {"biases": True}], ids=str
)
def test_a_classifier_goes_to_torch_and_back(model):
    torch = pytest.importorskip("torch")
    run = fovea.run(
        "keyword-lstm",
        steps=10,
        hidden=8,
        embedding=8,
        keep=False,
        set={f"model.{key}": value for key, value in model.items()},
    )
    source = np.array([[1, 2, 3, 4], [5, 6, -1, -1]], np.int32)
    batch = {"source": source, "labels": np.array([0, 1], np.int32)}
    scores, attention = fovea.to_torch(run)(torch.tensor(source, dtype=torch.long))
    ours = run.apply(batch)
    np.testing.assert_allclose(scores.detach().numpy(), ours["scores"], atol=1e-5)
    np.testing.assert_allclose(attention.detach().numpy(), ours["attention"], atol=1e-5)
    back = fovea.from_torch(fovea.to_torch(run).state_dict())
    assert back.apply(batch)["scores"].tobytes() == ours["scores"].tobytes()


def test_weights_that_do_not_fit_are_named():
    run = fovea.run("copy-subset", **COPY)
    weights = run.weights()
    with pytest.raises(fovea.WrongInput, match="there are no weights 'embedding.weight'"):
        fovea.from_torch({"x": np.zeros(3, np.float32)})
    with pytest.raises(fovea.WrongInput, match=r"'output.weight' have the shape \(2, 2\)"):
        fovea.from_torch({**weights, "output.weight": np.zeros((2, 2), np.float32)})
    with pytest.raises(fovea.WrongInput, match="'output.weight' are int64"):
        fovea.from_torch({**weights, "output.weight": np.zeros((2, 2), np.int64)})
