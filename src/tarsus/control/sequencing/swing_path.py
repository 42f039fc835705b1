"""The way of a limb from one place to another, away from what it leaves and towards what it meets."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.errors import ArgumentError, ShapeError
from tarsus.spatial import rotation_matrix_from_rotation_vector
from tarsus.tasks.orientation import rotation_error

DEGREE = 7
"""Of the curve: three control points at either end, for rest, and one on either side for the clearance."""
_LIFT = comb(DEGREE, 3) + comb(DEGREE, 4)
"""128 times the share of the raised control points half way."""


@dataclass(frozen=True, eq=False)
class SwingPath:
    """Pose of a limb over time, from rest to rest, twice continuously differentiable.

    Places are on a Bezier curve of degree 7 whose first three and last three control points are its ends, so that it
    begins and ends at rest and without acceleration; the two in the middle are raised along the normals there: it
    leaves along the first and arrives along the second. Rotations are about one axis, by the time law of least jerk.

    Attributes
    ----------
    start, end : array_like, shape (4, 4)
        X_WF at both ends.
    duration : float
        [s].
    clearance : float
        Height half way above the straight line, where both normals are the same [m].
    normal_start, normal_end : array_like, shape (3,)
        Out of what is left and met, world axes.
    """

    start: npt.ArrayLike
    end: npt.ArrayLike
    duration: float
    clearance: float = 0.0
    normal_start: npt.ArrayLike = (0.0, 0.0, 1.0)
    normal_end: npt.ArrayLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            X = np.asarray(getattr(self, name), dtype=float)
            if X.shape != (4, 4):
                raise ShapeError(f"{name} of SwingPath: found shape {X.shape}, expected (4, 4)")
            object.__setattr__(self, name, read_only_copy(X))
        if not (np.isfinite(self.duration) and self.duration > 0.0):
            raise ArgumentError(f"duration of SwingPath is {self.duration!r}; expected a number above 0 [s]")
        if not (np.isfinite(self.clearance) and self.clearance >= 0.0):
            raise ArgumentError(f"clearance of SwingPath is {self.clearance!r}; expected a number of at least 0 [m]")

    def at(self, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Pose X_WF (4, 4), and twist and its derivative (6,) in world axes, at a time from its beginning [s]."""
        place, speed, change = self._places(float(np.clip(t / self.duration, 0.0, 1.0)))
        X0, X1 = np.asarray(self.start), np.asarray(self.end)
        way = rotation_error(X1[:3, :3], X0[:3, :3])
        done = minimum_jerk(t, self.duration)
        X = np.eye(4)
        X[:3, :3] = rotation_matrix_from_rotation_vector(done.share * way) @ X0[:3, :3]
        X[:3, 3] = place
        return X, np.append(speed, done.rate * way), np.append(change, done.change * way)

    def _places(self, u: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Place, velocity and acceleration at a part of the time."""
        points = self._control_points()
        first, second = np.diff(points, axis=0), np.diff(points, n=2, axis=0)
        T = self.duration
        return (
            _bernstein(DEGREE, u) @ points,
            DEGREE / T * _bernstein(DEGREE - 1, u) @ first,
            DEGREE * (DEGREE - 1) / T**2 * _bernstein(DEGREE - 2, u) @ second,
        )

    def _control_points(self) -> FloatArray:
        p0, p1 = np.asarray(self.start)[:3, 3], np.asarray(self.end)[:3, 3]
        high = self.clearance * 2.0**DEGREE / _LIFT
        above = [p0 + high * np.asarray(self.normal_start), p1 + high * np.asarray(self.normal_end)]
        return np.array([p0, p0, p0, *above, p1, p1, p1])


def _bernstein(degree: int, u: float) -> FloatArray:
    """Bernstein polynomials at u, shape (degree + 1,)."""
    return np.array([comb(degree, k) * u**k * (1.0 - u) ** (degree - k) for k in range(degree + 1)])
