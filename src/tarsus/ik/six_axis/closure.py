"""How far turns are from closing a loop, and Newton's method to close it; for real and for complex angles."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import AnyArray, FloatArray
from tarsus.ik.six_axis.loop import Loop, cross, turn

SINGULAR = 1e-12
"""Share of the largest singular value of the Jacobian below which a direction is left alone by a step."""
ROUNDING, STALLED = 1e-15, 1e-12
"""Errors below which there is nothing left to do, and below which a step that brings nothing is the last."""
LONGEST_STEP = 0.3
"""Of Newton's method, of any angle [rad]."""


def closure(w: AnyArray, o: AnyArray, G: AnyArray, t: AnyArray) -> tuple[AnyArray, AnyArray]:
    """What is left of the displacement, and its derivative, for angles (n, 6) about axes (n, 6, 3).

    Returns
    -------
    error : ndarray, shape (n, 6)
        Twist, linear first, of E_1 ... E_6 G^-1 as if it were small: position, and sines of the rotation.
    jacobian : ndarray, shape (n, 6, 6)
        Its columns are the twists of the axes where the turns before them bring them.
    """
    R = np.broadcast_to(np.eye(3), (len(t), 3, 3)).astype(t.dtype)
    p = np.zeros((len(t), 3), dtype=t.dtype)
    columns = []
    for k in range(6):
        axis = (R @ w[:, k, :, None])[..., 0]
        point = (R @ o[:, k, :, None])[..., 0] + p
        columns.append(np.concatenate([cross(point, axis), axis], axis=-1))
        R_k = turn(w[:, k], t[:, k])
        p = p + (R @ (o[:, k] - (R_k @ o[:, k, :, None])[..., 0])[..., None])[..., 0]
        R = R @ R_k
    D = R @ np.swapaxes(G[:, :3, :3], -1, -2)
    linear = p - (D @ G[:, :3, 3, None])[..., 0]
    angular = 0.5 * np.stack([D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]], axis=-1)
    return np.concatenate([linear, angular], axis=-1), np.stack(columns, axis=-1)


def close_loop(loop: Loop, t: FloatArray, steps: int = 40) -> tuple[FloatArray, FloatArray]:
    """Angles (n, 6) near given ones that close the loops, and the largest entry of what is left, (n,).

    Steps stop where the error is that of rounding. Half turns away from G the error vanishes as well: such angles are
    told by an error of 2.
    """
    t = t.copy()
    best, best_error = t.copy(), np.full(len(t), np.inf)
    open_ = np.arange(len(t))
    for _ in range(steps):
        error, J = closure(loop.w[open_], loop.o[open_], loop.G[open_], t[open_])
        size = np.abs(error).max(axis=-1)
        better = size < best_error[open_]
        best[open_[better]], best_error[open_[better]] = t[open_[better]], size[better]
        going = (size > ROUNDING) & (better | (size > STALLED)) & np.isfinite(size)
        open_ = open_[going]
        if open_.size == 0:
            break
        step = -(np.linalg.pinv(J[going], rcond=SINGULAR) @ error[going][..., None])[..., 0]
        step *= np.minimum(1.0, LONGEST_STEP / np.maximum(np.abs(step).max(axis=-1), LONGEST_STEP))[:, None]
        t[open_] += step
    turned = _rotation_trace(loop, best)
    return best, np.where(turned > 0, best_error, 2.0)


def _rotation_trace(loop: Loop, t: FloatArray) -> FloatArray:
    """Trace of the rotation that is left, 3 where there is none and -1 after half a turn, (n,)."""
    R: AnyArray = np.broadcast_to(np.eye(3), (len(t), 3, 3))
    for k in range(6):
        R = R @ turn(loop.w[:, k], t[:, k])
    return np.asarray(np.einsum("nij,nij->n", R, loop.G[:, :3, :3]))
