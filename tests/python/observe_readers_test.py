"""Three models written by the guide alone: a cross-attention reader, a grouped-query decoder, and an encoder–decoder that shares its words.

Each can compute its attention by hand, with any weights in place of its own: so α, β and holds are compared with this."""

import math

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

from observed_models import drawn  # noqa: E402, F401
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

WORDS, WIDTH, PAD = 14, 16, 0


class Reading(nn.Module):
    """A model with ``by_hand``: None, or a function that gets the name of a site and its weights, and gives weights."""

    by_hand = None

    def weighed(self, site, q, k, v, mask):
        """Attention over (examples, heads, positions, width), with a mask of True or of numbers."""
        if self.by_hand is None:
            return self.attend(q, k, v, mask)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
        return self.by_hand(site, scores.softmax(-1)) @ v

    def attend(self, q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def split(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).flatten(2)


class Cross(nn.Module):
    """Queries of one sequence, keys and values of another. ``root`` is the whole model, which is no part of this one."""

    def __init__(self, root, name, heads, groups=None):
        super().__init__()
        self.root, self.name, self.heads, self.groups = (root,), name, heads, groups or heads
        inner = WIDTH // heads * self.groups
        self.q, self.k, self.v = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, inner), nn.Linear(WIDTH, inner)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, memory, mask, turn=lambda x: x):
        q, k, v = turn(split(self.q(x), self.heads)), turn(split(self.k(memory), self.groups)), self.v(memory)
        k, v = (y.repeat_interleave(self.heads // self.groups, 1) for y in (k, split(v, self.groups)))
        return self.out(joined(self.root[0].weighed(self.name, q, k, v, mask)))


class Reader(Reading):
    """Four learned queries read a text of any length, twice, then look at one another; one answer for each text."""

    sites = ("read.0", "read.1", "mix")

    def __init__(self):
        super().__init__()
        self.words, self.queries = nn.Embedding(WORDS, WIDTH), nn.Parameter(torch.randn(4, WIDTH))
        self.places = nn.Parameter(torch.randn(9, WIDTH))
        self.read = nn.ModuleList(Cross(self, f"read.{n}", 2) for n in range(2))
        self.mix, self.classes = Cross(self, "mix", 4), nn.Linear(WIDTH, 3)

    def attend(self, q, k, v, mask):  # as einsum writes it
        scores = torch.einsum("ehqd,ehkd->ehqk", q, k) / math.sqrt(q.shape[-1])
        weights = F.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1)
        return torch.einsum("ehqk,ehkd->ehqd", weights, v)

    def forward(self, text):
        memory = self.words(text) + self.places
        x = self.queries.expand(len(text), -1, -1)
        there = (text != PAD)[:, None, None]
        for layer in self.read:
            x = x + layer(F.layer_norm(x, (WIDTH,)), memory, there)
        x = x + self.mix(x, x, torch.ones(4, 4, dtype=torch.bool))
        return self.classes(x.mean(1)).log_softmax(-1)


class Decoder(Reading):
    """Four heads over two groups of keys, turned by position, the first layer over a window of four."""

    sites = ("layers.0.attn", "layers.1.attn")

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(
            nn.ModuleDict({"attn": Cross(self, f"layers.{n}.attn", 4, 2), "mlp": nn.Linear(WIDTH, WIDTH)})
            for n in range(2)
        )

    def forward(self, ids):
        x = self.words(ids)
        place = torch.arange(ids.shape[1])
        before = place[:, None] - place
        for layer, window in zip(self.layers, (4, 99)):
            normed = F.rms_norm(x, (WIDTH,))
            x = x + layer["attn"](normed, normed, (before >= 0) & (before < window), self.turned)
            x = x + F.silu(layer["mlp"](F.rms_norm(x, (WIDTH,))))
        return {"logits": x @ self.words.weight.T}

    @staticmethod
    def turned(x):
        half = x.shape[-1] // 2
        angle = torch.arange(x.shape[-2])[:, None] / 10.0 ** torch.arange(half)
        a, b = x.chunk(2, -1)
        return torch.cat([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)


class Translator(Reading):
    """Source, target and output share one table. Scores have a bias by distance, in place of positions."""

    sites = ("encoder", "decoder.own", "decoder.cross")

    def __init__(self):
        super().__init__()
        self.words, self.far = nn.Embedding(WORDS, WIDTH), nn.Parameter(torch.tensor(0.5))
        self.encoder = Cross(self, "encoder", 2)
        self.decoder = nn.ModuleDict({"own": Cross(self, "decoder.own", 2), "cross": Cross(self, "decoder.cross", 4)})

    def forward(self, source, target):
        far = lambda rows, places: -self.far * (torch.arange(rows)[:, None] - torch.arange(places)).abs()
        pad = torch.zeros(source.shape).masked_fill(source == PAD, -torch.inf)[:, None, None]
        memory = self.words(source)
        memory = memory + self.encoder(memory, memory, far(*[source.shape[1]] * 2) + pad)
        x = self.words(target)
        later = torch.full([target.shape[1]] * 2, -torch.inf).triu(1)
        x = x + self.decoder["own"](x, x, far(*later.shape) + later)
        x = x + self.decoder["cross"](x, memory, pad.expand(-1, -1, len(later), -1))
        return F.linear(x, self.words.weight)


def case(which):
    """A model, its batch, its answer and what to expect of its sites."""
    random = torch.Generator().manual_seed(3)
    text = torch.randint(1, WORDS, (5, 9), generator=random)
    if which is Decoder:
        answer = lambda out: out["logits"][:, :-1].log_softmax(-1).gather(-1, text[:, 1:, None])[..., 0]
        return Decoder(), text, answer, {name: (5, 4, 9, 9) for name in Decoder.sites}
    text = text.masked_fill(torch.arange(9) >= torch.tensor([[9], [7], [5], [8], [9]]), PAD)
    if which is Reader:
        classes = torch.tensor([0, 1, 2, 1, 0])
        shapes = {"read.0": (5, 2, 4, 9), "read.1": (5, 2, 4, 9), "mix": (5, 4, 4, 4)}
        return Reader(), text, lambda out: out.gather(-1, classes[:, None])[:, 0], shapes
    target = torch.randint(1, WORDS, (5, 6), generator=random)
    answer = lambda out: out.log_softmax(-1).gather(-1, target.roll(-1, 1)[..., None])[..., 0]
    shapes = {"encoder": (5, 2, 9, 9), "decoder.own": (5, 2, 6, 6), "decoder.cross": (5, 4, 6, 9)}
    return Translator(), (text, target), answer, shapes


def called(model, batch, by_hand=lambda site, weights: weights):
    model.by_hand = by_hand
    try:
        with torch.no_grad():
            return model(*batch) if isinstance(batch, tuple) else model(batch)
    finally:
        model.by_hand = None


MODELS = pytest.mark.parametrize("which", [Reader, Decoder, Translator])


@MODELS
def test_sites_and_attention_are_those_of_the_model(which):
    model, batch, answer, shapes = case(which)
    assert fovea.attention_sites(model, batch) == shapes and not fovea.attention_sites(model, batch).unseen
    run = fovea.observe(model, batch, answer, beta=None, keep=5, name="mine").close()
    seen = {}
    out = called(model, batch, lambda site, weights: seen.setdefault(site, weights))
    assert run.metrics["loss"] == pytest.approx(-float(answer(out).nanmean()), abs=1e-6)
    for number, site in enumerate(model.sites, 1):
        for head in range(seen[site].shape[1]):
            kept = run.arrays[f"attention.layer.{number}.head.{head + 1}"][0]
            np.testing.assert_allclose(kept, seen[site][:, head], atol=3e-4)


@MODELS
def test_beta_is_that_of_clamps_by_hand(which):
    model, batch, answer, shapes = case(which)
    run = fovea.observe(model, batch, answer, share=None, keep=5, name="mine").close()
    checked = 0
    for number, site in enumerate(model.sites, 1):
        _, heads, rows, places = shapes[site]
        for head, row, place in [(heads - 1, rows - 2, 1), (0, 1, 0), (heads - 1, 2, 2)]:
            beta = run.arrays[f"beta.layer.{number}.head.{head + 1}"][0][:, row, place]

            def clamped(name, weights, at=(site, head, row, place)):
                if name == at[0]:
                    weights = weights.clone()
                    weights[:, at[1], at[2]] = F.one_hot(torch.tensor(at[3]), weights.shape[-1]).float()
                return weights

            own = answer(called(model, batch, clamped))
            own = own if own.dim() == 1 else own[:, row] if own.shape[1] in (rows, rows - 1) else own.nansum(1)
            there = ~np.isnan(beta)
            np.testing.assert_allclose(beta[there], own.numpy()[there], atol=3e-5)
            checked += there.sum()
    assert checked >= 20


@MODELS
@pytest.mark.parametrize("how", ["uniform", "first"])
def test_a_held_head_is_that_of_weights_by_hand(which, how):
    model, batch, answer, _ = case(which)
    watch = fovea.observe(model, batch, answer, beta=None, name="mine")
    site = model.sites[1]
    watch.hold(how, site, head=2)
    with watch.intervening(), torch.no_grad():
        held = model(*batch) if isinstance(batch, tuple) else model(batch)

    def by_hand(name, weights):
        if name == site:
            allowed = (weights > 0).float()
            weights = weights.clone()
            first = F.one_hot(allowed.argmax(-1), weights.shape[-1]).float()
            can = allowed[..., :1]
            weights[:, 1] = (
                allowed / allowed.sum(-1, keepdim=True) if how == "uniform" else torch.where(can > 0, first, weights)
            )[:, 1]
        return weights

    own = called(model, batch, by_hand)
    one = lambda out: out["logits"] if isinstance(out, dict) else out
    np.testing.assert_allclose(one(held), one(own), atol=1e-5)
    assert (one(held) - one(called(model, batch))).abs().max() > 1e-4


@MODELS
def test_training_is_the_same_to_the_bit_and_its_heads_are_ranked(which):
    weights = []
    for observed in (False, True):
        torch.manual_seed(1)
        model, batch, answer, shapes = case(which)
        optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
        watch = fovea.observe(model, batch, answer, share=None, every=5, name="mine") if observed else None
        for _ in range(12):
            loss = -answer(model(*batch) if isinstance(batch, tuple) else model(batch)).nanmean()
            optimizer.zero_grad()
            loss.backward()
            if watch:
                watch.step(loss=loss)
            optimizer.step()
        weights.append(torch.cat([one.detach().flatten() for one in model.parameters()]))
    assert torch.equal(*weights)
    run = watch.close()
    assert run.series.steps("loss").tolist() == [0, 5, 10, 12] and run.metrics["loss"] < run.series["loss"][0]
    assert len(run.ranking("entropy")) == sum(shape[1] for shape in shapes.values())
    assert len(run.ranking("agreement")) == len(run.ranking("entropy"))
