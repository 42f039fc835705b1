"""Rheonomic constraints: motions given as functions of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.dynamics.constraints.joints import require_joint
from tarsus.dynamics.constraints.loop_joint import LoopJoint
from tarsus.dynamics.constraints.lowering import JointPart, PairPart
from tarsus.errors import ArgumentError, NonFiniteError, ShapeError
from tarsus.model.model import Model

Motion = Callable[[FloatArray], tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]]
"""Position, rate and acceleration at the times (...) [s]."""


def _given(label: str, motion: Motion, time: FloatArray, shapes: tuple[tuple[int, ...], ...]) -> list[FloatArray]:
    """Values of a motion as finite arrays (*time.shape, *shape)."""
    try:
        values = [np.asarray(x, dtype=float) for x in motion(time)]
    except TypeError as error:
        raise ArgumentError(f"the motion of {label} does not return numbers: {error}") from error
    if len(values) != 3:
        raise ArgumentError(
            f"the motion of {label} returns {len(values)} values, expected position, rate, acceleration"
        )
    found = []
    for what, value, shape in zip(("position", "rate", "acceleration"), values, shapes, strict=True):
        try:
            if shape and value.shape[-len(shape) :] != shape:
                raise ValueError
            found.append(np.broadcast_to(value, (*time.shape, *shape)))
        except ValueError:
            expected = (*time.shape, *shape)
            raise ShapeError(f"{what} of {label} has shape {value.shape}, expected {expected}") from None
        if not np.isfinite(value).all():
            bad = ~np.isfinite(found[-1]).reshape(*time.shape, -1).all(axis=-1)
            raise NonFiniteError(f"{what} of {label} is not finite at the time {float(time[bad].min()):g} s")
    return found


@dataclass(frozen=True, slots=True, eq=False)
class PrescribedJoint(Constraint):
    """The coordinates of a joint follow given functions of time.

    Attributes
    ----------
    joint : str
        Revolute, continuous, prismatic, helical, cylindrical or universal.
    motion : callable
        motion(t) returns position, rate and acceleration, numbers (shape (...) of t) for a joint with one axis,
        (..., 2) for one with two. The multipliers are the forces of the drive.
    """

    joint: str
    motion: Motion

    def describe(self) -> str:
        """Kind and joint."""
        return f"given motion of joint {self.joint!r}"

    def check(self, model: Model) -> None:
        """Raise where the joint is missing or has no vector of coordinates."""
        require_joint(model, self.joint, self.label, axes=2)

    def parts(self, model: Model) -> list[JointPart]:
        """Phi = q - position(t), for each axis."""
        return [JointPart([(self.joint, axis, 1.0)], driven=True) for axis in range(model.joints[self.joint].nv)]

    def drive(self, model: Model, time: FloatArray) -> FloatArray:
        """Position, rate and acceleration of each axis."""
        axes = model.joints[self.joint].nv
        given = _given(self.label, self.motion, time, ((axes,) if axes > 1 else (),) * 3)
        return np.stack([x.reshape(*time.shape, axes) for x in given], axis=-1).reshape(*time.shape, 3 * axes)


@dataclass(frozen=True, slots=True, eq=False)
class PrescribedFrame(LoopJoint):
    """A frame follows a given motion, as if joined to a body that moves so.

    Attributes
    ----------
    frame_a : str
        Must be "world": the motion is given relative to it.
    frame_b, pose_b, kind, axis, axis2, pitch
        What follows, and by which joint; "fixed" prescribes the whole pose, "spherical" the position only.
    motion : callable
        motion(t) returns the pose X_WA (..., 4, 4), the twist (..., 6) at the origin of A in world axes, linear
        first, and its time derivative (..., 6).
    """

    motion: Motion | None = None

    def __post_init__(self) -> None:
        LoopJoint.__post_init__(self)
        if not callable(self.motion):
            raise ArgumentError(f"the motion of {self.label} is {self.motion!r}, expected a function of time")

    def describe(self) -> str:
        """Kind and frame."""
        return f"given motion of frame {self.frame_b!r}"

    def parts(self, model: Model) -> list[PairPart]:
        """Rows as for a joint; A is the given motion, on top of which comes `pose_a`."""
        return [replace(part, driven=True) for part in LoopJoint.parts(self, model)]

    def drive(self, model: Model, time: FloatArray) -> FloatArray:
        """Rows of (R | p), twist and its rate."""
        assert self.motion is not None
        X, V, A = _given(self.label, self.motion, time, ((4, 4), (6,), (6,)))
        return np.concatenate([X[..., :3, :].reshape(*time.shape, 12), V, A], axis=-1)

    def check(self, model: Model) -> None:
        """Raise where the frame is missing or the motion is not relative to the world."""
        LoopJoint.check(self, model)
        if self.frame_a != "world":
            raise ArgumentError(f"the motion of {self.label} is relative to 'world', not to {self.frame_a!r}")
