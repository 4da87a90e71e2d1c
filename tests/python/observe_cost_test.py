"""All that observing does is within the share of a training, and what there was no time for is said."""

import threading
import time
import weakref

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

from fovea.torch import clock as clocks  # noqa: E402
from fovea.torch.clamps import Clamps  # noqa: E402
from fovea.torch.evaluation import Evaluator  # noqa: E402
from observed_models import GPT, TARGET, TOKENS, drawn, right, sharpened  # noqa: E402, F401


def trained(clock, updates, seconds, model, **options):
    """The watch and the run of a training whose updates take so many seconds, and what observing took."""
    right(TARGET)(model(TOKENS)).mean().backward()
    with fovea.observe(model, TOKENS, right(TARGET), name="mine", **options) as watch:
        for _ in range(updates):
            watch.step(loss=1.0)
            clock.seconds += seconds
    run = watch.close()
    return watch, run, clock.seconds - updates * seconds


@pytest.mark.parametrize("updates", [100, 300, 1000])
def test_a_large_model_of_many_sites_is_not_prepared_for_beta_before_there_is_time(clock, updates):
    clock.a_pass = 0.02
    model = sharpened(GPT(layers=8))
    clock.seconds = 0.0
    right(TARGET)(model(TOKENS)).mean().backward()
    watch = fovea.observe(model, TOKENS, right(TARGET), name="mine", audit=False)
    for _ in range(updates):
        watch.step(loss=1.0)
        clock.seconds += 0.06
    run = watch.close()
    took = clock.seconds - 0.06 * updates
    assert took <= max(1.0, 0.1 * 0.06 * updates) and len(run.series["loss"]) >= 8


def test_sites_are_not_prepared_if_there_is_no_time_for_beta_itself(clock, monkeypatch):
    """Eight passes prepare the site, and β of one row of four examples takes four: 8 heads times 8 positions, 16 copies in a pass."""
    prepared = []
    monkeypatch.setattr(Clamps, "prepare", lambda self, base, key: prepared.append(key))
    clock.a_pass = 0.1
    tokens = torch.randint(0, 12, (32, 8))
    model = GPT(layers=1, heads=8)
    right(tokens)(model(tokens)).mean().backward()
    watch = fovea.observe(model, tokens, right(tokens), name="mine", audit=False)
    for left, count in ((1.1, 0), (1.3, 1)):
        with watch._observed.model.at_rest():
            base = watch._evaluator.base()
            watch._evaluator.price()
            watch._schedule._prepared(watch._evaluator.clamps, base, left)
        assert len(prepared) == count


def test_beta_comes_once_there_is_time(clock):
    clock.a_pass = 0.02
    _, run, took = trained(clock, 3000, 0.06, sharpened(GPT(layers=3)))
    assert len(run.series["agreement"]) >= 2 and took <= 0.1 * 3000 * 0.06
    assert run.series.steps("agreement")[0] > 0


def test_a_budget_that_is_spent_early_leaves_no_long_stretch_without_evaluations(clock):
    """A training that earns no more than the budget."""
    clock.a_pass = 0.006
    _, run, took = trained(clock, 2000, 0.0055, sharpened(GPT()))
    steps = run.series.steps("loss")
    assert np.diff(steps).max() <= 150 and len(steps) >= 40 and took <= 1.1


def test_updates_that_a_coarse_clock_does_not_see_are_observed(clock):
    clock.a_pass = 0.01
    _, run, took = trained(clock, 100, 0.0, GPT(), beta=None)
    assert len(run.series["loss"]) >= 2 and took <= 1.0


def test_it_is_said_if_there_was_never_time_for_beta(clock):
    clock.a_pass = 0.1
    told = r"has no time for it\. Observing took [\d.]+ s of the [\d.]+ s allowed, and the first β takes [\d.]+ s"
    with pytest.warns(UserWarning, match=r"β was not measured: share=0\.1 of this training " + told):
        _, run, _ = trained(clock, 100, 0.1, sharpened(GPT(layers=4)))
    assert "agreement" not in run.series


def test_the_last_evaluation_is_given_the_rest_of_the_budget_for_beta(clock):
    clock.a_pass = 0.006
    _, run, took = trained(clock, 8, 0.003, sharpened(GPT()))
    assert run.series.steps("agreement").tolist() == [8] and took <= 1.0


@pytest.mark.parametrize("options", [{"beta": None}, {"share": None, "every": 50}])
def test_nothing_is_said_of_beta_that_was_not_asked_for_or_that_was_measured(clock, options, recwarn):
    trained(clock, 100, 0.1, sharpened(GPT()), **options)
    assert not [one for one in recwarn if "was not measured" in str(one.message)]


def test_norms_of_gradients_and_keeping_the_run_are_paid_from_the_share(clock, monkeypatch):
    clock.a_pass = 1e-3
    gradients, add = Evaluator.gradients, fovea.Store.add

    def slow(of, seconds):
        def work(*args, **kwargs):
            clock.seconds += seconds
            return of(*args, **kwargs)

        return work

    monkeypatch.setattr(Evaluator, "gradients", slow(gradients, 0.25))
    monkeypatch.setattr(fovea.Store, "add", slow(add, 0.125))
    watch, run, took = trained(clock, 2000, 0.05, GPT(), beta=None)
    assert watch.spent == pytest.approx(took)
    assert 10 <= len(run.series["gradient"]) <= 0.1 * 2000 * 0.05 / 0.25 and took <= 0.1 * 2000 * 0.05 + 0.125


@pytest.mark.filterwarnings("ignore:at update")
def test_a_training_that_diverged_is_evaluated_no_more_often(clock):
    clock.a_pass = 1e-3
    model = GPT()
    right(TARGET)(model(TOKENS)).mean().backward()
    watch = fovea.observe(model, TOKENS, right(TARGET), beta=None, name="mine")
    for number in range(600):
        if number == 300:
            model.wte.weight.data.fill_(torch.nan)
        watch.step(loss=1.0)
        clock.seconds += 0.1
    run = watch.close()
    steps = run.series.steps("loss")[np.isnan(run.series["loss"])]
    assert len(steps) >= 5 and np.diff(steps)[:-1].min() >= 30


def test_a_model_that_differs_from_pass_to_pass_is_refused_at_the_first_evaluation():
    class Noisy(GPT):
        def forward(self, tokens):
            return super().forward(tokens) + torch.randn(12)

    watch = fovea.observe(Noisy(), TOKENS, right(TARGET), name="mine")
    with pytest.raises(fovea.Failure, match="two passes over the same batch gave different answers.*beta=None"):
        watch.step(loss=1.0)


def test_time_of_other_threads_is_not_counted():
    """As of a team of threads that shares an update: evaluations, which are Python on one thread, would take more of the day than of it."""
    done = threading.Event()

    def busy():
        until = time.thread_time() + 0.3
        while time.thread_time() < until:
            pass
        done.set()

    worker = threading.Thread(target=busy)
    before = clocks.seconds()
    worker.start()
    done.wait()
    worker.join()
    assert clocks.seconds() - before < 0.15


def test_a_loss_and_its_graph_are_not_kept():
    """At an update that is evaluated, and at one that is not."""
    model = GPT()
    watch = fovea.observe(model, TOKENS, right(TARGET), beta=None, every=2, name="mine")
    for _ in range(2):
        loss = -right(TARGET)(model(TOKENS)).mean()
        loss.backward()
        watch.step(loss=loss, other=loss * 2)
        kept = weakref.ref(loss)
        del loss
        assert kept() is None
