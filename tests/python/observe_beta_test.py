"""β within a share of the time: of the same examples and rows at every evaluation, site and head, or not at all."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from observed_models import GPT, TARGET, TOKENS, drawn, looked, observe, right, sharpened  # noqa: E402, F401
from torch import nn  # noqa: E402


def trained(model, clock, update, steps=60, batch=TOKENS, target=TARGET, **options):
    """A run whose updates take so many seconds."""
    with observe(model, batch, right(target), **{"share": 0.1, "every": 5, **options}) as watch:
        for _ in range(steps):
            right(target)(model(batch)).mean().backward()
            watch.step()
            clock.seconds += update
    return watch.close()


def measured(run):
    """(examples, rows) that have β, by array and step."""
    return {
        (name, step): ~np.isnan(values).all(-1)
        for name, looks in run.arrays.items()
        if name.startswith("beta.")
        for step, values in looks.items()
    }


@pytest.mark.parametrize("update", [20, 60, 200, 10_000])
def test_agreement_is_that_of_all_sites_at_every_step(clock, update):
    run = trained(sharpened(GPT(layers=3)), clock, update)
    heads = [f"agreement_l{i}_h{j}" for i in (1, 2, 3) for j in (1, 2)]
    steps = run.series.steps("agreement").tolist()
    assert 1 <= len(steps) and all(run.series.steps(name).tolist() == steps for name in heads)
    np.testing.assert_allclose(run.series["agreement"], np.mean([run.series[name] for name in heads], 0), atol=1e-12)


@pytest.mark.parametrize("update", [20, 60, 200, 10_000])
def test_every_head_is_measured_on_the_same_rows_at_every_step(clock, update):
    run = trained(sharpened(GPT(layers=3)), clock, update)
    found = measured(run)
    first = found[min(found)]
    of_rows = {name: rows for name, rows in found.items() if "layer.3" not in name[0]}
    assert len(of_rows) >= 4 and all((rows == next(iter(of_rows.values()))).all() for rows in of_rows.values())
    # of the last layer all rows are known, at no more cost
    assert all(rows[:, 1:].all() for name, rows in found.items() if "layer.3" in name[0]) and first.any()
    assert not np.isnan(run.beta()[:, 1:]).all(-1).any()


def test_series_are_of_the_rows_that_every_site_has(clock):
    run = trained(sharpened(GPT()), clock, 20)
    step = run.series.steps("agreement_l2_h1")[-1]
    rows = measured(run)["beta.layer.1.head.1", step]
    assert 0 < rows.sum() < 28  # of 28 that have a choice
    alpha, beta = (run.arrays[f"{name}.layer.2.head.1"][step] for name in ("attention", "beta"))
    agree = np.argmax(np.where(np.isnan(beta), -1, alpha), -1) == np.nanargmax(
        np.where(np.isnan(beta), -np.inf, beta), -1
    )
    assert run.series["agreement_l2_h1"][-1] == pytest.approx(agree[rows].mean())


def test_more_time_measures_more_rows_but_never_others(clock):
    counts = {}
    for update in (20, 60, 200, 10_000):
        found = measured(trained(sharpened(GPT()), clock, update))
        counts[update] = next(rows for (name, _), rows in found.items() if "layer.1" in name)
    for less, more in zip(list(counts.values()), list(counts.values())[1:]):
        assert (less <= more).all()
    assert counts[10_000][:, 1:].all() and counts[20].sum() < counts[200].sum()


def test_of_a_large_batch_the_first_examples_are_measured(clock):
    tokens = torch.arange(96 * 8).reshape(96, 8) * 5 % 12
    model = sharpened(GPT())
    run = trained(model, clock, 15, batch=tokens, target=tokens.roll(1, 1), keep=96)
    found = measured(run)
    some = {rows.any(1).nonzero()[0].tolist() == list(range(rows.any(1).sum())) for rows in found.values()}
    examples = next(rows.any(1).sum() for (name, _), rows in found.items() if "layer.1" in name)
    assert some == {True} and 4 <= examples < 96
    step = max(step for _, step in found)
    whole = looked(model, tokens, right(tokens.roll(1, 1)), keep=96).arrays
    for name in ("beta.layer.1.head.1", "beta.layer.2.head.2"):
        there = ~np.isnan(run.arrays[name][step])
        np.testing.assert_allclose(run.arrays[name][step][there], whole[name][0][there], atol=1e-5)


def test_sites_of_as_many_rows_are_measured_on_the_same(clock):
    class Both(nn.Module):
        """A layer that looks both ways under one that looks back, whose first row has no choice."""

        def __init__(self):
            super().__init__()
            self.table, self.head = nn.Embedding(12, 16), nn.Linear(16, 12)
            self.layers = nn.ModuleList(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True) for _ in range(3))

        def forward(self, tokens):
            x = self.layers[0](self.table(tokens))
            for layer in self.layers[1:]:
                x = layer(x, src_mask=torch.ones(8, 8).triu(1).bool())
            return self.head(x)

    found = measured(trained(sharpened(Both()), clock, 20))
    rows = [one for (name, _), one in found.items() if "layer.3" not in name]
    assert len(rows) > 1 and all((one == rows[0]).all() for one in rows) and 0 < rows[0].sum() < 28


def test_what_is_measured_goes_on_where_it_was_saved(clock):
    model = sharpened(GPT())

    def updated(watch, times):
        for _ in range(times):
            right(TARGET)(model(TOKENS)).mean().backward()
            watch.step()
            clock.seconds += 60
        return watch

    watch = updated(observe(model, every=5, share=0.1), 12)
    again = observe(model, every=5, share=0.1)
    again.load_state_dict(watch.state_dict())
    updated(again, 1)
    measured = [(one._evaluator.clamps.examples, one._evaluator.clamps.rows) for one in (watch, again)]
    assert measured[0] == measured[1] and measured[0][1] > 0


def test_it_is_told_where_there_is_hardly_ever_time(clock):
    with pytest.warns(
        UserWarning,
        match="β is hardly ever measured at this pace.* every=[0-9]+ has time for one row at each evaluation",
    ):
        run = trained(sharpened(GPT()), clock, 1)
    assert len(run.series.get("agreement", ())) <= 1
