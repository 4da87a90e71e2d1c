"""The classifier of texts in PyTorch, as a PyTorch user would write it.

Independent of Fovea: only the equations and the settings are shared. A table of texts is CSV or TSV, plain or .gz; its columns are
numbered from 1. A part is split off for testing, as large within each class.

    python bench/peers/pytorch_classify.py --train news.csv --label 1 --text 2 3 --classes 1 3 --split 0
    python bench/peers/pytorch_classify.py --train news.csv --label 1 --text 2 3 --classes 1 3 --split 0 --dropout 0.5 --spread 0.1

Dropout is of each position's embedding and of each state. Prints each look on standard error, and one JSON line at the end: the
accuracy at the look of the least loss, and at the last.
"""

import argparse
import collections
import csv
import gzip
import json
import random
import re
import sys

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD, UNKNOWN = 0, 1


class Classifier(nn.Module):
    """h = LSTM both ways of the embeddings; alpha = softmax(v . tanh(A h + a)); the logit is the sum of alpha_s W h_s."""

    def __init__(self, vocab, embedding=300, hidden=256, score_hidden=256, dropout=0.0, spread=1.0):
        super().__init__()
        self.embedding = nn.Embedding(vocab, embedding)
        nn.init.normal_(self.embedding.weight, 0, spread)
        self.encoder = nn.LSTM(embedding, hidden, batch_first=True, bidirectional=True)
        self.score = nn.Sequential(
            nn.Linear(2 * hidden, score_hidden), nn.Tanh(), nn.Linear(score_hidden, 1, bias=False)
        )
        self.beta = nn.Linear(2 * hidden, 1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words):
        lengths = (words != PAD).sum(1)
        packed = pack_padded_sequence(
            self.dropout(self.embedding(words)), lengths, batch_first=True, enforce_sorted=False
        )
        h = self.dropout(pad_packed_sequence(self.encoder(packed)[0], batch_first=True)[0])
        alpha = self.score(h)[..., 0].masked_fill(words == PAD, -torch.inf).softmax(-1)
        return (alpha * self.beta(h)[..., 0]).sum(1)


def rows_of(path):
    plain = path.removesuffix(".gz")
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8-sig", newline="") as file:
        yield from csv.reader(
            file, **({} if plain.endswith(".csv") else {"delimiter": "\t", "quoting": csv.QUOTE_NONE})
        )


def words_of(text):
    return re.findall(r"\w+|[^\w\s]", text.lower())


def parts(examples, share, split):
    """Training and test examples; of each class the same share is for the test."""
    draw, train, test = random.Random(split), [], []
    for label in (0, 1):
        some = [example for example in examples if example[1] == label]
        draw.shuffle(some)
        cut = round(share * len(some))
        test += some[:cut]
        train += some[cut:]
    return train, test


def batches(examples, size, seed):
    """Without end: shuffled epochs, cut into batches. What is left over of an epoch is left out."""
    draw = random.Random(seed)
    while True:
        order = list(examples)
        draw.shuffle(order)
        yield from (order[i : i + size] for i in range(0, len(order) - size + 1, size))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", required=True)
    parser.add_argument("--label", type=int, required=True)
    parser.add_argument("--text", type=int, nargs="+", required=True)
    parser.add_argument("--classes", nargs=2, required=True)
    parser.add_argument("--test-share", type=float, default=0.2)
    parser.add_argument("--split", type=int, default=0)
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--longest", type=int, default=400)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--spread", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)

    examples = [
        (words_of(" ".join(row[i - 1] for i in given.text))[: given.longest], given.classes.index(row[given.label - 1]))
        for row in rows_of(given.train)
        if row[given.label - 1] in given.classes
    ]
    train, test = parts(examples, given.test_share, given.split)
    counts = collections.Counter(word for words, _ in train for word in words)
    known = {word: number + 2 for number, (word, count) in enumerate(counts.most_common()) if count >= given.min_count}

    def tensors(some):
        texts = [torch.tensor([known.get(word, UNKNOWN) for word in words] or [UNKNOWN]) for words, _ in some]
        return pad_sequence(texts, True, PAD), torch.tensor([float(label) for _, label in some])

    model = Classifier(len(known) + 2, dropout=given.dropout, spread=given.spread)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    by_length = sorted(test, key=lambda example: len(example[0]))
    looks = []
    for step, chosen in zip(range(1, given.steps + 1), batches(train, given.batch, given.seed)):
        model.train()
        words, labels = tensors(chosen)
        loss = F.binary_cross_entropy_with_logits(model(words), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % given.every and step < given.steps:
            continue
        model.eval()
        with torch.inference_mode():
            seen = [
                (model(words), labels)
                for words, labels in (tensors(by_length[i : i + 64]) for i in range(0, len(test), 64))
            ]
        logits, labels = (torch.cat(some) for some in zip(*seen))
        looks.append(
            {
                "step": step,
                "loss": F.binary_cross_entropy_with_logits(logits, labels).item(),
                "accuracy": ((logits > 0) == (labels > 0)).double().mean().item(),
            }
        )
        print(json.dumps(looks[-1]), file=sys.stderr, flush=True)
    print(
        json.dumps(
            {
                "split": given.split,
                "seed": given.seed,
                "dropout": given.dropout,
                "spread": given.spread,
                "tests": len(test),
                "best": min(looks, key=lambda look: look["loss"]),
                "last": looks[-1],
            }
        )
    )


if __name__ == "__main__":
    main()
