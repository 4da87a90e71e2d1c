"""Writes items.json: feature attention and bag attention by PyTorch, in double precision: loss, scores, attention, gradients, and the loss
after twenty Adam steps.

    python3 tests/reference/make_items.py        (needs torch)

tests/model/items/items_reference_test.cpp gives Fovea the same weights and the same batch, and compares.
"""

import json
import math
import pathlib

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(20200907)
leaky = nn.functional.leaky_relu


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


class Mlp(nn.ModuleList):
    def __init__(self, sizes):
        super().__init__(nn.Linear(i, o) for i, o in zip(sizes, sizes[1:]))

    def forward(self, x, last=True):
        for i, layer in enumerate(self):
            x = layer(x)
            if last or i + 1 < len(self):
                x = leaky(x)
        return x


class Feature(nn.Module):
    def __init__(self, gate, features, hidden, classes, rescale):
        super().__init__()
        if gate == "free":
            self.attention = nn.ParameterDict({"logits": nn.Parameter(torch.randn(features))})
        if gate == "input":
            self.attention = Mlp([features, 5, features])
        self.gate, self.rescale, self.features = gate, rescale, features
        self.mlp = Mlp([features, *hidden, 1 if classes == 2 else classes])

    def forward(self, x, lengths):
        weights = None
        if self.gate != "none":
            logits = self.attention["logits"].expand(x.shape) if self.gate == "free" else self.attention(x, last=False)
            weights = logits.softmax(-1)
            x = weights * x * (self.features if self.rescale else 1)
        return self.mlp(x, last=False), weights


class Head(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.norm0, self.linear0 = nn.BatchNorm1d(width), nn.Linear(width, width)
        self.norm1, self.linear1 = nn.BatchNorm1d(width), nn.Linear(width, classes)
        for norm in (self.norm0, self.norm1):
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.normal_(norm.bias, std=0.2)

    def forward(self, x):
        return self.linear1(self.norm1(leaky(self.linear0(self.norm0(x)))))


class Bag(nn.Module):
    def __init__(self, score, most, width, hidden, classes, item_norm):
        super().__init__()
        self.score, self.most = score, most
        self.items = Mlp([width * most if score == "flat" else width, *hidden])
        if item_norm:
            self.items.norm = nn.BatchNorm1d(hidden[-1])
        self.item_norm = item_norm
        h = hidden[-1]
        if score in ("simple", "additive"):
            self.attention = nn.Module()
            self.attention.hidden = nn.Linear(h if score == "simple" else 2 * h, 3, bias=score == "simple")
            self.attention.out = nn.Linear(3, 1, bias=False)
        if score == "general":
            self.attention = nn.Linear(h, h, bias=False)
        self.head = Head(h, classes)

    def embed(self, x):
        for layer in self.items:
            if isinstance(layer, nn.Linear):
                x = leaky(layer(x))
        return self.items.norm(x) if self.item_norm else x

    def forward(self, x, lengths):
        if self.score == "flat":
            return self.head(self.embed(x.flatten(1))), None
        there = torch.arange(x.shape[1])[None, :] < lengths[:, None]
        packed = self.embed(x[there])
        h = torch.zeros(*there.shape, packed.shape[-1])
        h[there] = packed
        mean = h.sum(1) / lengths[:, None]
        if self.score == "simple":
            s = self.attention.out(torch.relu(self.attention.hidden(h)))[..., 0]
        elif self.score == "dot":
            s = (h * mean[:, None]).sum(-1) / math.sqrt(h.shape[-1])
        elif self.score == "general":
            s = (h * self.attention(mean)[:, None]).sum(-1)
        else:
            joint = torch.cat([h, mean[:, None].expand_as(h)], dim=-1)
            s = self.attention.out(torch.tanh(self.attention.hidden(joint)))[..., 0]
        weights = s.masked_fill(~there, -torch.inf).softmax(-1)
        return self.head((weights[..., None] * h).sum(1)), weights


def case(name, settings, model, x, lengths, labels, classes):
    lengths = torch.tensor(lengths)
    target = torch.tensor(labels)

    def loss_of():
        scores, weights = model(x, lengths)
        if scores.shape[1] == 1:
            return nn.functional.binary_cross_entropy_with_logits(scores[:, 0], target.double()), scores, weights
        return nn.functional.cross_entropy(scores, target), scores, weights

    # A unit that is on one side of 0 for every bag has, before a norm, a bias whose gradient is 0 but for rounding; and Adam
    # makes full steps of rounding. So units are spread over both sides.
    with torch.no_grad():
        for key, value in model.named_parameters():
            if key.startswith(("items", "head")):
                value.mul_(
                    0.1
                    if "linear0.bias" in key or "items" in key and "bias" in key
                    else 2
                    if "weight" in key and "norm" not in key
                    else 1
                )
    start = {key: flat(value) for key, value in model.named_parameters()}
    loss, scores, weights = loss_of()
    loss.backward()
    gradients = {key: flat(value.grad) for key, value in model.named_parameters()}
    statistics = {key: flat(value) for key, value in model.named_buffers() if "running" in key}
    adam = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(20):
        adam.zero_grad()
        loss_of()[0].backward()
        adam.step()
    return {
        "model": name,
        "settings": settings,
        "items": [*x.shape] if x.dim() == 3 else [x.shape[0], 1, x.shape[1]],
        "x": flat(x),
        "lengths": lengths.tolist(),
        "labels": labels,
        "classes": classes,
        "parameters": start,
        "loss": loss.item(),
        "scores": flat(scores),
        "attention": [] if weights is None else flat(weights),
        "gradients": gradients,
        "statistics": statistics,
        "loss after 20": loss_of()[0].item(),
    }


def draw(*shape):
    return torch.randn(*shape).float().double()  # a batch holds floats


def main():
    cases = []
    for gate, rescale, classes in (
        ("free", False, 2),
        ("free", True, 3),
        ("input", False, 2),
        ("input", True, 2),
        ("none", False, 2),
    ):
        x, hidden = draw(6, 9), [7, 4]
        labels = torch.randint(classes, (6,)).tolist()
        settings = {"gate": gate, "rescale": rescale, "hidden": hidden, "gate_hidden": 5}
        cases.append(
            case("feature-attention", settings, Feature(gate, 9, hidden, classes, rescale), x, [1] * 6, labels, classes)
        )
    for score, item_norm in (
        ("simple", False),
        ("dot", False),
        ("general", True),
        ("additive", False),
        ("flat", False),
    ):  # a norm right before the head's would have no gradient
        most, width, hidden, classes, lengths = 3, 6, [5, 4], 4, [3, 1, 2, 3, 2, 3, 1, 3, 2, 3, 3, 2]
        x = draw(len(lengths), most, width)
        for row, length in zip(x, lengths):
            row[length:] = 0
        labels = torch.randint(classes, (len(lengths),)).tolist()
        settings = {"score": score, "hidden": hidden, "score_hidden": 3, "item_norm": item_norm}
        cases.append(
            case(
                "bag-attention",
                settings,
                Bag(score, most, width, hidden, classes, item_norm),
                x,
                lengths,
                labels,
                classes,
            )
        )
    out = pathlib.Path(__file__).with_name("items.json")
    out.write_text(json.dumps({"torch": torch.__version__.split("+")[0], "cases": cases}, separators=(",", ":")) + "\n")
    print(out.name, out.stat().st_size, "bytes")


main()
