"""The audit of an observed training: each assumption, where it is known how far it holds."""

import copy

import numpy as np
import pytest
from fovea.torch.assumptions import Assumptions

import fovea

torch = pytest.importorskip("torch")

from observed_models import GPT, PREVIOUS, TOKENS, observe, right, sharpened  # noqa: E402
from torch import nn  # noqa: E402


def flow(rows, places, looks, turned=False):
    """Attention whose logits are free and move by α (β - Σ α β), with that β, (looks, rows, places) each."""
    random = np.random.default_rng(0)
    beta, logits = random.normal(size=(rows, places)), np.zeros((rows, places))
    alphas = []
    for _ in range(looks):
        alphas.append(np.exp(logits) / np.exp(logits).sum(-1, keepdims=True))
        for _ in range(20):
            alpha = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
            logits += (-0.02 if turned else 0.02) * alpha * (beta - (alpha * beta).sum(-1, keepdims=True))
    return np.array(alphas, np.float32), beta.astype(np.float32)


@pytest.mark.parametrize("turned, cosine", [(False, 1), (True, -1)])
def test_attention_that_moves_as_free_logits_do(turned, cosine):
    alphas, beta = flow(12, 5, 6, turned)
    cube = lambda rows: rows.reshape(4, 1, 3, 5)  # noqa: E731
    order = np.argwhere(np.ones((4, 1, 3), bool))
    audit = Assumptions(order, np.ones((4, 1, 3, 5), bool), np.ones((4, 3), bool), None)
    for step, alpha in enumerate(alphas):
        measured = beta.copy()
        measured[: step % 4] = np.nan  # not every row has a β at every look
        numbers = audit.measure(step, step == 0, cube(alpha), cube(measured))
        assert ("audit_free_logit_cosine" in numbers) == (step > 0)
    assert audit.whole()["audit_free_logit_cosine_mean"] == pytest.approx(cosine, abs=0.01)
    assert numbers["audit_entropy"] == pytest.approx(-(alpha * np.log(alpha)).sum(-1).mean() / np.log(5), rel=1e-5)
    none = Assumptions(order, np.ones((4, 1, 3, 5), bool), np.ones((4, 3), bool), None)
    for step, alpha in enumerate(alphas):
        assert "audit_free_logit_cosine" not in none.measure(step, step == 0, cube(alpha), None)


def test_two_stages_one_after_the_other():
    truth, rows = np.zeros((6, 1), int), np.argwhere(np.ones((6, 1, 1), bool))
    audit = Assumptions(rows, np.ones((6, 1, 1, 4), bool), np.ones((6, 1), bool), truth)
    for step, (known, attended) in enumerate([(0, 0.25), (6, 0.25), (6, 0.9)]):
        beta = np.zeros((6, 1, 1, 4), np.float32)
        beta[:known, ..., 0], beta[known:, ..., 1] = 1, 1
        alpha = np.full((6, 1, 1, 4), (1 - attended) / 3, np.float32)
        alpha[..., 0] = attended
        audit.measure(step, step == 0, alpha, beta)
    whole = audit.whole()
    assert whole["audit_attention_rise_at_half_knowledge"] == 0 and whole["audit_first_step_not_uniform"] == 2


class Bag(nn.Module):
    """Attention over states that are the words alone, or words in their places."""

    def __init__(self, placed):
        super().__init__()
        self.words, self.places, self.placed = nn.Embedding(12, 8), nn.Embedding(8, 8), placed
        self.attention, self.out = nn.MultiheadAttention(8, 2, batch_first=True), nn.Linear(8, 12)

    def forward(self, numbers, tokens):
        x = self.words(tokens)
        x = x + 3 * self.places(torch.arange(8)) if self.placed else x
        return self.out(self.attention(x, x, x, need_weights=False)[0])


@pytest.mark.parametrize("placed", [False, True])
def test_states_are_those_that_attention_looks_over(placed):
    tokens = torch.randint(0, 12, (32, 8))
    batch = (torch.ones(32, 8, dtype=torch.long), tokens)  # the first tensor of whole numbers is not the words
    run = observe(Bag(placed), batch, right(tokens)).close()
    found = {line.name: line for line in fovea.audit(run).assumptions}
    assert (found["local"].score > 0.999) != placed and found["local"].score > -0.1
    assert found["mean"].score > 0.9  # every text has the same places


def test_an_audit_goes_on_where_it_was_saved():
    def course(model, saved):
        watch = observe(model, every=1, truth=PREVIOUS)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for step in range(4):
            if step == 2 and saved:
                state = copy.deepcopy(watch.state_dict())
                watch = observe(model, every=1, truth=PREVIOUS)
                watch.load_state_dict(state)
            optimizer.zero_grad()
            (-right(TOKENS)(model(TOKENS)).mean()).backward()
            watch.step()
            optimizer.step()
        run = watch.close()
        return {
            name: (run.series.steps(name).tolist(), run.series[name].tolist())
            for name in run.series
            if name.startswith("audit_")
        }

    model = sharpened(GPT())
    model.eval()
    whole = course(copy.deepcopy(model), False)
    assert whole == course(copy.deepcopy(model), True) and {
        "audit_free_logit_cosine_mean",
        "audit_knowledge",
        "audit_word_decoded",
    } <= set(whole)


def test_a_run_that_was_observed_without_it_says_so():
    run = observe(GPT(), audit=False).close()
    assert not any(name.startswith("audit") for name in run.metrics)
    with pytest.raises(fovea.WrongInput, match="observed without"):
        fovea.audit(run)
