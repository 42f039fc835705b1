"""Torques of the ankle of a foot that alone carries a robot that is being caught."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray

HEAVIEST = 1.5
"""Load that is counted on, at most, in weights of the robot: feet that land are knocked for a moment."""
STEEP = 0.5
"""Height of the centre of mass above the pressure over its distance, down to which the force leads there: that of a
robot that lies on the ground would be without bounds."""


def holding_torque(
    J: FloatArray, X: FloatArray, com: FloatArray, pressure: FloatArray, half: FloatArray, load: float
) -> FloatArray:
    """Joint torques that keep a foot flat while it pushes the ground under a centre of mass, shape (nv,) [N m].

    The ground pushes with f = F (c - p) / (c_z - p_z), which has no moment about the centre of mass c, at the place p
    of the sole that is nearest to the wanted pressure. Joints hold that by tau = -J_p^T f. Torques of the plan, moved
    by a change of the pressure, belong to the load and the place of another step: they tip the foot over.

    Parameters
    ----------
    J : ndarray, shape (6, nv)
        Of the middle of the sole, world axes.
    X : ndarray, shape (4, 4)
        Pose of the sole, as it is.
    com : ndarray, shape (3,)
        Centre of mass [m].
    pressure : ndarray, shape (2,)
        Where the pressure shall be, seen from above [m].
    half : ndarray, shape (2,)
        Half sizes of the sole that the pressure may use [m].
    load : float
        Vertical force F on the foot [N].
    """
    R, sole = X[:3, :3], X[:3, 3]
    way = np.array([*(pressure - sole[:2]).tolist(), 0.0])
    p = R[:, :2] @ np.clip(R[:, :2].T @ way, -half, half)
    to_com = com - sole - p
    f = load / max(float(to_com[2]), STEEP * float(np.linalg.norm(to_com))) * to_com
    return np.asarray(-(J[:3].T @ f + J[3:].T @ np.cross(p, f)))
