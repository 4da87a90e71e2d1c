"""What a run shows: attention, tables, figures; many runs, and the store."""

import html

import numpy as np
import pytest

import fovea

SMALL = dict(quick=True, steps=20, vocab=12, length=8, hidden=16, embedding=16, batch=8)


@pytest.fixture
def run():
    return fovea.run("copy-subset", **SMALL)


def test_attention_is_what_was_kept(run):
    apart = fovea.run("copy-subset", keep=False, **SMALL)
    assert run.attention_steps == apart.attention_steps == [0, 10, 20]
    for step in run.attention_steps:
        rows = run.attention(step)
        assert rows.shape == (4, 9, 9) and rows.dtype == np.float32
        np.testing.assert_allclose(rows, apart.attention(step), atol=5e-4)  # kept as halves
    assert np.shares_memory(run.attention(), run.attention(20))
    assert set(run.arrays) >= {"attention", "attention_source", "attention_target"}
    with pytest.raises(fovea.WrongInput, match="The nearest is step 10"):
        run.attention(12)


def test_a_run_without_attention_says_so():
    with pytest.raises(fovea.WrongInput, match="no attention kept"):
        fovea.run("pooling-average", keep=False, quick=True).attention()


def test_a_run_in_a_notebook(run):
    page = run._repr_html_()
    assert "copy-subset, seed 0, done" in page and page.count("<svg") == len(run.series) and "data:image/png" in page


def test_pandas_has_the_columns_of_the_export(run, program, tmp_path):
    pandas = pytest.importorskip("pandas")
    table = run.to_pandas()
    assert list(table.columns) == ["run", "experiment", "seed", "metric", "step", "value"]
    shown = program("show", run.id, "--series")
    assert len(table) == sum(len(points) for points in shown["series"].values())
    accuracy = table[table.metric == "accuracy"]
    assert accuracy.value.tolist() == [value for _, value in shown["series"]["accuracy"]]
    assert isinstance(table, pandas.DataFrame)


def test_plots(run, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = run.plot("accuracy", "entropy")
    assert [line.get_label() for line in axes.lines] == ["accuracy", "entropy"]
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), run.series["accuracy"])
    axes.figure.savefig(tmp_path / "figure.png")
    with pytest.raises(KeyError, match="did you mean 'accuracy'"):
        run.plot("acuracy")
    matplotlib.pyplot.close("all")


def test_a_sweep_is_the_programs(program):
    settings = {key: value for key, value in SMALL.items() if key not in ("quick", "vocab")}
    table = fovea.sweep("copy-subset", quick=True, seeds=range(2), vocab=[9, 12], **settings)
    assert [(run.spec["task"]["vocab"], run.seed) for run in table] == [(9, 0), (9, 1), (12, 0), (12, 1)]
    words = [
        word
        for key, value in settings.items()
        for word in ("--set", f"{dict(steps='train', batch='train', length='task').get(key, 'model')}.{key}={value}")
    ]
    again = program("sweep", "copy-subset", "--quick", "--seeds", "0..1", "--set", "task.vocab=9,12", *words, "--quiet")
    assert again["found"] == 4 and again["done"] == 0
    assert [run["metrics"] for run in again["runs"]] == [run.metrics for run in table]
    ids = [run.id for run in table]
    assert [
        run.id for run in fovea.sweep("copy-subset", quick=True, seeds="0..1", vocab=np.array([9, 12]), **settings)
    ] == ids
    heads, rows = table.rows()
    assert heads[:5] == ["run", "experiment", "seed", "state", "task.vocab"] and len(rows) == 4
    assert repr(table).count("\n") == 4 and table._repr_html_().count("<tr>") == 5
    frame = pytest.importorskip("pandas").DataFrame
    assert isinstance(table.to_pandas(), frame) and len(table.to_pandas()) == 4
    assert set(table.to_pandas(points=True).run) == set(ids)
    with pytest.raises(fovea.WrongInput, match="vocab"):
        fovea.sweep("copy-subset", vocab=[9, "many"])


def test_a_failed_run_does_not_stop_a_sweep():
    table = fovea.sweep("copy-subset", seeds=[0], rate=[1e-3, 1e30], **SMALL)
    assert [run.state for run in table] == ["done", "failed"]
    assert "step" in table[1].error


def test_ctrl_c_of_a_sweep(pressed_at):
    pressed_at(2)
    with pytest.raises(KeyboardInterrupt, match=r"of 2000 runs done; the same call goes on"):
        fovea.sweep("copy-subset", seeds=range(2000), **{**SMALL, "steps": 100})
    there = len([run for run in fovea.store() if run.state == "done"])
    assert 2 <= there < 2000


def test_the_store():
    runs = [fovea.run("copy-subset", seed=seed, **SMALL) for seed in range(3)]
    store = fovea.store()
    assert len(store) == 3 and [run.id for run in store] == [1, 2, 3]
    assert store[2].series["accuracy"].tobytes() == runs[1].series["accuracy"].tobytes()
    assert [run.seed for run in store.runs("seed >= 1", sort="-seed", limit=1)] == [2]
    assert store.experiments == ["copy-subset"] and "accuracy" in store.metrics and "task.vocab" in store.settings
    with pytest.raises(fovea.WrongInput, match="did you mean 'accuracy'|Did you mean 'accuracy'"):
        store.runs("acuracy > 0")
    with pytest.raises(KeyError, match="no run 9"):
        store[9]
    store.remove(runs[0])
    assert [run.id for run in store] == [2, 3]
    with pytest.raises(KeyError):
        store.remove(1)
    assert "store of 2 runs" in repr(store)


def test_the_audit_is_the_programs(program):
    run = fovea.run("copy-subset", **SMALL)
    audit = fovea.audit(run)
    shown = program("audit", run.id, "--quiet")
    assert audit.run.id == shown["audited_run"] != run.id
    assert [(a.name, a.assumes, a.found) for a in audit.assumptions] == [
        (a["name"], a["assumes"], a["found"]) for a in shown["assumptions"]
    ]
    assert audit["local"].assumes in repr(audit) and html.escape(audit["mean"].found) in audit._repr_html_()
    assert fovea.audit(audit.run).run is audit.run
    with pytest.raises(KeyError, match="did you mean 'local'"):
        audit["locale"]
    with pytest.raises(fovea.WrongInput):
        fovea.audit(fovea.run("pooling-average", keep=False, quick=True))
