"""Which updates are evaluated if nobody says so: at even distances of the logarithm, and when the loss falls, within a share of the time."""

import sys
import types

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

from observed_models import GPT, TARGET, TOKENS, drawn, looked, right  # noqa: E402, F401
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402


def evaluated(clock, updates, seconds, a_pass=1e-4, loss=lambda number: 1.0, **options):
    """The updates that are evaluated, and what that takes, of a training that takes so many seconds a step."""
    clock.a_pass = a_pass
    options = {"beta": None, "audit": False, "name": "mine", "store": None, **options}
    model = GPT(layers=1)
    right(TARGET)(model(TOKENS)).mean().backward()  # every update has this gradient
    with fovea.observe(model, TOKENS, right(TARGET), **options) as watch:
        for number in range(updates):
            watch.step(loss=loss(number))
            clock.seconds += seconds
    return watch.close().series.steps("loss"), clock.seconds - updates * seconds


def test_evaluations_are_dense_at_first_and_fifty_updates_apart_at_most(clock):
    steps, _ = evaluated(clock, 800, 0.01)
    assert steps[:15].tolist() == list(range(15)) and steps[-1] == 800
    gaps = np.diff(steps)
    assert (gaps <= np.maximum(1, steps[:-1] // 10) + 1).all() and gaps[:-1].max() == 50


def test_a_training_whose_length_is_known_is_evaluated_at_even_distances_of_the_logarithm(clock):
    steps, _ = evaluated(clock, 1280, 0.01, steps=1280)
    gaps = np.diff(steps)
    assert gaps.max() == 1280 // 64 and 64 < len(steps) < 160
    assert steps[:8].tolist() == list(range(8))


def test_evaluations_are_more_when_the_loss_falls(clock):
    def fall(number):
        return 2.0 if number < 300 else max(0.5, 2.0 - 0.05 * (number - 300))

    (calm, _), (steps, _) = (evaluated(clock, 500, 0.01, loss=loss) for loss in (lambda number: 2.0, fall))
    during = [int(((300 <= one) & (one < 345)).sum()) for one in (calm, steps)]
    assert during[0] <= 2 and during[1] >= 10
    assert ((steps > 300) & (steps <= 305)).any()


def test_evaluations_are_more_when_their_own_loss_falls(clock):
    """Where the training tells none, or one that a device computes."""
    clock.a_pass = 1e-4
    watch = fovea.observe(GPT(layers=1), TOKENS, right(TARGET), beta=None, audit=False, name="mine")
    schedule = watch._schedule
    schedule.evaluated(200, 2.0)
    calm = schedule._next
    schedule.evaluated(220, 1.0)
    assert calm == 220 and schedule._next == 225
    schedule.evaluated(225, 0.99)
    assert schedule._next == 247


@pytest.mark.parametrize("updates, seconds, a_pass", [(300, 0.01, 0.01), (3000, 0.02, 0.05), (1500, 1.0, 3.0)])
@pytest.mark.parametrize("beta", [None, "clamp"])
def test_evaluations_take_a_second_or_a_tenth_of_the_training_at_most(clock, updates, seconds, a_pass, beta):
    rising = np.random.default_rng(0).normal(2, 0.3, updates)  # a loss that seems to fall now and then
    steps, took = evaluated(clock, updates, seconds, a_pass, lambda number: rising[number], beta=beta)
    assert took <= max(1.0, 0.1 * updates * seconds) + 3 * a_pass
    assert len(steps) >= 10


@pytest.mark.parametrize("updates, seconds", [(300, 0.01), (1000, 0.04)])
def test_all_that_is_asked_for_is_within_the_share(clock, updates, seconds):
    clock.a_pass = 0.005
    other = {"batch": TOKENS.flip(0), "answer": right(TARGET)}
    steps, took = evaluated(
        clock, updates, seconds, 0.005, lens=True, ablate=True, patch="other", batches={"other": other}
    )
    assert took <= max(1.0, 0.1 * updates * seconds) + 30 * 0.005 and len(steps) >= 5


def test_what_was_spent_is_told(clock):
    clock.a_pass = 0.25
    with fovea.observe(GPT(layers=1), TOKENS, right(TARGET), every=1, beta=None, audit=False, name="mine") as watch:
        before = watch.spent
        assert before == clock.seconds > 0  # a watch looks for sites first
        watch.step()
        clock.seconds += 7.0  # of the training
        assert before < watch.spent == clock.seconds - 7.0
        assert "may take" not in str(watch.cost())
    chosen = fovea.observe(GPT(layers=1), TOKENS, right(TARGET), beta=None, audit=False, name="mine")
    assert "evaluations may take 10.0 %, or 1 s if that is more" in str(chosen.cost())


def test_it_is_told_where_there_is_not_time_for_many(clock):
    with pytest.warns(UserWarning, match=r"evaluations are made every \d+ updates or so"):
        evaluated(clock, 400, 0.01, 1.0)


def test_a_trainer_tells_how_many_updates_there_are(monkeypatch):
    transformers = types.ModuleType("transformers")
    transformers.TrainerCallback = type("TrainerCallback", (), {})
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    for options, steps in (({}, 3200), ({"steps": 640}, 640)):
        callback = fovea.trainer_callback(TOKENS, right(TARGET), beta=None, name="mine", **options)
        callback.on_train_begin(None, types.SimpleNamespace(global_step=0, max_steps=3200), None, model=GPT(layers=1))
        assert callback.watch._schedule._gap(steps) == steps // 64
        callback.on_train_end(None, None, None)
    with pytest.raises(
        fovea.WrongInput, match="a Trainer of transformers has no loggers to take. Give them: loggers=writer"
    ):
        fovea.trainer_callback(TOKENS, right(TARGET), loggers=True)


def test_a_run_says_every_if_it_was_given():
    for options, every in (({}, None), ({"every": 7}, 7), ({"share": None}, 50), ({"steps": 90}, None)):
        run = fovea.observe(GPT(layers=1), TOKENS, right(TARGET), beta=None, name="mine", **options).close()
        assert run.spec["probe"].get("every") == every


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (2, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        return self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class TwoLayers(nn.Module):
    """Attention alone, in which an induction head arises."""

    def __init__(self, width=32):
        super().__init__()
        self.words, self.places = nn.Embedding(16, width), nn.Embedding(24, width)
        self.layers = nn.ModuleList(Head(width) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.end = nn.Linear(width, 16)

    def forward(self, x):
        y = self.words(x) + self.places(torch.arange(x.shape[1]))
        for layer, norm in zip(self.layers, self.norms):
            y = y + layer(norm(y))
        return self.end(self.norms[2](y))


def periodic(random, examples):
    """Tokens that repeat after 5 to 11, and what comes next, -1 in the first period."""
    period, tokens = (
        torch.randint(5, 12, (examples, 1), generator=random),
        torch.randint(0, 16, (examples, 24), generator=random),
    )
    x = tokens.gather(1, torch.arange(24) % period)
    return x[:, :-1], torch.where(torch.arange(1, 24) < period, -1, x[:, 1:])


def test_an_induction_head_is_seen_at_the_step_at_which_it_arises(clock):
    """Of a run of 300 updates, the 110 in which it arises."""
    clock.a_pass = 0.004
    arises = []
    for options in ({"every": 1, "share": None, "beta": None}, {}, {"steps": 300}):
        torch.manual_seed(0)
        model, random = TwoLayers(), torch.Generator().manual_seed(0)
        optimizer = torch.optim.Adam(model.parameters(), 0.01, betas=(0.9, 0.98))
        x, y = periodic(torch.Generator().manual_seed(99), 8)

        def answer(out, y=y):
            return out.log_softmax(-1).gather(-1, y.clamp(min=0)[..., None])[..., 0].masked_fill(y < 0, torch.nan)

        with fovea.observe(model, x, answer, name="mine", **options) as watch:
            for _ in range(110):
                source, target = periodic(random, 64)
                loss = F.cross_entropy(model(source).flatten(0, 1), target.flatten(), ignore_index=-1)
                optimizer.zero_grad()
                loss.backward()
                watch.step(loss=loss)
                optimizer.step()
                clock.seconds += 0.007
        run = watch.close()
        steps, induction = run.series.steps("induction"), run.series["induction"]
        assert induction[0] < 0.25 and induction[-1] > 0.75
        arises.append(int(steps[np.argmax(induction >= 0.5)]))
    assert 30 < arises[0] and all(0 <= seen - arises[0] <= 4 for seen in arises)


def test_predicted_plateaus_are_beside_the_loss():
    model = GPT()
    rungs = {"uniform": -torch.log(torch.tensor(12.0)), "in-context": torch.full((4, 8), -0.5)}
    run = looked(model, rungs=rungs, beta=None)
    assert (
        run.metrics["rung_uniform"] == pytest.approx(2.4849, abs=1e-4)
        and run.metrics["rung_in_context"] == 0.5
        and run.metrics["rung"] == 0
    )
    for said, told in (
        (torch.zeros(4, 7), r"the rung 'unigram' has the shape \(4, 7\)\. Give .*, or one number for all"),
        (2.4849, r"the rung 'unigram' has 2\.485, and .* is 0 at most\. Give .*: minus the predicted"),
    ):
        with pytest.raises(fovea.WrongInput, match=told):
            looked(model, rungs={"unigram": said})
