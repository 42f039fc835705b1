"""Numbers from text; an endless one costs no more memory than its own text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray

Word = bytes | str


def numbers(words: Iterable[Word], count: int) -> FloatArray:
    """Array (count,); `ValueError` if a word is not a number."""
    return np.fromiter(map(float, words), np.float64, count)


def integers(words: Sequence[Word]) -> npt.NDArray[np.int64]:
    """Array (n,); `ValueError` if a word is not an integer, `OverflowError` if it has more than 64 bits."""
    return np.fromiter(map(int, words), np.int64, len(words))
