"""Joint torques of a planned gait on ground that does not give way."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics import inverse_dynamics, jacobian
from tarsus.model import Model
from tarsus.walking.shah.pendulum_gait import PendulumGait

_SAGITTAL = [0, 2, 4]
"""Rows of a 6-vector that lie in the sagittal plane: force x and z, moment y."""


def rigid_ground_torque(
    model: Model,
    gait: PendulumGait,
    t: npt.ArrayLike,
    *,
    soles: tuple[str, str] = ("r_sole", "l_sole"),
) -> FloatArray:
    """Torques with which base and joints move exactly as planned, where the standing foot is held by the ground.

    The planned motion needs the generalised forces tau = M vdot + h. Nothing drives the base: its three equations are
    met by the wrench w of the ground on the standing foot, J_0^T w = tau_0, and the joints carry tau - J^T w. The
    textbook feed-forward; on compliant ground it is not what the ground does, compare `drive_joints`.

    Parameters
    ----------
    model : Model
        Planar biped with the coordinates of `GaitMotion`.
    gait : PendulumGait
    t : array_like, shape (...)
        [s].
    soles : tuple of 2 str
        Frames of the feet of first and second leg.

    Returns
    -------
    tau : ndarray, shape (..., 9)
        [N m]; those of the base are zero.
    """
    q, v, vdot = gait.motion(t)
    tau = inverse_dynamics(model, q, v, vdot)
    first_stands = (gait.step(t) % 2 == 0)[..., None, None]
    first, second = (jacobian(model, q, sole)[..., _SAGITTAL, :] for sole in soles)
    transposed = np.swapaxes(np.where(first_stands, first, second), -1, -2)
    wrench = np.linalg.solve(transposed[..., :3, :], tau[..., :3, None])
    joints = tau[..., None] - transposed @ wrench
    joints[..., :3, :] = 0.0
    return np.asarray(joints[..., 0])
