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
