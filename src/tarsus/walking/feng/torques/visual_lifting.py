"""Visual lifting stabilisation: the head is pulled to where it shall be, input (1) of Feng et al. 2015, section 6."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import jacobian
from tarsus.model import Model
from tarsus.walking.feng.finite_numbers import check_numbers

HEAD = "head"
_TOE = 0
"""Joint 1, the toe joint of the supporting foot, is free."""


@dataclass(frozen=True)
class VisualLifting:
    """tau_h = J_h^T K dpsi, without the torque of the free toe joint.

    The error dpsi of the head's pose, as a camera sees it, is turned into torques of all joints between the supporting
    toe and the head (Maeba et al. 2012, whom Feng et al. 2015 cite for the inputs of the walk; the gains are in neither
    text at hand). While the supporting foot is flat, these torques do what springs would do that hang the head up: the
    reaction goes into the ground. Once the heel is off, the toe joint transmits nothing, and the robot tips over it.
    Arrays of a shape (...) are those of as many robots.

    Attributes
    ----------
    forward, lift : float or ndarray, shape (...)
        Stiffness along x and z of the world [N/m].
    roll, pitch, yaw : float or ndarray, shape (...)
        Stiffness about x, y and z of the world [N m/rad]; the error about an axis n by an angle a is n sin a.
    lead, height : float or ndarray, shape (...)
        Where the origin of the head shall be: before the toe joint of the supporting foot, and above the ground [m].
    """

    forward: float | FloatArray
    lift: float | FloatArray
    roll: float | FloatArray
    pitch: float | FloatArray
    yaw: float | FloatArray
    lead: float | FloatArray
    height: float | FloatArray

    def __post_init__(self) -> None:
        check_numbers(self, ("forward", "lift", "roll", "pitch", "yaw"), 0.0)
        check_numbers(self, ("lead", "height"))

    def wrench(self, pose: FloatArray) -> FloatArray:
        """K dpsi of poses of the head from the supporting toe, (..., 4, 4): force [N] and moment [N m], (..., 6)."""
        turn = pose[..., :3, :3] - np.swapaxes(pose[..., :3, :3], -1, -2)
        force = np.zeros((*pose.shape[:-2], 6))
        force[..., 0] = self.forward * (self.lead - pose[..., 0, 3])
        force[..., 2] = self.lift * (self.height - pose[..., 2, 3])
        force[..., 3] = -0.5 * self.roll * turn[..., 2, 1]
        force[..., 4] = -0.5 * self.pitch * turn[..., 0, 2]
        force[..., 5] = -0.5 * self.yaw * turn[..., 1, 0]
        return force

    def torque(self, model: Model, q: FloatArray, pose: FloatArray) -> FloatArray:
        """Torques [N m], shape (..., 18), of configurations (..., 18) whose head is seen at poses (..., 4, 4)."""
        transposed = np.swapaxes(jacobian(model, q, HEAD), -1, -2)
        tau = (transposed @ self.wrench(pose)[..., None])[..., 0]
        tau[..., _TOE] = 0.0
        return np.asarray(tau)
