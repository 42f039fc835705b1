"""Weighting matrices of velocities: diagonal, or diagonal and a few rows, which are never factorised as a whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class LowRankWeights:
    """W = D + R^T R with a diagonal D and a few rows R.

    Attributes
    ----------
    diagonal : ndarray, shape (nv,)
        D, above 0.
    rows : ndarray, shape (..., k, nv)
        R.
    """

    diagonal: FloatArray
    rows: FloatArray

    def into_rows(self, J: FloatArray) -> FloatArray:
        """J W^-1 for J of shape (..., m, nv), by the identity of Sherman, Morrison and Woodbury.

        W^-1 = D^-1 - D^-1 R^T (1 + R D^-1 R^T)^-1 R D^-1: solved are k equations.
        """
        J_D, R_D = J / self.diagonal, self.rows / self.diagonal
        small = np.eye(self.rows.shape[-2]) + R_D @ np.swapaxes(self.rows, -1, -2)
        inner = np.linalg.solve(small, R_D)
        return np.asarray(J_D - (J_D @ np.swapaxes(self.rows, -1, -2)) @ inner)


Weights = FloatArray | LowRankWeights
"""W: its diagonal, shape (nv,), or a matrix of low rank beside it."""


def divided_rows(J: FloatArray, W: Weights) -> FloatArray:
    """J W^-1 of shape (..., m, nv)."""
    return W.into_rows(J) if isinstance(W, LowRankWeights) else np.asarray(J / W)


def divided(z: FloatArray, W: Weights) -> FloatArray:
    """W^-1 z of shape (..., nv)."""
    return W.into_rows(z[..., None, :])[..., 0, :] if isinstance(W, LowRankWeights) else np.asarray(z / W)


def scaled_rows(J: FloatArray, W: Weights) -> FloatArray:
    """J D^-1/2 of shape (..., m, nv) with the diagonal D: its singular values tell how well J can be followed."""
    D = W.diagonal if isinstance(W, LowRankWeights) else W
    return np.asarray(J / np.sqrt(D))
