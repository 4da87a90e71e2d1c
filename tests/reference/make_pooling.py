"""Writes pooling.json: attention pooling as PyTorch computes it, in double precision.

    python3 tests/reference/make_pooling.py        (needs torch)

tests/model/items/pooling_test.cpp feeds the same inputs to Fovea and compares: answers, loss and gradients (leave-one-out and
at queries), and the loss after 20 steps of Adam.
"""

import json
import pathlib

import torch

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(5)
D, HIDDEN, VALUE = 3, 4, 2
W, WIDTH = 0.75, 3.25
FREE = ("average", "gaussian", "boxcar", "epanechnikov", "dot", "user")  # nothing to learn


def draw(*shape, scale=1.0):
    """Multiples of 1/64: exact in single precision, in which batches are."""
    return (torch.randn(*shape, generator=generator) * scale * 64).round() / 64


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


KEYS, VALUES, QUERIES, ANSWERS = draw(17, D), draw(17, VALUE), draw(9, D), draw(9, VALUE)


def squares(q, k):
    return ((q[:, None] - k[None]) ** 2).sum(-1)


def average(p, q, k):
    return torch.zeros(len(q), len(k))


def fixed_gaussian(p, q, k):
    return -squares(q, k) * W**2 / 2


def boxcar(p, q, k):
    return torch.log((squares(q, k) < WIDTH**2).double())


def epanechnikov(p, q, k):
    return torch.log((1 - squares(q, k) / WIDTH**2).clamp(min=0))


def dot(p, q, k):
    return q @ k.T / D**0.5


def user(p, q, k):  # the formula "-sqrt(d2) + dot"
    return -squares(q, k).sqrt() + q @ k.T


def gaussian(p, q, k):
    return -squares(q, k) * p["w"] ** 2 / 2


def general(p, q, k):
    return q @ p["weight"] @ k.T


def additive(p, q, k):
    hidden = torch.tanh((q @ p["query.weight"].T)[:, None] + (k @ p["key.weight"].T)[None])
    return (hidden @ p["out.weight"].T)[..., 0]


def start(kind):
    if kind in FREE:
        return {}
    if kind == "gaussian-learned":
        return {"w": torch.tensor([0.75])}
    if kind == "general":
        return {"weight": draw(D, D, scale=0.5)}
    return {
        "query.weight": draw(HIDDEN, D, scale=0.5),
        "key.weight": draw(HIDDEN, D, scale=0.5),
        "out.weight": draw(1, HIDDEN, scale=0.5),
    }


def case(kind, similarity, leave_one_out, temperature):
    parameters = {name: x.requires_grad_(True) for name, x in start(kind).items()}
    weights = {name: flat(x) for name, x in parameters.items()}

    def run():
        queries, truth = (KEYS, VALUES) if leave_one_out else (QUERIES, ANSWERS)
        s = similarity(parameters, queries, KEYS) / temperature
        if leave_one_out:
            s = s.masked_fill(torch.eye(len(KEYS), dtype=torch.bool), float("-inf"))
        assert torch.isfinite(s).any(-1).all()  # no neighbourhood is empty
        answers = torch.softmax(s, -1) @ VALUES
        return answers, ((answers - truth) ** 2).mean()

    answers, loss = run()
    if parameters:
        loss.backward()
    gradients = {name: flat(x.grad) for name, x in parameters.items()}
    optimizer = torch.optim.Adam(list(parameters.values()), lr=1e-2) if parameters else None
    for _ in range(20 if parameters else 0):
        optimizer.zero_grad()
        run()[1].backward()
        optimizer.step()
    return {
        "similarity": kind,
        "train_on": "leave-one-out" if leave_one_out else "queries",
        "temperature": temperature,
        "weights": weights,
        "answers": flat(answers),
        "loss": loss.item(),
        "gradients": gradients,
        "loss_after_20": run()[1].item(),
    }


cases = [
    case(kind, similarity, leave_one_out, temperature)
    for kind, similarity in (
        ("gaussian-learned", gaussian),
        ("general", general),
        ("additive", additive),
        ("average", average),
        ("gaussian", fixed_gaussian),
        ("boxcar", boxcar),
        ("epanechnikov", epanechnikov),
        ("dot", dot),
        ("user", user),
    )
    for leave_one_out, temperature in ((True, 1.0), (False, 0.5))
]
reference = {
    "w": W,
    "kernel_width": WIDTH,
    "width": D,
    "hidden": HIDDEN,
    "value_width": VALUE,
    "keys": flat(KEYS),
    "values": flat(VALUES),
    "queries": flat(QUERIES),
    "answers": flat(ANSWERS),
    "cases": cases,
}
pathlib.Path(__file__).with_name("pooling.json").write_text(json.dumps(reference, indent=0) + "\n")
