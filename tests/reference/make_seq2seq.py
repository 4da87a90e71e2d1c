"""Writes seq2seq.json: loss, gradients, β and twenty Adam steps of the encoder-decoder, by PyTorch in double precision.

    python3 tests/reference/make_seq2seq.py        (needs torch)

tests/model/seq2seq_test.cpp gives Fovea the same weights and the same batch, and compares.
"""

import json
import pathlib

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(20220501)

VOCAB, END, START = 6, 6, 7  # words 0 … 5, then the end and the start token


class Seq2Seq(nn.Module):
    def __init__(self, cell, hidden, embedding, layers, directions, heads, relu, encoder, score, biases):
        super().__init__()
        kind = nn.LSTM if cell == "lstm" else nn.GRU
        wide = hidden * directions
        self.embedding = nn.Embedding(VOCAB + 2, embedding)
        self.encoder = None
        if encoder == "recurrent":
            self.encoder = kind(embedding, hidden, layers, batch_first=True, bidirectional=directions == 2)
        source = wide if self.encoder else embedding  # numbers of a state that is attended to
        self.decoder = kind(embedding, wide, layers, batch_first=True)
        self.heads = heads
        for name in heads:
            if score == "additive":
                self.add_module(name.replace(".", "_") + "_score_hidden", nn.Linear(source + wide, hidden, bias=False))
                self.add_module(name.replace(".", "_") + "_score_out", nn.Linear(hidden, 1, bias=False))
            else:
                self.add_module(name.replace(".", "_") + "_query", nn.Linear(wide, source))
            self.add_module(name.replace(".", "_") + "_context", nn.Linear(source, wide))
        self.combine = nn.Linear(wide * (2 if heads else 1), wide, bias=biases)
        self.output = nn.Linear(wide, VOCAB + 2, bias=biases)
        self.squash = torch.relu if relu else torch.tanh
        self.directions = directions
        self.score = score

    def names(self):
        """Our name for each parameter."""
        for name, parameter in self.named_parameters():
            for head in self.heads:
                for part in ("query", "context", "score_hidden", "score_out"):
                    name = name.replace(f"{head.replace('.', '_')}_{part}.", f"{head}.{part.replace('_', '.')}.")
            yield name, parameter

    def bridge(self, state):
        if self.directions == 1:
            return state
        if isinstance(state, tuple):
            return tuple(self.bridge(s) for s in state)
        layers = state.shape[0] // 2
        return state.view(layers, 2, *state.shape[1:]).transpose(1, 2).flatten(2).contiguous()

    def encode(self, source, source_lengths):
        words = self.embedding(source.clamp(min=0))
        if self.encoder is None:
            return words, None  # the decoder begins at 0
        packed = nn.utils.rnn.pack_padded_sequence(words, source_lengths, batch_first=True, enforce_sorted=False)
        states, last = self.encoder(packed)
        return nn.utils.rnn.pad_packed_sequence(states, batch_first=True)[0], self.bridge(last)

    def scores(self, head, d, e):
        """(B, T, S)"""
        name = head.replace(".", "_")
        if self.score == "general":
            return getattr(self, name + "_query")(d) @ e.transpose(1, 2)
        pairs = torch.cat([e[:, None].expand(-1, d.shape[1], -1, -1), d[:, :, None].expand(-1, -1, e.shape[1], -1)], -1)
        return getattr(self, name + "_score_out")(torch.tanh(getattr(self, name + "_score_hidden")(pairs)))[..., 0]

    def forward(self, source, source_lengths, target, uniform=False):
        e, last = self.encode(source, source_lengths)
        fed = torch.cat([torch.full((len(target), 1), START), target[:, :-1].clamp(min=0)], dim=1)
        d, _ = self.decoder(self.embedding(fed), last)
        absent = torch.arange(e.shape[1])[None, :] >= source_lengths[:, None]
        contexts, weights = [], []
        for head in self.heads:
            name = head.replace(".", "_")
            scores = self.scores(head, d, e)
            if uniform:
                scores = torch.zeros_like(scores)
            alpha = torch.softmax(scores.masked_fill(absent[:, None, :], -torch.inf), dim=-1)
            weights.append(alpha)
            contexts.append(getattr(self, name + "_context")(alpha @ e))
        self.kept = d, e
        if not self.heads:
            return self.output(self.squash(self.combine(d))), None
        c = torch.stack(contexts).mean(0)
        return self.output(self.squash(self.combine(torch.cat([d, c], -1)))), torch.stack(weights).mean(0)

    def beta(self, target):
        """log P(right word t), were all attention on s: (B, T, S)."""
        d, e = self.kept
        rows = []
        for s in range(e.shape[1]):
            c = torch.stack(
                [getattr(self, h.replace(".", "_") + "_context")(e[:, s : s + 1]) for h in self.heads]
            ).mean(0)
            o = self.squash(self.combine(torch.cat([d, c.expand(-1, d.shape[1], -1)], -1)))
            logp = torch.log_softmax(self.output(o), -1)
            rows.append(logp.gather(-1, target.clamp(min=0)[..., None])[..., 0])
        return torch.stack(rows, -1)


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


def padded(rows):
    longest = max(len(r) for r in rows)
    return torch.tensor([r + [-1] * (longest - len(r)) for r in rows]), torch.tensor([len(r) for r in rows])


def case(
    name,
    cell="lstm",
    hidden=4,
    embedding=3,
    layers=1,
    bidirectional=False,
    heads=("attention",),
    relu=False,
    uniform=False,
    encoder="recurrent",
    score="general",
    biases=False,
):
    model = Seq2Seq(
        cell, hidden, embedding, layers, 2 if bidirectional else 1, list(heads), relu, encoder, score, biases
    )
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape, generator=generator) * 0.5)
    draw = lambda n: torch.randint(VOCAB, (n,), generator=generator).tolist() + [END]
    source, source_lengths = padded([draw(5), draw(2), draw(4)])
    target, target_lengths = padded([draw(3), draw(5), draw(1)])
    result = {
        "name": name,
        "cell": cell,
        "hidden": hidden,
        "embedding": embedding,
        "layers": layers,
        "bidirectional": bidirectional,
        "heads": list(heads),
        "relu": relu,
        "uniform": uniform,
        "encoder": encoder,
        "score": score,
        "vocab": VOCAB + 2,
        "start": START,
        "end": END,
        "source": source.flatten().tolist(),
        "source_lengths": source_lengths.tolist(),
        "target": target.flatten().tolist(),
        "target_lengths": target_lengths.tolist(),
        "parameters": {},
        "gradients": {},
        "losses": [],
    }
    if biases:
        result["biases"] = True
    result["parameters"] = {n: flat(p) for n, p in model.names()}
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(21):
        logits, alpha = model(source, source_lengths, target, uniform)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-1)
        result["losses"].append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        if step == 0:
            result["gradients"] = {
                n: flat(p.grad if p.grad is not None else torch.zeros_like(p)) for n, p in model.names()
            }
            if heads:
                result["attention"] = flat(alpha)
                result["beta"] = flat(model.beta(target))
        optimizer.step()
    return result


cases = [
    case("plain"),
    case("gru, two layers, both directions, relu", cell="gru", hidden=3, layers=2, bidirectional=True, relu=True),
    case("both directions", hidden=3, bidirectional=True),
    case("uniform", uniform=True),
    case("no context", heads=()),
    case("three heads", cell="gru", heads=("head.4", "head.0", "head.17")),
    case("states of single words", encoder="embedding"),
    case("states of single words, two layers of gru, uniform", cell="gru", layers=2, uniform=True, encoder="embedding"),
    case("additive score", score="additive"),
    case(
        "two additive heads over states of single words",
        cell="gru",
        heads=("head.2", "head.1"),
        encoder="embedding",
        score="additive",
    ),
    case("biases", biases=True),
    case("biases, both directions, relu", hidden=3, bidirectional=True, relu=True, biases=True),
    case("biases, no context", heads=(), biases=True),
    case("biases, two heads of gru", cell="gru", heads=("head.2", "head.1"), biases=True),
]
path = pathlib.Path(__file__).with_name("seq2seq.json")
path.write_text(
    json.dumps({"made_with": f"torch {torch.__version__.split('+')[0]}", "cases": cases}, separators=(",", ":")) + "\n"
)
