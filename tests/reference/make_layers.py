"""Writes layers.json: what PyTorch computes for the layers, losses, optimisers and schedules of fovea/nn, in double precision.

    python3 tests/reference/make_layers.py        (needs torch)

tests/nn/layers_reference_test.cpp feeds the same inputs to Fovea and compares.
"""

import json
import math
import pathlib

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(20170612)


def draw(*shape):
    return torch.randn(*shape, generator=generator)


def leaf(x):
    return x.clone().requires_grad_(True)


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


def activations():
    x, dy = draw(40) * 2, draw(40)
    functions = {
        "tanh": torch.tanh,
        "relu": torch.relu,
        "leaky_relu": lambda x: nn.functional.leaky_relu(x, 0.2),
        "sigmoid": torch.sigmoid,
    }
    case = {"x": flat(x), "dy": flat(dy), "slope": 0.2, "functions": {}}
    for name, f in functions.items():
        at = leaf(x)
        y = f(at)
        y.backward(dy)
        case["functions"][name] = {"y": flat(y), "dx": flat(at.grad)}
    return case


def batch_norm(present):
    """Two training passes (so that the running statistics have a past), backward of the second, then one in evaluation."""
    rows, width = 9, 5
    norm = nn.BatchNorm1d(width)
    with torch.no_grad():
        norm.weight.copy_(draw(width))
        norm.bias.copy_(draw(width))
    there = torch.tensor(present, dtype=torch.bool)
    first, x, dy = draw(rows, width) * 3 + 1, draw(rows, width) - 2, draw(rows, width)
    case = {
        "rows": rows,
        "width": width,
        "present": present,
        "first": flat(first),
        "x": flat(x),
        "dy": flat(dy),
        "weight": flat(norm.weight),
        "bias": flat(norm.bias),
    }

    def run(x):
        at = leaf(x)
        y = torch.zeros(rows, width)
        y[there] = norm(at[there])
        norm.weight.grad = norm.bias.grad = None
        y.backward(dy)
        return {"y": flat(y), "dx": flat(at.grad), "dweight": flat(norm.weight.grad), "dbias": flat(norm.bias.grad)}

    norm(first[there])
    case["training"] = run(x)
    case["running_mean"], case["running_var"] = flat(norm.running_mean), flat(norm.running_var)
    norm.eval()
    case["evaluation"] = run(x)
    return case


def attention(kind, rows):
    """A score, the softmax over what is present, the weighted sum; loss = sum(dcontexts * contexts)."""
    batch, most, width, hidden = 3, 4, 5, 6
    query = width if kind == "dot" else 3
    lengths = [4, 1, 3]
    h, q, dcontexts = draw(batch, most, width), draw(batch, rows, query), draw(batch, rows, width)
    parameters = {
        "free": {"logits": draw(most)},
        "linear": {"weight": draw(1, width)},
        "mlp": {"hidden.weight": draw(hidden, width), "hidden.bias": draw(hidden), "out.weight": draw(1, hidden)},
        "dot": {},
        "general": {"weight": draw(width, query)},
        "additive": {"hidden.weight": draw(hidden, width + query), "out.weight": draw(1, hidden)},
    }[kind]
    p = {name: leaf(value) for name, value in parameters.items()}
    at_h, at_q = leaf(h), leaf(q)
    if kind == "free":
        scores = p["logits"].expand(batch, rows, most)
    elif kind == "linear":
        scores = (at_h @ p["weight"].T).transpose(1, 2)
    elif kind == "mlp":
        scores = (torch.relu(at_h @ p["hidden.weight"].T + p["hidden.bias"]) @ p["out.weight"].T).transpose(1, 2)
    elif kind == "dot":
        scores = at_q @ at_h.transpose(1, 2) / math.sqrt(width)
    elif kind == "general":
        scores = at_q @ p["weight"].T @ at_h.transpose(1, 2)
    else:
        joint = torch.cat([at_h[:, None].expand(-1, rows, -1, -1), at_q[:, :, None].expand(-1, -1, most, -1)], dim=-1)
        scores = (torch.tanh(joint @ p["hidden.weight"].T) @ p["out.weight"].T)[..., 0]
    mask = torch.arange(most)[None, :] < torch.tensor(lengths)[:, None]
    weights = torch.softmax(scores.masked_fill(~mask[:, None], -torch.inf), dim=-1)
    contexts = weights @ at_h
    contexts.backward(dcontexts)
    return {
        "kind": kind,
        "batch": batch,
        "rows": rows,
        "most": most,
        "width": width,
        "query": query,
        "hidden": hidden,
        "lengths": lengths,
        "h": flat(h),
        "q": flat(q),
        "dcontexts": flat(dcontexts),
        "parameters": {name: flat(value) for name, value in parameters.items()},
        "weights": flat(weights),
        "contexts": flat(contexts),
        "dh": flat(at_h.grad),
        "dq": flat(at_q.grad) if at_q.grad is not None else [],
        "gradients": {name: flat(value.grad) for name, value in p.items()},
    }


def losses():
    z, label = torch.cat([draw(9) * 4, torch.tensor([1e4, -1e4, 1e4, -1e4])]), [1, 0, -1, 1, 1, 0, 0, -1, 1, 1, 1, 0, 0]
    counts = torch.tensor(label) >= 0
    at = leaf(z)
    logistic = nn.functional.binary_cross_entropy_with_logits(at[counts], torch.tensor(label)[counts].double())
    logistic.backward()
    logits, answers = draw(7, 6) * 3, [5, 0, -1, 3, -1, 2, 1]
    logits[5] = torch.tensor([1e4, -1e4, 0.0, 1e4, 3.0, -5.0])
    rows = leaf(logits)
    entropy = nn.functional.cross_entropy(rows, torch.tensor(answers), ignore_index=-1)
    entropy.backward()
    predictions, truth = draw(5, 2), draw(5, 2)
    guess = leaf(predictions)
    squared = nn.functional.mse_loss(guess, truth)
    squared.backward()
    return {
        "logistic": {"logits": flat(z), "answers": label, "loss": logistic.item(), "gradient": flat(at.grad)},
        "cross_entropy": {
            "rows": 7,
            "classes": 6,
            "logits": flat(logits),
            "answers": answers,
            "loss": entropy.item(),
            "gradient": flat(rows.grad),
        },
        "squared_error": {
            "predictions": flat(predictions),
            "truth": flat(truth),
            "loss": squared.item(),
            "gradient": flat(guess.grad),
        },
    }


def optimizers():
    start, gradients = draw(12), [draw(12), draw(12) * 0.1, draw(12) * 3]
    ways = {
        "sgd": (lambda p: torch.optim.SGD(p, lr=0.05), {}),
        "sgd momentum": (
            lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.1),
            {"momentum": 0.9, "weight_decay": 0.1},
        ),
        "adam": (lambda p: torch.optim.Adam(p, lr=0.05), {}),
        "adam decay": (
            lambda p: torch.optim.Adam(p, lr=0.05, betas=(0.8, 0.95), eps=1e-4, weight_decay=0.1),
            {"beta1": 0.8, "beta2": 0.95, "epsilon": 1e-4, "weight_decay": 0.1},
        ),
        "adamw": (lambda p: torch.optim.AdamW(p, lr=0.05), {"weight_decay": 0.01}),
        "adam clipped": (lambda p: torch.optim.Adam(p, lr=0.05), {"clip": 1.5}),
        "sgd clipped": (lambda p: torch.optim.SGD(p, lr=0.05), {"clip": 1.5}),
    }
    case = {"start": flat(start), "gradients": [flat(g) for g in gradients], "rate": 0.05, "ways": {}}
    for name, (make, settings) in ways.items():
        parameter = nn.Parameter(start.clone())
        optimizer = make([parameter])
        values, norms = [], []
        for g in gradients:
            parameter.grad = g.clone()
            if "clip" in settings:
                norms.append(nn.utils.clip_grad_norm_([parameter], settings["clip"]).item())
            optimizer.step()
            values.append(flat(parameter))
        case["ways"][name] = {"settings": settings, "values": values, "norms": norms}
    return case


def schedules():
    steps, warmup, floor, period, factor = 20, 4, 0.1, 5, 0.3
    case = {"steps": steps, "floor": floor, "period": period, "factor": factor, "rate": 0.02, "ways": []}
    for w in (0, warmup):
        after = steps - w
        makers = {
            "constant": lambda o: torch.optim.lr_scheduler.ConstantLR(o, factor=1.0),
            "linear": lambda o: torch.optim.lr_scheduler.LinearLR(o, 1.0, floor, after),
            "cosine": lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, after, 0.02 * floor),
            "step": lambda o: torch.optim.lr_scheduler.StepLR(o, period, factor),
        }
        for name, make in makers.items():
            optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.02)
            if w:
                rise = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0 / w, 1.0, w - 1)
                scheduler = torch.optim.lr_scheduler.SequentialLR(optimizer, [rise, make(optimizer)], [w])
            else:
                scheduler = make(optimizer)
            rates = []
            for _ in range(steps + 1):
                rates.append(optimizer.param_groups[0]["lr"])
                optimizer.step()
                scheduler.step()
            case["ways"].append({"kind": name, "warmup": w, "rates": rates})
    return case


if __name__ == "__main__":
    reference = {
        "torch": torch.__version__.split("+")[0],
        "activations": activations(),
        "batch_norm": batch_norm([1] * 9),
        "batch_norm_masked": batch_norm([1, 1, 0, 1, 0, 0, 1, 1, 0]),
        "attention": [
            attention(kind, rows)
            for kind in ("free", "linear", "mlp", "dot", "general", "additive")
            for rows in ((1,) if kind in ("free", "linear", "mlp") else (1, 2))
        ],
        "losses": losses(),
        "optimizers": optimizers(),
        "schedules": schedules(),
    }
    out = pathlib.Path(__file__).with_name("layers.json")
    out.write_text(json.dumps(reference, indent=None, separators=(",", ":")) + "\n")
    print(out.name, out.stat().st_size, "bytes")
