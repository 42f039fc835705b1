"""How far a foot gives way to the ground: joints of its leg and what it stands on, in series."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.biped.leg import Leg

SINKS = 1e-3
"""How far the whole weight on one foot is taken to press sole and ground together [m]. What is stiffer makes the force
loop faster, what is softer slower, by the ratio of the compliances."""
PRESSED = [2, 3, 4]
"""Directions in which the force of a foot is controlled: along z, about x, about y; (f; n) and twists alike."""


class FootCompliance:
    """C with x_ref - x = -C lambda: where position-controlled joints let a foot go under a force.

    C = J K^-1 J^T + C_c, with the leg's Jacobian J, the stiffness K of its position loops and the compliance of the
    contact C_c: a rectangle whose corners are springs, diag(1, b^-2, a^-2) / k along z, about x and about y, with half
    sizes a, b of the sole.

    Parameters
    ----------
    leg : Leg
    kp : ndarray, shape (nv,)
        Gains of all joints [N m/rad].
    weight : float
        Of the robot [N].
    """

    def __init__(self, leg: Leg, kp: FloatArray, weight: float) -> None:
        self._v, self._joints = leg.v, 1.0 / kp[leg.v]
        a, b = leg.half
        self._contact = np.diag([0.0, 0.0, 1.0, b**-2.0, a**-2.0, 0.0]) * SINKS / weight

    def at(self, J: FloatArray, R: FloatArray) -> FloatArray:
        """C in axes of the sole, shape (6, 6), [m/N], [rad/N m] and what couples them.

        Parameters
        ----------
        J : ndarray, shape (6, nv)
            Jacobian of the sole, world axes.
        R : ndarray, shape (3, 3)
            Orientation of the sole.
        """
        own = J[:, self._v]
        rows = np.vstack([R.T @ own[:3], R.T @ own[3:]])
        return np.asarray((rows * self._joints) @ rows.T + self._contact)
