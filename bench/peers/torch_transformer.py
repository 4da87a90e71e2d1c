"""The transformer in PyTorch, written for speed: queries, keys and values by one product, and its own attention where it has one."""

import torch
from torch import nn
from torch.nn import functional as F


class Layer(nn.Module):
    def __init__(self, m, longest):
        super().__init__()
        self.m, d, bias = m, m["width"], m["biases"]
        self.normal, self.separate = m["norm"] == "pre", m["queries"] == "separate"
        if self.normal:
            self.norm1 = nn.LayerNorm(d, bias=bias)
        if self.separate:
            self.qkv = nn.Linear(d, 3 * d, bias=bias)
        else:
            self.key, self.value = nn.Linear(d, d, bias=bias), nn.Linear(d, d, bias=bias)
        if m["position"] == "relative":
            self.position = nn.Embedding(longest, d)
        self.output = nn.Linear(d, d, bias=bias)
        if m["mlp"]:
            if self.normal:
                self.norm2 = nn.LayerNorm(d, bias=bias)
            self.mlp = nn.Sequential(
                nn.Linear(d, m["mlp"] * d, bias=bias),
                nn.GELU(approximate="tanh"),
                nn.Linear(m["mlp"] * d, d, bias=bias),
            )

    def by_distance(self, q):
        """q_i · r_(i-j), (B, H, T, T), by pushing each row to its place; what lands above the diagonal means nothing."""
        places = q.shape[-2]
        r = self.position.weight[:places].flip(0).unflatten(-1, (self.m["heads"], -1)).transpose(0, 1)
        products = F.pad(q @ r.transpose(-1, -2), (1, 0))
        return products.reshape(*q.shape[:2], places + 1, places)[:, :, 1:]

    def attend(self, q, k, v, later):
        m = self.m
        if m["attention"] == "softmax" and m["position"] != "relative":
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2)
        if m["attention"] == "linear":
            return scores.tril() @ v
        scores = scores + self.by_distance(q) * q.shape[-1] ** -0.5
        return (scores + later).softmax(-1) @ v

    def forward(self, h, later):
        u = self.norm1(h) if self.normal else h
        q, k, v = self.qkv(u).chunk(3, -1) if self.separate else (u, self.key(u), self.value(u))
        q, k, v = (x.unflatten(-1, (self.m["heads"], -1)).transpose(1, 2) for x in (q, k, v))
        h = h + self.output(self.attend(q, k, v, later).transpose(1, 2).flatten(-2))
        if self.m["mlp"]:
            h = h + self.mlp(self.norm2(h) if self.normal else h)
        return h


class Transformer(nn.Module):
    def __init__(self, case):
        super().__init__()
        m = case.model
        vocab, width = case.parameters["embedding.weight"].shape
        known = (
            m["queries"] in ("separate", "identity")
            and m["position"] in ("learned", "relative")
            and m["attention"] in ("softmax", "linear")
        )
        if (
            not known
            or m["activation"] != "gelu"
            or (m["queries"] == "identity" and m["heads"] > 1)
            or (m["attention"] == "linear" and m["position"] == "relative")
        ):
            raise SystemExit("the peers know the transformer as in bench/systems alone")
        self.embedding = nn.Embedding(vocab, width)
        self.position = nn.Embedding(*case.parameters["position.weight"].shape) if m["position"] == "learned" else None
        longest = len(case.parameters.get("layer.1.position.weight", ()))
        self.layer = nn.ModuleDict({str(i + 1): Layer(m, longest) for i in range(m["layers"])})
        self.norm = nn.LayerNorm(width, bias=m["biases"]) if m["norm"] == "pre" else None
        self.unembedding = nn.Linear(width, len(case.parameters["unembedding.weight"]), bias=False)
        places = case.batches[0]["source"].shape[1]
        self.register_buffer("later", torch.full((places, places), -torch.inf).triu(1), persistent=False)
        for name in case.frozen:
            self.get_parameter(name).requires_grad_(False)

    def ours(self, name):
        """Several names are those of blocks of rows, one below the other."""
        return tuple(name.replace("qkv", part) for part in ("query", "key", "value")) if "qkv" in name else name

    def forward(self, batch):
        source = batch["source"]
        h = self.embedding(source)
        if self.position is not None:
            h = h + self.position.weight[: source.shape[1]]
        for layer in self.layer.values():
            h = layer(h, self.later)
        if self.norm is not None:
            h = self.norm(h)
        return F.cross_entropy(self.unembedding(h).flatten(0, 1), batch["target"].flatten().long(), ignore_index=-1)
