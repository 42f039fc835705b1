"""Rows that are combinations of the rows before them."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray

RANK_TOLERANCE = 1e-10
"""Sine of the angle between a row and the span of earlier ones below which it depends on them."""


def dependent_rows(matrix: FloatArray) -> list[int]:
    """Numbers of rows that depend on earlier ones, by Gram-Schmidt with the rows in their order; zero rows depend."""
    basis = np.zeros((0, matrix.shape[1]))
    found = []
    for i, row in enumerate(matrix):
        rest, size = row.copy(), float(np.linalg.norm(row))
        for _ in range(2):  # the second turn takes off what rounding left
            rest -= basis.T @ (basis @ rest)
        left = float(np.linalg.norm(rest))
        if left > RANK_TOLERANCE * size:
            basis = np.vstack([basis, rest / left])
        else:
            found.append(i)
    return found
