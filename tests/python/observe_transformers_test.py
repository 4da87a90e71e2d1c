"""Models of transformers with random weights, observed."""

import pytest

import fovea

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from observed_models import hooks, right, sharpened  # noqa: E402

TOKENS = torch.arange(27).reshape(3, 9) * 7 % 40
MASK = torch.ones(3, 9, dtype=torch.long)
MASK[0, 6:] = 0
TARGET = TOKENS[:, :5].contiguous()


def following(out):
    return right(TOKENS[:, 1:])(out.logits[:, :-1])


def models():
    small = dict(vocab_size=40, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2)
    t = transformers
    yield (
        "gpt2",
        t.GPT2LMHeadModel,
        t.GPT2Config(vocab_size=40, n_positions=16, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0),
        following,
    )
    yield "llama", t.LlamaForCausalLM, t.LlamaConfig(**small, num_key_value_heads=1), following
    yield "bert", t.BertForMaskedLM, t.BertConfig(**small), right(TOKENS)
    yield (
        "t5",
        t.T5ForConditionalGeneration,
        t.T5Config(vocab_size=40, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, decoder_start_token_id=0),
        right(TARGET),
    )


@pytest.mark.parametrize(
    "name, kind, config, answer", list(models()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_attention_is_what_the_model_says_and_beta_a_clamp(name, kind, config, answer):
    torch.manual_seed(0)
    config._attn_implementation = "eager"
    model = sharpened(kind(config), 5.0)
    batch = {"input_ids": TOKENS, "attention_mask": MASK, **({"labels": TARGET} if name == "t5" else {})}
    watch = fovea.observe(model, batch, answer, share=None, every=1, rows=[1], name="mine")
    model.eval()
    hooked = hooks(model)
    with torch.no_grad():
        out = model(**batch, output_attentions=True)
    told = (
        out.attentions
        if name != "t5"
        else (*out.encoder_attentions, *(a for pair in zip(out.decoder_attentions, out.cross_attentions) for a in pair))
    )
    with watch._observed.model.at_rest():
        base = watch._evaluator.base()
    assert len(base.seen) == len(told) and hooked == 0
    for seen, expected in zip(base.seen.values(), told):
        there = (
            MASK.bool()[:, None, :, None].expand_as(expected)
            if expected.shape[2] == 9
            else torch.ones_like(expected, dtype=torch.bool)
        )
        assert (seen.attention - expected).abs()[there].max() < 1e-6
    watch.cost()
    watch._evaluator.clamps.choose(base, float("inf"))
    with watch._observed.model.at_rest():
        beta = watch._evaluator.beta(base)
        for key in list(watch._observed.sites)[:: 1 if name != "t5" else 3]:

            def clamp(site, attention, allowed, key=key):
                if site == key:
                    attention = attention.clone()
                    attention[1, 1, 1] = torch.eye(attention.shape[-1])[0]
                return attention

            answers = watch._observed.base(clamp).answers[1]
            by_row = name != "t5" or base.seen[key].attention.shape[2] == 5
            assert beta[key][1, 1, 1, 0] == pytest.approx((answers[1] if by_row else answers.sum()).item(), abs=1e-5)
