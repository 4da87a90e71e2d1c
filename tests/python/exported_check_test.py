"""Erasure, comprehensiveness and sufficiency of a trained classifier, computed again from its exported weights in NumPy alone."""

import math

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

GONE, VOCAB, LENGTH, HIDDEN = 3, 12, 8, 12


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Exported:
    """The classifier from the arrays of a safetensors file: a bidirectional LSTM, a linear score, a logit of each position."""

    def __init__(self, weights):
        self.of = {name: values.astype(np.float64) for name, values in weights.items()}

    def states(self, row, back):
        ending = "_l0_reverse" if back else "_l0"
        w, u, b, c = (self.of[f"encoder.{part}{ending}"] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        hidden, cell, found = np.zeros(HIDDEN), np.zeros(HIDDEN), []
        for token in row[::-1] if back else row:
            i, f, g, o = np.split(w @ self.of["embedding.weight"][token] + u @ hidden + b + c, 4)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            hidden = sigmoid(o) * np.tanh(cell)
            found.append(hidden)
        return found[::-1] if back else found

    def read(self, row):
        """α and the logits of single positions."""
        states = np.hstack([self.states(row, False), self.states(row, True)])
        scores = states @ self.of["score.weight"][0]
        weights = np.exp(scores - scores.max())
        return weights / weights.sum(), states @ self.of["beta.weight"][0]

    def p(self, row, without=None):
        """The probabilities of both classes, if the weight of position ``without`` is dropped."""
        weights, logits = self.read(row)
        if without is not None:
            weights[without] = 0
            weights /= weights.sum()
        one = sigmoid(weights @ logits)
        return np.array([1 - one, one])


def jsd(p, q):
    m = (p + q) / 2
    return (p @ np.log(p / m) + q @ np.log(q / m)) / 2


@pytest.fixture(scope="module")
def case(tmp_path_factory):
    """A run of experiment keyword-lstm, its weights as a file, and what the check says of it."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOVEA_HOME", str(home))
        small = {"task.vocab": VOCAB, "task.length": LENGTH, "model.hidden": HIDDEN, "model.embedding": 8}
        settings = {**small, "train.steps": 220, "probe.every": 220}
        run = fovea.run("keyword-lstm", seed=0, quick=True, set=settings, progress=False)
        module = fovea.to_torch(run).double()
        exported = Exported(run.weights())
    tokens = torch.as_tensor(np.random.default_rng(0).integers(0, VOCAB, (60, LENGTH)))
    both = lambda out: torch.cat([torch.zeros_like(out[0]), out[0]], 1)  # noqa: E731
    check = fovea.check_classifier(module, tokens, both, erase=GONE, shuffles=3, search=0)
    return check, exported, tokens.numpy()


def test_attention(case):
    check, exported, tokens = case
    for found, row in zip(check.attention, tokens):
        np.testing.assert_allclose(found, exported.read(row)[0], atol=1e-6)


def test_erasure(case):
    check, exported, tokens = case
    found = check.of_examples
    for one, row in enumerate(tokens):
        moved = [jsd(exported.p(row), exported.p(row, place)) for place in range(LENGTH)]
        top = exported.read(row)[0].argmax()
        assert found["erased_top"][one] == pytest.approx(moved[top], abs=1e-6)
        assert np.abs(np.delete(moved, top) - found["erased_other"][one]).min() < 1e-6
    assert found["erased_top"].max() > 0.05
    assert check.figures["erasure"].mean == np.mean(found["erased_top"] > found["erased_other"])


@pytest.mark.parametrize("name", ["comprehensiveness", "sufficiency"])
def test_deleted_positions(case, name):
    check, exported, tokens = case
    expected = []
    for row in tokens:
        p, order, lost = exported.p(row), np.argsort(-exported.read(row)[0], kind="stable"), []
        for share in (0.01, 0.05, 0.1, 0.2, 0.5):
            top = np.isin(np.arange(LENGTH), order[: math.ceil(round(share * LENGTH, 9))])
            left = np.where(top == (name == "sufficiency"), row, GONE)
            lost.append(p.max() - exported.p(left)[p.argmax()])
        expected.append(np.mean(lost))
    np.testing.assert_allclose(check.of_examples[name], expected, atol=1e-6)
    assert check.figures[name].mean == pytest.approx(np.mean(expected), abs=1e-6) and np.ptp(expected) > 1e-3
