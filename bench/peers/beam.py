"""Beam search in PyTorch, beside Fovea's: every beginning of every sentence of a batch goes on at once, all on tensors.

    python beam.py THREADS FILE.safetensors            FILE as bench/say_sentences wrote it

It says the sentences once and compares them with Fovea's. Prints a JSON line with the share of the words that are the same, and one
with the seconds for every line that it reads; the batch is the fastest of a few sizes.
"""

import json
import resource
import sys
import time

import tomllib
import torch
from safetensors import safe_open
from torch.nn import functional as F
from torch_models import Seq2Seq, absent


class Saying:
    """What bench/say_sentences wrote, as what a system is built from."""

    def __init__(self, path):
        with safe_open(path, "pt") as file:
            about = file.metadata()
            arrays = {name: file.get_tensor(name) for name in file.keys()}
        spec = tomllib.loads(about["spec"])
        self.model, self.task = spec["model"], spec["task"]
        self.shape = {name.split(".", 1)[1]: int(value) for name, value in about.items() if name.startswith("shape.")}
        self.beams, self.longest = int(about["beams"]), int(about["longest"])
        self.parameters = {
            name.split(".", 1)[1]: value for name, value in arrays.items() if name.startswith("parameter.")
        }
        self.sources, self.said = arrays["sources"].long(), arrays["said"].long()


class Speaker:
    def __init__(self, saying):
        self.saying = saying
        self.model = Seq2Seq(saying).eval()
        self.model.load_state_dict({name: saying.parameters[self.model.ours(name)] for name in self.model.state_dict()})

    @torch.inference_mode()
    def say(self, at_a_time):
        """Sentences of like length go together."""
        lengths = (self.saying.sources >= 0).sum(1)
        order = torch.argsort(lengths, descending=True)
        said = torch.full((len(order), self.saying.longest), -1)
        for first in range(0, len(order), at_a_time):
            some = order[first : first + at_a_time]
            longest = int(lengths[some].max())
            said[some] = self.say_some(self.saying.sources[some, :longest], lengths[some])
        return said

    def say_some(self, source, lengths):
        model, (B, S), K, longest = self.model, source.shape, self.saying.beams, self.saying.longest
        packed = torch.nn.utils.rnn.pack_padded_sequence(model.embedding(source.clamp(min=0).T), lengths)
        states, (h, c) = model.encoder(packed)
        e = torch.nn.utils.rnn.pad_packed_sequence(states, total_length=S)[0].transpose(0, 1)
        keys = e.transpose(1, 2)
        away = absent(lengths, S)[:, None, :]
        h, c = (model.bridge(x).repeat_interleave(K, 1) for x in (h, c))
        scores = torch.full((B, K), -torch.inf)
        scores[:, 0] = 0  # at first there is one beginning
        tokens = torch.full((B * K,), model.start)
        said = torch.empty((B * K, 0), dtype=torch.long)
        firsts = torch.arange(B)[:, None] * K
        done = torch.zeros(
            (B, 1), dtype=torch.long
        )  # of each sentence, how many have ended: each leaves room for one less
        best_score = torch.full((B,), -torch.inf)
        best_said = torch.full((B, longest), -1)
        for n in range(1, longest + 1):
            d, (h, c) = model.decoder(model.embedding(tokens)[None], (h, c))
            d = d.view(B, K, -1)
            weights = torch.softmax(torch.bmm(model.attention.query(d), keys).masked_fill(away, -torch.inf), -1)
            context = model.attention.context(torch.bmm(weights, e))
            logits = model.output(model.squash(model.combine(torch.cat([d, context], -1))))
            every = F.log_softmax(logits, -1) + scores[:, :, None]
            if model.start < every.shape[2]:
                every[:, :, model.start] = -torch.inf
            scores, best = every.flatten(1).topk(K)
            rows = (firsts + best // every.shape[2]).flatten()
            tokens = (best % every.shape[2]).flatten()
            said = torch.cat([said[rows], tokens[:, None]], 1)
            h, c = h[:, rows], c[:, rows]
            kept = (torch.arange(K) < K - done) & (scores > -torch.inf)
            ended = kept & ((tokens.view(B, K) == self.saying.shape["end_token"]) | (n == longest))
            if ended.any():
                score, which = torch.where(ended, scores / ((5 + n) / 6), -torch.inf).max(1)
                better = score > best_score
                best_score = torch.where(better, score, best_score)
                best_said[better] = -1
                best_said[better, :n] = said.view(B, K, n)[better, which[better]]
                done += ended.sum(1, keepdim=True)
            scores = scores.masked_fill(ended | ~kept, -torch.inf)
        return best_said.masked_fill(best_said == self.saying.shape["end_token"], -1)


def main():
    torch.set_num_threads(int(sys.argv[1]))
    speaker = Speaker(Saying(sys.argv[2]))
    fastest = {}
    for at_a_time in (16, 32, 64, 128):
        began = time.perf_counter()
        said = speaker.say(at_a_time)
        fastest[at_a_time] = time.perf_counter() - began
    same = (said == speaker.saying.said).float().mean().item()
    at_a_time = min(fastest, key=fastest.get)
    print(json.dumps({"version": torch.__version__, "same": same, "at_a_time": at_a_time}), flush=True)
    for _ in sys.stdin:
        began = time.perf_counter()
        speaker.say(at_a_time)
        print(
            json.dumps(
                {
                    "seconds": time.perf_counter() - began,
                    "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                }
            ),
            flush=True,
        )


main()
