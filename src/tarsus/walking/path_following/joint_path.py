"""Paths of the joints in one step: angles as functions of a parameter s that runs from 0 to 1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.walking.shah.pendulum_gait import PendulumGait


class PathPoint(NamedTuple):
    """A point of a path.

    Attributes
    ----------
    theta, slope, curvature : ndarray, shape (..., joints)
        Joint angles [rad] and their first and second derivatives with s [rad].
    """

    theta: FloatArray
    slope: FloatArray
    curvature: FloatArray


class JointPath(ABC):
    """Joint angles theta_d(s) from one exchange of legs, s = 0, to the next, s = 1; the leg that stands comes first."""

    @abstractmethod
    def at(self, s: npt.ArrayLike) -> PathPoint:
        """Point of the path at s, shape (...)."""


@dataclass(frozen=True, eq=False)
class PolynomialPath(JointPath):
    """Polynomials of order 4 through start, middle and end, with given slopes at both ends.

    Attributes
    ----------
    start, start_slope, middle, end, end_slope : ndarray, shape (joints,)
        theta(0), theta'(0), theta(1/2), theta(1), theta'(1) [rad].
    """

    start: FloatArray
    start_slope: FloatArray
    middle: FloatArray
    end: FloatArray
    end_slope: FloatArray

    def __post_init__(self) -> None:
        shapes = {name: np.shape(getattr(self, name)) for name in self.__dataclass_fields__}
        if len(set(shapes.values())) > 1 or len(shapes["start"]) != 1:
            raise ShapeError(f"the parts of a PolynomialPath have the shapes {shapes}; expected the same, (joints,)")

    @cached_property
    def _coefficients(self) -> FloatArray:
        """Of s^0 to s^4, shape (5, joints)."""
        powers = np.arange(5)
        slopes_at_ends = np.stack([powers == 1, powers]).astype(float)
        conditions = np.stack([powers == 0, slopes_at_ends[0], 0.5**powers, np.ones(5), slopes_at_ends[1]])
        values = np.stack([self.start, self.start_slope, self.middle, self.end, self.end_slope])
        return np.linalg.solve(conditions, values)

    def at(self, s: npt.ArrayLike) -> PathPoint:
        """Point of the path at s, shape (...)."""
        s = np.asarray(s, dtype=float)[..., None]
        c = self._coefficients
        theta = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * c[4])))
        slope = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * 4.0 * c[4]))
        return PathPoint(theta, slope, 2.0 * c[2] + s * (6.0 * c[3] + s * 12.0 * c[4]))


@dataclass(frozen=True, eq=False)
class GaitPath(JointPath):
    """The way of the first step of a `PendulumGait`, without its times: s = t / T.

    Attributes
    ----------
    gait : PendulumGait
    """

    gait: PendulumGait

    def __post_init__(self) -> None:
        if not isinstance(self.gait, PendulumGait):
            raise ArgumentError(f"gait is a {type(self.gait).__name__}; expected a PendulumGait")

    def at(self, s: npt.ArrayLike) -> PathPoint:
        """Point of the path at s, shape (...)."""
        T = self.gait.period
        q, v, vdot = self.gait.motion(T * np.asarray(s, dtype=float), step=0)
        return PathPoint(q[..., 3:], T * v[..., 3:], T * T * vdot[..., 3:])
