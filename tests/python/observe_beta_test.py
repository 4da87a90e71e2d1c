"""β within a share of the time: of the same examples and rows at every evaluation, site and head, or not at all."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from fovea.torch_model import Model  # noqa: E402
from observed_models import GPT, TARGET, TOKENS, drawn, observe, right, sharpened  # noqa: E402, F401

from fovea import torch_clamps, torch_watch  # noqa: E402


class Clock:
    """Seconds that a test makes: a pass takes one."""

    seconds = 0.0


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in (torch_clamps, torch_watch):
        monkeypatch.setattr(module, "clock", lambda: clock.seconds)
    call = Model.__call__

    def counted(self, *batch):
        clock.seconds += 1
        return call(self, *batch)

    monkeypatch.setattr(Model, "__call__", counted)
    return clock


def trained(model, clock, update, steps=60, batch=TOKENS, target=TARGET, **options):
    """A run whose updates take so many seconds."""
    with observe(model, batch, right(target), **{"share": 0.1, "every": 5, **options}) as watch:
        for _ in range(steps):
            right(target)(model(batch)).mean().backward()
            watch.step()
            clock.seconds += update
    return watch.close()


@pytest.mark.parametrize("update", [20, 60, 200, 10_000])
def test_agreement_is_that_of_all_sites_at_every_step(clock, update):
    run = trained(sharpened(GPT(layers=3)), clock, update)
    heads = [f"agreement_l{i}_h{j}" for i in (1, 2, 3) for j in (1, 2)]
    steps = run.series.steps("agreement").tolist()
    assert 1 <= len(steps) and all(run.series.steps(name).tolist() == steps for name in heads)
    np.testing.assert_allclose(run.series["agreement"], np.mean([run.series[name] for name in heads], 0), atol=1e-12)
