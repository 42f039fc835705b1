"""Arrays of several models put together: vectors one after the other, matrices along the diagonal."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray


def split(array: FloatArray, sizes: list[int]) -> list[FloatArray]:
    """Pieces of the given sizes of the last axis."""
    return np.split(array, np.cumsum(sizes)[:-1], axis=-1)


def in_columns(J: FloatArray, at: slice, columns: int) -> FloatArray:
    """The matrices with zeros around, as columns `at` of so many."""
    result = np.zeros((*J.shape[:-1], columns))
    result[..., at] = J
    return result


def block_diagonal(blocks: list[FloatArray]) -> FloatArray:
    """Matrices of one batch shape along the diagonal of larger ones."""
    if len(blocks) == 1:
        return blocks[0]
    batch = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
    result = np.zeros((*batch, sum(b.shape[-2] for b in blocks), sum(b.shape[-1] for b in blocks)))
    row = column = 0
    for block in blocks:
        result[..., row : row + block.shape[-2], column : column + block.shape[-1]] = block
        row, column = row + block.shape[-2], column + block.shape[-1]
    return result
