"""Models with a course that theory computes, as modules of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..pictures import needed

torch = needed("torch", "torch")

from torch import autograd, nn  # noqa: E402

from .modules import FromRun, Shapes, loss_of  # noqa: E402
from .rules import softmax  # noqa: E402
from .word_models import parameter  # noqa: E402


class Disentangled(FromRun):
    """Two layers of causal attention that append their sums to their input: s_ij = (A h_i) · h_j."""

    answers = "target"

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        width = shapes["layer.1.weight"][0]
        self.layer = nn.ModuleDict({"1": nn.Linear(width, width, False), "2": nn.Linear(2 * width, 2 * width, False)})
        self.readout = nn.Linear(4 * width, shapes["readout.weight"][0], False)

    def forward(self, source: Any) -> tuple[Any, Any]:
        places, vocab, width = source.shape[1], self.sizes["vocab"], self.layer["1"].in_features
        there, like = (source >= 0)[..., None], self.readout.weight
        token = nn.functional.one_hot(source.clamp(min=0), vocab).to(like.dtype)
        place = nn.functional.one_hot(torch.arange(places, device=source.device), width - vocab).to(like.dtype)
        h = torch.cat([token, place.expand(len(source), -1, -1)], -1) * there
        earlier = torch.ones(places, places, dtype=torch.bool, device=source.device).tril()
        maps = []
        for number, layer in enumerate(self.layer.values(), 1):
            rule = self.rule(number, 1)
            scores = rule.changed(layer(h) @ h.transpose(1, 2))
            maps.append(rule.applied(softmax(scores, earlier), earlier))
            h = torch.cat([h, maps[-1] @ h], -1)
        return self.readout(h).flatten(0, 1), torch.stack(maps)[:, :, None]


class LinearAttention(FromRun):
    """yhat = β' M x_q with β the mean of y x over the pairs, M = Σ v U over the heads."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        for name in shapes:
            self.register_parameter(name, parameter(shapes, name))

    def forward(self, items: Any, values: Any, queries: Any) -> tuple[Any, Any]:
        beta = (values * items).mean(1)
        heads = self.key_query if hasattr(self, "key_query") else torch.einsum("hri,hrj->hij", self.key, self.query)
        said = torch.einsum("bi,h,hij,bj->b", beta, self.value, heads, queries[:, 0])
        return said[:, None], None

    def loss(self, batch: Mapping[str, Any]) -> Any:
        said, _ = self(batch["items"], batch["values"], batch["queries"])
        return nn.functional.mse_loss(said, batch["answers"][:, 0])


class PreciseSoftmax(autograd.Function):  # type: ignore[misc]
    """Softmax with ds_t = p_t Σ_v p_v (dp_t - dp_v): nothing cancels if one weight is nearly 1."""

    @staticmethod
    def forward(ctx: Any, scores: Any) -> Any:
        p = torch.softmax(scores, -1)
        ctx.save_for_backward(p)
        return p

    @staticmethod
    def backward(ctx: Any, dp: Any) -> Any:
        (p,) = ctx.saved_tensors
        return p * ((dp[..., :, None] - dp[..., None, :]) @ p[..., None])[..., 0]


class LogisticAttention(FromRun):
    """f = Σ p_t u_t with p the softmax of x_t · W z. W is one matrix, or K' Q of keys and queries.

    Normalised descent divides a gradient by its length, however small it is, so that its direction must be precise.
    """

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        for name in shapes:
            self.register_parameter(name, parameter(shapes, name))

    def forward(self, items: Any, values: Any, queries: Any) -> tuple[Any, Any]:
        key_query = self.key_query if hasattr(self, "key_query") else self.key.T @ self.query
        scores, rule = queries @ key_query.T @ items.transpose(1, 2), self.rule()
        attention = PreciseSoftmax.apply(rule.changed(scores))
        attention = rule.applied(attention, torch.ones_like(scores, dtype=torch.bool))
        return (attention @ values)[:, 0], attention

    def loss(self, batch: Mapping[str, Any]) -> Any:
        said, _ = self(batch["items"], batch["values"], batch["queries"])
        return nn.functional.softplus(-batch["answers"][:, 0] * said).mean()


class LagHeads(FromRun):
    """Heads that attend by the lag alone, in the first layer."""

    answers = "target"

    def lag_heads(self, source: Any) -> list[Any]:
        """A_hti = softmax_{i<=t} a_h,(t-i): (B, T, T) of each head."""
        steps = torch.arange(source.shape[1], device=source.device)
        lag = steps[:, None] - steps
        scores = torch.atleast_2d(self.lags)[:, lag.clamp(min=0)]
        return [self.attend(one.expand(len(source), -1, -1), lag >= 0, head) for head, one in enumerate(scores, 1)]

    def second_layer(self, scores: Any, present: Any) -> Any:
        rule = self.rule(2, 1)
        return rule.applied(softmax(rule.changed(scores), present), present)


class InductionExact(LagHeads):
    """z_T = Σ_{t<T} α_Tt c W[x_t] with α the softmax of Σ_i A_ti c M[x_T, x_i], of one head by the lag."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        for name in shapes:
            if name in ("scale", *self.spec.get("frozen", ())):
                self.register_buffer(name, torch.zeros(shapes[name]))
            else:
                self.register_parameter(name, parameter(shapes, name))

    def forward(self, source: Any) -> tuple[Any, Any]:
        (by_lag,) = self.lag_heads(source)
        matches = self.scale * self.match[source[:, :, None], source[:, None]]
        before = torch.ones_like(by_lag[0], dtype=torch.bool).tril(-1)
        attention = self.second_layer(matches @ by_lag.transpose(1, 2), before)
        return (attention @ (self.scale * self.output[source])).flatten(0, 1), attention


class OfDistributions(LagHeads):
    """The task may give the distribution of each answer."""

    def loss(self, batch: Mapping[str, Any]) -> Any:
        scores, _ = self(batch["source"])
        if "truth" not in batch:
            return loss_of(scores, batch["target"].flatten())
        asked = batch["target"].flatten() >= 0
        return nn.functional.cross_entropy(scores[asked], batch["truth"].flatten(0, 1)[asked])


class PositionHeads(OfDistributions):
    """z_t = Σ_h Σ_i A_hti W_h[x_i]."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.lags, self.output = parameter(shapes, "lags"), parameter(shapes, "output")

    def forward(self, source: Any) -> tuple[Any, Any]:
        maps = torch.stack(self.lag_heads(source))
        return (maps @ self.output[:, source]).sum(0).flatten(0, 1), maps.mean(0)


class PositionMatch(OfDistributions):
    """z = log(Σ_t α_t onehot(x_t) + 1e-8) with α the softmax of f_T · M f_t, of the features f that the heads by lag add to tokens."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.lags, self.match = parameter(shapes, "lags"), parameter(shapes, "match")

    def forward(self, source: Any) -> tuple[Any, Any]:
        token = nn.functional.one_hot(source, self.sizes["vocab"]).to(self.match.dtype)
        f = torch.cat([token, *(weights @ token for weights in self.lag_heads(source))], -1)
        scores = f @ self.match @ f.transpose(1, 2)
        attention = self.second_layer(scores, torch.ones_like(scores[0], dtype=torch.bool).tril())
        return (attention @ token + 1e-8).log().flatten(0, 1), attention


class Product(FromRun):
    """1/2 mean (a_i b_j c_k - a*_i b*_j c*_k)²."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.a, self.b, self.c = (parameter(shapes, name) for name in "abc")

    def forward(self) -> tuple[Any, Any]:
        return torch.einsum("i,j,k->ijk", self.a, self.b, self.c), None

    def loss(self, batch: Mapping[str, Any]) -> Any:
        truth = torch.einsum("i,j,k->ijk", *batch["answers"].reshape(3, -1))
        return nn.functional.mse_loss(self()[0], truth) / 2


class RaceProduct(FromRun):
    """(L_abc + offset) L_dbc + cost / 2 mean (a d)², of two outer products that share b and c."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        for name in shapes:
            self.register_parameter(name, parameter(shapes, name))

    def forward(self, truth: Mapping[str, Any]) -> tuple[Any, Any]:
        at = {name: getattr(self, name, truth[name]) for name in truth}

        def outer(vectors: Mapping[str, Any], names: str) -> Any:
            return torch.einsum("i,j,k->ijk", *(vectors[name] for name in names))

        context, weights = (
            nn.functional.mse_loss(outer(at, names), outer(truth, names)) / 2 for names in ("abc", "dbc")
        )
        cost = torch.outer(at["a"], at["d"]).square().mean() / 2
        return (context + self.spec["offset"]) * weights + self.spec["cost"] * cost, None

    def loss(self, batch: Mapping[str, Any]) -> Any:
        return self(dict(zip("abcd", [*batch["answers"][0], batch["items"][0, 0]])))[0]


class RankOneAttention(FromRun):
    """yhat_i = Σ P_ij x_j with P_ij the softmax over j of s_i s_j, s_i = x_i · q / √d."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.query = parameter(shapes, "query")

    def forward(self, items: Any) -> tuple[Any, Any]:
        s = items @ self.query / items.shape[-1] ** 0.5
        scores = s[:, :, None] * s[:, None]
        attention = self.attend(scores, torch.ones_like(scores, dtype=torch.bool))
        return attention @ items, attention

    def loss(self, batch: Mapping[str, Any]) -> Any:
        said, _ = self(batch["items"])
        return nn.functional.mse_loss(said, batch["answers"]) * said.shape[1] / 2


class SparseAttention(FromRun):
    """yhat = W Σ α x with α the softmax of a logit for each position; marked positions may share one."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.logits = parameter(shapes, "logits")
        if "shared_logit" in shapes:
            self.shared_logit = parameter(shapes, "shared_logit")
        width = shapes["map.weight"][0]
        self.map = nn.Linear(width, width, False)

    def forward(self, items: Any, marked: Any = None) -> tuple[Any, Any]:
        logits = self.logits[: items.shape[1]]
        if hasattr(self, "shared_logit") and marked is not None:
            logits = torch.where(marked[0].bool(), self.shared_logit, logits)
        attention = self.attend(logits[None, None], torch.ones_like(logits, dtype=torch.bool)[None, None])
        attention = attention.expand(len(items), -1, -1)
        return self.map((attention @ items)[:, 0]), attention

    def loss(self, batch: Mapping[str, Any]) -> Any:
        said, _ = self(batch["items"], batch.get("marked"))
        return nn.functional.mse_loss(said, batch["answers"][:, 0]) / 2


EXACT_MODELS = {
    "disentangled": Disentangled,
    "induction-exact": InductionExact,
    "linear-attention": LinearAttention,
    "logistic-attention": LogisticAttention,
    "position-heads": PositionHeads,
    "position-match": PositionMatch,
    "product": Product,
    "race-product": RaceProduct,
    "rank-one-attention": RankOneAttention,
    "sparse-attention": SparseAttention,
}
