"""A pendulum whose height changes by a plan: the horizontal motion stays linear, with coefficients in time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, ShapeError
from tarsus.simulation.argument_kinds import check_finite
from tarsus.spatial._arrays import as_array

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

    def __post_init__(self) -> None:
        if not callable(self.height):
            raise DtypeError(f"height of VariableHeightPendulum is {self.height!r}; expected a function of times")
        for name in ("gravity", "ground"):
            check_finite(f"{name} of VariableHeightPendulum", getattr(self, name))

    def square_rate(self, t: npt.ArrayLike) -> FloatArray:
        """(g + z'') / (z - z_p) at times [1/s^2]; an error where the mass is not above the ground or falls freely."""
        times = as_array(t, "t")
        z, acceleration = self._heights(times)
        above, load = z - self.ground, self.gravity + acceleration
        if not ((above > 0).all() and (load > 0).all()):
            raise ArgumentError(
                f"height of VariableHeightPendulum: lowest {float(np.min(above)):.3g} m above the ground, least load "
                f"{float(np.min(load)):.3g} m/s^2; expected both above 0"
            )
        return np.asarray(load / above)

    def _heights(self, times: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What the function tells of the times: z and z''."""
        told = self.height(times)
        try:
            first, second = told
        except (TypeError, ValueError):
            raise DtypeError(f"height of VariableHeightPendulum returned {told!r}; expected z and z''") from None
        z, change = as_array(first, "z of height"), as_array(second, "z'' of height")
        if np.broadcast_shapes(z.shape, change.shape) != times.shape:
            raise ShapeError(
                f"height of VariableHeightPendulum returned shapes {z.shape}, {change.shape}; expected those of the "
                f"times, {times.shape}"
            )
        return z, change
