"""The audit of a training in PyTorch: how far the assumptions of the two-stage account are true, by the library's probe."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _engine
from .measures import Rows

Array = npt.NDArray[Any]

_MOST = 1 << 17  # weights that are followed from one evaluation to the next


class Assumptions:
    """One site over all evaluations: the attention of the same rows, and the states that they attend to."""

    def __init__(self, order: Array, allowed: Array, asked: Array, truth: Array | None) -> None:
        """order (rows, 3): example, head and row of those that count, in the order in which β of them is measured; allowed
        (examples, heads, rows, places); asked and truth (examples, rows)."""
        self.chosen = tuple(order[: max(1, _MOST // allowed.shape[-1])].T)
        examples, _, rows = self.chosen
        at = (examples, rows)
        self.rows = Rows(
            allowed[self.chosen][:, None], asked[at][:, None], None if truth is None else truth[at][:, None]
        )
        reached: Array = np.any(allowed, axis=(1, 2))
        self.lengths = np.where(reached.any(1), allowed.shape[-1] - reached[:, ::-1].argmax(1), 0).astype(np.int32)
        self.of_rows, self.of_states = (
            _engine.Probes(["audit"], "token_pairs"),
            _engine.Probes(["audit"], "token_pairs"),
        )
        self.parts: dict[str, Array] = {}  # of the newest evaluation
        self.step = 0

    def measure(self, step: int, first: bool, attention: Array, beta: Array | None) -> dict[str, float]:
        """Add (examples, heads, rows, positions) of each. β is NaN if it was not measured."""
        if len(self.rows.lengths) == 0:
            return {}
        weights = attention[self.chosen][:, None]
        said = self.rows(np.full_like(weights, np.nan) if beta is None else beta[self.chosen][:, None])
        there = np.arange(said.shape[-1]) < self.rows.lengths[:, None]
        said = np.where((np.isnan(said) & there).any(-1, keepdims=True), np.float32(np.nan), said)
        self.parts, self.step = {**self.rows.parts(weights), "beta": said[:, None]}, step
        return self.of_rows.measure(first, self.parts, step)

    def measure_states(self, tokens: Array, states: Array, embedding: Array | None) -> dict[str, float]:
        """tokens (examples, places), states (examples, places, width), and the table that the tokens were looked up in."""
        nothing = np.zeros((len(tokens), 1), np.int32)
        parts = {
            "attention": np.zeros((len(tokens), 1, tokens.shape[1]), np.float32),
            "source": tokens,
            "lengths": self.lengths,
            "asked": nothing,
            "states": states,
        }
        if embedding is not None:
            parts["embedding"] = embedding
        return self.of_states.measure(False, parts)

    def whole(self) -> dict[str, float]:
        """Return the audit of the whole course."""
        return self.of_rows.measure(False, self.parts, self.step, True) if self.parts else {}
