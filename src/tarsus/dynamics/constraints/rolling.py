"""Rolling without slip: constraints of velocities that no constraint of positions stands behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.constraints.lowering import PairRow, RowKind
from tarsus.dynamics.constraints.pair import PairConstraint, unit_axis
from tarsus.errors import ArgumentError

NORMAL = 2
"""Axis of the plane's frame that the plane is normal to; only this row has a position level."""


@dataclass(frozen=True, slots=True, eq=False)
class _Rolling(PairConstraint):
    """What sphere and wheel share: A is the plane z = 0 of its frame, B has its origin at the centre."""

    radius: float = 1.0

    def __post_init__(self) -> None:
        PairConstraint.__post_init__(self)
        if not (np.isfinite(self.radius) and self.radius > 0.0):
            raise ArgumentError(f"radius of {self.label} is {self.radius}, expected a positive number")

    def describe(self) -> str:
        """Kind and ends."""
        return f"rolling of {self.frame_b!r} on {self.frame_a!r}"


@dataclass(frozen=True, slots=True, eq=False)
class RollingSphere(_Rolling):
    """A sphere with its centre at B rolls on the plane x-y of A without slip and without leaving it.

    Rows: velocity of the material contact point along x, y (non-holonomic) and z (height of the centre = radius).

    Attributes
    ----------
    frame_a, frame_b, pose_a, pose_b
        Plane and centre, see `PairConstraint`.
    radius : float
        [m].
    """

    def rows(self) -> list[PairRow]:
        """Velocity of the contact, which is below the centre."""
        radius = float(self.radius)
        return [PairRow(RowKind.SPHERE, entry=k, value=radius, holonomic=k == NORMAL) for k in range(3)]


@dataclass(frozen=True, slots=True, eq=False)
class RollingWheel(_Rolling):
    """A thin wheel with its centre at B rolls with its rim on the plane x-y of A, without slip.

    With the wheel's axis a and the plane's normal n, the contact is at -radius (n - (n.a) a) / |n - (n.a) a| from the
    centre. Rows as for `RollingSphere`.

    Attributes
    ----------
    frame_a, frame_b, pose_a, pose_b
        Plane and centre, see `PairConstraint`.
    radius : float
        [m].
    axis : array_like, shape (3,)
        Axis of the wheel in B.
    """

    axis: npt.ArrayLike = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        _Rolling.__post_init__(self)
        object.__setattr__(self, "axis", unit_axis(self.axis, f"axis of {self.label}"))

    def rows(self) -> list[PairRow]:
        """Velocity of the lowest point of the rim, which moves along the rim."""
        axis, radius = np.asarray(self.axis), float(self.radius)
        return [PairRow(RowKind.WHEEL, entry=k, a=axis, value=radius, holonomic=k == NORMAL) for k in range(3)]

    def failure(self) -> str:
        """No lowest point."""
        return f"the wheel of {self.label} lies flat on its plane"
