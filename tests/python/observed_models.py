"""Models as people write them, to be observed: what the tests of fovea.observe have in common."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import fovea


class SelfAttention(nn.Module):
    def __init__(self, width, heads, flash):
        super().__init__()
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.heads, self.flash, self.dropout = heads, flash, nn.Dropout(0.1)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, C // self.heads).transpose(1, 2) for t in self.c_attn(x).split(C, dim=2))
        if self.flash:
            y = F.scaled_dot_product_attention(q, k, v, dropout_p=0.1 if self.training else 0.0, is_causal=True)
        else:
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
            att = att.masked_fill(torch.ones(T, T).tril() == 0, float("-inf"))
            y = self.dropout(F.softmax(att, dim=-1)) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self, width, heads, flash):
        super().__init__()
        self.ln_1, self.attn, self.ln_2 = nn.LayerNorm(width), SelfAttention(width, heads, flash), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    """A decoder as of many a tutorial; ``flash``: by scaled_dot_product_attention, else by hand."""

    def __init__(self, vocab=12, longest=8, width=16, heads=2, layers=2, flash=True):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, width), nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(Block(width, heads, flash) for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, vocab, bias=False)

    def forward(self, tokens):
        x = self.wte(tokens) + self.wpe(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.lm_head(self.ln_f(x))


def sharpened(model, by=3.0):
    """Attention that is not uniform, for a difference to be seen."""
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.data.mul_(by)
    return model


def right(tokens):
    """answer: the log-probability of these tokens, place by place."""
    return lambda out: (
        (out if isinstance(out, torch.Tensor) else out.logits).log_softmax(-1).gather(-1, tokens[..., None])[..., 0]
    )


def hooks(model):
    """What a look could have left behind."""
    return sum(len(m._forward_hooks) + len(m._forward_pre_hooks) + ("forward" in m.__dict__) for m in model.modules())


TOKENS = torch.arange(32).reshape(4, 8) * 5 % 12
TARGET = TOKENS.roll(1, 1)
PREVIOUS = torch.arange(8).sub(1).clamp(min=0).expand(4, 8)


@pytest.fixture(autouse=True)
def drawn():
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def observe(model, batch=TOKENS, answer=None, **options):
    return fovea.observe(model, batch, answer or right(TARGET), **{"share": None, "keep": 4, "name": "mine", **options})


def looked(model, *args, **options):
    """One look: a run of no updates."""
    return observe(model, *args, **options).close()


def train(model, watch=None, steps=12, batch=4, of=None):
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    random = torch.Generator().manual_seed(1)
    for _ in range(steps):
        x = torch.randint(0, 12, (batch, 8), generator=random)
        if watch is None:
            out = (model if of is None else of)(x)
        else:
            with watch.intervening():
                out = (model if of is None else of)(x)
        loss = F.cross_entropy(out.flatten(0, 1), x.roll(1, 1).flatten())
        optimizer.zero_grad()
        loss.backward()
        if watch is not None:
            watch.step(loss=loss)
        optimizer.step()
    return model
