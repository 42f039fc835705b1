"""Constraints between two frames."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.dynamics.constraints.lowering import HERE, PairPart, PairRow
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.model.model import Model

WORLD = "world"
"""Name of the inertial frame, unless the model has a frame of that name."""


def is_world(model: Model, frame: str) -> bool:
    """Whether a name means the inertial frame."""
    return frame == WORLD and frame not in model.frames


def fixed_array(value: npt.ArrayLike, shape: tuple[int, ...], what: str) -> FloatArray:
    """Read-only copy of finite numbers of the given shape."""
    array = np.array(value, dtype=float)
    if array.shape != shape:
        raise ShapeError(f"{what} has shape {array.shape}, expected {shape}")
    if not np.isfinite(array).all():
        raise NonFiniteError(f"{what} has entries that are not finite: {array.tolist()}")
    array.flags.writeable = False
    return array


def unit_axis(value: npt.ArrayLike, what: str) -> FloatArray:
    """Read-only direction of length one."""
    axis = np.array(fixed_array(value, (3,), what))
    length = float(np.linalg.norm(axis))
    if length == 0.0:
        raise ArgumentError(f"{what} is zero, expected a direction")
    axis /= length
    axis.flags.writeable = False
    return axis


def tangents(n: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Directions t1, t2 that complete the unit vector n to a right-handed system (t1, t2, n)."""
    t1 = np.eye(3)[np.argmin(np.abs(n))]
    t1 = t1 - n * (n @ t1)
    t1 /= np.linalg.norm(t1)
    return t1, np.cross(n, t1)


@dataclass(frozen=True, slots=True, eq=False)
class PairConstraint(Constraint):
    """Base of the constraints between frame A on one body and frame B on another.

    Attributes
    ----------
    frame_a, frame_b : str
        Frames, bodies or links of the model, or "world".
    pose_a, pose_b : array_like, shape (4, 4)
        Where A and B are relative to them; identity by default.
    """

    frame_a: str
    frame_b: str
    pose_a: npt.ArrayLike = field(default_factory=lambda: HERE, kw_only=True)
    pose_b: npt.ArrayLike = field(default_factory=lambda: HERE, kw_only=True)

    def __post_init__(self) -> None:
        for end in ("pose_a", "pose_b"):
            X = fixed_array(getattr(self, end), (4, 4), f"{end} of {self.label}")
            object.__setattr__(self, end, HERE if np.array_equal(X, HERE) else X)

    @abstractmethod
    def rows(self) -> list[PairRow]:
        """Rows of the constraint as functions of the motion of B seen from A."""

    def failure(self) -> str:
        """What is said where the rows have no direction."""
        return ""

    def check(self, model: Model) -> None:
        """Raise where a frame is missing, or where both frames belong to one body."""
        ends = [None if is_world(model, name) else model.frames[name].body for name in (self.frame_a, self.frame_b)]
        if ends[0] == ends[1]:
            raise ArgumentError(f"constraint {self.label} ties {ends[0] or 'the world'!r} to itself")

    def parts(self, model: Model) -> list[PairPart]:
        """The rows and their ends."""
        a, b = (None if is_world(model, name) else name for name in (self.frame_a, self.frame_b))
        return [PairPart(a, b, np.asarray(self.pose_a), np.asarray(self.pose_b), self.rows(), failure=self.failure())]
