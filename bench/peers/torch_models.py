"""The systems in PyTorch. Parameters are named as Fovea names them where PyTorch lets us, else `ours` translates."""

import torch
from torch import nn
from torch.nn import functional as F
from torch_transformer import Transformer


class System(nn.Module):
    def ours(self, name):
        return name


def absent(lengths, columns):
    return torch.arange(columns, device=lengths.device) >= lengths[:, None]


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.context = nn.Linear(width, width)


class Seq2Seq(System):
    """Batch first is what attention wants, time first what the recurrence wants; the latter weighs more."""

    def __init__(self, case):
        super().__init__()
        m, shape = case.model, case.shape
        self.start = shape["start_token"]
        self.directions = 2 if m["bidirectional"] else 1
        self.varying = case.task["shortest"] > 0
        width = m["hidden"] * self.directions
        dropout = m["dropout"] if m["layers"] > 1 else 0
        self.embedding = nn.Embedding(shape["vocab"], m["embedding"])
        self.encoder = nn.LSTM(
            m["embedding"], m["hidden"], m["layers"], dropout=dropout, bidirectional=m["bidirectional"]
        )
        self.decoder = nn.LSTM(m["embedding"], width, m["layers"], dropout=dropout)
        self.attention = Attention(width)
        self.combine = nn.Linear(2 * width, width, bias=False)
        self.output = nn.Linear(width, shape["target_vocab"], bias=False)
        self.squash = {"tanh": torch.tanh, "relu": torch.relu}[m["combiner"]]
        self.dropout = m["dropout"]

    def bridge(self, state):
        if self.directions == 1:
            return state
        layers = state.shape[0] // 2
        return state.view(layers, 2, *state.shape[1:]).transpose(1, 2).flatten(2).contiguous()

    def look(self, batch):
        """-> logits (B,T,V), attention (B,T,S)"""
        source, target = batch["source"].T, batch["target"].T
        words = self.embedding(source.clamp(min=0))
        mask = None
        if self.varying:
            lengths = batch["source_lengths"]
            packed = nn.utils.rnn.pack_padded_sequence(words, lengths.cpu(), enforce_sorted=False)
            states, (h, c) = self.encoder(packed)
            e, _ = nn.utils.rnn.pad_packed_sequence(states, total_length=len(source))
            mask = ~absent(lengths, len(source))[:, None, :]
        else:
            e, (h, c) = self.encoder(words)
        fed = torch.cat([torch.full_like(target[:1], self.start), target[:-1].clamp(min=0)])
        d, _ = self.decoder(self.embedding(fed), (self.bridge(h), self.bridge(c)))
        e = e.transpose(0, 1)
        q = self.attention.query(d).transpose(0, 1)
        scores = torch.bmm(q, e.transpose(1, 2))
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = torch.softmax(scores, -1)
        c = self.attention.context(torch.bmm(weights, e))
        said = self.squash(self.combine(torch.cat([d.transpose(0, 1), c], -1)))
        if self.dropout:
            said = F.dropout(said, self.dropout, self.training)
        return self.output(said), weights

    def forward(self, batch):
        logits, _ = self.look(batch)
        return F.cross_entropy(logits.flatten(0, 1), batch["target"].flatten().long(), ignore_index=-1)


class BothWays(nn.Module):
    """An LSTM each way over padded sequences. The way back reads each sequence turned about, so that padding comes last in
    either; oneDNN's kernels, which PyTorch does not use for packed sequences, can then be used."""

    def __init__(self, embedding, hidden):
        super().__init__()
        self.there = nn.LSTM(embedding, hidden)
        self.back = nn.LSTM(embedding, hidden)

    def forward(self, words, turned):
        back, _ = self.back(words.gather(0, turned[..., None].expand_as(words)))
        there, _ = self.there(words)
        return torch.cat([there, back.gather(0, turned[..., None].expand_as(back))], -1)


class Classifier(System):
    def __init__(self, case):
        super().__init__()
        m, shape = case.model, case.shape
        self.varying = case.task["shortest"] > 0
        out = m["hidden"] * (2 if m["bidirectional"] else 1)
        self.embedding = nn.Embedding(shape["vocab"], m["embedding"])
        if self.varying and m["bidirectional"]:
            self.encoder = BothWays(m["embedding"], m["hidden"])
        else:
            self.encoder = nn.LSTM(m["embedding"], m["hidden"], bidirectional=m["bidirectional"])
        if m["score"] == "linear":
            self.score = nn.Linear(out, 1, bias=False)
        else:
            hidden = nn.Linear(out, m["score_hidden"])
            self.score = nn.ModuleDict({"hidden": hidden, "out": nn.Linear(m["score_hidden"], 1, bias=False)})
        self.beta = nn.Linear(out, 1, bias=False)

    def ours(self, name):
        if name.startswith("encoder.back."):
            return name.replace("back.", "") + "_reverse"
        return name.replace("there.", "")

    def forward(self, batch):
        tokens = batch["source"].T
        words = self.embedding(tokens.clamp(min=0))
        if isinstance(self.encoder, BothWays):
            at = torch.arange(len(tokens), device=tokens.device)[:, None]
            last = batch["source_lengths"].long()[None] - 1
            h = self.encoder(words, torch.where(at <= last, last - at, at))
        else:
            h, _ = self.encoder(words)
        if isinstance(self.score, nn.Linear):
            a = self.score(h)[..., 0]
        else:
            a = self.score["out"](torch.relu(self.score["hidden"](h)))[..., 0]
        if self.varying:
            a = a.masked_fill(tokens < 0, -torch.inf)
        logits = (torch.softmax(a, 0) * self.beta(h)[..., 0]).sum(0)
        return F.binary_cross_entropy_with_logits(logits, batch["labels"].float())


class Head(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.norm0, self.linear0 = nn.BatchNorm1d(width), nn.Linear(width, width)
        self.norm1, self.linear1 = nn.BatchNorm1d(width), nn.Linear(width, classes)

    def forward(self, x):
        return self.linear1(self.norm1(F.leaky_relu(self.linear0(self.norm0(x)))))


class Bag(System):
    def __init__(self, case):
        super().__init__()
        m, shape = case.model, case.shape
        if m["score"] != "additive" or case.task["smallest"]:
            raise SystemExit("the peers know bags of one size and the additive score")
        sizes = [shape["width"], *m["hidden"]]
        width = sizes[-1]
        hidden = m["score_hidden"] or width
        self.items = nn.ModuleList(nn.Linear(i, o) for i, o in zip(sizes, sizes[1:]))
        self.attention = nn.ModuleDict(
            {"hidden": nn.Linear(2 * width, hidden, bias=False), "out": nn.Linear(hidden, 1, bias=False)}
        )
        self.head = Head(width, shape["classes"])

    def forward(self, batch):
        h = batch["items"]
        for layer in self.items:
            h = F.leaky_relu(layer(h))
        # W [h; mean] without the copies side by side: the mean's share is the same for all items of a bag.
        of_h, of_mean = self.attention["hidden"].weight.chunk(2, dim=1)
        joint = F.linear(h, of_h) + F.linear(h.mean(1), of_mean)[:, None]
        weights = torch.softmax(self.attention["out"](torch.tanh(joint)), 1)
        return F.cross_entropy(self.head((weights * h).sum(1)), batch["labels"].long())


class Feature(System):
    def __init__(self, case):
        super().__init__()
        m, shape = case.model, case.shape
        if m["gate"] != "free" or m["rescale"]:
            raise SystemExit("the peers know the free gate, without rescale")
        self.attention = nn.ParameterDict({"logits": nn.Parameter(torch.zeros(shape["width"]))})
        sizes = [shape["width"], *m["hidden"], 1]
        self.mlp = nn.ModuleList(nn.Linear(i, o) for i, o in zip(sizes, sizes[1:]))

    def forward(self, batch):
        # The weights are one for all examples, so they are folded into the first layer instead of into every example.
        weights = torch.softmax(self.attention["logits"], 0)
        h = F.linear(batch["items"][:, 0], self.mlp[0].weight * weights, self.mlp[0].bias)
        for layer in self.mlp[1:]:
            h = layer(F.leaky_relu(h))
        return F.binary_cross_entropy_with_logits(h[:, 0], batch["labels"].float())


class Pooling(System):
    """Flash attention never holds queries x keys. It wants values as wide as keys: they are filled up by zeros."""

    def __init__(self, case):
        super().__init__()
        m, width = case.model, case.shape["width"]
        if m["train_on"] != "queries" or m["temperature"] != 1:
            raise SystemExit("the peers know train_on = queries at temperature 1")
        self.kind = m["similarity"]
        if self.kind == "general":
            self.weight = nn.Parameter(torch.zeros(width, width))
        else:
            self.w = nn.Parameter(torch.zeros(1))

    def forward(self, batch):
        q, k, v = batch["queries"][0], batch["items"][0], batch["values"][0]
        if self.kind == "general":
            q = q @ self.weight
        else:  # of -|(q - k) w|^2 / 2 softmax sees w^2 (q.k - |k|^2 / 2)
            k = k - k.mean(0)
            q = self.w.square() * torch.cat([q - batch["items"][0].mean(0), q.new_ones(len(q), 1)], 1)
            k = torch.cat([k, -k.square().sum(1, keepdim=True) / 2], 1)
        width = k.shape[1] + -k.shape[1] % 8
        q, k, v = (F.pad(x, (0, width - x.shape[1]))[None, None] for x in (q, k, v))
        answers = F.scaled_dot_product_attention(q, k, v, scale=1.0)[0, 0, :, : batch["values"].shape[2]]
        return F.mse_loss(answers, batch["answers"][0])


class ToyGate(System):
    def __init__(self, case):
        super().__init__()
        self.beta0, self.beta1, self.p = (nn.Parameter(torch.zeros(1)) for _ in range(3))

    def forward(self, batch):
        return (self.beta0 - ((1 - self.p) * self.beta0 + self.p * self.beta1))[0]


class UnigramGate(System):
    def __init__(self, case):
        super().__init__()
        self.beta, self.a = (nn.Parameter(torch.zeros(case.shape["vocab"])) for _ in range(2))

    def forward(self, batch):
        tokens = batch["source"]
        logits = (torch.softmax(self.a[tokens], 1) * self.beta[tokens]).sum(1)
        return F.binary_cross_entropy_with_logits(logits, batch["labels"].float())


class Tagger(System):
    def __init__(self, case):
        super().__init__()
        m, shape = case.model, case.shape
        if m["attention"] != "learned" or m["dropout"]:
            raise SystemExit("the peers know taggers with learned attention, without dropout")
        self.embedding = nn.Embedding(shape["vocab"], m["embedding"])
        self.feature_embedding = nn.Embedding(shape["features"], m["embedding"])

    def forward(self, batch):
        vectors = self.embedding(batch["source"]) + self.feature_embedding(batch["features"]).sum(2)
        return F.cross_entropy(self.logits(vectors).flatten(0, 1), batch["target"].flatten().long())


class RecurrentTagger(Tagger):
    def __init__(self, case):
        super().__init__(case)
        m, tags = case.model, case.shape["target_vocab"]
        if m["cell"] != "lstm":
            raise SystemExit("the peers know recurrent taggers of LSTMs")
        width = 2 * m["hidden"]
        self.encoder = nn.LSTM(m["embedding"], m["hidden"], bidirectional=True)
        self.attention = nn.ModuleDict({"query": nn.Linear(width, width)})
        self.output = nn.ModuleDict({"state": nn.Linear(width, tags), "context": nn.Linear(width, tags, bias=False)})

    def logits(self, vectors):
        h = self.encoder(vectors.transpose(0, 1))[0].transpose(0, 1)
        weights = torch.softmax(torch.bmm(self.attention["query"](h), h.transpose(1, 2)), -1)
        return self.output["state"](h) + self.output["context"](torch.bmm(weights, h))


class WindowTagger(Tagger):
    """One product gives the vectors of all offsets. A window takes each from its own position, by slices of the padded sentence."""

    def __init__(self, case):
        super().__init__(case)
        m = case.model
        self.reach, self.width = m["reach"], 2 * m["reach"] + 1
        self.offset = nn.Linear(m["embedding"], self.width * m["hidden"])
        self.score = nn.Linear(m["hidden"], 1, bias=False)
        self.output = nn.Linear(m["hidden"], case.shape["target_vocab"])

    def ours(self, name):
        if not name.startswith("offset."):
            return name
        return tuple(name.replace("offset", f"offset.{at}") for at in range(-self.reach, self.reach + 1))

    def logits(self, vectors):
        v = torch.tanh(self.offset(vectors)).unflatten(-1, (self.width, -1))  # (B,S,W,H)
        around = (self.reach, self.reach)
        scores = F.pad(self.score(v)[..., 0], (0, 0, *around), value=-torch.inf)
        v = F.pad(v, (0, 0, 0, 0, *around))
        slots = [(at, slice(at, at + vectors.shape[1])) for at in range(self.width)]
        weights = torch.softmax(torch.stack([scores[:, here, at] for at, here in slots], -1), -1)
        return self.output(sum(weights[..., at, None] * v[:, here, at] for at, here in slots))


class Addresses(System):
    def __init__(self, case):
        super().__init__()
        m, shape = case.model, case.shape
        width, self.experts, self.factor = m["page_width"], m["experts"], m["factor"]
        self.counter = nn.Embedding(shape["counters"], m["counter_width"])
        self.page = nn.Embedding(shape["pages"], width)
        self.offset = nn.Embedding(shape["offsets"], self.experts * width)
        self.page_lstm = nn.LSTM(m["counter_width"] + 2 * width, m["hidden"])
        self.offset_lstm = nn.LSTM(m["counter_width"] + 2 * width, m["hidden"])
        self.page_head = nn.Linear(m["hidden"], shape["pages"])
        self.offset_head = nn.Linear(m["hidden"], shape["offsets"])

    def forward(self, batch):
        accesses = batch["source"].unflatten(1, (-1, 3)).transpose(0, 1)  # (T,B,3)
        page = self.page(accesses[..., 1])
        experts = self.offset(accesses[..., 2]).unflatten(-1, (self.experts, -1))  # (T,B,n,E)
        weights = torch.softmax(self.factor * (experts @ page[..., None])[..., 0], -1)
        meaning = (weights[..., None, :] @ experts)[..., 0, :]
        x = torch.cat([self.counter(accesses[..., 0]), page, meaning], -1)
        said = [
            head(lstm(x)[0][-1])
            for head, lstm in ((self.page_head, self.page_lstm), (self.offset_head, self.offset_lstm))
        ]
        return sum(F.cross_entropy(one, batch["target"][:, i].long()) for i, one in enumerate(said)) / 2


class Glimpses(System):
    """Patches are cut out of all padded images by one gather. The loss has the value of the cross-entropy, and the gradient of the hybrid."""

    def __init__(self, case):
        super().__init__()
        m, shape = case.model, case.shape
        if m["scales"] != 1 or m["policy"] != "learned":
            raise SystemExit("the peers know glimpses of one scale, whose places are learned")
        self.m, self.side, self.patch = m, round(shape["width"] ** 0.5), m["patch"]
        self.what = nn.Linear(self.patch**2, m["what_width"])
        self.where = nn.Linear(2, m["where_width"])
        self.join_what = nn.Linear(m["what_width"], m["glimpse_width"])
        self.join_where = nn.Linear(m["where_width"], m["glimpse_width"], bias=False)
        self.core_glimpse = nn.Linear(m["glimpse_width"], m["hidden"])
        self.core_state = nn.Linear(m["hidden"], m["hidden"], bias=False)
        self.classes = nn.Linear(m["hidden"], shape["classes"])
        self.location = nn.Linear(m["hidden"], 2)
        self.baseline = nn.Linear(m["hidden"], 1)
        across = self.side + 2 * self.patch
        at = torch.arange(self.patch)
        self.register_buffer("pixels", (at[:, None] * across + at).flatten(), persistent=False)

    def look(self, padded, place):
        corner = torch.floor((place + 1) / 2 * self.side - self.patch / 2 + 0.5).long() + self.patch
        begin = corner[:, 1] * (self.side + 2 * self.patch) + corner[:, 0]
        return padded.gather(1, begin[:, None] + self.pixels)

    def forward(self, batch):
        images, labels = batch["items"].view(-1, self.side, self.side), batch["labels"].long()
        padded, spread = F.pad(images, (self.patch,) * 4).flatten(1), self.m["spread"]
        place = (
            images.new_zeros(len(images), 2)
            if self.m["first"] == "centre"
            else torch.rand(len(images), 2, device=images.device) * 2 - 1
        )
        h, densities, expected = None, [], []
        for t in range(self.m["glimpses"]):
            if t > 0:
                mean = torch.tanh(self.m["pace"] * self.location(h))
                drawn = mean.detach() + spread * torch.randn_like(mean)
                densities.append(((drawn - mean) / spread).square().sum(1) / -2)
                expected.append(self.baseline(h.detach())[:, 0])
                place = drawn.clamp(-1, 1)
            what, where = torch.relu(self.what(self.look(padded, place))), torch.relu(self.where(place))
            glimpse = torch.relu(self.join_what(what) + self.join_where(where))
            h = self.core_glimpse(glimpse) if h is None else self.core_glimpse(glimpse) + self.core_state(h)
            h = torch.relu(h)
        scores = self.classes(h)
        loss = F.cross_entropy(scores, labels)
        better = (scores.argmax(1) == labels).float() - torch.stack(expected)
        where = (
            -self.m["reward_weight"] * (better.detach() * torch.stack(densities)).sum() / len(images)
            + better.square().mean()
        )
        return loss + where - where.detach()


SYSTEMS = {
    "seq2seq": Seq2Seq,
    "gated-classifier": Classifier,
    "bag-attention": Bag,
    "feature-attention": Feature,
    "pooling": Pooling,
    "transformer": Transformer,
    "recurrent-tagger": RecurrentTagger,
    "window-tagger": WindowTagger,
    "address-attention": Addresses,
    "glimpse": Glimpses,
    "toy-gate": ToyGate,
    "unigram-gate": UnigramGate,
}
