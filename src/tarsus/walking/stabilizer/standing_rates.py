"""Rates of a leg whose foot stands while the body moves on."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import jacobian
from tarsus.walking.biped.biped import Biped

DAMPED = 1e-3
"""Of the least squares, in squares of lengths of the leg: stretched legs are not thrown about."""


def standing_rates(biped: Biped, foot: int, q: FloatArray, v: FloatArray) -> FloatArray:
    """Rates of the joints of a leg with which its foot does not move, shape (k,) [rad/s].

    J_leg v_leg = -J v without the leg, damped.

    Parameters
    ----------
    foot : int
        0 for the left one, 1 for the right one.
    q : ndarray, shape (nq,)
    v : ndarray, shape (nv,)
        Of base and all other joints; what it has of the leg is of no account.
    """
    leg = biped.legs[foot]
    others = np.array(v)
    others[leg.v] = 0.0
    J = jacobian(biped.model, q, leg.sole)
    own = J[:, leg.v]
    damping = DAMPED * biped.leg**2 * np.eye(6)
    return np.asarray(-own.T @ np.linalg.solve(own @ own.T + damping, J @ others))
