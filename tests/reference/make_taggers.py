"""Writes taggers.json: the taggers of named entities as PyTorch computes them, in double precision.

    python3 tests/reference/make_taggers.py        (needs torch)

tests/model/taggers_test.cpp feeds the same words, features and weights to Fovea and compares: logits, attention, loss,
gradients, and the loss after 20 steps of Adam.
"""

import json
import pathlib

import torch
from torch import nn
from torch.nn import functional

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(4)
VOCAB, FEATURES, TAGS, EMBEDDING, HIDDEN, REACH = 9, 5, 5, 3, 4, 2
LENGTHS = [6, 3, 1, 5]
LONGEST, WIDTH = max(LENGTHS), 2


def drawn(below, *shape):
    return torch.randint(below, shape, generator=generator)


PRESENT = torch.arange(LONGEST)[None] < torch.tensor(LENGTHS)[:, None]
WORDS = drawn(VOCAB, len(LENGTHS), LONGEST).masked_fill(~PRESENT, -1)
ANSWERS = drawn(TAGS, len(LENGTHS), LONGEST).masked_fill(~PRESENT, -1)
KINDS = drawn(FEATURES, len(LENGTHS), LONGEST, WIDTH).masked_fill(~PRESENT[..., None], -1)


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


class Tagger(nn.Module):
    def __init__(self, attention, features):
        super().__init__()
        self.attention = attention
        self.embedding = nn.Embedding(VOCAB, EMBEDDING)
        if features:
            self.feature_embedding = nn.Embedding(FEATURES, EMBEDDING)

    def draw(self):
        with torch.no_grad():
            for weight in self.parameters():
                weight.copy_((torch.randn(weight.shape, generator=generator) * 0.5e4).round() / 1e4)

    def vectors(self):
        x = self.embedding(WORDS.clamp(min=0))
        if hasattr(self, "feature_embedding"):
            x = x + self.feature_embedding(KINDS.clamp(min=0)).sum(2)
        return x

    def weights(self, scores, allowed):
        if self.attention == "uniform":
            scores = scores * 0
        return torch.softmax(scores.masked_fill(~allowed, float("-inf")), -1)


class Recurrent(Tagger):
    def __init__(self, cell, attention, features):
        super().__init__(attention, features)
        self.encoder = (nn.LSTM if cell == "lstm" else nn.GRU)(EMBEDDING, HIDDEN, bidirectional=True, batch_first=True)
        self.query = nn.Linear(2 * HIDDEN, 2 * HIDDEN)
        self.state = nn.Linear(2 * HIDDEN, TAGS)
        self.context = nn.Linear(2 * HIDDEN, TAGS, bias=False)
        self.draw()

    names = {"query": "attention.query", "state": "output.state", "context": "output.context"}

    def forward(self):
        packed = nn.utils.rnn.pack_padded_sequence(
            self.vectors(), torch.tensor(LENGTHS), batch_first=True, enforce_sorted=False
        )
        h, _ = nn.utils.rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        p = self.weights(self.query(h) @ h.transpose(1, 2), PRESENT[:, None].expand(-1, LONGEST, -1))
        return self.state(h) + self.context(p @ h), p


class Window(Tagger):
    def __init__(self, attention, features):
        super().__init__(attention, features)
        self.offset = nn.ModuleList([nn.Linear(EMBEDDING, HIDDEN) for _ in range(2 * REACH + 1)])
        self.score = nn.Linear(HIDDEN, 1, bias=False)
        self.output = nn.Linear(HIDDEN, TAGS)
        self.draw()

    names = {f"offset.{i}.": f"offset.{i - REACH}." for i in range(2 * REACH + 1)}

    def forward(self):
        at = [torch.tanh(offset(self.vectors())) for offset in self.offset]
        places = torch.arange(LONGEST)
        between = places[None] - places[:, None]  # s - t
        near = between.abs() <= REACH
        slot = (between + REACH).clamp(0, 2 * REACH)
        v = torch.stack(at)[slot, :, places[None].expand_as(slot)].permute(2, 0, 1, 3)  # (B,T,S,H)
        # A row of padding attends to itself, so that nothing is NaN; no loss reads it.
        allowed = (near[None] & PRESENT[:, None]) | torch.eye(LONGEST, dtype=bool)[None]
        p = self.weights(self.score(v)[..., 0], allowed)
        return self.output((p[..., None] * v).sum(2)), p


def case(model_name, settings, features, tagger):
    renamed = lambda name: next((name.replace(a, b) for a, b in tagger.names.items() if name.startswith(a)), name)
    weights = {renamed(name): flat(x) for name, x in tagger.named_parameters()}

    def loss_of(logits):
        return functional.cross_entropy(logits.flatten(0, 1), ANSWERS.flatten(), ignore_index=-1)

    logits, p = tagger()
    loss = loss_of(logits)
    loss.backward()
    gradients = {renamed(name): flat(x.grad) for name, x in tagger.named_parameters() if x.grad is not None}
    optimizer = torch.optim.Adam(tagger.parameters(), lr=1e-2)
    for _ in range(20):
        optimizer.zero_grad()
        loss_of(tagger()[0]).backward()
        optimizer.step()
    return {
        "model": model_name,
        "settings": settings,
        "features": FEATURES if features else 0,
        "weights": weights,
        "logits": flat(logits),
        "attention": flat(p),
        "loss": loss.item(),
        "gradients": gradients,
        "loss_after_20": loss_of(tagger()[0]).item(),
    }


cases = [
    case("recurrent-tagger", {"cell": "lstm", "attention": "learned"}, True, Recurrent("lstm", "learned", True)),
    case("recurrent-tagger", {"cell": "gru", "attention": "learned"}, False, Recurrent("gru", "learned", False)),
    case("recurrent-tagger", {"cell": "lstm", "attention": "uniform"}, True, Recurrent("lstm", "uniform", True)),
    case("window-tagger", {"attention": "learned"}, True, Window("learned", True)),
    case("window-tagger", {"attention": "learned"}, False, Window("learned", False)),
    case("window-tagger", {"attention": "uniform"}, True, Window("uniform", True)),
]
reference = {
    "vocab": VOCAB,
    "features": FEATURES,
    "tags": TAGS,
    "embedding": EMBEDDING,
    "hidden": HIDDEN,
    "reach": REACH,
    "width": WIDTH,
    "words": WORDS.flatten().tolist(),
    "kinds": KINDS.flatten().tolist(),
    "answers": ANSWERS.flatten().tolist(),
    "lengths": LENGTHS,
    "cases": cases,
}
pathlib.Path(__file__).with_name("taggers.json").write_text(json.dumps(reference, indent=0) + "\n")
