"""Several batches a watch, each with its answer and truth, and probes in Python on all of them."""

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

from observed_models import (  # noqa: E402, F401
    GPT,
    PREVIOUS,
    TARGET,
    TOKENS,
    drawn,
    looked,
    observe,
    right,
    sharpened,
    train,
)

OTHER = TOKENS.flip(0)[:3] * 7 % 12  # three other examples
OTHER_TARGET = OTHER.roll(2, 1)
PROBE = {"batch": OTHER, "answer": right(OTHER_TARGET), "truth": PREVIOUS[:3]}


def test_a_further_batch_has_the_series_that_it_has_alone():
    model = sharpened(GPT())
    both = looked(model, truth=PREVIOUS, batches={"probe": PROBE})
    alone = looked(model, OTHER, right(OTHER_TARGET), truth=PREVIOUS[:3], beta=None, audit=False)
    first = looked(model, truth=PREVIOUS)
    assert {name: both.metrics[name] for name in first.metrics} == first.metrics
    for name in ("loss", "entropy", "weight_on_previous", "attention_on_answer"):
        assert both.metrics[f"{name}_on_probe"] == alone.metrics[name]
    assert both.metrics["entropy_on_probe_l2_h1"] == alone.metrics["entropy_l2_h1"]
    np.testing.assert_array_equal(
        both.arrays["attention_on_probe.layer.1.head.2"][0], alone.arrays["attention.layer.1.head.2"][0]
    )
    assert [(one.layer, one.head) for one in both.ranking("entropy_on_probe")] == [
        (one.layer, one.head) for one in alone.ranking("entropy")
    ]
    assert not any(name.startswith("agreement_on") for name in both.metrics)  # β is of the first


def test_without_a_batch_the_first_of_several_has_plain_names():
    model = sharpened(GPT())
    named = {"train": {"batch": TOKENS, "answer": right(TARGET), "truth": PREVIOUS}, "probe": PROBE}
    run = fovea.observe(model, batches=named, share=None, keep=4, name="mine").close()
    assert run.metrics == looked(model, truth=PREVIOUS, batches={"probe": PROBE}).metrics


def test_batches_change_nothing_of_the_training():
    plain, watched = GPT(), GPT()
    watched.load_state_dict(plain.state_dict())
    torch.manual_seed(1)
    train(plain)
    torch.manual_seed(1)
    with observe(watched, every=2, batches={"probe": PROBE}, lens=True, ablate=True, hooks="hook_z") as watch:
        train(watched, watch)
    assert all(torch.equal(a, b) for a, b in zip(plain.state_dict().values(), watched.state_dict().values()))


def test_a_further_batch_is_held_at_its_own_truth():
    with observe(sharpened(GPT()), every=1, truth=PREVIOUS, batches={"probe": PROBE}, beta=None) as watch:
        watch.hold("truth", until=1)
        with watch.intervening(truth=PREVIOUS):
            watch._observed.model()
        watch.step()
    run = watch.close()
    assert run.series["attention_on_answer_on_probe_held"][0] == 1
    assert run.series["attention_on_answer_on_probe"][0] < 0.99


def test_a_batch_whose_answers_diverge_has_no_loss():
    model, factors = GPT(), [1.0, torch.nan]
    own = {"batch": OTHER, "answer": lambda out: right(OTHER_TARGET)(out) * factors[0]}
    with observe(model, every=1, beta=None, batches={"probe": own}) as watch:
        watch.step()
        factors.reverse()
        watch.step()
    losses = watch.close().series["loss_on_probe"]
    assert np.isfinite(losses[0]) and np.isnan(losses[1])


@pytest.mark.parametrize(
    "given, told",
    [
        (dict(batches={"a b": PROBE}), "a batch is called 'a b'"),
        (dict(batches={"probe": {"batch": OTHER}}), "has no answer"),
        (dict(batches={"probe": {**PROBE, "thruth": 1}}), "has 'thruth'"),
        (dict(batches={"probe": OTHER}), r"batches\['probe'\] is"),
        (dict(patch="probe"), "patch is 'probe'"),
        (dict(batches={"probe": PROBE}, patch="probe"), "in the batch that is patched from"),
        (dict(hooks="hook_q"), "hooks has 'hook_q'"),
        (dict(probes=[len]), r"probes\[0\] is"),
        (dict(probes="accuracy"), "a probe of the library"),
    ],
)
def test_what_is_wrong_is_said(given, told):
    with pytest.raises(fovea.Error, match=told):
        observe(GPT(), **given)


def test_a_watch_needs_a_batch():
    with pytest.raises(fovea.WrongInput, match="there is no batch to evaluate"):
        fovea.observe(GPT())
    with pytest.raises(fovea.WrongInput, match="answer or truth is given without a batch"):
        fovea.observe(GPT(), answer=right(TARGET), batches={"probe": PROBE})
    with pytest.raises(
        fovea.WrongInput, match="there is no answer to evaluate. Give a function of the module's output"
    ):
        fovea.observe(GPT(), TOKENS)
    with pytest.raises(fovea.WrongInput, match=r"batches\['probe'\] has no answer"):
        fovea.observe(GPT(), batches={"probe": {"batch": TOKENS, "answer": None}})


def test_heads_under_a_hold_and_on_a_further_batch_are_ranked_and_drawn():
    pytest.importorskip("matplotlib").use("agg")
    watch = observe(sharpened(GPT()), beta=None, batches={"probe": PROBE})
    watch.hold("uniform", "blocks.1.attn", head=1)
    run = watch.close()
    for metric in ("entropy", "entropy_held", "entropy_on_probe", "entropy_on_probe_held"):
        ranking = run.ranking(metric)
        assert {(one.layer, one.head): one.site for one in ranking} == {
            (layer, head): f"blocks.{layer - 1}.attn" for layer in (1, 2) for head in (1, 2)
        }
        assert (ranking[0].layer, ranking[0].head) == (2, 1) or not metric.endswith("held")
        assert repr(ranking).splitlines()[0].split()[-1] == "site" and "blocks.1.attn" in repr(ranking)
    axes = run.heads(batch="probe", example=2).axes[3]
    np.testing.assert_array_equal(axes.images[0].get_array(), run.arrays["attention_on_probe.layer.2.head.2"][0][2])
    assert [tick.get_text() for tick in axes.get_xticklabels()] == [str(one) for one in OTHER[2].tolist()]
    with pytest.raises(fovea.WrongInput, match="has no attention on a batch 'prob'.*'probe'"):
        run.heads(batch="prob")


# ---- probes in Python


def test_a_probe_sees_batch_outcome_and_model():
    seen = {}

    @fovea.Probe
    def gap(batch, outcome, model):
        seen[batch.size] = (batch, outcome, model)
        return {
            "start": outcome.attention[:, :, 0].mean(),
            "width": model.parameters["wte.weight"].shape[1],
            "first_row": outcome.heads["layer.1.head.2"][0, 7],
        }

    model = sharpened(GPT())
    run = looked(model, truth=PREVIOUS, probes=gap, batches={"probe": PROBE})
    batch, outcome, state = seen[4]
    assert (batch.source == TOKENS.numpy()).all() and (batch.alignment == PREVIOUS.numpy()).all()
    assert batch.target is None and state.step == 0 and state.module is model
    assert outcome.loss == run.metrics["loss"] and outcome.beta is None
    model.eval()
    with torch.no_grad():
        np.testing.assert_allclose(outcome.answer, right(TARGET)(model(TOKENS)).numpy(), atol=1e-6)
    assert run.metrics["start"] == pytest.approx(float(run.attention()[:, :, 0].mean()), abs=1e-3)
    assert run.metrics["width"] == 16 and run.metrics["start_on_probe"] != run.metrics["start"]
    np.testing.assert_allclose(run.arrays["first_row"][0], run.arrays["attention.layer.1.head.2"][0][0, 7], atol=1e-3)
    assert list(run.probe_seconds) == ["gap"]


def test_a_probe_that_asks_for_beta_and_for_kept_examples():
    sizes = []

    def largest(batch, outcome, model):
        sizes.append((batch.size, len(outcome.attention)))
        return {"largest_beta": float(np.nanmax(outcome.beta))}

    run = looked(sharpened(GPT()), probes=[fovea.Probe(largest, examples="kept", beta=True)], keep=2)
    assert run.metrics["largest_beta"] == pytest.approx(float(np.nanmax(run.arrays["attention_beta"][0])))
    assert sizes == [(2, 2)]
    none = looked(sharpened(GPT()), probes=[fovea.Probe(largest, beta=True)], beta=None)
    assert "largest_beta" not in none.metrics


def test_a_probe_is_called_under_a_hold_a_second_time():
    probe = fovea.Probe(lambda batch, outcome, model: {"start": outcome.attention[:, :, 0].mean()}, name="start")
    with observe(sharpened(GPT()), every=1, probes=probe, beta=None) as watch:
        watch.hold("first", until=1)
        with watch.intervening():
            watch._observed.model()
        watch.step()
    run = watch.close()
    assert run.series["start_held"].tolist() == [1.0] and run.series["start"][0] < 1


def test_what_a_probe_does_wrong_is_said():
    def failing(batch, outcome, model):
        raise RuntimeError("no such thing")

    with pytest.raises(fovea.WrongInput, match="at step 0 the probe 'failing' raised RuntimeError") as told:
        looked(GPT(), probes=fovea.Probe(failing))
    assert isinstance(told.value.__cause__, RuntimeError)
    for name in ("loss", "train_loss", "x_held"):
        probe = fovea.Probe(lambda batch, outcome, model, name=name: {name: 1.0}, name="own")
        with pytest.raises(fovea.WrongInput, match=f"measures '{name}', a name with another meaning"):
            looked(GPT(), probes=probe)


def test_an_evaluation_that_fails_does_not_end_the_training(recwarn):
    model = GPT()

    @fovea.Probe
    def failing(batch, outcome, model):
        if model.step in (2, 3):
            raise RuntimeError("oops")
        return {"own": 1.0}

    watch = observe(model, every=1, beta=None, probes=failing)
    run = (train(model, watch, steps=5), watch.close())[1]
    assert run.series.steps("loss").tolist() == run.series.steps("own").tolist() == [0, 1, 4, 5]
    told = [str(one.message) for one in recwarn if "failed" in str(one.message)]
    assert (
        len(told) == 1
        and "at update 2 failed, and earlier evaluations are kept (Failure: at step 2 the probe 'failing' raised RuntimeError: oops"
        in told[0]
    )
