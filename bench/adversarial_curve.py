"""How far attention can be moved while answers stay: check_classifier's curve, for classifiers of your labelled texts.

    build/python/bin/python bench/adversarial_curve.py messages.tsv [λ…]        (with PyTorch installed; TSV, CSV or JSON lines)

Recurrent networks with attention, one for each of three seeds, are trained on four fifths of the different texts. The curve is of 200 of the
other texts: their answers and weights. Texts end after 30 words. Prints a table of TVD and JSD, the median over the networks and the range.
docs/reference/measures-of-explanation.md defines them.
"""

import collections
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import fovea

STRENGTHS = [0, 1e-4, 1e-3, 1e-2, 0.1]
LONGEST, TESTED, WIDTH, EPOCHS, BATCH, SEEDS, SEARCH = 30, 200, 32, 4, 32, 3, 600
PAD, UNKNOWN = 0, 1


class Classifier(nn.Module):
    def __init__(self, vocab, classes):
        super().__init__()
        self.table, self.read = nn.Embedding(vocab, WIDTH), nn.GRU(WIDTH, WIDTH, batch_first=True, bidirectional=True)
        self.hidden, self.score = nn.Linear(2 * WIDTH, WIDTH), nn.Linear(WIDTH, 1, bias=False)
        self.out = nn.Linear(2 * WIDTH, classes)

    def forward(self, tokens):
        states, _ = self.read(self.table(tokens))
        scores = self.score(torch.tanh(self.hidden(states)))[..., 0].masked_fill(tokens == PAD, -torch.inf)
        return self.out((scores.softmax(-1)[:, None] @ states)[:, 0])


def examples(path):
    """Different texts with a word or more as (words, label)."""
    texts, labels = fovea.data.read(path)
    different = {tuple(fovea.data.cut(text)[:LONGEST]): label for text, label in zip(texts[::-1], labels[::-1])}
    different.pop((), None)
    return list(different.items())


def median_and_range(values):
    return f"{np.median(values):.3f}" + (f" ({min(values):.3f} to {max(values):.3f})" if len(values) > 1 else "")


def main():
    path, strengths = sys.argv[1], [float(word) for word in sys.argv[2:]] or STRENGTHS
    begun = time.monotonic()
    found = examples(path)
    order = np.random.default_rng(0).permutation(len(found))
    cut = len(found) * 4 // 5
    classes = sorted({label for _, label in found})
    counts = collections.Counter(word for place in order[:cut] for word in found[place][0])
    numbers = {word: at + 2 for at, word in enumerate(sorted(word for word, count in counts.items() if count > 1))}

    def tensors(places):
        rows = [torch.tensor([numbers.get(word, UNKNOWN) for word in found[place][0]]) for place in places]
        labels = torch.tensor([classes.index(found[place][1]) for place in places])
        return nn.utils.rnn.pad_sequence(rows, True, PAD), labels

    tokens, labels = tensors(order[:cut])
    test, right = tensors(order[cut : cut + TESTED])

    def fit(module, seed=0):
        optimizer, random = torch.optim.Adam(module.parameters(), 3e-3), torch.Generator().manual_seed(seed)
        for _ in range(EPOCHS):
            for chosen in torch.randperm(len(tokens), generator=random).split(BATCH):
                optimizer.zero_grad()
                F.cross_entropy(module(tokens[chosen]), labels[chosen]).backward()
                optimizer.step()

    points = collections.defaultdict(list)
    for seed in range(SEEDS):
        torch.manual_seed(seed)
        model = Classifier(len(numbers) + 2, len(classes))
        fit(model, seed)
        check = fovea.check_classifier(
            model, test, lambda out: out, labels=right, erase=UNKNOWN, fit=None if seed else fit, seeds=SEEDS, adversaries=strengths,
            search=SEARCH, seed=seed,
        )  # fmt: skip
        for what, *point in check.curve():
            points[what].append(point)
        if seed == 0:
            print(
                f"{len(tokens)} texts for training, {len(test)} tested. Always the most frequent class: {right.bincount().max() / len(right):.3f}."
            )
            for kind in ("learned", "uniform"):
                print(f"Accuracy with {kind} attention: {check.figures[f'accuracy_{kind}']}")
        print(f"Network {seed + 1}: {check.headline}", flush=True)
    print("\n| changed | TVD of answers | JSD of α |\n|---|---|---|")
    for what, found in points.items():
        print(f"| {what} | {' | '.join(median_and_range(column) for column in zip(*found))} |")
    print(f"\n{time.monotonic() - begun:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
