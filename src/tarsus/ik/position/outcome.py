"""What is found for every member of a batch, while it is looked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from tarsus.arrays import AnyArray, FloatArray, IntArray
from tarsus.ik.position.answer import EXHAUSTED


@dataclass(slots=True, eq=False)
class Outcome:
    """The best of all starts; fields as those of `Answer`, with one batch axis (n,)."""

    q: FloatArray
    residual: FloatArray
    status: AnyArray
    iterations: IntArray
    starts: IntArray
    worst: IntArray
    """Rows with the largest error."""

    @classmethod
    def empty(cls, begin: FloatArray) -> Self:
        """Nothing better than the starts (n, nq) yet."""
        count = len(begin)
        return cls(
            begin.copy(),
            np.full(count, np.inf),
            np.full(count, EXHAUSTED, dtype=object),
            np.zeros(count, dtype=int),
            np.zeros(count, dtype=int),
            np.zeros(count, dtype=int),
        )
