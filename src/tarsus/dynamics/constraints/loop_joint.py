"""Joints that close loops: what a joint does not let move, as rows."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.constraints.lowering import PairRow, RowKind
from tarsus.dynamics.constraints.pair import PairConstraint, fixed_array, tangents, unit_axis
from tarsus.errors import ArgumentError, UnknownNameError, nearest

LOOP_JOINT_ROWS: MappingProxyType[str, int] = MappingProxyType(
    {
        "fixed": 6,
        "revolute": 5,
        "continuous": 5,
        "prismatic": 5,
        "helical": 5,
        "cylindrical": 4,
        "universal": 4,
        "spherical": 3,
        "planar": 3,
    }
)
"""Kinds of joints that can close a loop, and how many rows they take."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopJoint(PairConstraint):
    """A joint of any kind between two frames; they coincide up to the motion that the joint allows.

    Rows of position [m] are components of p_AB along axes of A, rows of orientation are 2 sin(angle / 2) of what is
    turned too far, so that each row vanishes in one assembly only, never with an axis the wrong way round.

    Attributes
    ----------
    frame_a, frame_b, pose_a, pose_b
        See `PairConstraint`.
    kind : str
        One of "fixed", "revolute", "continuous", "prismatic", "helical", "cylindrical", "universal", "spherical",
        "planar", with the meaning they have for joints of the tree.
    axis, axis2 : array_like, shape (3,)
        Joint axis (the normal of a planar joint) in A and B alike; the second axis of a universal joint is fixed in B.
    pitch : float
        Advance of a helical joint [m/rad].
    """

    kind: str = "fixed"
    axis: npt.ArrayLike = (0.0, 0.0, 1.0)
    axis2: npt.ArrayLike = (0.0, 1.0, 0.0)
    pitch: float = 0.0

    def __post_init__(self) -> None:
        PairConstraint.__post_init__(self)
        if self.kind not in LOOP_JOINT_ROWS:
            known = nearest(self.kind, LOOP_JOINT_ROWS)
            raise UnknownNameError(f"a joint of kind {self.kind!r} cannot close a loop{known}")
        object.__setattr__(self, "axis", unit_axis(self.axis, f"axis of {self.label}"))
        object.__setattr__(self, "axis2", unit_axis(self.axis2, f"axis2 of {self.label}"))
        object.__setattr__(self, "pitch", float(fixed_array(self.pitch, (), f"pitch of {self.label}")))
        if self.kind == "universal" and np.linalg.norm(np.cross(np.asarray(self.axis), np.asarray(self.axis2))) < 1e-6:
            raise ArgumentError(f"the axes of {self.label} are parallel")

    def describe(self) -> str:
        """Kind and ends."""
        what = {"fixed": "weld", "spherical": "ball"}.get(self.kind, self.kind)
        return f"{what} of {self.frame_a!r} and {self.frame_b!r}"

    def rows(self) -> list[PairRow]:
        """Directions that the joint blocks."""
        n, m = np.asarray(self.axis), np.asarray(self.axis2)
        t1, t2 = tangents(n)
        at_point = [PairRow(RowKind.ALONG, a=e) for e in np.eye(3)]
        along_axis = [PairRow(RowKind.ALONG, a=t) for t in (t1, t2)]
        tilts = [PairRow(RowKind.TILT, a=n, b=t) for t in (t1, t2)]
        orientation = [PairRow(RowKind.ORIENTATION, entry=k) for k in range(3)]
        match self.kind:
            case "spherical":
                return at_point
            case "fixed":
                return at_point + orientation
            case "revolute" | "continuous":
                return at_point + tilts
            case "universal":
                return [*at_point, PairRow(RowKind.ANGLE, a=n, b=m, value=float(n @ m))]
            case "prismatic":
                return along_axis + orientation
            case "cylindrical":
                return along_axis + tilts
            case "helical":
                return [*along_axis, *tilts, PairRow(RowKind.THREAD, a=n, b=t1, c=t2, value=self.pitch)]
        return [PairRow(RowKind.ALONG, a=n), *tilts]


def ball(
    frame_a: str, frame_b: str, point_a: npt.ArrayLike = (0, 0, 0), point_b: npt.ArrayLike = (0, 0, 0), name: str = ""
) -> LoopJoint:
    """Two points coincide: a spherical joint. Points are (3,) in the axes of their frames [m]."""
    poses = []
    for what, point in (("point_a", point_a), ("point_b", point_b)):
        X = np.eye(4)
        X[:3, 3] = fixed_array(point, (3,), what)
        poses.append(X)
    return LoopJoint(frame_a, frame_b, "spherical", pose_a=poses[0], pose_b=poses[1], name=name)


def weld(
    frame_a: str,
    frame_b: str,
    pose_a: npt.ArrayLike | None = None,
    pose_b: npt.ArrayLike | None = None,
    name: str = "",
) -> LoopJoint:
    """Two frames coincide. Poses (4, 4) place them relative to the named frames."""
    X_a, X_b = (np.eye(4) if X is None else X for X in (pose_a, pose_b))
    return LoopJoint(frame_a, frame_b, "fixed", pose_a=X_a, pose_b=X_b, name=name)
