"""A watch of a training under autocast."""

import contextlib

import pytest

torch = pytest.importorskip("torch")

from observed_models import GPT, TARGET, TOKENS, hooks, observe, right, sharpened, train  # noqa: E402


def attention_under(model, autocast):
    """Of the first layer, by hand."""
    model.eval()
    with torch.no_grad(), autocast:
        attn = model.blocks[0].attn
        x = model.blocks[0].ln_1(model.wte(TOKENS) + model.wpe.weight)
        q, k, _ = (part.view(4, 8, 2, 8).transpose(1, 2) for part in attn.c_attn(x).split(16, 2))
    model.train()
    scores = (q.float() @ k.float().transpose(-2, -1) / 8**0.5).masked_fill(torch.ones(8, 8).tril() == 0, -torch.inf)
    return scores.softmax(-1)


@pytest.mark.parametrize(
    "way", ["around the pass", "around all", "within intervening", "around intervening", "compiled"]
)
def test_looks_are_made_under_the_autocast_of_the_training(way):
    model = sharpened(GPT())
    half = torch.autocast("cpu", torch.bfloat16)
    none = contextlib.nullcontext()
    trained = torch.compile(model, backend="eager") if way == "compiled" else model
    watch = observe(trained, every=1, beta=None)
    alphas = [attention_under(model, context) for context in (half, none)]
    with half if way == "around all" else none:
        outer = watch.intervening() if way == "within intervening" else none
        inner = watch.intervening() if way == "around intervening" else none
        with outer, none if way == "around all" else half, inner:
            loss = -right(TARGET)(trained(TOKENS)).mean()
        loss.backward()
        watch.step(loss=loss)
    run = watch.close()
    far = [
        max(
            abs(run.arrays[f"attention.layer.1.head.{h + 1}"][step] - alpha[:, h].numpy()).max()
            for h in (0, 1)
            for step in (0, 1)
        )
        for alpha in alphas
    ]
    assert far[0] < 5e-4 < 2e-3 < far[1]  # kept as halves
    assert run.spec["train"]["observed"]["autocast"] == "bfloat16" and hooks(model) == 0


def test_a_training_under_autocast_stays_what_it_is_to_the_bit():
    weights = []
    for observed in (False, True):
        torch.manual_seed(3)
        model = GPT()
        watch = observe(model, every=2) if observed else None
        with torch.autocast("cpu", torch.bfloat16):  # around looks, too, which may leave no cast behind
            train(model, watch, steps=5)
        weights.append([p.detach().numpy().tobytes() for p in model.parameters()])
    assert weights[0] == weights[1]


def test_a_pass_that_is_no_training_tells_nothing_of_autocast():
    model = GPT()
    watch = observe(model, every=1, beta=None)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        model(TOKENS)
    right(TARGET)(model(TOKENS)).mean().backward()
    watch.step()
    assert "autocast" not in watch.close().spec["train"]["observed"]


class Rotating(GPT):
    """Queries that autocast does not cast before the attention, as after a rotation in float32."""

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(8))
        for block in self.blocks:
            attn, normed = block.attn, block.ln_1(x)
            q, k, v = (part.view(4, 8, 2, 8).transpose(1, 2) for part in attn.c_attn(normed).split(16, 2))
            said = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v, is_causal=True)
            x = x + attn.c_proj(said.transpose(1, 2).flatten(2))
            x = x + block.mlp(block.ln_2(x))
        return self.lm_head(self.ln_f(x))


def attention_of_second_layer(model, cast):
    """Of an own pass, by the queries and keys that the second call is given."""
    fused, calls = torch.nn.functional.scaled_dot_product_attention, []
    with pytest.MonkeyPatch.context() as patch, torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        patch.setattr(
            torch.nn.functional,
            "scaled_dot_product_attention",
            lambda q, k, v, **more: (calls.append((q, k)), fused(q, k, v, **more))[1],
        )
        out = model.eval()(TOKENS)
    model.train()
    q, k = (cast(one).float() for one in calls[1])
    scores = (q @ k.transpose(-2, -1) / 8**0.5).masked_fill(torch.ones(8, 8).tril() == 0, -torch.inf)
    return scores.softmax(-1), -right(TARGET)(out.float()).mean().item()


@pytest.mark.parametrize("kind, cast", [(GPT, lambda x: x), (Rotating, torch.Tensor.bfloat16)])
def test_reading_fused_attention_leaves_later_layers_and_the_loss_as_they_are(kind, cast):
    model = sharpened(kind(), 2.0)
    watch = observe(model, TOKENS, lambda out: right(TARGET)(out.float()), every=1, beta=None)
    with torch.autocast("cpu", torch.bfloat16):
        out = model(TOKENS)
    (-right(TARGET)(out.float()).mean()).backward()
    watch.step()
    alpha, loss = attention_of_second_layer(model, cast)
    run = watch.close()
    far = max(abs(run.arrays[f"attention.layer.2.head.{h + 1}"][1] - alpha[:, h].numpy()).max() for h in (0, 1))
    assert far < 3e-4  # kept as halves
    assert run.series["loss"][-1] == pytest.approx(loss, abs=1e-6)


def test_reading_leaves_the_output_as_it_is_to_the_bit():
    from fovea.torch.base_pass import Answer, Base
    from fovea.torch.finding import found
    from fovea.torch.model import Model

    for kind in (GPT(), GPT(flash=False)):
        model = Model(kind.bfloat16(), TOKENS)
        with model.at_rest():
            read = Base(model, Answer(lambda out: right(TARGET)(out.float())), list(found(model, None).sites), None)
            assert torch.equal(read.output, model())
