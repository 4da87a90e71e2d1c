"""Glimpses of images, and accesses of memory, as modules of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..pictures import needed

torch = needed("torch", "torch")

from torch import nn  # noqa: E402

from .modules import FromRun, Shapes  # noqa: E402


def linear(shapes: Shapes, name: str) -> Any:
    out, inputs = shapes[f"{name}.weight"]
    return nn.Linear(inputs, out, f"{name}.bias" in shapes)


class AddressAttention(FromRun):
    """The next page and offset, by two LSTMs over counters, pages and offsets. Attention mixes the experts of an offset."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.counter, self.page, self.offset = (
            nn.Embedding(*shapes[f"{name}.weight"]) for name in ("counter", "page", "offset")
        )
        width, hidden = shapes["page_lstm.weight_ih_l0"][1], self.spec["hidden"]
        self.page_lstm, self.offset_lstm = (nn.LSTM(width, hidden, batch_first=True) for _ in range(2))
        self.page_head, self.offset_head = linear(shapes, "page_head"), linear(shapes, "offset_head")

    def forward(self, source: Any) -> tuple[Any, Any]:
        counters, pages, offsets = source.unflatten(1, (-1, 3)).unbind(-1)
        page = self.page(pages)
        experts = self.offset(offsets).unflatten(-1, (self.spec["experts"], -1))
        scores = self.spec["factor"] * (experts @ page[..., None])[..., 0]
        flat = self.attend(
            scores.flatten(0, 1)[:, None], torch.ones_like(scores.flatten(0, 1)[:, None], dtype=torch.bool)
        )
        attention = flat.view(scores.shape)
        meaning = (attention[..., None, :] @ experts)[..., 0, :]
        x = torch.cat([self.counter(counters), page, meaning], -1)
        said = [
            head(lstm(x)[0][:, -1])
            for lstm, head in ((self.page_lstm, self.page_head), (self.offset_lstm, self.offset_head))
        ]
        return said, attention

    def loss(self, batch: Mapping[str, Any]) -> Any:
        said, _ = self(batch["source"])
        known = (batch["target"] >= 0).sum()
        losses = [
            nn.functional.cross_entropy(scores, batch["target"][:, i], ignore_index=-1, reduction="sum")
            for i, scores in enumerate(said)
        ]
        return sum(losses) / known


class Glimpse(FromRun):
    """An image through its glimpses. ``draws`` (T, B, 2) has places; of places that follow the state the first, then
    (u - μ) / σ. Without it the first glimpse goes to the centre, and the others to the places that the state predicts."""

    def __init__(self, spec: Mapping[str, Any], shapes: Shapes, sizes: Mapping[str, int]) -> None:
        super().__init__(spec, shapes, sizes)
        self.side, self.patch = round(sizes["width"] ** 0.5), self.spec["patch"]
        for name in {name.split(".")[0] for name in shapes}:
            self.add_module(name, linear(shapes, name))

    def moves(self, marked: bool) -> bool:
        """Whether the state decides the places of glimpses."""
        held = {"uniform": True, "truth": marked}.get(self.rule().pattern, False)
        return self.spec["policy"] in ("learned", "unrewarded") and not held

    def patches(self, images: Any, place: Any) -> Any:
        """The mean pixels around places, sharpest scale first; outside of the image 0."""
        wide = self.patch << (self.spec["scales"] - 1)
        across = self.side + 2 * wide
        padded = nn.functional.pad(images.view(-1, self.side, self.side), (wide,) * 4).flatten(1)
        seen = []
        for scale in range(self.spec["scales"]):
            size = self.patch << scale
            corner = torch.floor((place.double() + 1) / 2 * self.side - size / 2 + 0.5).long() + wide
            corner = corner.clamp(0, across - size)
            at = torch.arange(size, device=images.device)
            pixels = (at[:, None] * across + at).flatten()
            patch = padded.gather(1, corner[:, 1:] * across + corner[:, :1] + pixels).view(-1, 1, size, size)
            seen.append(nn.functional.avg_pool2d(patch, 1 << scale).flatten(1))
        return torch.cat(seen, 1)

    def course(self, items: Any, draws: Any = None, marked: bool = False) -> tuple[Any, Any, Any]:
        """States (T, B, H), and means and draws of places, (T-1, B, 2) each."""
        images, moves = items[:, 0], self.moves(marked)
        states: list[Any] = []
        means, places = [], []
        for t in range(self.spec["glimpses"]):
            place = images.new_zeros(len(images), 2) if draws is None else draws[t]
            if moves and t > 0:
                means.append(torch.tanh(self.spec["pace"] * self.location(states[-1])))
                place = means[-1].detach() + (0 if draws is None else self.spec["spread"] * draws[t])
                places.append(place)
            place = place.clamp(-1, 1)
            what, where = torch.relu(self.what(self.patches(images, place))), torch.relu(self.where(place))
            glimpse = self.core_glimpse(torch.relu(self.join_what(what) + self.join_where(where)))
            states.append(torch.relu(glimpse + self.core_state(states[-1]) if states else glimpse))
        return torch.stack(states), means, places

    def forward(self, items: Any, draws: Any = None) -> tuple[Any, Any]:
        return self.classes(self.course(items, draws)[0]).transpose(0, 1), None

    def loss(self, batch: Mapping[str, Any]) -> Any:
        states, means, places = self.course(batch["items"], batch["draws"], "marked" in batch)
        scores, labels = self.classes(states[-1]), batch["labels"]
        loss = nn.functional.cross_entropy(scores, labels)
        if not means or self.spec["policy"] != "learned":
            return loss
        mean, place = torch.stack(means), torch.stack(places)
        reward = (scores.argmax(1) == labels).to(scores.dtype)
        better = reward - self.baseline(states[:-1].detach())[..., 0]
        log_density = ((place - mean) / self.spec["spread"]).square().sum(-1) / -2
        rewarded = -self.spec["reward_weight"] * (better.detach() * log_density).sum() / len(labels)
        where = rewarded + better.square().mean()
        return loss + (where - where.detach())  # the value is the cross-entropy, the gradient of all three


MOVING_MODELS = {"address-attention": AddressAttention, "glimpse": Glimpse}
