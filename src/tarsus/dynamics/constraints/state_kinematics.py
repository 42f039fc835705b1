"""Motion of frames at a state, computed once for all constraints that touch a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.jacobians import jacobian, jacobian_dot_v
from tarsus.dynamics.kinematics import frame_pose, frame_velocity
from tarsus.model.model import Model
from tarsus.spatial.pose import FloatArray

_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])

WORLD = "world"
"""Name of the inertial frame, unless the model has a frame of that name."""


HERE = np.eye(4)
"""The pose of a frame relative to itself."""
HERE.flags.writeable = False


def is_world(model: Model, frame: str) -> bool:
    """Whether a name means the inertial frame."""
    return frame == WORLD and frame not in tuple(model.frames)


def spread(x: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    """The array with the given shape, by repetition along batch axes."""
    return x if x.shape == shape else np.broadcast_to(x, shape)


def times(A: npt.NDArray[Any], x: npt.NDArray[Any]) -> FloatArray:
    """Product A x for stacks of matrices and vectors."""
    result: FloatArray = (A @ x[..., None])[..., 0]
    return result


def transposed(A: npt.NDArray[Any]) -> FloatArray:
    """A^T for stacks of matrices."""
    return np.swapaxes(A, -1, -2)


def cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Vector product for stacks of vectors; several times faster than `numpy.cross` for single ones."""
    result: FloatArray = a.take(_NEXT, -1) * b.take(_LAST, -1) - a.take(_LAST, -1) * b.take(_NEXT, -1)
    return result


@dataclass(frozen=True, slots=True, eq=False)
class FrameMotion:
    """Pose, twist and acceleration of a frame F relative to the world, world axes, at F's origin.

    Attributes
    ----------
    R, p : ndarray, shapes (..., 3, 3), (..., 3)
        R_WF and p_WF.
    v, w : ndarray, shape (..., 3)
        Velocity of the origin and angular velocity.
    a, dw : ndarray, shape (..., 3)
        Their time derivatives for vdot = 0.
    J_v, J_w : ndarray, shape (..., 3, nv), or None
        None for what no joint moves.
    body : str or None
        Body that carries the frame; None is the world (or a motion that is given).
    """

    R: FloatArray
    p: FloatArray
    v: FloatArray
    w: FloatArray
    a: FloatArray
    dw: FloatArray
    J_v: FloatArray | None
    J_w: FloatArray | None
    body: str | None

    def moved(self, X_FG: FloatArray) -> FrameMotion:
        """Motion of the frame G at X_FG on the same body."""
        if X_FG is HERE:
            return self
        d = times(self.R, X_FG[..., :3, 3])
        wd = cross(self.w, d)
        J_v = None
        if self.J_v is not None and self.J_w is not None:
            J_v = self.J_v - transposed(cross(d[..., None, :], transposed(self.J_w)))
        a = self.a + cross(self.dw, d) + cross(self.w, wd)
        R = self.R @ X_FG[..., :3, :3]
        return FrameMotion(R, self.p + d, self.v + wd, self.w, a, self.dw, J_v, self.J_w, self.body)


class StateKinematics:
    """State (q, v, t) of a model, and the motions of its bodies as they are asked for.

    Parameters
    ----------
    model : Model
    q : ndarray, shape (..., nq)
    v : ndarray, shape (..., nv)
    time : ndarray, shape (...)
        All of the same batch shape.
    """

    def __init__(self, model: Model, q: FloatArray, v: FloatArray, time: FloatArray) -> None:
        self.model = model
        self.q = q
        self.v = v
        self.time = time
        self.batch = v.shape[:-1]
        self._bodies: dict[str, FrameMotion] = {}

    def frame(self, name: str) -> FrameMotion:
        """Motion of a named frame; "world" stands still unless the model knows it otherwise."""
        if is_world(self.model, name):
            zero = np.zeros(3)
            return FrameMotion(np.eye(3), zero, zero, zero, zero, zero, None, None, None)
        frame = self.model.frames[name]
        body = self._body(frame.body)
        return body if frame.kind == "body" else body.moved(frame.pose)

    def _body(self, name: str) -> FrameMotion:
        if name not in self._bodies:
            X = frame_pose(self.model, self.q, name)
            V = frame_velocity(self.model, self.q, self.v, name)
            A = jacobian_dot_v(self.model, self.q, self.v, name)
            J = jacobian(self.model, self.q, name)
            self._bodies[name] = FrameMotion(
                R=X[..., :3, :3],
                p=X[..., :3, 3],
                v=V[..., :3],
                w=V[..., 3:],
                a=A[..., :3],
                dw=A[..., 3:],
                J_v=J[..., :3, :],
                J_w=J[..., 3:, :],
                body=name,
            )
        return self._bodies[name]
