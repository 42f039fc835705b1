"""Coordinate partitioning (Goldenberg, Benhabib and Fenton 1985) for position-level inverse kinematics."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray, IndexArray
from tarsus.ik.position.method import LineSearch

DEPENDENT = 1e-3
"""Share of the first pivot below which a column counts as dependent on those chosen before."""


class Goldenberg(LineSearch):
    """As many joints as there are errors move, those that move the task best; the others stay.

    Columns are chosen one after the other, the longest of what those before leave of them (Gram and Schmidt with
    pivots). The choice is made anew in every step, so that joints that reach a limit hand over to others.
    """

    name = "goldenberg"

    def direction(self, q: FloatArray, e: FloatArray, J: FloatArray, rows: IndexArray) -> FloatArray:
        """Newton's step of the chosen joints."""
        left, rest = J.copy(), e.copy()
        count, m, n = J.shape
        each = np.arange(count)
        chosen = np.zeros((count, n), dtype=bool)
        first = np.zeros(count)
        for k in range(min(m, n)):
            lengths = np.linalg.norm(left, axis=-2)
            best = np.argmax(lengths, axis=-1)
            length = lengths[each, best]
            first = length if k == 0 else first
            counts = length > DEPENDENT * np.maximum(first, np.finfo(float).tiny)
            chosen[each[counts], best[counts]] = True
            unit = np.where(counts[:, None], left[each, :, best] / np.where(counts, length, 1.0)[:, None], 0.0)
            left -= unit[:, :, None] * np.einsum("ni,nij->nj", unit, left)[:, None, :]
        basic = np.where(chosen[:, None, :], J, 0.0)
        return (np.linalg.pinv(basic, rcond=1e-9) @ rest[..., None])[..., 0]
