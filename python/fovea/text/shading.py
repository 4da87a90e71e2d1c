"""Words of a text, darker the more weight they have."""

from __future__ import annotations

import html
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..pictures import shaded

_BLOCKS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Shading:
    """The words of a text, darker the more weight each has.

    Words of a negative weight are not shaded. In a terminal a block after the word shows its shade.

    Parameters
    ----------
    words
        The words of the text.
    answers
        The words of the answer, a row for each. Empty for classes, which have one row.
    weights
        The weight of each word, (rows, words).

    Examples
    --------
    >>> import fovea, numpy
    >>> fovea.Shading(["a", "good", "film"], [], numpy.array([[0.1, 0.8, 0.1]]))
    a▁ good█ film▁
    """

    words: list[str]
    answers: list[str]  #: empty for classes
    weights: npt.NDArray[np.float64]  #: (1 or answers, words)

    def __repr__(self) -> str:
        lines = []
        for place, row in enumerate(self.weights):
            most = self._darkest(row)
            text = " ".join(word + _BLOCKS[round(8 * max(weight, 0.0) / most)] for word, weight in zip(self.words, row))
            lines.append(f"{self.answers[place]:>14}  {text}" if self.answers else text)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = []
        for place, row in enumerate(self.weights):
            head = f"<td><b>{html.escape(self.answers[place])}</b></td>" if self.answers else ""
            shades = (row / self._darkest(row)).tolist()
            rows.append(f"<tr>{head}<td style='text-align:left'>{shaded(self.words, row.tolist(), shades)}</td></tr>")
        return f"<table>{''.join(rows)}</table>"

    @staticmethod
    def _darkest(row: npt.NDArray[np.float64]) -> float:
        """The weight that is shaded fully: at least twice the weight of uniform attention, so that no word of uniform attention is dark."""
        return max(float(row.max(initial=0.0)), min(1.0, 2 / max(1, len(row))))
