"""Constraints between two frames."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.constraints.constraint import Constraint, ConstraintRows, EvaluatedConstraint, PairForce
from tarsus.dynamics.constraints.relative_motion import RelativeMotion, Scalar, relative_motion
from tarsus.dynamics.constraints.state_kinematics import (
    HERE,
    FrameMotion,
    StateKinematics,
    cross,
    is_world,
    spread,
    times,
    transposed,
)
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.model.model import Model
from tarsus.spatial.pose import FloatArray


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
    return t1, cross(n, t1)


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
    def scalars(self, motion: RelativeMotion) -> list[Scalar]:
        """Rows of the constraint as functions of the motion of B seen from A."""

    def check(self, model: Model) -> None:
        """Raise where a frame is missing, or where both frames belong to one body."""
        ends = [None if is_world(model, name) else model.frames[name].body for name in (self.frame_a, self.frame_b)]
        if ends[0] == ends[1]:
            raise ArgumentError(f"constraint {self.label} ties {ends[0] or 'the world'!r} to itself")

    def origin(self, state: StateKinematics) -> FrameMotion:
        """Motion of A; a given one for what is driven."""
        return state.frame(self.frame_a).moved(np.asarray(self.pose_a))

    def evaluate(self, state: StateKinematics) -> EvaluatedConstraint:
        """Rows from the scalars: jacobian = E J_AB with the gradients E."""
        A, B = self.origin(state), state.frame(self.frame_b).moved(np.asarray(self.pose_b))
        motion = relative_motion(A, B, state.batch, state.model.nv)
        scalars = self.scalars(motion)
        E = np.stack([s.gradient for s in scalars], axis=-2)
        rows = ConstraintRows(
            violation=np.stack([s.value for s in scalars], axis=-1),
            velocity=times(E, motion.twist),
            jacobian=E @ motion.J,
            bias=times(E, motion.bias) + np.stack([s.curvature for s in scalars], axis=-1),
            holonomic=np.array([s.holonomic for s in scalars]),
        )
        R_AW = transposed(A.R)
        E_W = np.concatenate([E[..., :3] @ R_AW, E[..., 3:] @ R_AW], axis=-1)
        point = spread(B.p, (*state.batch, 3))
        return EvaluatedConstraint(self, rows, PairForce(A.body, B.body, point, E_W))
