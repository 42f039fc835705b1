"""A pendulum whose height changes by a plan: the horizontal motion stays linear, with coefficients in time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError

Height = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""z and z'' at times [m], [m/s^2]."""


@dataclass(frozen=True)
class VariableHeightPendulum:
    """x'' = (g + z'') / (z - z_p) (x - p) for a mass at the height z(t), the pressure at the height z_p.

    Attributes
    ----------
    height : callable
        (z, z'') at times of shape (n,).
    gravity : float
    ground : float
        z_p [m].
    """

    height: Height
    gravity: float = 9.81
    ground: float = 0.0

    def square_rate(self, t: npt.ArrayLike) -> FloatArray:
        """(g + z'') / (z - z_p) at times [1/s^2]; an error where the mass is not above the ground or falls freely."""
        z, acceleration = self.height(np.asarray(t, dtype=float))
        above, load = np.asarray(z) - self.ground, self.gravity + np.asarray(acceleration)
        if not ((above > 0).all() and (load > 0).all()):
            raise ArgumentError(
                f"height of VariableHeightPendulum: lowest {float(np.min(above)):.3g} m above the ground, least load "
                f"{float(np.min(load)):.3g} m/s^2; expected both above 0"
            )
        return np.asarray(load / above)
