"""Writes glimpse.json: the model `glimpse` as PyTorch computes it at given places, in double precision.

    python3 tests/reference/make_glimpse.py        (needs torch)

tests/model/glimpse/glimpse_test.cpp feeds the same images, places and weights to Fovea and compares: scores, loss, gradients of
the hybrid of cross-entropy, REINFORCE and the squared error of the baseline.
"""

import json
import math
import pathlib

import torch
from torch import nn
from torch.nn import functional

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(5)
SIDE, PATCH, SCALES, GLIMPSES, IMAGES, CLASSES = 9, 3, 2, 3, 5, 4
WHAT, WHERE, GLIMPSE, HIDDEN, SPREAD, REWARD_WEIGHT, PACE = 5, 4, 6, 7, 0.3, 0.7, 0.5


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


def look(images, places):
    """Patches around the places by cutting padded images, and average pooling."""
    padding = PATCH << SCALES
    padded = functional.pad(images, (padding,) * 4)
    rows = []
    for image, (x, y) in zip(padded, places.tolist()):
        patches = []
        for scale in range(SCALES):
            wide = PATCH << scale
            left, top = (math.floor((at + 1) / 2 * SIDE - wide / 2 + 0.5) + padding for at in (x, y))
            cut = image[top : top + wide, left : left + wide]
            patches.append(functional.avg_pool2d(cut[None, None], 1 << scale).flatten())
        rows.append(torch.cat(patches))
    return torch.stack(rows)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.what = nn.Linear(SCALES * PATCH * PATCH, WHAT)
        self.where = nn.Linear(2, WHERE)
        self.join_what = nn.Linear(WHAT, GLIMPSE)
        self.join_where = nn.Linear(WHERE, GLIMPSE, bias=False)
        self.core_glimpse = nn.Linear(GLIMPSE, HIDDEN)
        self.core_state = nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.classes = nn.Linear(HIDDEN, CLASSES)
        self.location = nn.Linear(HIDDEN, 2)
        self.baseline = nn.Linear(HIDDEN, 1)
        with torch.no_grad():
            for weight in self.parameters():
                weight.copy_((torch.randn(weight.shape, generator=generator) * 0.5e4).round() / 1e4)

    def forward(self, images, drawn):
        h = torch.zeros(IMAGES, HIDDEN)
        means, expected = [], []
        for t in range(GLIMPSES):
            place = drawn[t].clamp(-1, 1)
            p, q = torch.relu(self.what(look(images, place))), torch.relu(self.where(place))
            g = torch.relu(self.join_what(p) + self.join_where(q))
            h = torch.relu(self.core_glimpse(g) + self.core_state(h))
            means.append(torch.tanh(PACE * self.location(h)))
            expected.append(self.baseline(h.detach())[:, 0])
        return self.classes(h), torch.stack(means[:-1]), torch.stack(expected[:-1])


model = Model()
images = (torch.rand(IMAGES, SIDE, SIDE, generator=generator) * 64).round() / 64
drawn = ((torch.rand(GLIMPSES, IMAGES, 2, generator=generator) * 2.4 - 1.2) * 1e3).round() / 1e3
scores, means, expected = model(images, drawn)
labels = scores.argmax(-1)
labels[::2] = (labels[::2] + 1) % CLASSES  # some right, some wrong
reward = (scores.argmax(-1) == labels).double()
loss = functional.cross_entropy(scores, labels)
log_density = torch.distributions.Normal(means, SPREAD).log_prob(drawn[1:]).sum(-1)
better = (reward - expected).detach()
hybrid = loss - REWARD_WEIGHT * (better * log_density).sum() / IMAGES + ((reward - expected) ** 2).mean()
hybrid.backward()

reference = {
    "images": IMAGES,
    "side": SIDE,
    "classes": CLASSES,
    "glimpses": GLIMPSES,
    "pixels": flat(images),
    "drawn": flat(drawn),
    "labels": labels.tolist(),
    "weights": {name: flat(x) for name, x in model.named_parameters()},
    "scores": flat(scores),
    "loss": loss.item(),
    "gradients": {name: flat(x.grad) for name, x in model.named_parameters()},
}
pathlib.Path(__file__).with_name("glimpse.json").write_text(json.dumps(reference, indent=0) + "\n")
