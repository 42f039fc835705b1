"""Rows of integers as single numbers, so that equal rows are found by a fast sort."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import IntArray

_LARGEST = 2**62


def row_keys(rows: IntArray) -> IntArray:
    """One number (n,) for each row (n, k) of integers, equal for equal rows and in their lexicographic order."""
    keys: IntArray = np.zeros(len(rows), dtype=np.int64)
    if len(rows) == 0:
        return keys
    limit = 1
    for column in rows.T:
        low, span = int(column.min()), int(column.max()) - int(column.min()) + 1
        if limit * span > _LARGEST:
            # Places among all different numbers take their order and are fewer.
            keys, limit = _places(keys), len(rows)
        if limit * span > _LARGEST:
            column, low, span = _places(column), 0, len(rows)
        keys = keys * span + (column.astype(np.int64) - low)
        limit *= span
    return keys


def _places(numbers: IntArray) -> IntArray:
    return np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)
