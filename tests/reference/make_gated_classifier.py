"""Writes gated_classifier.json: the gated recurrent classifier as PyTorch computes it, in double precision.

    python3 tests/reference/make_gated_classifier.py        (needs torch)

tests/model/gated_classifier_test.cpp feeds the same tokens and weights to Fovea and compares: logits, attention, loss,
gradients, and the loss after 20 steps of Adam.
"""

import json
import pathlib

import torch
from torch import nn
from torch.nn import functional

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(2)
VOCAB, EMBEDDING, HIDDEN, SCORE_HIDDEN = 9, 3, 4, 5
LENGTHS = [6, 3, 1, 5]
TOKENS = [
    [int(torch.randint(VOCAB, (1,), generator=generator)) if s < length else -1 for s in range(6)] for length in LENGTHS
]


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


class Classifier(nn.Module):
    def __init__(self, cell, bidirectional, score, attention, classes, biases):
        super().__init__()
        out = HIDDEN * (2 if bidirectional else 1)
        self.attention = attention
        self.embedding = nn.Embedding(VOCAB, EMBEDDING)
        self.encoder = (nn.LSTM if cell == "lstm" else nn.GRU)(EMBEDDING, HIDDEN, bidirectional=bidirectional)
        if score == "linear":
            self.score = nn.Linear(out, 1, bias=False)
        else:
            self.score = nn.ModuleDict(
                {"hidden": nn.Linear(out, SCORE_HIDDEN), "out": nn.Linear(SCORE_HIDDEN, 1, bias=False)}
            )
        self.beta = nn.Linear(out, 1 if classes == 2 else classes, bias=biases)
        with torch.no_grad():
            for weight in self.parameters():
                weight.copy_((torch.randn(weight.shape, generator=generator) * 0.5e4).round() / 1e4)

    def forward(self):
        lengths = torch.tensor(LENGTHS)
        ids = torch.tensor(TOKENS).clamp(min=0).T
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(ids), lengths, enforce_sorted=False)
        h, _ = nn.utils.rnn.pad_packed_sequence(self.encoder(packed)[0], batch_first=True)
        if isinstance(self.score, nn.Linear):
            a = self.score(h)[..., 0]
        else:
            a = self.score["out"](torch.relu(self.score["hidden"](h)))[..., 0]
        if self.attention == "uniform":
            a = a * 0
        absent = torch.arange(h.shape[1])[None] >= lengths[:, None]
        p = torch.softmax(a.masked_fill(absent, float("-inf")), -1)
        return (p[..., None] * self.beta(h)).sum(1), p


def case(cell, bidirectional, score, attention, classes, labels, biases=False):
    model = Classifier(cell, bidirectional, score, attention, classes, biases)
    weights = {name: flat(x) for name, x in model.named_parameters()}
    answers = torch.tensor(labels)

    def loss_of(logits):
        if classes == 2:
            return functional.binary_cross_entropy_with_logits(logits[:, 0], answers.double())
        return functional.cross_entropy(logits, answers)

    logits, p = model()
    loss = loss_of(logits)
    loss.backward()
    gradients = {name: flat(x.grad) for name, x in model.named_parameters() if x.grad is not None}
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(20):
        optimizer.zero_grad()
        loss_of(model()[0]).backward()
        optimizer.step()
    settings = {"cell": cell, "bidirectional": bidirectional, "score": score, "attention": attention}
    if biases:
        settings["biases"] = True
    return {
        "settings": settings,
        "classes": classes,
        "labels": labels,
        "weights": weights,
        "logits": flat(logits),
        "attention": flat(p),
        "loss": loss.item(),
        "gradients": gradients,
        "loss_after_20": loss_of(model()[0]).item(),
    }


cases = [
    case("lstm", False, "linear", "learned", 2, [1, 0, 0, 1]),
    case("gru", True, "mlp", "learned", 2, [0, 0, 1, 1]),
    case("lstm", True, "mlp", "learned", 3, [2, 0, 1, 2]),
    case("gru", False, "linear", "uniform", 2, [1, 1, 0, 0]),
    case("lstm", True, "mlp", "learned", 2, [0, 1, 1, 0], biases=True),
]
reference = {
    "vocab": VOCAB,
    "embedding": EMBEDDING,
    "hidden": HIDDEN,
    "score_hidden": SCORE_HIDDEN,
    "tokens": TOKENS,
    "lengths": LENGTHS,
    "cases": cases,
}
pathlib.Path(__file__).with_name("gated_classifier.json").write_text(json.dumps(reference, indent=0) + "\n")
