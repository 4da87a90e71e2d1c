"""Residual stream, outputs of heads, logit lens, ablation and patching: as a forward pass by hand has them."""

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

from observed_models import GPT, TARGET, TOKENS, drawn, looked, observe, right, sharpened  # noqa: E402, F401
from torch import nn  # noqa: E402

OTHER = TOKENS.flip(1)
HOOKS = ["hook_resid_pre", "hook_resid_post", "hook_z"]
PATCHED = {"probe": {"batch": OTHER, "answer": right(TARGET)}}


def by_hand(model, tokens, change=None):
    """The residual stream before each block and after the last, z of each layer, and the logits; change(layer, z) gives another z."""
    streams, outputs = [], []
    with torch.no_grad():
        x = model.wte(tokens) + model.wpe(torch.arange(8))
        for layer, block in enumerate(model.blocks):
            streams.append(x)
            attn, (B, T, C) = block.attn, x.shape
            q, k, v = (
                t.view(B, T, attn.heads, C // attn.heads).transpose(1, 2)
                for t in attn.c_attn(block.ln_1(x)).split(C, dim=2)
            )
            scores = (q @ k.transpose(-2, -1) / (C // attn.heads) ** 0.5).masked_fill(
                torch.ones(T, T).tril() == 0, float("-inf")
            )
            z = scores.softmax(-1) @ v
            z = z if change is None else change(layer, z)
            outputs.append(z)
            x = x + attn.c_proj(z.transpose(1, 2).reshape(B, T, C))
            x = x + block.mlp[:3](block.ln_2(x))
        return [*streams, x], outputs, model.lm_head(model.ln_f(x))


def loss(logits):
    return -float(right(TARGET)(logits).mean())


@pytest.mark.parametrize("flash", [True, False])
def test_stream_and_outputs_are_those_of_a_pass_by_hand(flash):
    model = sharpened(GPT(flash=flash), 2.0)
    run = looked(model, hooks=HOOKS, beta=None)
    streams, outputs, _ = by_hand(model, TOKENS)
    for layer in (1, 2):
        np.testing.assert_allclose(run.arrays[f"hook_resid_pre.layer.{layer}"][0], streams[layer - 1], atol=1e-5)
        np.testing.assert_allclose(run.arrays[f"hook_resid_post.layer.{layer}"][0], streams[layer], atol=1e-5)
        z = outputs[layer - 1].transpose(1, 2)  # (examples, rows, heads, width), as TransformerLens has it
        np.testing.assert_allclose(run.arrays[f"hook_z.layer.{layer}"][0], z, atol=1e-5)


@pytest.mark.parametrize("flash", [True, False])
def test_lens_ablation_and_patching_are_those_of_passes_by_hand(flash):
    model = sharpened(GPT(flash=flash), 2.0)
    run = looked(model, lens=True, ablate=True, patch="probe", batches=PATCHED, beta=None)
    streams, _, logits = by_hand(model, TOKENS)
    _, source, _ = by_hand(model, OTHER)
    assert run.metrics["loss"] == pytest.approx(loss(logits), abs=1e-6)
    with torch.no_grad():
        for layer, stream in enumerate(streams):
            assert run.metrics[f"loss_lens_l{layer}"] == pytest.approx(
                loss(model.lm_head(model.ln_f(stream))), abs=1e-6
            )
    assert run.metrics["loss_lens_l2"] == run.metrics["loss"]  # to the bit
    for layer in (0, 1):
        for head in (0, 1):

            def put(at, z, with_):
                z = z.clone()
                if at == layer:
                    z[:, head] = with_[at][:, head]
                return z

            zeros = [torch.zeros_like(z) for z in source]
            ablated = by_hand(model, TOKENS, lambda at, z: put(at, z, zeros))[2]
            patched = by_hand(model, TOKENS, lambda at, z: put(at, z, source))[2]
            ending = f"_l{layer + 1}_h{head + 1}"
            assert run.metrics["loss_ablated" + ending] == pytest.approx(loss(ablated), abs=1e-6)
            assert run.metrics["loss_patched" + ending] == pytest.approx(loss(patched), abs=1e-6)
            assert run.metrics["loss_ablated" + ending] != run.metrics["loss"]
    assert run.ranking("loss_ablated")[0].value == max(v for k, v in run.metrics.items() if "loss_ablated_" in k)


class Einsum(nn.Module):
    """Heads after rows, by einsum."""

    def __init__(self, order):
        super().__init__()
        self.inner, self.order = nn.Linear(16, 16), order

    def forward(self, x):
        q = self.inner(x).unflatten(-1, (2, 8))
        weights = torch.einsum("bqhd,bkhd->bhqk", q, q).softmax(-1)
        out = torch.einsum(f"bhqk,bkhd->{self.order}", weights, q)
        return x + (out if self.order == "bqhd" else out.permute(0, 3, 1, 2)).flatten(2)


def test_the_order_of_heads_and_rows_is_found_and_another_refused():
    x = torch.randn(4, 6, 16)
    answer = lambda out: out.log_softmax(-1)[..., 0]  # noqa: E731
    model = nn.Sequential(Einsum("bqhd"))
    run = looked(model, x, answer, hooks="hook_z", beta=None)
    q = model[0].inner(x).unflatten(-1, (2, 8)).transpose(1, 2)
    z = ((q @ q.transpose(-2, -1)).softmax(-1) @ q).transpose(1, 2)
    np.testing.assert_allclose(run.arrays["hook_z.layer.1"][0], z.detach(), atol=1e-5)
    with pytest.raises(fovea.WrongInput, match="the outputs of the heads of '0' cannot be read"):
        observe(nn.Sequential(Einsum("bhdq")), x, answer, hooks="hook_z")


class Pooled(nn.Module):
    """A classifier that pools by a sum, and has no residual stream."""

    def __init__(self):
        super().__init__()
        self.table, self.score, self.out = nn.Embedding(12, 8), nn.Linear(8, 1), nn.Linear(8, 3)

    def forward(self, tokens):
        states = self.table(tokens)
        return self.out((self.score(states).squeeze(-1).softmax(-1)[..., None] * states).sum(1))


def test_what_a_pooled_classifier_has():
    model = Pooled()
    answer = lambda out: out.log_softmax(-1)[:, 0]  # noqa: E731
    run = looked(model, TOKENS, answer, hooks="hook_z", ablate=True, beta=None)
    states = model.table(TOKENS)
    z = (model.score(states).softmax(1) * states).sum(1)
    np.testing.assert_allclose(run.arrays["hook_z.layer.1"][0][:, 0, 0], z.detach(), atol=1e-6)
    assert run.metrics["loss_ablated_l1_h1"] == pytest.approx(
        -float(model.out.bias.detach().log_softmax(-1)[0]), abs=1e-6
    )
    with pytest.raises(fovea.WrongInput, match="the residual stream of this model cannot be read"):
        observe(model, TOKENS, answer, lens=True)


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("need_weights", [True, False])
def test_layers_of_pytorch(batch_first, need_weights):
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(8, 2, batch_first=batch_first)

        def forward(self, x):
            return x + self.attention(x, x, x, need_weights=need_weights)[0]

    model, x = nn.Sequential(Layer(), Layer()), torch.randn(4, 4, 8)  # as many positions as examples
    turn = (lambda y: y) if batch_first else (lambda y: y.transpose(0, 1))
    answer = lambda out: turn(out).log_softmax(-1)[..., 0]  # noqa: E731
    run = looked(model, x, answer, hooks=HOOKS, lens=True, ablate=True, beta=None)
    middle = model[0](x)
    np.testing.assert_allclose(run.arrays["hook_resid_post.layer.1"][0], turn(middle).detach(), atol=1e-6)
    assert run.metrics["loss_lens_l1"] == pytest.approx(-float(answer(middle).mean()), abs=1e-6)
    attention = model[0].attention
    z = torch.as_tensor(run.arrays["hook_z.layer.1"][0]).flatten(2)
    np.testing.assert_allclose(turn(x) + attention.out_proj(z).detach(), turn(middle).detach(), atol=1e-6)


def test_layers_with_two_sites_are_one_block():
    layer = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, batch_first=True)

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.TransformerDecoder(layer, 2)

        def forward(self, x, memory):
            return self.layers(x, memory)

    x, memory = torch.randn(4, 5, 8), torch.randn(4, 5, 8)
    run = looked(Decoder(), (x, memory), lambda out: out.log_softmax(-1)[..., 0], hooks=HOOKS, lens=True, beta=None)
    assert sorted(name for name in run.arrays if name.startswith("hook_resid_pre")) == [
        "hook_resid_pre.layer.1",
        "hook_resid_pre.layer.3",
    ]
    np.testing.assert_array_equal(run.arrays["hook_resid_post.layer.1"][0], run.arrays["hook_resid_pre.layer.3"][0])
    assert run.metrics["loss_lens_l3"] == run.metrics["loss"]


def test_a_head_is_ablated_in_training():
    model = sharpened(GPT())
    model.eval()
    watch = observe(model, every=1, beta=None)
    watch.ablate("blocks.0.attn", until=1, head=2)
    with watch.intervening():
        out = model(TOKENS)
    expected = by_hand(model, TOKENS, lambda layer, z: z * torch.tensor([1.0, float(layer != 0)])[None, :, None, None])[
        2
    ]
    assert torch.allclose(out, expected, atol=1e-5)
    out.sum().backward()
    of_value = model.blocks[0].attn.c_attn.weight.grad.view(3, 2, 8, 16)[2]
    assert (of_value[1] == 0).all() and (of_value[0] != 0).any()
    watch.step()
    run = watch.close()
    assert run.series["loss_held"][0] == pytest.approx(loss(expected), abs=1e-5)
    assert run.spec["intervene"] == [{"ablate": ["blocks.0.attn"], "from": 0, "until": 1, "head": 2}]
    with pytest.raises(fovea.WrongInput, match="'ablate' is no pattern of attention"):
        observe(model).hold("ablate")


def test_prices_are_listed():
    watch = observe(GPT(), lens=True, ablate=True, hooks="hook_z", patch="probe", batches=PATCHED)
    cost = watch.cost()
    assert set(cost.parts) == {"hooks", "lens", "ablation", "patching", "batches"}
    assert 0 < sum(cost.parts.values()) <= 2 * cost.look
    for name in cost.parts:
        assert f"of it for {name}" in str(cost)
