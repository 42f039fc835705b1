"""Inertia of a rigid body: mass, centre of mass, and moments about the centre of mass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray


def _frozen(x: npt.ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    a = np.array(x, dtype=float).reshape(shape)
    a.flags.writeable = False
    return a


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass properties of a rigid body in its own frame B.

    Attributes
    ----------
    mass : float
        [kg].
    com : ndarray, shape (3,)
        Centre of mass p_BC [m], axes of B.
    moments : ndarray, shape (3, 3)
        Inertia tensor about the centre of mass [kg m^2], axes of B.
    """

    mass: float = 0.0
    com: FloatArray = field(default_factory=lambda: np.zeros(3))
    moments: FloatArray = field(default_factory=lambda: np.zeros((3, 3)))

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", float(self.mass))
        object.__setattr__(self, "com", _frozen(self.com, (3,)))
        object.__setattr__(self, "moments", _frozen(self.moments, (3, 3)))

    @classmethod
    def of_box(cls, mass: float, size: npt.ArrayLike, com: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """Solid box with edge lengths `size` = (x, y, z) [m]."""
        s = np.square(np.asarray(size, dtype=float))
        return cls(mass, np.asarray(com, dtype=float), np.diag(mass / 12.0 * (s.sum() - s)))

    @classmethod
    def of_sphere(cls, mass: float, radius: float, com: npt.ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """Solid sphere."""
        return cls(mass, np.asarray(com, dtype=float), np.eye(3) * (0.4 * mass * radius**2))

    @classmethod
    def of_cylinder(
        cls, mass: float, radius: float, length: float, axis: int = 2, com: npt.ArrayLike = (0.0, 0.0, 0.0)
    ) -> Self:
        """Solid cylinder about coordinate axis number `axis`."""
        d = np.full(3, mass * (3.0 * radius**2 + length**2) / 12.0)
        d[axis] = 0.5 * mass * radius**2
        return cls(mass, np.asarray(com, dtype=float), np.diag(d))

    @classmethod
    def about_origin(cls, mass: float, com: npt.ArrayLike, moments: npt.ArrayLike) -> Self:
        """From moments about the origin of B instead of the centre of mass (parallel axes theorem)."""
        c = np.asarray(com, dtype=float)
        shift = mass * (np.dot(c, c) * np.eye(3) - np.outer(c, c))
        return cls(mass, c, np.asarray(moments, dtype=float) - shift)

    @property
    def moments_about_origin(self) -> FloatArray:
        """Inertia tensor about the origin of B, shape (3, 3) [kg m^2]."""
        c = self.com
        about_origin: FloatArray = self.moments + self.mass * (np.dot(c, c) * np.eye(3) - np.outer(c, c))
        return about_origin

    @property
    def parameters(self) -> FloatArray:
        """The ten parameters linear in the dynamics, shape (10,).

        (m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz), moments about the origin of B: the order of
        the columns of `torque_regressor`.
        """
        J = self.moments_about_origin
        moments = (J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2])
        return np.array([self.mass, *(self.mass * self.com), *moments])

    def in_frame(self, X_AB: npt.ArrayLike) -> Self:
        """The same matter described in frame A, where B has the pose X_AB (4, 4)."""
        X = np.asarray(X_AB, dtype=float)
        R = X[:3, :3]
        return type(self)(self.mass, X[:3, 3] + R @ self.com, R @ self.moments @ R.T)

    def __add__(self, other: Inertia) -> Self:
        """Both bodies rigidly joined (in the same frame)."""
        m = self.mass + other.mass
        if m == 0.0:
            return type(self)(0.0, np.zeros(3), self.moments + other.moments)
        c = (self.mass * self.com + other.mass * other.com) / m
        J = self.moments + other.moments
        for part in (self, other):
            d = part.com - c
            J = J + part.mass * (np.dot(d, d) * np.eye(3) - np.outer(d, d))
        return type(self)(m, c, J)
