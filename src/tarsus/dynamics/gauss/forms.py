"""The two forms of the equations of motion with constraints: multiplier explicit, and eliminated.

    M xddot = force + C^T lambda,   C xddot = -drift        Bouyarmane and Kheddar 2012 (32), (30)
    A M xddot = A force,   A = 1 - C^T (C C^T)^-1 C         (35), with (34) for any number of constraints

M may be singular along the normals of the constraints; both forms hold as long as it is not along the others.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import MasslessJointError, UnknownNameError, nearest

Form = Literal["multiplier", "projection"]

_PINV_CUTOFF = 1e-10
"""Singular values below this share of the largest one count as zero, where forces are not determined."""


class GaussMotion(NamedTuple):
    """Accelerations of the parameters and multipliers of the constraints.

    Attributes
    ----------
    xddot : ndarray, shape (..., nx)
    multiplier : ndarray, shape (..., nc)
        lambda of (32): first those of the parameters, then for every grasp the wrench on the object.
    """

    xddot: FloatArray
    multiplier: FloatArray


class GaussForces(NamedTuple):
    """Generalised forces of the drives and multipliers of the constraints.

    Attributes
    ----------
    tau : ndarray, shape (..., nv)
    multiplier : ndarray, shape (..., nc)
    """

    tau: FloatArray
    multiplier: FloatArray


def solve_motion(form: Form, M: FloatArray, C: FloatArray, force: FloatArray, drift: FloatArray) -> GaussMotion:
    """Accelerations (..., n) and lambda (..., m) of M (..., n, n), C (..., m, n), force and drift."""
    _check(form)
    batch = np.broadcast_shapes(M.shape[:-2], force.shape[:-1])
    M, C = (np.broadcast_to(matrix, (*batch, *matrix.shape[-2:])) for matrix in (M, C))
    force, drift = (np.broadcast_to(vector, (*batch, vector.shape[-1])) for vector in (force, drift))
    try:
        return _with_multiplier(M, C, force, drift) if form == "multiplier" else _projected(M, C, force, drift)
    except np.linalg.LinAlgError:
        raise MasslessJointError("the equations of motion are singular: some joint moves no inertia") from None


def solve_forces(form: Form, inputs: FloatArray, C: FloatArray, needed: FloatArray) -> GaussForces:
    """Forces tau (..., k) and lambda (..., m) with inputs tau + C^T lambda = needed (..., n), inputs (..., n, k)."""
    _check(form)
    if form == "projection":
        P = _right_inverse(C)
        projected = np.asarray(np.linalg.pinv(inputs - P @ (C @ inputs), _PINV_CUTOFF), dtype=np.float64)
        tau = times(projected, needed - times(P, times(C, needed)))
        return GaussForces(tau, times(np.swapaxes(P, -1, -2), needed - times(inputs, tau)))
    left = np.concatenate([inputs, np.swapaxes(C, -1, -2)], axis=-1)
    square = left.shape[-1] == left.shape[-2]
    solution = times(np.linalg.inv(left) if square else np.linalg.pinv(left, _PINV_CUTOFF), needed)
    k = inputs.shape[-1]
    return GaussForces(solution[..., :k], solution[..., k:])


def times(A: FloatArray, x: FloatArray) -> FloatArray:
    """Matrices (..., n, m) times vectors (..., m)."""
    return np.asarray((A @ x[..., None])[..., 0])


def _check(form: str) -> None:
    if form not in get_args(Form):
        choices = get_args(Form)
        raise UnknownNameError(f"form: unknown {form!r}, expected one of {choices}{nearest(form, choices)}")


def _with_multiplier(M: FloatArray, C: FloatArray, force: FloatArray, drift: FloatArray) -> GaussMotion:
    """(32) and (30) as one system of size n + m."""
    n, m = M.shape[-1], C.shape[-2]
    K = np.zeros((*M.shape[:-2], n + m, n + m))
    K[..., :n, :n], K[..., :n, n:], K[..., n:, :n] = M, -np.swapaxes(C, -1, -2), C
    solution = np.linalg.solve(K, np.concatenate([force, -drift], axis=-1)[..., None])[..., 0]
    return GaussMotion(solution[..., :n], solution[..., n:])


def _projected(M: FloatArray, C: FloatArray, force: FloatArray, drift: FloatArray) -> GaussMotion:
    """(35), whose two sides are in the range of A, and (30) brought into the range of 1 - A: one system of size n.

    lambda follows as in (33), where the forces of the drives must be subtracted like the others.
    """
    P = _right_inverse(C)
    scale = np.trace(M, axis1=-2, axis2=-1)[..., None] / max(M.shape[-1], 1)  # brings both parts to one size
    left = M + P @ (scale[..., None] * C - C @ M)
    xddot = times(np.linalg.inv(left), force - times(P, times(C, force) + scale * drift))
    return GaussMotion(xddot, times(np.swapaxes(P, -1, -2), times(M, xddot) - force))


def _right_inverse(C: FloatArray) -> FloatArray:
    """C^T (C C^T)^-1, so that A = 1 - P C."""
    CT = np.swapaxes(C, -1, -2)
    return np.asarray(CT @ np.linalg.inv(C @ CT))
