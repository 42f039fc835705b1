"""What keeps a flat foot flat and at rest: five inequalities, linear in the wrench of the ground."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError


class Bounded(NamedTuple):
    """A number that was asked for, within its bounds.

    Attributes
    ----------
    value : float
    limit : str
        The inequality that it had to give way to, one of `FlatFootLimits.NAMES`; empty where there was none.
        "infeasible" where no number fulfils all of them: the value is the one that was asked for.
    """

    value: float
    limit: str


@dataclass(frozen=True)
class FlatFootLimits:
    """Normal force above a least one, force within the cone of friction, pressure between heel and toe.

    Attributes
    ----------
    heel, toe : float
        Ends of the sole, forward from its frame [m].
    friction : float
        Coefficient mu.
    least_force : float
        [N].
    """

    heel: float
    toe: float
    friction: float = 0.7
    least_force: float = 0.0

    NAMES: ClassVar = ("normal force", "friction", "friction", "heel", "toe")

    def __post_init__(self) -> None:
        if not -math.inf < self.heel < self.toe < math.inf:
            raise ArgumentError(f"heel is {self.heel!r} and toe is {self.toe!r}; expected finite, heel behind toe [m]")
        for name in ("friction", "least_force"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"{name} is {value!r}; expected a finite number, 0 or more")

    @cached_property
    def _rows(self) -> FloatArray:
        mu, heel, toe = self.friction, self.heel, self.toe
        return np.array([[0.0, 1.0, 0.0], [-1.0, mu, 0.0], [1.0, mu, 0.0], [0.0, -heel, -1.0], [0.0, toe, 1.0]])

    def margins(self, wrench: npt.ArrayLike) -> FloatArray:
        """By how much the inequalities `NAMES` hold, shape (..., 5): forces [N], moments about heel and toe [N m].

        Of wrenches (forward, up, moment about +y at the sole's frame), shape (..., 3).
        """
        margins = np.asarray(wrench, dtype=float) @ self._rows.T
        margins[..., 0] -= self.least_force
        return np.asarray(margins)

    def bounded(self, wanted: float, constant: npt.ArrayLike, linear: npt.ArrayLike) -> Bounded:
        """The number a next to the wanted one for which the wrench constant + a linear is within the limits."""
        free, along = self.margins(constant), self._rows @ np.asarray(linear, dtype=float)
        low, high, at_low, at_high = -math.inf, math.inf, "", ""
        for name, margin, slope in zip(self.NAMES, free, along, strict=True):
            if slope == 0.0:
                if margin < 0.0:
                    return Bounded(wanted, "infeasible")
            elif slope > 0.0 and -margin / slope > low:
                low, at_low = -margin / slope, name
            elif slope < 0.0 and -margin / slope < high:
                high, at_high = -margin / slope, name
        if low > high:
            return Bounded(wanted, "infeasible")
        if wanted < low:
            return Bounded(low, at_low)
        return Bounded(high, at_high) if wanted > high else Bounded(wanted, "")


def pressure_of(wrench: npt.ArrayLike) -> FloatArray:
    """Centre of pressure [m], shape (...), forward from the sole's frame: -n_y / f_z, of wrenches of shape (..., 3)."""
    w = np.asarray(wrench, dtype=float)
    return np.asarray(-w[..., 2] / w[..., 1])
