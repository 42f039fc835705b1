"""Limits of the joints as shares of their ranges, Buschmann 2014 (A.58)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.ik.objectives.limited_coordinates import LimitedCoordinates, limited_coordinates
from tarsus.ik.objectives.objective import Objective
from tarsus.model import Model


@dataclass(frozen=True, eq=False)
class ScaledJointLimits(Objective):
    """Sum of ((q - q_a) / (q_lim - q_a))^2 beyond q_a, which is 1 at a limit: gradient (A.58) of Buschmann 2014.

    q_a is `band` of the range before each limit. (A.58) prints a sum over all joints in every component. Joints with a
    limit on one side only are looked at by `JointLimits`, not here: they have no range.

    Attributes
    ----------
    band : float
        Share of a joint's range, above 0 and at most 0.5.
    """

    band: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.band, int | float) and 0 < self.band <= 0.5):
            raise ArgumentError(f"band of ScaledJointLimits is {self.band!r}; expected a number above 0 up to 0.5")

    def plain_value(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Sum of the squares."""
        _, below, above, _ = self._beyond(model, q)
        return np.asarray((below**2 + above**2).sum(axis=-1))

    def plain_gradient(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """2 (q - q_a) / (q_lim - q_a)^2 beyond q_a (A.58)."""
        limited, below, above, width = self._beyond(model, q)
        return limited.spread(2 * (above - below) / width, model)

    def _beyond(self, model: Model, q: npt.ArrayLike) -> tuple[LimitedCoordinates, FloatArray, FloatArray, FloatArray]:
        """How far coordinates are in the lower and in the upper band, 1 at the limit; width of the bands."""
        limited = limited_coordinates(model)
        whole = limited.upper - limited.lower
        for name, size in zip(limited.names, whole, strict=True):
            if size <= 0:
                raise ArgumentError(
                    f"limits of joint {name!r} are {size:g} apart; ScaledJointLimits expects ranges above 0: lock it"
                )
        width = self.band * whole  # infinite where a limit is missing
        x, ranged = limited.of(q, model), np.isfinite(whole)
        safe = np.where(ranged, width, 1.0)
        below = np.where(ranged, np.maximum(0.0, limited.lower + safe - x) / safe, 0.0)
        above = np.where(ranged, np.maximum(0.0, x - (limited.upper - safe)) / safe, 0.0)
        return limited, below, above, safe
