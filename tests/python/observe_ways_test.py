"""β, holds and what is kept are right whatever a model gives, however it is written, and however its training ends."""

import dataclasses
import random
import sys
import types

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

from fovea.torch import persistence  # noqa: E402
from observed_models import GPT, PREVIOUS, TARGET, TOKENS, drawn, looked, observe, right, sharpened  # noqa: E402, F401
from torch import nn  # noqa: E402

BETA = "beta.layer.2.head.1"


@dataclasses.dataclass
class Answered:
    logits: torch.Tensor


@dataclasses.dataclass(init=False)
class Own:
    logits: torch.Tensor

    def __init__(self, scores):
        self.logits = scores


class Opaque:
    def __init__(self, logits):
        self.scores = logits


class Wrapped(nn.Module):
    """The same model, which gives its output in something else."""

    def __init__(self, inner, into):
        super().__init__()
        self.inner, self.into = inner, into

    def forward(self, tokens):
        self.last = self.inner(tokens)
        return self.into(self.last)


def test_beta_is_the_same_whatever_holds_the_output():
    model = sharpened(GPT())
    own = looked(model).arrays[BETA][0]
    beside = Wrapped(model, Opaque)
    for wrapped, answer in (
        (Wrapped(model, Answered), right(TARGET)),
        (Wrapped(model, Own), right(TARGET)),
        (Wrapped(model, Opaque), lambda out: right(TARGET)(out.scores)),
        (beside, lambda out: right(TARGET)(beside.last)),
    ):
        assert np.allclose(looked(wrapped, answer=answer).arrays[BETA][0], own, atol=1e-4, equal_nan=True)


class InPlace(nn.Module):
    """What a module gave is written to by who received it; its head begins at zero, so that nothing is told apart at first."""

    def __init__(self):
        super().__init__()
        self.table, self.places = nn.Embedding(12, 16), nn.Parameter(torch.randn(8, 16))
        self.layer, self.head = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), nn.Linear(16, 12)

    def forward(self, tokens):
        x = self.table(tokens)
        x += self.places
        return self.head(self.layer(x, src_mask=torch.ones(8, 8).triu(1).bool()))


def test_beta_is_right_once_a_head_that_began_at_zero_has_moved():
    model = sharpened(InPlace())
    weight = model.head.weight.data.clone()
    model.head.weight.data.zero_()
    with observe(model, every=1) as watch:
        watch.step(loss=1.0)
        assert watch._evaluator.clamps.unsure
        model.head.weight.data.copy_(weight)
        watch.step(loss=1.0)
        assert not watch._evaluator.clamps.unsure
    fresh = looked(model).arrays["beta.layer.1.head.1"][0]
    assert np.allclose(watch.close().arrays["beta.layer.1.head.1"][1], fresh, atol=1e-4, equal_nan=True)


def test_one_head_is_held_of_a_site_that_is_not_observed():
    class Flat(nn.Module):
        """(examples · heads, rows, places), as bmm takes it."""

        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(16, 16)

        def forward(self, x):
            examples, places, width = x.shape
            q = self.inner(x).view(examples, places, 2, 8).transpose(1, 2).reshape(examples * 2, places, 8)
            weights = torch.softmax(torch.bmm(q, q.transpose(1, 2)), -1)
            return torch.bmm(weights, q).view(examples, 2, places, 8).transpose(1, 2).reshape(examples, places, width)

    model, x = nn.Sequential(Flat(), Flat()), torch.randn(4, 8, 16)
    outs = []
    for sites in ("*", "1"):
        watch = observe(model, x, lambda out: out.log_softmax(-1)[..., 0], sites=sites, beta=None)
        watch.hold("uniform", sites="0", head=2)
        with watch.intervening():
            outs.append(model(x))
    assert torch.equal(*outs)


def test_attention_without_examples_is_held_row_by_row():
    class One(nn.Module):
        def forward(self, x):
            return (x @ x.T).softmax(-1) @ x

    model, x = One(), torch.randn(8, 5)
    watch = observe(model, x, lambda out: out.log_softmax(-1)[None, :, 0], beta=None)
    watch.hold("previous")
    with watch.intervening():
        assert torch.equal(model(x), x[PREVIOUS[0]])


def test_one_example_is_no_square():
    class Pooling(nn.Module):
        def forward(self, x):
            return (x[..., 0].softmax(-1)[:, None] @ x)[:, 0]

    model, x = Pooling(), torch.randn(4, 6, 5)
    watch = observe(model, x[:1], lambda out: out.log_softmax(-1)[:, 0], beta=None)
    watch.hold("first")
    watch.hold(lambda attention, allowed: attention.flip(-1))
    with watch.intervening():
        assert torch.equal(model(x), x[:, -1])


@pytest.mark.parametrize(
    "how, told",
    [
        (
            lambda attention, allowed: 2 * attention,
            "weights that do not sum to 1 at 'blocks.1.attn': row 0 of head 1, example 0, whose sum is 2",
        ),
        (lambda attention, allowed: torch.full_like(attention, 1 / 8), "weight on a position that the mask forbids"),
        (lambda attention, allowed: 1.5 * attention - 0.5 * torch.eye(8), "a weight that is below 0 or not a number"),
        (lambda attention, allowed: attention * torch.nan, "a weight that is below 0 or not a number"),
    ],
)
@pytest.mark.parametrize("head", [None, 2])
def test_a_hold_function_has_to_give_what_a_softmax_gives(how, told, head):
    told = told.replace("head 1", f"head {head or 1}")
    watch = observe(sharpened(GPT()), beta=None)
    watch.hold(how, "blocks.1.*", head=head)
    with pytest.raises(fovea.WrongInput, match=told), watch.intervening():
        watch._observed.model()


def test_a_hold_function_is_checked_for_the_head_that_is_held_alone():
    watch = observe(GPT(), beta=None)
    watch.hold(lambda attention, allowed: torch.cat([attention[:, :1], 2 * attention[:, 1:]], 1), head=1)
    with watch.intervening():
        held = watch._observed.model()
    assert torch.isfinite(held).all()


def test_one_head_of_flattened_products_is_held():
    class Flat(nn.Module):
        def forward(self, x):
            examples, places, width = x.shape
            q = x.view(examples, places, 2, width // 2).transpose(1, 2).reshape(examples * 2, places, width // 2)
            said = nn.functional.scaled_dot_product_attention(q, q, q)
            return said.view(examples, 2, places, width // 2).transpose(1, 2).reshape(examples, places, width)

    model, x = Flat(), torch.randn(4, 8, 16)
    watch = observe(model, x, lambda out: out.log_softmax(-1)[..., 0], beta=None)
    watch.hold("first", head=2)
    with watch.intervening():
        held = model(x)
    assert torch.equal(held[..., 8:], x[:, :1, 8:].expand(4, 8, 8)) and torch.allclose(
        held[..., :8], model(x)[..., :8], atol=1e-5
    )


def test_the_truth_of_what_is_looked_at_is_not_that_of_the_training():
    watch = observe(GPT(), truth=PREVIOUS, beta=None)
    watch.hold("truth")
    with pytest.raises(fovea.WrongInput, match="is given none"), watch.intervening():
        pass


class Steps(nn.Module):
    """Attends once for each word that it says."""

    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(12, 16), nn.Linear(16, 12)

    def forward(self, source, target):
        memory, said = self.table(source), []
        for i in range(target.shape[1]):
            weights = torch.softmax((memory @ self.table(target[:, i])[..., None])[..., 0], -1)
            said.append(self.head((weights[:, None] @ memory)[:, 0]))
        return torch.stack(said, 1)


def test_a_loop_that_is_longer_than_what_was_seen_cannot_be_held():
    model = Steps()
    watch = observe(model, (TOKENS, TOKENS[:, :3]), lambda out: out.log_softmax(-1)[..., 0], beta=None)
    watch.hold("uniform")
    with watch.intervening():
        model(TOKENS, TOKENS[:, :2])
        model(TOKENS, TOKENS[:, :3]).softmax(-1)  # what is called outside of the model is none of it
    with (
        pytest.raises(
            fovea.WrongInput, match="softmax or attention 8 times in this pass, and 3 times in an evaluation"
        ),
        watch.intervening(),
    ):
        model(TOKENS, TOKENS)
        model(TOKENS, TOKENS[:, :3])


def test_rows_of_padding_count_for_nothing():
    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.head = nn.Embedding(12, 16), nn.Linear(16, 3)
            self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)

        def forward(self, tokens):
            pad = tokens == 0
            return self.head(self.layer(self.table(tokens), src_key_padding_mask=pad)[:, 0])

    model, answer = sharpened(Classifier()), lambda out: out.log_softmax(-1)[:, 1]
    short = torch.randint(1, 12, (4, 5))
    padded = torch.cat([short, torch.zeros(4, 7, dtype=torch.long)], 1)
    alone, beside = looked(model, short, answer), looked(model, padded, answer)
    assert alone.metrics["entropy"] == pytest.approx(beside.metrics["entropy"], abs=1e-5)
    assert alone.metrics["agreement_tau"] == pytest.approx(beside.metrics["agreement_tau"], abs=1e-5)
    assert np.isnan(beside.arrays["beta.layer.1.head.1"][0][:, 5:]).all()


def test_a_mask_is_no_text():
    class Masked(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)

        def forward(self, x, mask):
            return self.layer(x * mask[..., None], src_mask=torch.ones(8, 8).triu(1).bool())

    batch = torch.randn(4, 8, 16), torch.ones(4, 8, dtype=torch.bool)
    run = looked(Masked(), batch, lambda out: out.log_softmax(-1)[..., 0], beta=None)
    assert "weight_on_previous" in run.series and "induction" not in run.series


def test_a_functional_lookup_tells_the_words():
    class Functional(GPT):
        def forward(self, tokens):
            x = nn.functional.embedding(tokens, self.wte.weight) + self.wpe(torch.arange(tokens.shape[1]))
            for block in self.blocks:
                x = block(x)
            return self.lm_head(self.ln_f(x))

    torch.manual_seed(1)
    model = Functional()
    assert "induction" in looked(model, TOKENS % 4, beta=None).series


def test_what_is_ended_from_outside_was_kept_meanwhile(monkeypatch):
    monkeypatch.setattr(persistence, "MEANWHILE", 0)
    model = GPT()
    watch = observe(model, every=1, beta=None)
    watch.step(loss=1.0)
    kept = fovea.store().runs()
    assert [(run.state, run.steps) for run in kept] == [("stopped", 0)]
    watch.step(loss=1.0)
    run = watch.close()
    assert [(one.state, one.steps) for one in fovea.store().runs()] == [("done", 2)] and run.state == "done"


def test_an_error_of_the_training_in_the_first_look_is_told():
    class Bad:
        def __float__(self):
            raise RuntimeError("of the training")

    with pytest.raises(RuntimeError, match="of the training"), observe(GPT(), every=1) as watch:
        watch.step(loss=Bad())
    assert [run.state for run in fovea.store().runs()] == ["failed"]


def gone_on(model, watch):
    """Another watch, an update after the state of this one."""
    resumed = observe(model, every=1, beta=None)
    resumed.load_state_dict(watch.state_dict())
    resumed.step()
    return resumed


def test_what_was_held_before_is_told_of_a_training_that_goes_on():
    model = GPT()
    watch = observe(model, every=1, beta=None)
    watch.hold("uniform", until=2)
    for _ in range(3):
        with watch.intervening():
            model(TOKENS)
        watch.step()
    resumed = gone_on(model, watch)
    assert [one["hold"] for one in resumed.close().spec["intervene"]] == ["uniform"]
    watch.close()


def test_a_hold_that_is_not_said_anew_ended_where_the_training_went_on():
    model = GPT()
    watch = observe(model, every=1, beta=None)
    watch.hold("first")
    with watch.intervening():
        model(TOKENS)
    watch.step()
    resumed = gone_on(model, watch)
    assert [(one["from"], one["until"]) for one in resumed.close().spec["intervene"]] == [(0, 1)]
    watch.close()


def test_the_trainer_goes_on_where_it_was_and_keeps_each_loss_once(monkeypatch):
    transformers = types.ModuleType("transformers")
    transformers.TrainerCallback = type("TrainerCallback", (), {})
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    callback = fovea.trainer_callback(TOKENS, right(TARGET), every=1, beta=None, name="mine")
    with pytest.raises(fovea.WrongInput, match="does not have the truth"):
        callback.hold("truth")
    callback.hold("uniform", until=3)
    state = types.SimpleNamespace(global_step=500, log_history=[])
    model = GPT()
    callback.on_train_begin(None, state, None, model=model)
    for _ in range(3):
        callback.on_step_begin(None, state, None)
        callback.on_pre_optimizer_step(None, state, None)
        state.global_step += 1
    callback.on_log(None, state, None, logs={"loss": 2.5})
    callback.on_train_end(None, state, None)
    assert callback.run.series.steps("loss").tolist() == [500, 501, 502, 503]
    assert (callback.run.series.steps("train_loss").tolist(), callback.run.series["train_loss"].tolist()) == (
        [503],
        [2.5],
    )
    assert "entropy_held" not in callback.run.series


def test_numbers_of_python_and_numpy_are_drawn_as_if_nobody_looked():
    class Drawing(GPT):
        def forward(self, tokens):
            random.random(), np.random.rand()
            return super().forward(tokens)

    random.seed(1), np.random.seed(1)
    wanted = random.random(), np.random.rand()
    random.seed(1), np.random.seed(1)
    looked(Drawing(), beta=None)
    assert (random.random(), np.random.rand()) == wanted


def test_double_precision_is_held_in_double_precision():
    model = GPT().double().eval()
    watch = observe(model, beta=None)
    watch.hold(lambda attention, allowed: attention)
    with watch.intervening():
        held = model(TOKENS)
    assert (held - model(TOKENS)).abs().max() < 1e-12


@pytest.mark.parametrize(
    "given, message",
    [
        ({"rows": -1}, "rows is -1, of type int. It must be a list of rows"),
        ({"rows": None}, "rows is None"),
        ({"truth": [[1, 2], [3]]}, "truth is .*whole numbers"),
        ({"rungs": {"a": "x"}}, "the rung 'a' is 'x', of type str"),
        ({"batch": TOKENS.numpy()}, "batch is .*a tensor, or a tuple or dict"),
    ],
)
def test_what_is_of_another_type_is_named(given, message):
    with pytest.raises(fovea.WrongType, match=message):
        observe(GPT(), **given)
