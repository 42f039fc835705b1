"""Motion of one frame seen from another: pose, Jacobian and bias."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose, frame_velocity, jacobian, jacobian_dot_v
from tarsus.model import Model
from tarsus.spatial import inverse_pose, skew


def relative_pose(model: Model, q: npt.ArrayLike, frame: str, reference: str | None) -> FloatArray:
    """X_RF, shape (..., 4, 4); R is the world where no reference is given."""
    X_WF = frame_pose(model, q, frame)
    return X_WF if reference is None else inverse_pose(frame_pose(model, q, reference)) @ X_WF


def relative_jacobian(model: Model, q: npt.ArrayLike, frame: str, reference: str | None) -> FloatArray:
    """J_RF, shape (..., 6, nv): rate of p_RF and angular velocity of F in R, in axes of R.

    With d = p_F - p_R: d/dt p_RF = R_WR^T (v_F - v_R - w_R x d), w_RF = R_WR^T (w_F - w_R).
    """
    J_WF = jacobian(model, q, frame)
    if reference is None:
        return J_WF
    J_WR, X_WR = jacobian(model, q, reference), frame_pose(model, q, reference)
    J = J_WF - J_WR
    J[..., :3, :] += skew(frame_pose(model, q, frame)[..., :3, 3] - X_WR[..., :3, 3]) @ J_WR[..., 3:, :]
    R_RW = np.swapaxes(X_WR[..., :3, :3], -1, -2)
    return np.concatenate([R_RW @ J[..., :3, :], R_RW @ J[..., 3:, :]], axis=-2)


def relative_bias(model: Model, q: npt.ArrayLike, v: npt.ArrayLike, frame: str, reference: str | None) -> FloatArray:
    """Rate of `relative_jacobian` times v, shape (..., 6).

    With d as above, a and alpha the accelerations at vdot = 0:
    R_WR^T (a_F - a_R - alpha_R x d - 2 w_R x d' + w_R x (w_R x d)) and R_WR^T (alpha_F - alpha_R - w_R x w_F).
    """
    A_F = jacobian_dot_v(model, q, v, frame)
    if reference is None:
        return A_F
    A_R, X_WR = jacobian_dot_v(model, q, v, reference), frame_pose(model, q, reference)
    V_F, V_R = frame_velocity(model, q, v, frame), frame_velocity(model, q, v, reference)
    d = frame_pose(model, q, frame)[..., :3, 3] - X_WR[..., :3, 3]
    rate, w = V_F[..., :3] - V_R[..., :3], V_R[..., 3:]
    linear = (
        A_F[..., :3] - A_R[..., :3] - np.cross(A_R[..., 3:], d) - 2 * np.cross(w, rate) + np.cross(w, np.cross(w, d))
    )
    angular = A_F[..., 3:] - A_R[..., 3:] - np.cross(w, V_F[..., 3:])
    R_RW = np.swapaxes(X_WR[..., :3, :3], -1, -2)
    return np.concatenate([(R_RW @ part[..., None])[..., 0] for part in (linear, angular)], axis=-1)
