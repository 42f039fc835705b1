"""Exact step of a linear system with constant input, and exact integrals of its energies.

A device whose equations are y' = F y, its constant inputs counted among y, goes from y to E y within a step h, has the
mean P y over the step, and the integral of a quadratic form y^T Q y (a power) is y^T W y:

    E(h) = exp(F h),    P(h) = 1/h int_0^h exp(F s) ds,    W(h) = int_0^h exp(F s)^T Q exp(F s) ds.

All three are computed for h / 2^k, where F h / 2^k is small, and doubled k times by

    E(2h) = E(h)^2,    P(2h) = P(h) (1 + E(h)) / 2,    W(2h) = W(h) + E(h)^T W(h) E(h),

which stays finite however fast the system decays; C. F. Van Loan, Computing Integrals Involving the Matrix Exponential,
IEEE TAC 23(3), 1978, has the integrals, and scaling and squaring.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray

_SERIES_NORM = 0.25
"""Norm of F h / 2^k below which 18 terms of the exponential series are exact to rounding: 0.25^18 / 18! = 2e-27."""
_SERIES_TERMS = 18
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
"""Gauss' rule of degree 15: its error for exponentials of norm 0.5 is below 1e-20."""


@dataclass(frozen=True, eq=False)
class LinearStep:
    """Matrices of one step.

    Attributes
    ----------
    end : ndarray, shape (..., m, m)
        E: state at the end of the step.
    mean : ndarray, shape (..., m, m)
        P: mean over the step.
    integrals : dict of ndarray, shape (..., m, m)
        W of every quadratic form, by name.
    """

    end: FloatArray
    mean: FloatArray
    integrals: dict[str, FloatArray]

    @classmethod
    def of(cls, F: FloatArray, forms: Mapping[str, FloatArray], h: float) -> LinearStep:
        """Step of length h [s] of y' = F y (..., m, m) with the given quadratic forms Q (..., m, m)."""
        norm = float(np.max(np.sum(np.abs(F), axis=-1))) * h
        doublings = max(0, int(np.ceil(np.log2(norm / _SERIES_NORM)))) if norm > 0.0 else 0
        short = h / 2.0**doublings
        end = _series(F * short)
        mean = np.zeros_like(F)
        integrals = {name: np.zeros(np.broadcast_shapes(F.shape, Q.shape)) for name, Q in forms.items()}
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            part = _series(F * (0.5 * (1.0 + node) * short))
            mean = mean + 0.5 * weight * part
            for name, Q in forms.items():
                integrals[name] = integrals[name] + 0.5 * weight * short * (_transposed(part) @ Q @ part)
        identity = np.eye(F.shape[-1])
        for _ in range(doublings):
            integrals = {name: W + _transposed(end) @ W @ end for name, W in integrals.items()}
            mean = 0.5 * mean @ (identity + end)
            end = end @ end
        return cls(end, mean, integrals)

    def taken(self, y: FloatArray) -> tuple[FloatArray, FloatArray, dict[str, FloatArray]]:
        """End (..., m), mean (..., m) and integrals by name (...) of the step from y (..., m)."""
        m = y.shape[-1]
        columns = applied(self._stacked, y).reshape(*y.shape[:-1], 2 + len(self.integrals), m)
        integrals = np.sum(columns[..., 2:, :] * y[..., None, :], axis=-1)
        return columns[..., 0, :], columns[..., 1, :], {n: integrals[..., k] for k, n in enumerate(self.integrals)}

    @functools.cached_property
    def _stacked(self) -> FloatArray:
        """All matrices on top of each other, so that one product does it."""
        parts = [self.end, self.mean, *self.integrals.values()]
        batch = np.broadcast_shapes(*(part.shape[:-2] for part in parts))
        return np.concatenate([np.broadcast_to(part, (*batch, *part.shape[-2:])) for part in parts], axis=-2)


def _transposed(A: FloatArray) -> FloatArray:
    return np.swapaxes(A, -1, -2)


def _series(A: FloatArray) -> FloatArray:
    """exp(A) of a small matrix, (..., m, m)."""
    identity = np.eye(A.shape[-1])
    result = identity + A / _SERIES_TERMS
    for k in range(_SERIES_TERMS - 1, 0, -1):
        result = identity + A @ result / k
    return result


def along(row: FloatArray, y: FloatArray) -> FloatArray:
    """Row (..., m) times vector (..., m), shape (...)."""
    value: FloatArray = np.einsum("...i,...i->...", row, y)
    return value


def applied(matrix: FloatArray, y: FloatArray) -> FloatArray:
    """Matrix (..., m, m) times vector (..., m)."""
    product: FloatArray = (matrix @ y[..., None])[..., 0]
    return product
