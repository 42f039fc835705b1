"""Two angles that meet two conditions, each bilinear in cosine and sine of both."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.ik.six_axis.trigonometric import NEAR_DOUBLE, first_degree_angles, waves

SAMPLES = 2 * np.pi * np.arange(7) / 7
"""Angles of which the one that is farthest from being a root is put at infinity."""
SINGULAR, DOUBTFUL = 1e-14, 1e-9
"""Least of all singular values of the resultant's matrix, beside the largest, below which there are no roots to be
found, and below which those that are found may be rounding."""
NOTHING = 1e-13
"""Largest coefficient of a condition, which is made of numbers of size 1, below which it says nothing."""
PERHAPS = 1e-3
"""What is left of the other condition, beside its terms, up to which a pair is tried."""
NEWTON, NEAR, FARTHEST = 5, 1e-6, 0.2
"""Steps that refine a pair; and the change of an angle up to which that is not needed, and beyond which it has led to
another solution or nowhere [rad]."""


def bilinear_angles(P: FloatArray, Q: FloatArray) -> tuple[IndexArray, FloatArray, BoolArray]:
    """Real pairs of angles with (1, cos s, sin s) P (1, cos t, sin t)^T = 0, and the same for Q.

    Half tangents of t are eliminated by the matrix of Sylvester, of two quadratic polynomials, that of s is an
    eigenvalue. Nothing is squared, and conditions in which an angle does not occur are no special case.

    Parameters
    ----------
    P, Q : ndarray, shape (n, 3, 3)

    Returns
    -------
    rows : ndarray of int, shape (k,)
        To which of the n problems each pair belongs; pairs may be repeated, or meet the conditions only nearly.
    angles : ndarray, shape (k, 2)
        s and t.
    free : ndarray of bool, shape (n,)
        Whether any s does, or nearly so; then pairs say nothing.
    """
    P, Q = _scaled(P), _scaled(Q)
    sylvester = _sylvester(P, Q)
    sizes = np.linalg.svd(np.einsum("ki,niab->nkab", waves(SAMPLES), sylvester), compute_uv=False)
    regularity = sizes[..., -1] / np.maximum(sizes[..., 0], np.finfo(float).tiny)
    best = np.argmax(regularity, axis=1)
    most = np.take_along_axis(regularity, best[:, None], axis=1)[:, 0]
    free, open_ = most < DOUBTFUL, np.flatnonzero(most > SINGULAR)
    s, real = _roots(sylvester[open_], SAMPLES[best[open_]] - np.pi)
    member, column = np.nonzero(real)
    rows, s = open_[member], s[member, column]
    t, kept = _others(P[rows], Q[rows], s)
    pairs, which = np.nonzero(kept)
    rows, found = rows[pairs], np.column_stack([s[pairs], t[pairs, which]])
    refined, moved = _refined(P[rows], Q[rows], found)
    return np.concatenate([rows, rows[moved]]), np.concatenate([found, refined]), free


def _refined(P: FloatArray, Q: FloatArray, found: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Pairs nearer to the solutions, by Newton's method, of those (k, 2) that were not near; and which those are, (k,).

    Of conditions that say nearly the same, eigenvalues are some 1e-2 off, by other amounts on other processors.
    """
    M = np.stack([P, Q], axis=1)
    pairs, solved = found.copy(), np.ones(len(found), dtype=bool)
    for _ in range(NEWTON):
        by_s, by_t = _left(M, pairs, (1, 0)), _left(M, pairs, (0, 1))
        J, e = np.stack([by_s, by_t], axis=-1), _left(M, pairs)
        det = by_s[:, 0] * by_t[:, 1] - by_t[:, 0] * by_s[:, 1]
        solved &= np.abs(det) > SINGULAR
        J[~solved] = np.eye(2)
        pairs[solved] -= np.linalg.solve(J, e[..., None])[solved, :, 0]
        solved &= np.abs(pairs - found).max(axis=-1) < FARTHEST
    moved = solved & (np.abs(pairs - found).max(axis=-1) > NEAR)
    return pairs[moved], moved


def _left(M: FloatArray, pairs: FloatArray, derivative: tuple[int, int] = (0, 0)) -> FloatArray:
    """What is left of two conditions (k, 2, 3, 3) at pairs (k, 2), or of their derivative by one angle, (k, 2)."""
    s, t = (waves(angle + 0.5 * np.pi * order) for angle, order in zip(pairs.T, derivative, strict=True))
    s[:, 0] *= 1 - derivative[0]
    t[:, 0] *= 1 - derivative[1]
    return np.asarray(np.einsum("ki,kcij,kj->kc", s, M, t))


def _scaled(M: FloatArray) -> FloatArray:
    """Conditions with a largest coefficient of 1; zero where there is nothing but rounding."""
    size = np.abs(M).max(axis=(1, 2), keepdims=True)
    return np.where(size > NOTHING, M / np.maximum(size, NOTHING), 0.0)


def _sylvester(P: FloatArray, Q: FloatArray) -> FloatArray:
    """Matrices (n, 3, 4, 4) by 1, cos s and sin s: rows are both polynomials in tan t/2 and their multiples by it."""
    powers = np.array([[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0], [0.0, 2.0, 0.0]])  # of 1, cos t, sin t, the highest first
    p, q = P @ powers, Q @ powers
    result = np.zeros((len(P), 3, 4, 4))
    result[:, :, 0, :3] = result[:, :, 1, 1:] = p
    result[:, :, 2, :3] = result[:, :, 3, 1:] = q
    return result


def _roots(sylvester: FloatArray, middle: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Angles s (n, 8) at which the matrices are singular, and whether they are real; half tangents about `middle`."""
    c, s = (f(middle)[:, None, None] for f in (np.cos, np.sin))
    one, cosine, sine = np.moveaxis(sylvester, 1, 0)
    cosine, sine = cosine * c + sine * s, sine * c - cosine * s
    last = np.linalg.inv(one - cosine)
    companion = np.zeros((len(middle), 8, 8))
    companion[:, :4, 4:] = np.eye(4)
    companion[:, 4:, :4], companion[:, 4:, 4:] = -last @ (one + cosine), -2 * last @ sine
    x = np.linalg.eigvals(companion)
    return 2 * np.arctan(x.real) + middle[:, None], np.abs(x.imag) <= NEAR_DOUBLE * (1 + x.real**2)


def _others(P: FloatArray, Q: FloatArray, s: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Angles t (k, 2) that meet the condition that says more of them, and whether they meet the other one, nearly."""
    p, q = (np.einsum("ki,kij->kj", waves(s), M) for M in (P, Q))
    more = (np.hypot(p[:, 1], p[:, 2]) >= np.hypot(q[:, 1], q[:, 2]))[:, None]
    strong, weak = np.where(more, p, q), np.where(more, q, p)
    t, real = first_degree_angles(strong)
    left = np.abs(np.einsum("kij,kj->ki", waves(t), weak))
    return t, real & (left <= PERHAPS)
