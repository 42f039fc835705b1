"""Contacts by which a robot may push: points, edges and patches on any frame."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only, read_only_copy
from tarsus.control.whole_body.cone import cone_rows, pyramid, pyramid_rows
from tarsus.control.whole_body.pressure import shrunk_edge, shrunk_patch
from tarsus.dynamics.kinematics import frame_pose
from tarsus.errors import ArgumentError, ShapeError
from tarsus.model import Model
from tarsus.spatial._arrays import as_array, as_matrix
from tarsus.spatial.cross_product import skew

ForceModel = Literal["wrench", "points"]

MOST_POINTS = 12
"""Of contacts with a wrench: the cone of a patch with more corners has a thousand rows and takes minutes."""
MOST_SIDES, MOST_SIDES_OF_POINTS = 8, 64
"""Of friction pyramids: facets of the cones of patches grow with the fourth power of their number, about."""
RIGID = 1e-6
"""By how much a pose may miss a rotation."""
FLAT = 1e-9
"""Spread of points [m] below which they are one point, or on one line."""
ACROSS = 1e-9
"""Sine of the smallest angle between a normal and the direction that begins its axes."""
SQUARE = 1e-6
"""Cosine of the angle between the normal of an edge and the edge that counts as a right angle."""


@dataclass(frozen=True, eq=False)
class Contact:
    """Points of a frame that stay where they are and may be pushed, not pulled.

    One point leaves all rotations free, points on a line the rotation about it, others nothing. What the contact does
    to the robot is described in contact axes C: z is the normal, the origin the mean of the points. Where `pose` is
    given, it tells the normal and the directions of friction in the world, also while the robot turns on a point or an
    edge; points are where the robot has them (`tarsus.control.whole_body.contact_place`).

    Attributes
    ----------
    frame : str
        F, on any body of the robot.
    points : array_like, shape (n, 3)
        In axes of F [m]; its origin by default. Points inside the convex hull of the others say nothing new.
    friction : float
        Coefficient of Coulomb friction.
    normal : array_like, shape (3,)
        Direction of the force that the other side can give, in axes of F: out of what is touched.
    sides : int
        Of the pyramid inside the friction cone of each point, at most 8 for wrenches and 64 for forces at points.
    forces : {"wrench", "points"}
        Variables: one wrench inside the cone that the pyramids span, or a force at each point.
    min_force, max_force : float
        Of the normal force of the whole contact [N].
    pressure_margin : float
        How far the centre of pressure stays from the sides of the patch, or from the ends of the edge [m]. Forces act
        at the corners of what is left, `force_points`, so that moments about the normal shrink as well; a point has
        none.
    pose : array_like, shape (4, 4), optional
        X_WF that is to be kept, as far as the contact keeps it; without it nothing brings a contact back that has
        slipped, and the normal turns with F.
    gain : float
        Rate [1/s] at which slip decays: the acceleration of the contact is -2 gain velocity + gain^2 error.
    other : str, optional
        G, a frame of the same model whose body is touched: a held object, another hand. The points stay where they are
        as seen from G, `pose` is then X_GF, and what F is pushed with, G is pushed with in the opposite direction at
        the same place. Without it the world is touched.
    """

    frame: str
    points: npt.ArrayLike = field(default_factory=lambda: np.zeros((1, 3)))
    friction: float = 0.7
    normal: npt.ArrayLike = (0.0, 0.0, 1.0)
    sides: int = 4
    forces: ForceModel = "wrench"
    min_force: float = 0.0
    max_force: float = np.inf
    pressure_margin: float = 0.0
    pose: npt.ArrayLike | None = None
    gain: float = 20.0
    other: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.frame, str):
            raise ArgumentError(f"frame of Contact is {self.frame!r}; expected the name of a frame")
        if not (self.other is None or (isinstance(self.other, str) and self.other != self.frame)):
            raise ArgumentError(f"other of Contact is {self.other!r}; expected the name of another frame, or None")
        points = as_array(self.points, "points of Contact")
        if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
            raise ShapeError(f"points of Contact: found shape {points.shape}, expected (n, 3)")
        normal = as_array(self.normal, "normal of Contact")
        length = float(np.linalg.norm(normal)) if normal.shape == (3,) else 0.0
        if not length > 0.0:
            raise ArgumentError(f"normal of Contact is {self.normal!r}; expected three numbers, not all zero")
        object.__setattr__(self, "points", read_only_copy(points))
        object.__setattr__(self, "normal", read_only_copy(normal / length))
        if self.pose is not None:
            object.__setattr__(self, "pose", read_only_copy(_pose(self.pose)))
        self._check_numbers()
        if self.freedoms == 1:
            along = np.linalg.svd(points - points.mean(axis=0))[2][0] @ np.asarray(self.normal)
            if abs(along) > SQUARE:
                raise ArgumentError(f"normal of Contact is {self.normal!r}; expected a direction across its edge")
        assert len(self.arms)  # refuses a margin that leaves nothing

    def _check_numbers(self) -> None:
        for name in ("friction", "gain", "pressure_margin", "min_force", "max_force"):
            if not isinstance(value := getattr(self, name), float | int | np.number):
                raise ArgumentError(f"{name} of Contact is {value!r}; expected one number")
        if not (np.isfinite(self.friction) and self.friction > 0):
            raise ArgumentError(f"friction of Contact is {self.friction!r}; expected a number above 0")
        most = MOST_SIDES if self.forces == "wrench" else MOST_SIDES_OF_POINTS
        if not (isinstance(self.sides, (int, np.integer)) and 3 <= self.sides <= most):
            raise ArgumentError(
                f"sides of Contact is {self.sides!r}; expected a whole number from 3 to {most} where forces is "
                f"{self.forces!r}"
            )
        if self.forces == "wrench" and len(np.asarray(self.points)) > MOST_POINTS:
            raise ArgumentError(
                f"points of Contact: found {len(np.asarray(self.points))}, expected at most {MOST_POINTS} where forces "
                "is 'wrench'; take the corners that matter, or forces='points'"
            )
        if self.forces not in get_args(ForceModel):
            raise ArgumentError(f"forces of Contact is {self.forces!r}; expected one of {get_args(ForceModel)}")
        if not (np.isfinite(self.gain) and self.gain >= 0):
            raise ArgumentError(f"gain of Contact is {self.gain!r}; expected a number of at least 0 [1/s]")
        if not (np.isfinite(self.pressure_margin) and self.pressure_margin >= 0):
            raise ArgumentError(
                f"pressure_margin of Contact is {self.pressure_margin!r}; expected a number of at least 0 [m]"
            )
        if not (0.0 <= self.min_force <= self.max_force and np.isfinite(self.min_force)):
            raise ArgumentError(
                f"min_force and max_force of Contact are {self.min_force!r} and {self.max_force!r}; expected "
                "0 <= min_force <= max_force, a finite min_force [N]"
            )

    def with_force(self, max_force: float, min_force: float = 0.0) -> Self:
        """The contact with other bounds of its normal force [N], as where it is loaded or unloaded."""
        return self._with(max_force=max_force, min_force=min_force)

    def with_pose(self, pose: npt.ArrayLike | None) -> Self:
        """The contact at another pose of its frame, shape (4, 4), or wherever it is."""
        return self._with(pose=None if pose is None else read_only_copy(_pose(pose)))

    def _with(self, **fields: Any) -> Self:
        """The contact with other fields that its cone does not depend on, which is not built again."""
        found = copy(self)
        for name, value in fields.items():
            object.__setattr__(found, name, value)
        found._check_numbers()
        return found

    @cached_property
    def X_FC(self) -> FloatArray:
        """Contact axes: origin at the mean of the points, z along the normal, x along an edge, shape (4, 4)."""
        points, z = np.asarray(self.points), np.asarray(self.normal)
        X = np.eye(4)
        X[:3, 3] = points.mean(axis=0)
        spread = points - X[:3, 3]
        x = np.linalg.svd(spread)[2][0] if self.freedoms == 1 else np.array([1.0, 0.0, 0.0])
        x = x - z * (z @ x)
        if np.linalg.norm(x) < ACROSS:
            x = np.array([0.0, 1.0, 0.0]) - z * z[1]
        x /= np.linalg.norm(x)
        X[:3, :3] = np.stack([x, np.cross(z, x), z], axis=-1)
        return read_only(X)

    @cached_property
    def freedoms(self) -> int:
        """Rotations that the contact leaves free: 3 for a point, 1 for an edge, 0 for a patch."""
        points = np.asarray(self.points)
        spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
        return {0: 3, 1: 1}.get(int((spread > FLAT).sum()), 0)

    @cached_property
    def rows(self) -> FloatArray:
        """B with B V = 0 for the twist V at C, shape (6 - freedoms, 6): of the point, and turns that are not free."""
        return read_only(np.eye(6)[[0, 1, 2, *(3 + axis for axis in self._turns())]])

    @cached_property
    def wrench_map(self) -> FloatArray:
        """W with the wrench W y at C for force variables y, shape (6, k)."""
        if self.forces == "wrench":
            return read_only(np.array(self.rows.T))
        return read_only(np.hstack([np.vstack([np.eye(3), skew(arm)]) for arm in self.arms]))

    def X_WC(self, X_WF: FloatArray, X_WG: FloatArray | None = None) -> FloatArray:
        """Contact axes in the world, shape (4, 4): at the mean of the points where they are, turned as what is touched.

        That is told by `pose`: the normal of a wall does not turn with the finger on it. Without it, C turns with F.
        Where `other` is touched, X_WG is its pose.
        """
        X = X_WF @ self.X_FC
        if self.pose is not None:
            X[:3, :3] = self.target(X_WG)[:3, :3] @ self.X_FC[:3, :3]
        return X

    def target(self, X_WG: FloatArray | None = None) -> FloatArray:
        """X_WF that is to be kept, shape (4, 4), where `pose` is given."""
        if self.other is not None and X_WG is None:
            raise ArgumentError(f"X_WG is missing: the contact of {self.frame!r} is with {self.other!r}")
        pose = np.asarray(self.pose)
        return pose if X_WG is None else X_WG @ pose

    @cached_property
    def cone(self) -> FloatArray:
        """Rows A with A y >= 0, shape (m, k)."""
        if self.forces == "points":
            return read_only(np.kron(np.eye(len(self.arms)), pyramid_rows(self.friction, self.sides)))
        if self.freedoms == 3:
            return read_only(pyramid_rows(self.friction, self.sides))
        return read_only(cone_rows(self.edges()))

    @cached_property
    def normal_row(self) -> FloatArray:
        """N with the normal force n y, shape (k,)."""
        k = self.wrench_map.shape[1]
        row = np.zeros(k)
        row[2 if self.forces == "wrench" else slice(2, k, 3)] = 1.0
        return read_only(row)

    def edges(self) -> FloatArray:
        """Wrenches y that span the cone of the whole contact, shape (n sides, 6 - freedoms), normal force 1 each."""
        forces = pyramid(self.friction, self.sides)
        found = [np.append(f, np.cross(arm, f)[self._turns()]) for arm in self.arms for f in forces]
        return np.array(found)

    @cached_property
    def force_points(self) -> FloatArray:
        """Where forces act, in axes of F [m], shape (n, 3): the points, or what `pressure_margin` leaves of them."""
        return read_only(self.X_FC[:3, 3] + self.arms @ self.X_FC[:3, :3].T)

    @cached_property
    def arms(self) -> FloatArray:
        """Points of forces seen from C, in its axes, shape (n, 3)."""
        arms: FloatArray = (np.asarray(self.points) - self.X_FC[:3, 3]) @ self.X_FC[:3, :3]
        if self.pressure_margin == 0.0:
            return arms
        if self.freedoms == 3:
            raise ArgumentError(f"pressure_margin of Contact is {self.pressure_margin!r} at a point; expected 0")
        return (
            shrunk_edge(arms, self.pressure_margin) if self.freedoms == 1 else shrunk_patch(arms, self.pressure_margin)
        )

    def _turns(self) -> list[int]:
        """Axes of C about which nothing may turn."""
        return {3: [], 1: [1, 2]}.get(self.freedoms, [0, 1, 2])


def contact_poses(model: Model, contact: Contact, q: npt.ArrayLike) -> tuple[FloatArray, FloatArray | None]:
    """X_WF, and X_WG where a body is touched and not the world."""
    X_WG = None if contact.other is None else frame_pose(model, q, contact.other)
    return frame_pose(model, q, contact.frame), X_WG


def _pose(value: npt.ArrayLike) -> FloatArray:
    """The pose, shape (4, 4), refused where it is none."""
    X = as_matrix(value, "pose of Contact", 4, 4)
    if X.ndim != 2:
        raise ShapeError(f"pose of Contact: found shape {X.shape}, expected (4, 4)")
    if not _is_pose(X.tolist()):
        raise ArgumentError("pose of Contact is not a pose; expected a rotation and a position")
    return X


def _is_pose(X: list[list[float]]) -> bool:
    """Whether rows are those of a rotation and a position; plain numbers, which are faster for so few."""
    x, y, z, last = X
    turned = (
        abs(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 1.0),
        abs(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] - 1.0),
        abs(x[0] * y[0] + x[1] * y[1] + x[2] * y[2]),
        abs(x[1] * y[2] - x[2] * y[1] - z[0]),
        abs(x[2] * y[0] - x[0] * y[2] - z[1]),
        abs(x[0] * y[1] - x[1] * y[0] - z[2]),
    )
    return max(*turned, abs(last[0]), abs(last[1]), abs(last[2]), abs(last[3] - 1.0)) <= RIGID
