"""Callbacks at every update: what they see, what they may do, what they cost."""

import gc
import threading
import traceback

import numpy as np
import pytest

import fovea

SMALL = dict(quick=True, steps=20, vocab=12, length=8, hidden=16, embedding=16, batch=4)


@pytest.mark.parametrize("keep", [True, False])
def test_watching_changes_nothing(keep):
    seen = []
    watched = fovea.run("copy-subset", keep=keep, on_step=lambda step: seen.append((step.number, step.loss)), **SMALL)
    alone = fovea.run("copy-subset", keep=False, **SMALL)
    assert [number for number, _ in seen] == list(range(20))
    assert seen[-1][1] == watched.metrics["train_loss"]
    for name in alone.series:
        assert watched.series[name].tobytes() == alone.series[name].tobytes()


def test_what_a_step_shows():
    def look(step):
        assert step.of == 20 and repr(step).startswith(f"<step {step.number} of 20")
        assert step.attention.shape == step.beta.shape == (4, 9, 9)
        assert step.attention.dtype == np.float32
        np.testing.assert_allclose(step.attention.sum(-1), 1, rtol=1e-5)
        assert step.source.shape == (4, 9) and step.target.shape == (4, 9) and step.labels is None
        assert set(step.parameters) == set(step.gradients)
        for name, values in step.parameters.items():
            assert values.shape == step.gradients[name].shape

    fovea.run("copy-subset", keep=False, on_step=look, **SMALL)


def test_gradients_are_those_of_the_update():
    """Plain descent: what a parameter moves by is its gradient times the rate."""
    before = {}

    def look(step):
        for name, values in step.parameters.items():
            if name in before:
                np.testing.assert_allclose(values, before[name], rtol=1e-5, atol=1e-7)
            before[name] = values - np.float32(0.1) * step.gradients[name]

    fovea.run("copy-subset", keep=False, on_step=look, optimizer="sgd", rate=0.1, **SMALL)
    assert before


def test_nothing_is_copied_and_nothing_can_be_written():
    seen = []

    def look(step):
        arrays = [step.attention, step.beta, step.source, *step.parameters.values(), *step.gradients.values()]
        assert np.shares_memory(step.attention, step.attention)
        seen.append(
            (len(arrays), sum(array.flags.owndata for array in arrays), sum(array.flags.writeable for array in arrays))
        )

    fovea.run("copy-subset", keep=False, on_step=look, **SMALL)
    assert len(seen) == SMALL["steps"] and all(
        count > 10 and copies == 0 and writeable == 0 for count, copies, writeable in seen
    )


def test_what_is_kept_stays_good():
    steps, kept, bits = [], [], []

    def look(step):
        steps.append(step)
        kept.append((step.attention, step.beta, step.source))
        bits.append([array.tobytes() for array in kept[-1]])

    fovea.run("copy-subset", keep=False, on_step=look, **SMALL)
    gc.collect()
    assert [[array.tobytes() for array in arrays] for arrays in kept] == bits
    assert len(set(map(tuple, bits))) == 20
    with pytest.raises(fovea.Failure, match="step 3 is over"):
        _ = steps[3].attention
    assert steps[3].loss > 0  # its numbers are its own


def test_parameters_go_on_with_the_training_and_outlive_it():
    kept = {}
    fovea.run(
        "copy-subset",
        keep=False,
        on_step=lambda step: kept.update(step.parameters) if step.number == 0 else None,
        **SMALL,
    )
    first = {}
    fovea.run(
        "copy-subset",
        keep=False,
        on_step=lambda step: (
            first.update({name: values.copy() for name, values in step.parameters.items()})
            if step.number == 0
            else None
        ),
        **SMALL,
    )
    assert any((kept[name] != first[name]).any() for name in kept)


def faulty(step):
    if step.number == 7:
        raise ZeroDivisionError("seven")


@pytest.mark.parametrize("keep", [True, False])
def test_an_exception_surfaces_with_its_traceback(keep):
    with pytest.raises(ZeroDivisionError, match="seven") as caught:
        fovea.run("copy-subset", keep=keep, on_step=faulty, **SMALL)
    assert "faulty" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    if keep:
        assert fovea.store()[1].state == "stopped"
        with pytest.warns(UserWarning, match="continues from step 8 of 20"):
            resumed = fovea.resume(1)
        whole = fovea.run("copy-subset", keep=False, **SMALL)
        assert resumed.series["train_loss"].tobytes() == whole.series["train_loss"].tobytes()


def test_what_can_not_be_called_is_named():
    with pytest.raises(fovea.WrongInput, match="on_step is of type int"):
        fovea.run("copy-subset", on_step=3, **SMALL)


def test_intervening_is_what_a_spec_would_declare():
    spec = {
        "task": {"name": "copy", "vocab": 9, "length": 5},
        "model": {"name": "seq2seq", "hidden": 8, "embedding": 8},
        "train": {"steps": 12, "batch": 4},
        "probe": {"every": 4, "names": ["accuracy"]},
    }

    def intervene(number):
        done = []
        if number < 6:
            done.append({"hold": "uniform"})
        if number >= 3:
            done.append({"freeze": "attention"})
        return done or None

    ours = fovea.run(spec, intervene=intervene)
    declared = fovea.run(
        {**spec, "intervene": [{"hold": "uniform", "until": 6}, {"freeze": "attention", "from": 3}]}, keep=False
    )
    assert sorted(ours.metrics) == sorted(declared.metrics)
    for name in ("train_loss", "accuracy", "accuracy_held"):
        assert ours.series[name].tobytes() == declared.series[name].tobytes(), name
    assert ours.series["train_loss"].tobytes() != fovea.run(spec, keep=False).series["train_loss"].tobytes()
    assert ours.id == 0 and len(fovea.store()) == 0
    with pytest.raises(fovea.WrongInput, match="cannot be kept"):
        fovea.run(spec, intervene=intervene, keep=True)
    with pytest.raises(fovea.WrongInput, match="unifrom"):
        fovea.run(spec, intervene=lambda number: {"hold": "unifrom"})
    with pytest.raises(fovea.WrongInput, match="has no parameter 'nowhere' here"):
        fovea.run(spec, intervene=lambda number: {"clamp": "nowhere", "at": 0.5})


HEADS = {
    "task": {"name": "induction", "vocab": 12, "length": 6},
    "model": {"name": "transformer", "layers": 2, "heads": 2, "width": 8},
    "train": {"steps": 8, "batch": 4},
    "probe": {"every": 4, "names": ["accuracy"]},
}


# One of each kind, or why a callback cannot declare it.
KINDS = {
    "ablate": {"ablate": "layer.1.head.2"},
    "hold": {"hold": "previous", "of": "layer.1.head.2"},
    "scale": {"scale": 3.0, "of": "layer.2"},
    "noise": {"noise": 0.5, "of": "layer.1.head.1"},
    "temperature": {"temperature": 0.5, "of": "layer.1.head.2"},
    "copy": {"copy": 2.0, "of": "layer.2.head.1"},
    "freeze": {"freeze": "attention"},
    "rate": {"rate": 0.0, "of": "body"},
    "clamp": {"clamp": "layer.1.query.weight", "at": 0.5},
    "transplant": "'transplant' cannot be declared while a run trains. Declare it in the spec",
    "embeddings": "'embeddings' cannot be declared while a run trains. Declare it in the spec",
}


@pytest.mark.parametrize("kind", [kind["name"] for kind in fovea.describe("interventions")])
@pytest.mark.parametrize("until", [3, 8])
def test_a_callback_applies_every_kind_as_a_spec_does_or_refuses_it(kind, until):
    change = KINDS[kind]
    if isinstance(change, str):
        with pytest.raises(fovea.WrongInput, match=change):
            fovea.run(HEADS, intervene=lambda number: {kind: "12"})
        return
    ours = fovea.run(HEADS, intervene=lambda number: change if number < until else None)
    last = {} if until == HEADS["train"]["steps"] else {"until": until}
    declared = fovea.run({**HEADS, "intervene": [{**change, **last}]}, keep=False)
    assert sorted(ours.metrics) == sorted(declared.metrics)
    for name in declared.metrics:
        assert ours.series[name].tobytes() == declared.series[name].tobytes(), name
    plain = fovea.run(HEADS, keep=False)
    assert ours.series["train_loss"].tobytes() != plain.series["train_loss"].tobytes()


def test_a_callback_freezes_a_name_that_the_spec_freezes_at_some_step():
    def frozen(number):
        return {"freeze": "qk.1"} if number < 3 else None

    with pytest.raises(fovea.WrongInput, match="a callback can freeze groups, and 'qk.1' is not a group"):
        fovea.run(HEADS, intervene=frozen)
    ours = fovea.run({**HEADS, "intervene": [{"freeze": "qk.1", "from": 6}]}, intervene=frozen)
    both = [{"freeze": "qk.1", "until": 3}, {"freeze": "qk.1", "from": 6}]
    declared = fovea.run({**HEADS, "intervene": both}, keep=False)
    assert ours.series["train_loss"].tobytes() == declared.series["train_loss"].tobytes()


def test_a_callback_cannot_change_heads_that_are_not_there():
    with pytest.raises(
        fovea.WrongInput, match="there is no layer.1.head.3: model 'transformer' has 2 layers of 2 heads"
    ):
        fovea.run(HEADS, intervene=lambda number: {"ablate": "layer.1.head.3"})
    with pytest.raises(fovea.WrongInput, match="there is no layer.2: model 'seq2seq' has one layer of one head"):
        fovea.run("copy-subset", intervene=lambda number: {"ablate": "layer.2"}, **SMALL)


def test_threads_of_callbacks_do_not_mix():
    found = {}

    def work(seed):
        losses = []
        fovea.run("copy-subset", seed=seed, keep=seed % 2 == 0, on_step=lambda step: losses.append(step.loss), **SMALL)
        found[seed] = losses

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, losses in found.items():
        alone = []
        fovea.run("copy-subset", seed=seed, keep=False, on_step=lambda step: alone.append(step.loss), **SMALL)
        assert losses == alone
