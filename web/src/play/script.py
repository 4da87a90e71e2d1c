"""A training of Fovea's playground, in PyTorch: the same weights to begin with, the same batches, the same optimiser.

    python THIS_FILE

prints the loss that Fovea had and the one PyTorch has, step by step, and ends with 1 where they are further apart than
TOLERANCE (the same sums in another order differ by rounding, and training makes small differences larger).
"""

import base64
import json
import sys

import torch
from torch import nn

TOLERANCE = 1e-3  # of the loss, relative where it is above 1
TYPES = {"F32": torch.float32, "F64": torch.float64}

TOLD = json.loads("""{{TOLD}}""")
MODEL, TRAIN = TOLD["settings"]["model"], TOLD["settings"]["train"]
HOLDS = TOLD["settings"].get("intervene") or []


def numbers(text, dtype):
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=dtype) if text else torch.empty(0, dtype=dtype)


def tokens(text, rows):
    return numbers(text, torch.int32).long().reshape(rows, -1)


def held_at(step):
    """What attention is held at while update `step` is made: "", "uniform" or "truth"."""
    if MODEL["attention"] == "uniform":
        return "uniform"
    for one in HOLDS:
        if one["from"] <= step < one.get("until", sys.maxsize):
            return one["hold"]
    return ""


class Encoder(nn.Module):
    """Embedding and recurrent encoder, which both models have."""

    def __init__(self):
        super().__init__()
        self.wide = MODEL["hidden"] * (2 if MODEL["bidirectional"] else 1)
        self.embedding = nn.Embedding(TOLD["vocab"], MODEL["embedding"])
        self.encoder = self.recurrent(MODEL["hidden"], MODEL["bidirectional"])

    def recurrent(self, hidden, both=False):
        cell = nn.LSTM if MODEL["cell"] == "lstm" else nn.GRU
        return cell(MODEL["embedding"], hidden, MODEL.get("layers", 1), batch_first=True, bidirectional=both)

    def read(self, source):
        lengths = (source >= 0).sum(1)
        rows = self.embedding(source.clamp(min=0))
        packed = nn.utils.rnn.pack_padded_sequence(rows, lengths, batch_first=True, enforce_sorted=False)
        states, last = self.encoder(packed)
        return nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])[0], last


class GatedClassifier(Encoder):
    def __init__(self):
        super().__init__()
        if MODEL["score"] == "linear":
            self.score = nn.Linear(self.wide, 1, bias=False)
        else:
            inner = MODEL["score_hidden"]
            self.score = nn.ModuleDict({"hidden": nn.Linear(self.wide, inner), "out": nn.Linear(inner, 1, bias=False)})
        self.beta = nn.Linear(self.wide, next(w["shape"][0] for w in TOLD["weights"] if w["name"] == "beta.weight"), bias=MODEL.get("biases", False))

    def loss(self, batch, hold):
        source = tokens(batch["source"], batch["size"])
        states, _ = self.read(source)
        if isinstance(self.score, nn.Linear):
            scores = self.score(states)[..., 0]
        else:
            scores = self.score["out"](torch.relu(self.score["hidden"](states)))[..., 0]
        if hold == "uniform":
            scores = torch.zeros_like(scores)
        attention = torch.softmax(scores.masked_fill(source < 0, -torch.inf), -1)
        said = (attention[..., None] * self.beta(states)).sum(1)
        labels = tokens(batch["labels"], batch["size"])[:, 0]
        if said.shape[1] == 1:
            return nn.functional.binary_cross_entropy_with_logits(said[:, 0], labels.to(said.dtype))
        return nn.functional.cross_entropy(said, labels)


class Seq2Seq(Encoder):
    def __init__(self):
        super().__init__()
        self.decoder = self.recurrent(self.wide)
        attends = MODEL["attention"] != "none"
        if attends:
            self.attention = nn.ModuleDict({"query": nn.Linear(self.wide, self.wide), "context": nn.Linear(self.wide, self.wide)})
        biases = MODEL.get("biases", False)
        self.combine = nn.Linear(self.wide * (2 if attends else 1), self.wide, bias=biases)
        self.output = nn.Linear(self.wide, TOLD["target_vocab"], bias=biases)

    def bridge(self, state):
        if isinstance(state, tuple):
            return tuple(self.bridge(part) for part in state)
        if not MODEL["bidirectional"]:
            return state
        return state.view(MODEL["layers"], 2, *state.shape[1:]).transpose(1, 2).flatten(2).contiguous()

    def loss(self, batch, hold):
        source, target = tokens(batch["source"], batch["size"]), tokens(batch["target"], batch["size"])
        states, last = self.read(source)
        first = torch.full((batch["size"], 1), TOLD["start_token"])
        said, _ = self.decoder(self.embedding(torch.cat([first, target[:, :-1].clamp(min=0)], 1)), self.bridge(last))
        if hasattr(self, "attention"):
            scores = self.attention["query"](said) @ states.transpose(1, 2)
            if hold == "uniform":
                scores = torch.zeros_like(scores)
            attention = torch.softmax(scores.masked_fill((source < 0)[:, None], -torch.inf), -1)
            if hold == "truth":
                true = tokens(batch["alignment"], batch["size"])
                there = nn.functional.one_hot(true.clamp(min=0), source.shape[1]).to(attention.dtype)
                attention = torch.where((true >= 0)[..., None], there, attention)
            said = torch.cat([said, self.attention["context"](attention @ states)], -1)
        squash = torch.relu if MODEL["combiner"] == "relu" else torch.tanh
        logits = self.output(squash(self.combine(said)))
        return nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-1)


def main():
    torch.set_num_threads(1)  # so small a model gains nothing by more
    torch.set_default_dtype(TYPES[TOLD["weights"][0]["type"]])
    model = {"seq2seq": Seq2Seq, "gated-classifier": GatedClassifier}[MODEL["name"]]()
    start = {one["name"]: numbers(one["values"], TYPES[one["type"]]).reshape(one["shape"]) for one in TOLD["weights"]}
    model.load_state_dict(start)
    adam = torch.optim.Adam(model.parameters(), lr=TRAIN["rate"], betas=(TRAIN["beta1"], TRAIN["beta2"]), eps=TRAIN["epsilon"])
    fovea = dict(TOLD["losses"])
    apart = []
    print("step      Fovea    PyTorch")
    for step, batch in enumerate(TOLD["batches"]):
        adam.zero_grad()
        loss = model.loss(batch, held_at(step))
        loss.backward()
        for parameter in model.parameters():  # one that no gradient reached is at rest, and its Adam counts on
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        adam.step()
        if fovea.get(step + 1) is not None:
            there, here = fovea[step + 1], loss.item()
            apart.append(abs(there - here) / max(1.0, abs(there)))
            print(f"{step + 1:4}  {there:9.6f}  {here:9.6f}")
    print(f"furthest apart: {max(apart):.2g} (tolerance {TOLERANCE:g})")
    return 0 if all(one <= TOLERANCE for one in apart) else 1  # and none is no number


if __name__ == "__main__":
    sys.exit(main())
