"""What attends and cannot be seen is listed, and keeps its number."""

import warnings

import pytest

import fovea

torch = pytest.importorskip("torch")

from observed_models import GPT, TARGET, TOKENS, drawn, looked, observe, right  # noqa: E402, F401
from torch import nn  # noqa: E402


def by_exp(q, k, v):
    weights = (q @ k.transpose(-2, -1)).exp().tril()
    return weights / weights.sum(-1, keepdim=True) @ v


def divided_at_the_end(q, k, v):
    weights = (q @ k.transpose(-2, -1)).exp().tril()
    return weights @ v / weights.sum(-1, keepdim=True)


def late(make, summed=lambda weights: weights.sum(-1, keepdim=True)):
    """Weights that are masked by a factor, and divided by their sum after the product."""

    def attend(q, k, v):
        weights = make(q @ k.transpose(-2, -1)) * torch.ones(8, 8).tril().bool()
        return weights @ v / summed(weights)

    return attend


def no_sum(make):
    return late(make, lambda weights: 1.0)


def linear_by_its_state(q, k, v):
    q, k = (torch.cat([one.exp(), (-one).exp()], -1) for one in (q, k))
    return q @ (k.transpose(-2, -1) @ v)


def by_distance(q, k, v):  # scores that are no product
    weights = (q.mean(-1, keepdim=True) + k.mean(-1)[..., None, :]).exp() * torch.ones(8, 8).tril()
    return weights @ v / weights.sum(-1, keepdim=True)


def by_sigmoids(q, k, v):
    weights = (q @ k.transpose(-2, -1)).sigmoid().tril()
    return torch.einsum("bhij,bhjc->bhic", weights / weights.sum(-1, keepdim=True), v)


def by_flex_attention(q, k, v):
    return flex_attention(q, k, v)


class Own(nn.Module):
    def __init__(self, attend):
        super().__init__()
        self.qkv, self.attend = nn.Linear(16, 48), attend

    def forward(self, x):
        return (
            self.attend(*(part.unflatten(-1, (2, 8)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1)))
            .transpose(1, 2)
            .flatten(2)
        )


def mixed(attend):
    """The first of two layers attends in a way of its own."""
    model = GPT()
    model.blocks[0].attn = Own(attend)
    return model


@pytest.mark.parametrize(
    "attend, why",
    [
        (by_exp, "calls no softmax of torch's"),
        (divided_at_the_end, "calls no softmax of torch's"),
        (by_sigmoids, "calls no softmax of torch's"),
        (late(torch.exp), "calls no softmax of torch's"),
        (late(torch.exp2), "calls no softmax of torch's"),
        (late(lambda scores: 2.0**scores), "calls no softmax of torch's"),
        (late(torch.exp, lambda weights: weights @ torch.ones(8, 1)), "calls no softmax of torch's"),
        (no_sum(torch.sigmoid), "calls no softmax of torch's"),
        (no_sum(lambda scores: scores), "calls no softmax of torch's"),
        (linear_by_its_state, "calls no softmax of torch's"),
        (by_distance, "calls no softmax of torch's"),
        (by_flex_attention, "uses flex_attention"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_site_that_cannot_be_seen_is_listed_and_counted(attend, why):
    if attend is by_flex_attention:
        global flex_attention
        flex_attention = pytest.importorskip("torch.nn.attention.flex_attention").flex_attention
    model = mixed(attend)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of torch
        sites = fovea.attention_sites(model, TOKENS)
    assert sites == {"blocks.1.attn": (4, 2, 8, 8)}
    assert list(sites.unseen) == ["blocks.0.attn"] and sites.unseen["blocks.0.attn"].startswith(why)
    assert f"'blocks.0.attn' is not seen: it {why}" in repr(sites)
    with pytest.warns(UserWarning, match=f"attention of 'blocks.0.attn' is not seen: it {why}"):
        watch = observe(model, beta=None)
    run = watch.close()
    assert watch.unseen == sites.unseen
    assert "entropy_l2_h1" in run.series and "entropy_l1_h1" not in run.series
    assert "attention.layer.2.head.1" in run.arrays
    assert run.spec["model"]["unseen"] == ["blocks.0.attn"] and run.spec["model"]["layers"] == [2]


def test_a_scripted_layer_is_listed():
    model = GPT()
    attn = model.blocks[0].attn.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.blocks[0].attn = torch.jit.trace(attn, torch.randn(4, 8, 16))
    sites = fovea.attention_sites(model, TOKENS)
    assert list(sites) == ["blocks.1.attn"] and "traced or scripted" in sites.unseen["blocks.0.attn"]


def test_what_is_no_attention_is_not_listed():
    class Other(GPT):
        def forward(self, tokens):
            x = nn.functional.one_hot(tokens, 12).float() @ self.wte.weight.clone()  # rows that select
            x = x + self.wpe(torch.arange(8)) + (0.1 * x.mean(-1, keepdim=True)).exp() * torch.randn(8, 16)
            for block in self.blocks:
                x = block(x)
            return self.lm_head(self.ln_f(x)) - x.exp().sum(-1, keepdim=True).log()

    assert fovea.attention_sites(Other(), TOKENS).unseen == {}


def test_products_that_are_no_attention_are_not_listed():
    class Other(GPT):
        """A mean of neighbours, a rotation of queries, layers by hand, and scores of classes."""

        def __init__(self):
            super().__init__()
            self.up, self.down = nn.Parameter(torch.randn(16, 16)), nn.Parameter(torch.randn(16, 16))
            self.rows = nn.Parameter(torch.randn(4, 16, 16))

        def forward(self, tokens):
            x = self.wte(tokens) + self.wpe(torch.arange(8))
            mean = torch.ones(4, 8, 8).tril() / 8
            x = x + mean @ (mean @ x).relu()
            turned = (x @ torch.linalg.qr(torch.randn(4, 16, 16)).Q) / 4
            x = x + (turned @ x.transpose(-2, -1)).softmax(-1) @ x
            for block in self.blocks:
                x = block(x)
            x = x + (x @ self.up.T).relu() @ self.down.T + (x @ self.rows).relu() @ self.rows.mT
            return self.lm_head(self.ln_f(x))

    sites = fovea.attention_sites(Other(), TOKENS)
    assert sites.unseen == {} and list(sites) == ["model", "blocks.0.attn", "blocks.1.attn"]


def test_a_site_has_one_number_whichever_are_observed():
    run = looked(GPT(), sites="blocks.1.*")
    assert "agreement_l2_h1" in run.series and "beta.layer.2.head.1" in run.arrays
    assert run.spec["model"]["layers"] == [2] and "layers" not in looked(GPT()).spec["model"]


def test_two_softmaxes_that_weigh_together_are_two_sites():
    class Differential(nn.Module):
        """The difference of two maps weighs the values."""

        def __init__(self):
            super().__init__()
            self.qk, self.share = nn.Linear(16, 64), nn.Parameter(torch.tensor(0.3))

        def forward(self, x):
            q, k, r, m = self.qk(x).chunk(4, -1)
            return (torch.softmax(q @ k.mT, -1) - self.share * torch.softmax(r @ m.mT, -1)) @ x

    model, x = Differential(), torch.randn(3, 5, 16)
    assert fovea.attention_sites(model, x) == {"model": (3, 1, 5, 5), "model#2": (3, 1, 5, 5)}
    run = looked(model, x, lambda out: out.log_softmax(-1)[..., 0])
    assert "entropy_l2_h1" in run.series and run.beta().shape == (3, 5, 5)


class Deep(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.table, self.head = nn.Embedding(12, 8), nn.Linear(8, 12)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True) for _ in range(layers))

    def forward(self, tokens):
        x = self.table(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def test_errors_name_five_sites_and_how_to_see_the_rest():
    told = r"There are layers.0.self_attn, .*layers.4.self_attn and 3 more; fovea.attention_sites lists all"
    with pytest.raises(fovea.WrongInput, match=told):
        fovea.observe(Deep(8), TOKENS, right(TARGET), sites="layer.1", name="mine")
    with pytest.raises(fovea.WrongInput, match=r"There are layers.0.self_attn, layers.1.self_attn\.$"):
        fovea.observe(Deep(2), TOKENS, right(TARGET), sites="layer.1", name="mine")
