"""TracePrediction: how far a trace of memory accesses predicts itself. ``fovea.predict`` makes it."""

from __future__ import annotations

import html
from dataclasses import dataclass


@dataclass(frozen=True)
class TracePrediction:
    """The predictable shares of a trace of memory accesses. ``fovea.predict`` makes it. All shares are of the validation windows.

    Attributes
    ----------
    trained_on, asked
        Windows of training, and of validation.
    fitted, scored
        The first and last access, from 1, of each.
    told
        The share in which the surest contexts of training predict page and offset of the next access.
    told_page, told_offset
        The shares in which they predict the page, and the offset.
    in_window
        The share in which the window itself predicts both.
    interval
        The 95 % interval of the larger of the two, if windows were drawn one by one.
    enough
        Whether so many windows can show that a trace is hard.
    new_pages
        The share in which the next page followed no window of training.
    tables
        The share that each table of a hardware prefetcher predicts.

    Examples
    --------
    >>> import fovea
    >>> trace = fovea.predict("prefetch-list")
    >>> round(trace.told, 2), trace.enough, round(trace.interval[0], 3)
    (1.0, True, 0.997)
    >>> sorted(trace.tables)
    ['ghb', 'markov_address', 'markov_delta', 'stride']
    """

    trained_on: int
    asked: int
    fitted: tuple[int, int]
    scored: tuple[int, int]
    told: float
    told_page: float
    told_offset: float
    in_window: float
    interval: tuple[float, float]
    enough: bool
    new_pages: float
    tables: dict[str, float]
    _text: str

    def __repr__(self) -> str:
        return self._text.rstrip()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"
