"""Observing a training in PyTorch: what is seen is what is there, and nothing of the training changes."""

import warnings

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

from observed_models import GPT, PREVIOUS, TARGET, TOKENS, hooks, looked, observe, right, sharpened  # noqa: E402
from torch import nn  # noqa: E402


def by_hand(model, layer, example, head, row, place):
    """The answer of a row when its attention is all on one place, by a forward pass written for it."""

    def attend(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in self.c_attn(x).split(C, dim=2))
        weights = (
            (q @ k.transpose(-2, -1) / (C // self.heads) ** 0.5)
            .masked_fill(torch.ones(T, T).tril() == 0, float("-inf"))
            .softmax(-1)
        )
        if self is model.blocks[layer].attn:
            weights[example, head, row] = torch.eye(T)[place]
        return self.c_proj((weights @ v).transpose(1, 2).reshape(B, T, C))

    with torch.no_grad():
        x = model.wte(TOKENS) + model.wpe(torch.arange(8))
        for block in model.blocks:
            x = x + attend(block.attn, block.ln_1(x))
            x = x + block.mlp[:3](block.ln_2(x))
        return right(TARGET)(model.lm_head(model.ln_f(x)))[example, row].item()


@pytest.mark.parametrize("flash", [True, False])
def test_attention_and_beta_are_those_of_a_pass_by_hand(flash):
    model = sharpened(GPT(flash=flash))
    assert fovea.attention_sites(model, TOKENS) == {"blocks.0.attn": (4, 2, 8, 8), "blocks.1.attn": (4, 2, 8, 8)}
    run = looked(model)
    beta = {layer: run.arrays[f"beta.layer.{layer + 1}.head.2"][0] for layer in (0, 1)}
    for layer, example, row, place in [(0, 0, 7, 2), (0, 3, 4, 4), (0, 1, 1, 0), (1, 2, 5, 3), (1, 0, 7, 7)]:
        assert beta[layer][example, row, place] == pytest.approx(
            by_hand(model, layer, example, 1, row, place), abs=1e-5
        )
    later = np.triu(np.ones((8, 8), bool), 1)
    for values in beta.values():  # every row is measured, where it has a choice
        assert not np.isnan(values[:, 1:][:, ~later[1:]]).any() and np.isnan(values[:, later]).all()
    model.eval()
    with torch.no_grad():
        q, k, _ = (
            t.view(4, 8, 2, 8).transpose(1, 2)
            for t in model.blocks[0]
            .attn.c_attn(model.blocks[0].ln_1(model.wte(TOKENS) + model.wpe.weight))
            .split(16, 2)
        )
        alpha = (q @ k.transpose(-2, -1) / 8**0.5).masked_fill(torch.tensor(later), float("-inf")).softmax(-1)
    np.testing.assert_allclose(run.arrays["attention.layer.1.head.2"][0], alpha[:, 1], atol=5e-4)  # kept as halves


def test_a_last_layer_is_clamped_in_one_pass_a_place_and_others_row_by_row():
    watch = observe(sharpened(GPT()))
    watch._evaluator.price()
    watch._evaluator.prepare()
    with watch._observed.model.at_rest():
        base = watch._evaluator.base()
        watch._evaluator.clamps.choose(base, 0.0)  # one row of each example
        whole = {}
        for key, name in watch._observed.sites.items():
            beta = np.full(watch._observed.shapes[key], np.nan, np.float32)
            watch._evaluator.clamps.measure(base, key, beta)
            whole[name] = (~np.isnan(beta)).any(-1).sum(-1)
    assert (whole["blocks.0.attn"] == 1).all() and (whole["blocks.1.attn"] == 7).all()


def test_what_it_measures_is_what_the_arrays_say():
    run = looked(sharpened(GPT()), truth=PREVIOUS)
    alpha = np.stack([run.arrays[f"attention.layer.{i}.head.{j}"][0] for i in (1, 2) for j in (1, 2)]).astype(float)
    rows = alpha[:, :, 1:]
    entropy = -(np.where(rows > 0, rows * np.log(np.maximum(rows, 1e-30)), 0)).sum(-1) / np.log(np.arange(2, 9))
    assert run.metrics["entropy"] == pytest.approx(entropy.mean(), abs=1e-3)
    previous = [rows[m, :, np.arange(7), np.arange(7)].mean() for m in range(4)]
    assert run.metrics["weight_on_previous"] == pytest.approx(max(previous), abs=1e-3)
    assert run.metrics["weight_on_previous_l2_h1"] == pytest.approx(previous[2], abs=1e-3)
    assert run.metrics["weight_on_first_l1_h2"] == pytest.approx(rows[1, :, :, 0].mean(), abs=1e-3)
    beta = np.stack([run.arrays[f"beta.layer.{i}.head.{j}"][0] for i in (1, 2) for j in (1, 2)])
    top = np.nanargmax(np.where(np.isnan(beta), -np.inf, beta)[:, :, 1:], -1) == np.arange(7)
    assert run.metrics["beta_points_right"] == pytest.approx(top.mean())
    assert run.metrics["beta_points_right_chance"] == pytest.approx(np.mean(1 / np.arange(2, 9)))
    agree = np.mean(
        [
            np.argmax(a[: i + 1]) == np.argmax(b[: i + 1])
            for m in range(4)
            for e in range(4)
            for i in range(1, 8)
            for a, b in [(alpha[m, e, i], beta[m, e, i])]
        ]
    )
    assert run.metrics["agreement"] == pytest.approx(agree, abs=0.02)


def test_the_engines_own_translator_is_seen_as_the_engine_sees_it():
    run = fovea.run("copy-subset", quick=True, steps=30, vocab=9, length=5, hidden=8, embedding=8, keep=False)
    batch = {
        "source": run.arrays["attention_source"][0].astype(int),
        "target": run.arrays["attention_target"][0].astype(int),
    }
    source, target = (torch.tensor(batch[name]) for name in ("source", "target"))
    ours = run.apply(batch, beta=True)
    module = fovea.to_torch(run)
    watch = observe(module, (source, target), lambda out: right(target)(out[0].view(*target.shape, -1)))
    seen = watch.close()
    assert watch.sites == {"model": ours["attention"].shape[:1] + (1,) + ours["attention"].shape[1:]}
    np.testing.assert_allclose(seen.beta(), ours["beta"], atol=1e-5)
    with watch._observed.model.at_rest():
        alpha = watch._observed.base().seen[next(iter(watch._observed.sites))].attention
    np.testing.assert_allclose(alpha[:, 0], ours["attention"], atol=1e-5)


def test_the_engines_own_transformer_is_seen_as_the_engine_sees_it():
    run = fovea.run("markov-icl", quick=True, steps=4, keep=False)
    module = fovea.to_torch(run)
    source = torch.tensor(run.arrays["attention_source"][0].astype(int))
    ours = run.apply({"source": source.numpy(), "target": source.numpy()})["attention"]
    watch = observe(module, source, lambda out: right(source)(out[0].view(*source.shape, -1)), beta=None)
    with watch._observed.model.at_rest():
        alpha = watch._observed.base().seen[list(watch._observed.sites)[-1]].attention
    np.testing.assert_allclose(alpha.mean(1), ours, atol=1e-5)


class Pooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.score, self.out = nn.Linear(6, 1), nn.Linear(6, 3)

    def forward(self, x):
        return self.out((torch.softmax(self.score(x), 1) * x).sum(1))


def test_modules_of_pytorch_and_pooling():
    x = torch.randn(3, 5, 16)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2)
    both = {"layers.0.self_attn": (3, 2, 5, 5), "layers.1.self_attn": (3, 2, 5, 5)}
    assert fovea.attention_sites(encoder, x) == both
    padded = torch.zeros(3, 5, dtype=torch.bool)
    padded[0, 3:] = True
    run = looked(
        encoder,
        {"src": x, "src_key_padding_mask": padded},
        lambda out: out.log_softmax(-1)[..., 0].masked_fill(padded, torch.nan),
    )
    beta = run.arrays["beta.layer.1.head.1"][0]
    assert np.isnan(beta[0, :, 3:]).all() and not np.isnan(beta[0, :3, :3]).any() and not np.isnan(beta[1]).any()
    turned = nn.TransformerEncoderLayer(16, 2, 32)
    assert fovea.attention_sites(turned, x.transpose(0, 1)) == {"self_attn": (3, 2, 5, 5)}
    pooled = looked(Pooled(), torch.randn(3, 5, 6), lambda out: out.log_softmax(-1)[:, 0])
    assert pooled.beta().shape == (3, 1, 5) and not np.isnan(pooled.beta()).any()

    class Weighed(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(16, 2, batch_first=True)

        def forward(self, x):
            return self.attention(x, x, x, average_attn_weights=False)

    weighed = Weighed()
    watch = observe(weighed, x, lambda out: out[0].log_softmax(-1)[..., 0], beta=None)
    with watch._observed.model.at_rest():
        torch.testing.assert_close(
            next(iter(watch._observed.base().seen.values())).attention, weighed(x)[1], atol=1e-6, rtol=0
        )


def test_bfloat16_and_checkpointing():
    assert np.isfinite(list(looked(GPT().bfloat16()).metrics.values())).all()

    class Checkpointed(GPT):
        def forward(self, tokens):
            x = self.wte(tokens) + self.wpe(torch.arange(8))
            for block in self.blocks:
                x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
            return self.lm_head(self.ln_f(x))

    torch.manual_seed(0)
    plain = GPT()
    again = Checkpointed()
    again.load_state_dict(plain.state_dict())
    assert looked(plain).metrics == looked(again).metrics


def test_nothing_is_left_after_an_error():
    model = GPT(width=8, layers=1)
    raised = []
    for fails in range(1, 9):
        calls = []

        def bad(out):
            calls.append(1)
            if len(calls) == fails:
                raise ArithmeticError("mine")
            return right(TARGET)(out)

        state = torch.random.get_rng_state()
        try:
            observe(model, answer=bad).step()
        except ArithmeticError:  # or another way to make passes was tried instead
            raised.append(fails)
        assert hooks(model) == 0 and model.training and torch.equal(torch.random.get_rng_state(), state)
    assert len(raised) >= 2
    watch = observe(model, beta=None)
    watch.hold(lambda attention, allowed: attention[:1])
    with pytest.raises(fovea.WrongInput, match="a hold gave"), watch.intervening():
        model(TOKENS)
    assert hooks(model) == 0
    with pytest.raises(ArithmeticError), observe(model, beta=None):
        raise ArithmeticError("mine")
    assert [run.error for run in fovea.store().runs("state = 'failed'")] == ["ArithmeticError: mine"]


def test_where_no_attention_is_seen_it_is_told_why():
    with pytest.raises(fovea.Failure, match="no attention was seen in Linear: it calls no softmax"):
        fovea.attention_sites(nn.Linear(6, 2), torch.randn(2, 6))
    with pytest.raises(fovea.Failure, match="a softmax in 1, but its output weights nothing"):
        observe(nn.Sequential(nn.Linear(6, 2), nn.Softmax(-1)), torch.randn(2, 6), lambda out: out.log())
    x = torch.randn(2, 5, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(Pooled(), x)
    with pytest.raises(fovea.Failure, match="traced or scripted"):
        fovea.attention_sites(traced, x)
    flex = pytest.importorskip("torch.nn.attention.flex_attention")

    class Flexible(nn.Module):
        def forward(self, x):
            return flex_attention(x[:, None], x[:, None], x[:, None])

    global flex_attention
    flex_attention = flex.flex_attention
    with warnings.catch_warnings(), pytest.raises(fovea.Failure, match="uses flex_attention"):
        warnings.simplefilter("ignore")
        fovea.attention_sites(Flexible(), torch.randn(2, 16, 16))

    class Other(nn.Module):  # in a file that knows flex_attention, too
        def forward(self, x):
            return x.exp() / x.exp().sum(-1, keepdim=True) @ x

    with pytest.raises(fovea.Failure, match="it calls no softmax"):
        fovea.attention_sites(Other(), torch.randn(2, 5, 5))


@pytest.mark.parametrize(
    "options, match",
    [
        ({"answer": lambda out: out}, r"answer\(output\) has the shape \(4, 8, 12\)"),
        ({"answer": lambda out: out[..., 0] + 50}, "the logarithm of a probability is 0 at most"),
        ({"answer": lambda out: 1.0}, r"is 1.0, of type float. It must be a tensor of log-probabilities"),
        ({"answer": 3}, "cannot be called"),
        (
            {"sites": "blocks.7.*"},
            r"'blocks.7.\*' fits no site of attention. There are blocks.0.attn, blocks.1.attn\.$",
        ),
        ({"every": 0}, "every is 0"),
        ({"beta": "linear"}, "beta is 'linear'"),
        ({"rows": "some"}, "rows is 'some'"),
        ({"share": 0}, "share is 0"),
        ({"truth": torch.zeros(3, 8).long()}, r"truth has the shape \(3, 8\)"),
        (
            {"truth": torch.zeros(4, 6).long()},
            r"truth has the shape \(4, 6\), and attention has 8 rows. It must be \(4, 8\) or \(4, 7\): the position",
        ),
        ({"truth": torch.zeros(4, 9).long()}, r"truth has the shape \(4, 9\), and attention has 8 rows"),
        (
            {"answer": lambda out: right(TARGET)(out)[:, :3]},
            r"has the shape \(4, 3\), and attention has 8 rows. It must be \(4, 8\) or \(4, 7\), nan for",
        ),
        (
            {"answer": lambda out: right(TARGET)(out).repeat(1, 2)},
            r"answer\(output\) has the shape \(4, 16\).* or \(4,\), one for each example",
        ),
        ({"truth": torch.full((4, 8), 8)}, "truth has a position 8, and attention has 8 positions"),
        ({"truth": torch.full((4, 8), -2)}, "truth has a position -2"),
        ({"settings": 3}, "settings is 3"),
    ],
)
def test_wrong_input_is_told_at_once(options, match):
    with pytest.raises(fovea.WrongInput, match=match):
        observe(GPT(), **options)
    with pytest.raises(fovea.WrongInput, match=r"model is 'gpt', of type str. It must be a module of PyTorch"):
        fovea.observe("gpt", TOKENS, right(TARGET))
    watch = observe(GPT(), beta=None)
    for args, told in ((("unifrom",), "'uniform'"), (("first", "x.*"), "fits no site"), ((3,), "how is 3")):
        with pytest.raises(fovea.WrongInput, match=told):
            watch.hold(*args)
    with pytest.raises(fovea.WrongInput, match="head 3 cannot be held: 'blocks.1.attn' has 2. Heads count from 1"):
        watch.hold("uniform", sites="blocks.1.*", start=500, head=3)
    assert watch.close() is watch.close()
    with pytest.raises(fovea.WrongInput, match="is closed"):
        watch.step()


def last_only(out):
    return right(TARGET)(out).masked_fill(torch.arange(8) < 7, torch.nan)


@pytest.mark.parametrize(
    "examples, answer, options",
    [(1, None, {}), (2, None, {}), (4, None, {"rows": [-1]}), (4, last_only, {})],
    ids=["one", "two", "last row", "asked"],
)
def test_rows_clamped_together_are_those_clamped_alone(examples, answer, options, monkeypatch):
    model = sharpened(GPT())

    def beta():
        return looked(model, TOKENS[:examples], answer or right(TARGET[:examples]), **options).arrays

    found = beta()
    monkeypatch.setattr("fovea.torch.clamps.Clamps._apart", lambda *_: False)
    alone = beta()
    for name in (name for name in alone if name.startswith("beta.layer")):
        np.testing.assert_allclose(found[name][0], alone[name][0], atol=1e-5)
        if "rows" in options or answer:
            assert np.isnan(found[name][0][:, :-1]).all()


def test_what_the_store_would_refuse_is_told_before_the_training():
    for options in (
        {"name": ""},
        {"settings": {"model": {"name": "gpt"}}},
        {"settings": {"intervene": 3}},
    ):
        with pytest.raises(fovea.Error):
            observe(GPT(), beta=None, **options)


def test_what_is_not_a_number():
    with pytest.raises(fovea.WrongInput, match="not a number anywhere"):
        observe(GPT(), answer=lambda out: out[..., 0] * torch.nan)
    model = GPT()
    watch = observe(model, every=1)
    watch.step(loss=1.0)
    with torch.no_grad():
        model.wte.weight[5] = torch.nan
    watch.step(loss=2.0)
    run = watch.close()
    assert np.isnan(run.series["loss"]).tolist() == [False, True, True]
    assert run.series.steps("train_loss").tolist() == [0, 1] and run.series.steps("agreement").tolist() == [0]


def test_as_many_maps_are_kept_as_fit(monkeypatch):
    monkeypatch.setattr("fovea.torch.observed.MOST_AT_ONCE", 128)
    assert looked(GPT(), beta=None).arrays["attention"][0].shape == (2, 8, 8)


class Translator(nn.Module):
    """Five places are read, four are written: sites of five rows and of four."""

    def __init__(self):
        super().__init__()
        self.read = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.write = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x):
        return self.write(x[:, :4], self.read(x))


def test_rows_of_one_site_of_several_are_enough():
    def answer(rows):
        return lambda out: torch.nn.functional.pad(out.log_softmax(-1)[..., 0], (0, 2))[:, :rows]

    x = torch.randn(3, 5, 8)
    for rows in (
        3,
        4,
        5,
    ):  # of a site of four rows, the last of which says nothing; of one of four, or of five without its last; of five
        truth = torch.zeros(3, rows, dtype=torch.long)
        assert "attention_on_answer" in looked(Translator(), x, answer(rows), truth=truth, beta=None).series
    assert looked(
        Translator(), x, answer(4), sites="read.*", beta=None
    ).series  # they are those of a site that is not looked at
    with pytest.raises(
        fovea.WrongInput,
        match=r"\(3, 6\), and attention has 4 or 5 rows. It must be \(3, 5\) or \(3, 4\) or \(3, 3\), nan",
    ):
        observe(Translator(), x, answer(6))


def test_an_answer_for_each_example_or_for_all_rows_but_the_last():
    following = right(TARGET)
    for rows in (5, slice(5, 6), slice(7)):
        assert "agreement" in looked(GPT(), answer=lambda out, rows=rows: following(out)[:, rows]).series
    several = looked(Pooled(), torch.randn(3, 5, 6), lambda out: out.log_softmax(-1))
    assert several.beta().shape == (3, 1, 5)  # one row of attention speaks for all answers of its example
