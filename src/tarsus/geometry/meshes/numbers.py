"""Numbers from text; an endless one costs no more memory than its own text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray

Word = bytes | str


_SHOWN = 120
"""Characters of an error that are told: a word that is not a number may be as long as the file."""


def numbers(words: Iterable[Word], count: int) -> FloatArray:
    """Array (count,); `ValueError` if a word is not a number."""
    try:
        return np.fromiter(map(float, words), np.float64, count)
    except ValueError as error:
        raise ValueError(str(error)[:_SHOWN]) from None


def integers(words: Sequence[Word]) -> npt.NDArray[np.int64]:
    """Array (n,); `ValueError` if a word is not an integer, `OverflowError` if it has more than 64 bits."""
    try:
        return np.fromiter(map(int, words), np.int64, len(words))
    except ValueError as error:
        raise ValueError(str(error)[:_SHOWN]) from None
