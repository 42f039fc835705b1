"""Forces of a foot by its position: the loop of position-controlled legs (Buschmann, Lohmeier and Ulbrich 2009)."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.stabilizer.hybrid.foot_compliance import PRESSED

RATE = 25.0
"""k of the loop [1/s]: slower than position loops of joints, faster than the fall of the pendulum."""
FORGETTING = 0.3
"""Time in which what the loop has added is forgotten [s]: sensors with a bias do not lead feet away."""
MOST_TURNED = 0.15
"""Angle by which a foot is turned by the loop at most [rad]."""
MOST_RAISED = 0.04
"""How far it is raised or lowered at most, in lengths of the leg."""


class FootForceLoop:
    """Moves a foot below the base until the ground presses as wanted.

    Along z, about x and about y of the sole, with the compliance C (`FootCompliance`), the wanted force lambda_d, the
    felt one lambda and the selection S in [0, 1],

        x' = -C (lambda_d' + S k (lambda_d - lambda)) - z / T,

    which is C^-1 x' = ... of Buschmann, Lohmeier and Ulbrich 2009 with a leak, integrated: x = -C lambda_d + z,
    z' = -S k C (lambda_d - lambda) - z / T, within bounds. Where C is right the force follows lambda_d at once and
    errors fall as e^(-k t). A foot in the air has lambda_d = 0 and S = 0, and comes back to where it was planned.

    Parameters
    ----------
    leg : float
        Length of the legs [m].
    most_error : ndarray, shape (3,)
        Errors of vertical force [N] and moments [N m] beyond which the loop goes no faster.
    rate : float
        k [1/s].

    Attributes
    ----------
    way : ndarray, shape (6,)
        x: moved [m] and turned [rad], axes of the sole. Where its position is controlled this is what the wanted force
        bends, made good.
    bounded : bool
        Whether the loop has reached a bound, so that the force may be wrong.
    """

    def __init__(self, leg: float, most_error: FloatArray, rate: float = RATE) -> None:
        self._most_error = most_error
        self._rate = rate
        self._most = np.array([MOST_RAISED * leg, MOST_TURNED, MOST_TURNED])
        self._added: FloatArray = np.zeros(3)
        self.way: FloatArray = np.zeros(6)
        self.bounded = False

    def advance(self, dt: float, C: FloatArray, wanted: FloatArray, felt: FloatArray, selection: FloatArray) -> None:
        """Go on by a cycle [s].

        Parameters
        ----------
        C : ndarray, shape (6, 6)
            `FootCompliance`.
        wanted, felt : ndarray, shape (6,)
            Wrench (f; n) of the ground on the foot, axes of the sole [N, N m].
        selection : ndarray, shape (3,)
            Of `PRESSED`: 1 where the force is controlled, 0 where the position is.
        """
        own = C[PRESSED, :][:, PRESSED]
        error = np.clip(wanted[PRESSED] - felt[PRESSED], -self._most_error, self._most_error)
        change = -self._rate * (own @ (selection * error)) - self._added / FORGETTING
        added = self._added + dt * change
        self._added = np.clip(added, -self._most, self._most)
        self.bounded = bool((added != self._added).any())
        self.way = -C @ wanted
        self.way[PRESSED] += self._added
