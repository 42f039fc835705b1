"""Feet that land softly: by lowered gains of their legs, or by control of the vertical force."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import UnknownNameError, nearest

Softness = Literal["gains", "force", "none"]
"""How feet land: with soft joints, with force control, or with neither."""

SOFT = 0.3
"""Gains of a leg that carries nothing, in those of one that does: ground that comes early does not kick."""
TOUCH = 0.1
"""Least load that a foot on the ground shall carry, in weights of the robot."""
GIVING = 0.15
"""Speed at which a foot gives way to a weight of the robot more than planned, in lengths of the leg a second."""
MOST = 0.05
"""How far it gives way, in lengths of the leg."""
RETURNING = 0.3
"""Time in which a foot that carries comes back to where it was planned below the body [s]."""


class Landing:
    """What is done about feet that come down.

    "gains": joints of legs that carry nothing are soft, kp and kd are 0.3 of what they are where they do. "force":
    joints stay stiff, and a foot that has landed is moved up below the body as long as it carries more than planned,

        z' = c (F - F_planned) / (m g),

    the force loop of position-controlled legs (Buschmann 2014, 4.5); the way is undone while it carries. "none":
    neither.

    Parameters
    ----------
    softness : {"gains", "force", "none"}
    weight : float
        Of the robot [N].
    leg : float
        Length of its legs [m].
    """

    def __init__(self, softness: Softness, weight: float, leg: float) -> None:
        if not isinstance(softness, str) or softness not in get_args(Softness):
            names = get_args(Softness)
            raise UnknownNameError(f"landing {softness!r} not found{nearest(str(softness), names)}; there are {names}")
        self.softness: Softness = softness
        self._weight, self._leg = weight, leg
        self.way: FloatArray = np.zeros(2)

    def stiffness(self, load: float) -> float:
        """Factor of the gains of a leg whose foot carries a part of the weight."""
        if self.softness != "gains":
            return 1.0
        return SOFT + (1.0 - SOFT) * min(1.0, 2.0 * load)

    def advance(self, dt: float, landed: list[bool], loads: FloatArray, planned: FloatArray) -> None:
        """Go on by a cycle.

        Parameters
        ----------
        landed : list of bool
        loads : ndarray, shape (2,)
            Vertical forces on the feet [N].
        planned : ndarray, shape (2,)
            The same as planned, in weights of the robot.
        """
        if self.softness != "force":
            return
        for foot in (0, 1):
            if not landed[foot]:
                self.way[foot] = 0.0
                continue
            more = float(loads[foot]) / self._weight - max(TOUCH, float(planned[foot]))
            rate = GIVING * self._leg * more * max(0.0, 1.0 - 2.0 * float(planned[foot]))
            way = self.way[foot] + dt * (rate - float(planned[foot]) * self.way[foot] / RETURNING)
            self.way[foot] = min(max(way, 0.0), MOST * self._leg)
