"""The positions that rows of attention may attend to: the words that they are of, and weights in another order over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _engine, checks
from ..pictures import needed

torch = needed("torch", "torch")


def words_of(word_ids: Sequence[Sequence[int | None]], own: Any) -> Any:
    """Return the word of each position, (examples, positions); −1 for none and for padding."""
    if len(word_ids) != len(own) or any(len(one) != own.shape[1] for one in word_ids):
        raise _engine.wrong_input(
            f"word_ids has {len(word_ids)} lists, and attention is of {len(own)} examples with {own.shape[1]} positions",
            "give a list for each example, with an entry for each position: a number, or None",
        )
    words = torch.tensor(
        [[-1 if word is None else checks.whole("word_ids", word, 0) for word in one] for one in word_ids]
    )
    return torch.where(own, words.to(own.device), -1)


def shuffled(attention: Any, allowed: Any, random: Any) -> Any:
    """Return weights in another order over the positions that their row may attend to."""
    keys = torch.rand(attention.shape, generator=random).to(attention.device)
    drawn = keys.masked_fill(~allowed, torch.inf).argsort(-1)
    places = torch.sort((~allowed).int(), dim=-1, stable=True).indices
    new = torch.zeros_like(attention).scatter(-1, places, attention.gather(-1, drawn))
    return torch.where(allowed, new, attention)
