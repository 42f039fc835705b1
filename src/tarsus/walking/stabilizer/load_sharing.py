"""How feet that both stand share the load: by their measured forces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray

GIVING = 0.15
"""Speed at which feet give way to a share that is wrong by the whole weight, in lengths of the leg a second."""
RETURNING = 0.1
"""Time in which they come back to where they were planned below the body [s]."""


class LoadSharing:
    """Moves feet up and down against each other until each one carries its share.

    With the measured share s of the left foot and the wanted one s_d, in double support,

        z' = c 4 s_p (1 - s_p) (s - s_d) - z / T,

    s_p being the planned share, which fades it in and out: the left foot is raised by z / 2 below the body, and the
    right one lowered, so that the sum of both forces, and with it the height, is left to the stabiliser (force control
    of both feet, Buschmann 2014, 4.5). s_d belongs to the pressure that the stabiliser wants, not to the planned one
    alone: shares of the load and moments of the ankles lead the pressure to the same place.

    Parameters
    ----------
    leg : float
        Length of the legs [m].

    Attributes
    ----------
    way : ndarray, shape (2,)
        By which the left and the right foot are raised below the body [m].
    """

    def __init__(self, leg: float) -> None:
        self._speed = GIVING * leg
        self.way: FloatArray = np.zeros(2)

    def advance(
        self,
        dt: float,
        standing: bool,
        loads: FloatArray,
        planned: FloatArray,
        places: Sequence[FloatArray],
        change: FloatArray,
    ) -> None:
        """Go on by a cycle.

        Parameters
        ----------
        standing : bool
            Whether both feet are on the ground.
        loads : ndarray, shape (2,)
            Vertical forces on the feet [N].
        planned : ndarray, shape (2,)
            Planned shares of the left and the right foot.
        places : sequence of two ndarrays, shape (2,)
            Where the feet are, seen from above [m].
        change : ndarray, shape (2,)
            By which the stabiliser wants the pressure elsewhere than planned [m].
        """
        (left, right), share, rate = loads.tolist(), float(planned[0]), 0.0
        if standing and left + right > 0.0:
            (x, y), (to_x, to_y) = (places[0] - places[1]).tolist(), change.tolist()
            wanted = share + (x * to_x + y * to_y) / (x * x + y * y)
            more = left / (left + right) - min(max(wanted, 0.0), 1.0)
            rate = self._speed * 4.0 * share * (1.0 - share) * more
        half = float(self.way[0]) + 0.5 * dt * (rate - 2.0 * float(self.way[0]) / RETURNING)
        self.way = np.array([half, -half])
