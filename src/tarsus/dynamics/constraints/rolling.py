"""Rolling without slip: constraints of velocities that no constraint of positions stands behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.constraints.pair import PairConstraint, unit_axis
from tarsus.dynamics.constraints.relative_motion import RelativeMotion, Scalar
from tarsus.dynamics.constraints.state_kinematics import cross
from tarsus.errors import ArgumentError, SingularityError
from tarsus.spatial.pose import FloatArray

NORMAL = np.array([0.0, 0.0, 1.0])
"""Of the plane, in its own frame."""


def _contact_rows(motion: RelativeMotion, arm: FloatArray, arm_rate: FloatArray, gap: FloatArray) -> list[Scalar]:
    """Velocity u + w x arm of the material point in contact, along x, y and the normal z of the plane.

    Only the normal row is holonomic, with the gap as its violation.
    """
    rows = []
    for e in np.eye(3):
        gradient = np.concatenate([np.broadcast_to(e, arm.shape), cross(arm, np.broadcast_to(e, arm.shape))], axis=-1)
        curvature = cross(motion.w, arm_rate) @ e
        normal = bool(e @ NORMAL)
        rows.append(Scalar(gap if normal else np.zeros(gap.shape), gradient, curvature, holonomic=normal))
    return rows


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

    def scalars(self, motion: RelativeMotion) -> list[Scalar]:
        """The contact is below the centre."""
        arm = np.broadcast_to(-self.radius * NORMAL, motion.p.shape)
        return _contact_rows(motion, arm, np.zeros(motion.p.shape), motion.p[..., 2] - self.radius)


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

    def scalars(self, motion: RelativeMotion) -> list[Scalar]:
        """Rows at the lowest point of the rim, which moves along the rim."""
        a = motion.R @ np.asarray(self.axis)
        a_rate = cross(motion.w, a)
        c, c_rate = a[..., 2:], a_rate[..., 2:]
        s = np.sqrt(np.maximum(1.0 - c**2, 0.0))
        if np.any(s < 1e-9):
            raise SingularityError(f"the wheel of {self.label} lies flat on its plane")
        up = (NORMAL - c * a) / s
        up_rate = (-c_rate * a - c * a_rate + up * c * c_rate / s) / s
        gap = motion.p[..., 2] - self.radius * s[..., 0]
        return _contact_rows(motion, -self.radius * up, -self.radius * up_rate, gap)
