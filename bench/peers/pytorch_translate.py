"""The translator in PyTorch, as a PyTorch user would write it, scored by sacreBLEU.

Independent of Fovea: only the equations, the settings and the SentencePiece model are shared (Fovea keeps the one that it learned
beside the corpus, as $FOVEA_HOME/data/NAME/pieces-….model). Texts are files of a sentence a line, plain or .gz.

    python bench/peers/pytorch_translate.py --pieces pieces.model --train train.de.gz train.en.gz \\
        --test test_2016_flickr.de.gz test_2016_flickr.en.gz --steps 4000 --seed 0

Prints its progress on standard error, and one JSON line at the end.
"""

import argparse
import gzip
import json
import random
import sys
import time

import sacrebleu
import sentencepiece
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

PAD = -1


class Translator(nn.Module):
    """Encoder of two layers both ways, decoder of two as wide as both together.

    score_ts = (A d_t + a) . e_s;  c_t = P sum_s alpha_ts e_s + b;  o_t = relu(U [d_t; c_t]);  logits = V o_t."""

    def __init__(self, vocab, hidden=256, embedding=256, layers=2, dropout=0.5):
        super().__init__()
        wide = 2 * hidden
        self.embedding = nn.Embedding(vocab, embedding)
        self.encoder = nn.LSTM(embedding, hidden, layers, batch_first=True, dropout=dropout, bidirectional=True)
        self.decoder = nn.LSTM(embedding, wide, layers, batch_first=True, dropout=dropout)
        self.query = nn.Linear(wide, wide)
        self.context = nn.Linear(wide, wide)
        self.combine = nn.Linear(2 * wide, wide, bias=False)
        self.output = nn.Linear(wide, vocab, bias=False)
        self.dropout = nn.Dropout(dropout)

    def encode(self, source):
        lengths = (source != PAD).sum(1)
        packed = pack_padded_sequence(
            self.embedding(source.clamp(min=0)), lengths, batch_first=True, enforce_sorted=False
        )
        states, last = self.encoder(packed)
        e, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        both_ways = [x.unflatten(0, (-1, 2)).transpose(1, 2).flatten(2).contiguous() for x in last]
        return e, source == PAD, tuple(both_ways)

    def decode(self, fed, e, absent, state):
        d, state = self.decoder(self.embedding(fed), state)
        scores = self.query(d) @ e.transpose(1, 2)
        alpha = torch.softmax(scores.masked_fill(absent[:, None], -torch.inf), -1)
        c = self.context(alpha @ e)
        o = torch.relu(self.combine(torch.cat([d, c], -1)))
        return self.output(self.dropout(o)), state

    def loss(self, source, target, start):
        e, absent, state = self.encode(source)
        fed = torch.cat([torch.full_like(target[:, :1], start), target[:, :-1].clamp(min=0)], 1)
        logits, _ = self.decode(fed, e, absent, state)
        return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)

    @torch.inference_mode()
    def say(self, source, start, end, beams):
        """The likeliest translation that a search with so many beginnings finds. `source` is one sentence."""
        e, absent, state = self.encode(source[None])
        beginnings, scores, ended = [[]], torch.zeros(1), []
        for _ in range(2 * len(source) + 10):
            count = len(beginnings)
            fed = torch.tensor([[words[-1] if words else start] for words in beginnings])
            logits, state = self.decode(fed, e.expand(count, -1, -1), absent.expand(count, -1), state)
            logits[..., start] = -torch.inf  # nobody says the start token
            every = (F.log_softmax(logits[:, -1], -1) + scores[:, None]).flatten()
            best, places = every.topk(beams - len(ended))
            rows, words = places // logits.shape[-1], places % logits.shape[-1]
            going = words != end
            for row, score, goes in zip(rows.tolist(), best.tolist(), going.tolist()):
                if not goes:
                    ended.append((score, beginnings[row]))
            beginnings = [beginnings[row] + [word] for row, word in zip(rows[going].tolist(), words[going].tolist())]
            scores, state = best[going], tuple(x[:, rows[going]] for x in state)
            if len(ended) >= beams:
                break
        ended += zip(scores.tolist(), beginnings)
        return max(ended)[1]


def lines_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def batches(pairs, size, seed):
    """Without end: shuffled epochs, in batches of sentences of like length. What is left over of an epoch is left out."""
    draw = random.Random(seed)
    pool = 32 * size
    while True:
        order = list(range(len(pairs)))
        draw.shuffle(order)
        for begin in range(0, len(order), pool):
            some = sorted(order[begin : begin + pool], key=lambda i: len(pairs[i][0]))
            cut = [some[i : i + size] for i in range(0, len(some) - size + 1, size)]
            draw.shuffle(cut)
            yield from cut


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pieces", required=True)
    parser.add_argument("--train", nargs=2, required=True, metavar=("SOURCE", "TARGET"))
    parser.add_argument("--test", nargs=2, required=True, metavar=("SOURCE", "TARGET"))
    parser.add_argument("--steps", type=int, default=4000, help="1 or more")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--beams", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    pieces = sentencepiece.SentencePieceProcessor(model_file=given.pieces)
    start, end = pieces.bos_id(), pieces.eos_id()

    def tokens_of(path):
        return [torch.tensor(pieces.encode(line) + [end]) for line in lines_of(path)]

    train = list(zip(*map(tokens_of, given.train)))
    test, wanted = tokens_of(given.test[0]), lines_of(given.test[1])
    model = Translator(len(pieces))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    began, losses = time.perf_counter(), []
    for step, chosen in zip(range(given.steps), batches(train, given.batch, given.seed)):
        source, target = (pad_sequence([train[i][side] for i in chosen], True, PAD) for side in (0, 1))
        loss = model.loss(source, target, start)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if (step + 1) % 250 == 0:
            print(
                f"step {step + 1}: loss {sum(losses[-250:]) / 250:.4f}, {time.perf_counter() - began:.0f} s",
                file=sys.stderr,
                flush=True,
            )
    trained = time.perf_counter() - began
    model.eval()
    said = [pieces.decode(model.say(source, start, end, given.beams)) for source in test]
    score = sacrebleu.corpus_bleu(said, [wanted])
    print(
        json.dumps(
            {
                "seed": given.seed,
                "steps": given.steps,
                "beams": given.beams,
                "bleu": score.score,
                "loss": sum(losses[-250:]) / len(losses[-250:]),
                "seconds": trained,
            }
        )
    )


if __name__ == "__main__":
    main()
