"""An axis of a frame that points at something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.dynamics import frame_pose, frame_velocity, jacobian, jacobian_dot_v
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.spatial import skew
from tarsus.spatial._arrays import as_vector
from tarsus.tasks.block import Block, components
from tarsus.tasks.task import Task

LEAST_DISTANCE = 1e-9
"""Between frame and target [m], below which there is no direction."""


@dataclass(frozen=True, eq=False)
class LookAt(Task):
    """An axis of a frame points at a point of the world: a camera, a torch, a spray gun.

    With the line of sight g = (target - p)/|target - p| and the axis n, both in axes of the frame, the error is the
    rotation vector from n to g, whose part along n is zero: two entries along axes that complete n.

    Attributes
    ----------
    frame : str
    target : array_like, shape (..., 3)
        Point of the world to look at [m].
    axis : array_like, shape (3,)
        Direction of sight in the frame; x by default.
    """

    target_axes: ClassVar[Mapping[str, int]] = {"target": 1}

    frame: str
    target: npt.ArrayLike
    axis: npt.ArrayLike = (1.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "target", read_only_copy(as_vector(self.target, "target of LookAt", 3)))
        axis = as_vector(self.axis, "axis of LookAt", 3)
        if axis.shape != (3,) or not np.linalg.norm(axis) > 0:
            raise ArgumentError(f"axis of LookAt is {self.axis!r}; expected a direction of three numbers")
        object.__setattr__(self, "axis", axis / np.linalg.norm(axis))

    def _across(self) -> FloatArray:
        """Two directions of the frame, shape (2, 3), that complete the axis to a right-handed system."""
        n = np.asarray(self.axis)
        first = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
        first /= np.linalg.norm(first)
        return np.stack([first, np.cross(n, first)])

    def _sight(self, model: Model, q: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """R_WF, line of sight in world axes, and distance."""
        X_WF = frame_pose(model, q, self.frame)
        way = np.asarray(self.target) - X_WF[..., :3, 3]
        distance = np.linalg.norm(way, axis=-1)
        if (distance < LEAST_DISTANCE).any():
            raise ArgumentError(f"LookAt: the target is at the origin of frame {self.frame!r}, in no direction from it")
        return X_WF[..., :3, :3], way / distance[..., None], distance

    def full_rows(self, model: Model) -> int:
        """Two."""
        return 2

    def full_error(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Angles about the axes across the axis [rad]; where the target is straight behind, about the first of them."""
        R, g, _ = self._sight(model, q)
        g = (np.swapaxes(R, -1, -2) @ g[..., None])[..., 0]
        n, across = np.asarray(self.axis), self._across()
        turn = np.cross(n, g) @ across.T
        sine = np.linalg.norm(turn, axis=-1, keepdims=True)
        angle = np.arctan2(sine, (g @ n)[..., None])
        direction = np.where(sine > 0, turn / np.where(sine > 0, sine, 1.0), [1.0, 0.0])
        result: FloatArray = angle * direction
        return result

    def full_jacobian(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Of the rotation of frame against line of sight, which turns by w_g = -g x v / distance."""
        R, g, distance = self._sight(model, q)
        J = jacobian(model, q, self.frame)
        turn = J[..., 3:, :] + skew(g) @ J[..., :3, :] / distance[..., None, None]
        return self._across() @ np.swapaxes(R, -1, -2) @ turn

    def full_bias(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """Rate of the same at vdot = 0, for a target at rest [rad/s^2]."""
        R, g, distance = self._sight(model, q)
        V, A = frame_velocity(model, q, v, self.frame), jacobian_dot_v(model, q, v, self.frame)
        u, w, d = V[..., :3], V[..., 3:], distance[..., None]
        along = np.sum(g * u, axis=-1, keepdims=True)
        g_rate = -(u - along * g) / d
        turn = w + np.cross(g, u) / d
        rate = A[..., 3:] + (np.cross(g_rate, u) + np.cross(g, A[..., :3])) / d + np.cross(g, u) * along / d**2
        world = rate - np.cross(w, turn)
        result: FloatArray = (self._across() @ np.swapaxes(R, -1, -2) @ world[..., None])[..., 0]
        return result

    def blocks(self, model: Model) -> tuple[Block, ...]:
        """One of sights."""
        axis = np.concatenate([np.asarray(self.axis), self._across().ravel()])
        rows = components(self.chosen(model))
        return (Block("sight", rows, np.asarray(self.target), self.frame, axis=axis),)
