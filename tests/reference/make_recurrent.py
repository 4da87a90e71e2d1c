"""Writes recurrent.json: what PyTorch computes for linear maps, embeddings, LSTMs and GRUs, in double precision.

    python3 tests/reference/make_recurrent.py        (needs torch)

tests/nn/recurrent_reference_test.cpp feeds the same inputs to Fovea and compares.
"""

import json
import pathlib

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(19971115)


def draw(*shape, scale=1.0):
    return (torch.randn(*shape, generator=generator) * scale * 1e4).round() / 1e4


def flat(x):
    return [float(f"{v:.12g}") for v in x.detach().flatten().tolist()]


def leaf(x):
    return x.clone().requires_grad_(True)


def start(module):
    """Weights of few digits, so that the file stays small."""
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(draw(*weight.shape, scale=0.4))


def weights(module):
    return {name: flat(weight) for name, weight in module.named_parameters()}


def gradients(module):
    return {name: flat(weight.grad) for name, weight in module.named_parameters()}


def linear():
    module, x, dy = nn.Linear(5, 3), leaf(draw(7, 5)), draw(7, 3)
    start(module)
    y = module(x)
    y.backward(dy)
    return {
        "x": flat(x),
        "dy": flat(dy),
        "y": flat(y),
        "dx": flat(x.grad),
        "weights": weights(module),
        "gradients": gradients(module),
    }


def embedding():
    module, dy = nn.Embedding(6, 4), draw(8, 4)
    start(module)
    tokens = [3, 0, 5, 3, 3, 1, 0, 5]
    y = module(torch.tensor(tokens))
    y.backward(dy)
    return {"tokens": tokens, "dy": flat(dy), "y": flat(y), "weights": weights(module), "gradients": gradients(module)}


def recurrent(kind, layers, directions, packed):
    """One forward and backward from given states; then three steps of SGD and of Adam on the same loss from zero states."""
    steps, batch, size, width = 5, 4, 3, 4
    lengths = [3, 5, 1, 4] if packed else [steps] * batch
    lstm = kind == "lstm"
    module = (nn.LSTM if lstm else nn.GRU)(size, width, layers, bidirectional=directions == 2)
    start(module)
    x = leaf(draw(steps, batch, size))
    initial = [leaf(draw(layers * directions, batch, width)) for _ in range(2 if lstm else 1)]
    d_last = [draw(layers * directions, batch, width) for _ in initial]
    dy = draw(steps, batch, directions * width)

    def run(states):
        source = nn.utils.rnn.pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=False) if packed else x
        output, last = module(source, None if states is None else tuple(states) if lstm else states[0])
        if packed:
            output, _ = nn.utils.rnn.pad_packed_sequence(output, total_length=steps)
        last = list(last) if lstm else [last]
        return output, last, (output * dy).sum() + sum((a * b).sum() for a, b in zip(last, d_last))

    first = weights(module)
    output, last, loss = run(initial)
    loss.backward()
    case = {
        "cell": kind,
        "layers": layers,
        "directions": directions,
        "steps": steps,
        "batch": batch,
        "in": size,
        "width": width,
        "lengths": lengths,
        "x": flat(x),
        "dy": flat(dy),
        "initial": [flat(s) for s in initial],
        "d_last": [flat(d) for d in d_last],
        "output": flat(output),
        "last": [flat(s) for s in last],
        "dx": flat(x.grad),
        "d_initial": [flat(s.grad) for s in initial],
        "weights": first,
        "gradients": gradients(module),
    }

    begin = [weight.detach().clone() for weight in module.parameters()]
    for name, optimizer in (
        ("sgd", torch.optim.SGD(module.parameters(), lr=0.01)),
        ("adam", torch.optim.Adam(module.parameters(), lr=0.01)),
    ):
        with torch.no_grad():
            for weight, value in zip(module.parameters(), begin):
                weight.copy_(value)
        losses = []
        for _ in range(3):
            optimizer.zero_grad()
            loss = run(None)[2]
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        case[name] = {"losses": losses, "weights": weights(module)}
    return case


cases = {
    "linear": linear(),
    "embedding": embedding(),
    "recurrent": [
        recurrent("lstm", 1, 1, packed=False),
        recurrent("lstm", 1, 1, packed=True),
        recurrent("lstm", 1, 2, packed=True),
        recurrent("lstm", 2, 1, packed=False),
        recurrent("lstm", 2, 2, packed=True),
        recurrent("gru", 1, 1, packed=False),
        recurrent("gru", 2, 2, packed=True),
    ],
}
path = pathlib.Path(__file__).with_name("recurrent.json")
path.write_text(json.dumps(cases, separators=(",", ":")) + "\n")
