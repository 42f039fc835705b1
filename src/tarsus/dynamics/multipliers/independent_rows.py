"""Which combinations of constraint rows are independent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.constraints.state_kinematics import times, transposed
from tarsus.spatial.pose import FloatArray

RANK_TOLERANCE = 1e-9
"""Singular values of the Jacobian below this share of the largest count as zero: far above rounding (1e-16 times some
hundred operations), far below what lengths in centimetres or gears of 1000:1 do to a Jacobian."""


@dataclass(frozen=True, slots=True, eq=False)
class IndependentRows:
    """Orthonormal combinations of the rows that span what J can do: the left singular vectors of J.

    Multipliers lambda = basis x have the least norm among all that give the same force J^T lambda, because what is
    left out is the null space of J^T.

    Attributes
    ----------
    basis : ndarray, shape (..., m, k)
        k = min(m, nv); columns beyond the rank are zero.
    kept : ndarray of bool, shape (..., k)
    """

    basis: FloatArray
    kept: npt.NDArray[np.bool_]

    @property
    def rank(self) -> npt.NDArray[np.int_]:
        """Number of independent rows, shape (...)."""
        return np.asarray(self.kept.sum(axis=-1))

    def compress(self, x: FloatArray) -> FloatArray:
        """basis^T x for vectors (..., m)."""
        return times(transposed(self.basis), x)

    def expand(self, x: npt.NDArray[Any]) -> FloatArray:
        """Vectors basis x, shape (..., m)."""
        return times(self.basis, x)

    def solve(self, G: FloatArray, rhs: FloatArray) -> FloatArray:
        """Lambda of least norm with G lambda = rhs as far as rows are independent; G = J M^-1 J^T, (..., m, m)."""
        reduced = transposed(self.basis) @ G @ self.basis
        return self.expand(np.linalg.solve(regular(reduced, self.kept), self.compress(rhs)[..., None])[..., 0])

    def remainder(self, x: FloatArray) -> FloatArray:
        """The part of vectors (..., m) that no combination of kept rows reaches."""
        return x - self.expand(self.compress(x))


def regular(A: FloatArray, kept: npt.NDArray[np.bool_]) -> FloatArray:
    """A, of which rows and columns that are not kept are zero, with ones on the diagonal there."""
    k = np.arange(A.shape[-1])
    A = A.copy()
    A[..., k, k] += ~kept
    return A


def independent_rows(J: FloatArray, tolerance: float = RANK_TOLERANCE) -> IndependentRows:
    """Independent combinations of the rows of J (..., m, nv); `tolerance` is relative to the largest singular value."""
    if J.shape[-2] == 0 or J.shape[-1] == 0:
        k = min(J.shape[-2:])
        return IndependentRows(np.zeros((*J.shape[:-1], k)), np.zeros((*J.shape[:-2], k), dtype=bool))
    U, sigma, _ = np.linalg.svd(J, full_matrices=False)
    kept = (sigma > tolerance * sigma[..., :1]) & (sigma > np.finfo(float).tiny)
    return IndependentRows(U * kept[..., None, :], kept)
