"""A robot that follows a target which a person moves, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.ik.reaching.moving_space import reaching_space
from tarsus.ik.reaching.rates import rate_limits
from tarsus.ik.reaching.task_solver import TaskSolver
from tarsus.model import Model
from tarsus.spatial import rotation_matrix_from_rotation_vector, rotation_vector_from_rotation_matrix
from tarsus.spatial._arrays import as_matrix
from tarsus.tasks import FramePose, Position, Task
from tarsus.tasks.task import as_tasks

SPEED, SPIN = 1.0, 3.0
"""With which a target is followed at most [m/s], [rad/s]."""
STEPS = 12
"""Of the solver in one step."""
LIGHT = 0.03
"""Weight of the target beside tasks that are kept, where both cannot be met."""


class Follower:
    """Joint coordinates that follow the pose of a frame within limits of position and velocity.

    Every step solves for a target that is as near as the frame can come in that time (`TaskSolver`: damped least
    squares within limits), takes as much of the way there as the velocity limits allow, and is brought back to the
    tasks that are kept. Where the target is out of reach, the frame comes as near as it finds a way to. Collisions are
    not avoided.

    Parameters
    ----------
    model : Model
    frame : str
    q : array_like, shape (nq,), optional
        Where it begins; the reference pose by default.
    keep : Task, or sequence of Task
        To be kept all the time, as in `reach`; without them a free base is held.
    oriented : bool
        Whether the orientation of the target is followed, too.

    Attributes
    ----------
    q : ndarray, shape (nq,)
        Where the robot is.
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        q: npt.ArrayLike | None = None,
        *,
        keep: Task | Sequence[Task] = (),
        oriented: bool = True,
    ) -> None:
        self.model, self.frame, self.oriented = model, frame, oriented
        self.q = model.normalize(model.reference if q is None else q)
        if model.nv == 0:
            raise ArgumentError(f"{model.name!r} has no joints that could move")
        self._keep = as_tasks(keep) if isinstance(keep, Task) or len(keep) else ()
        whole = FramePose(frame, frame_pose(model, self.q, frame))
        self._space = reaching_space(model, (whole,), self._keep, self.q, None)
        self._keeper = TaskSolver(self._space, self._keep) if self._keep else None
        self._v_max = rate_limits(model, None, None).v

    @property
    def pose(self) -> FloatArray:
        """Of the frame, X_WF, shape (4, 4)."""
        return frame_pose(self.model, self.q, self.frame)

    def step(self, target: npt.ArrayLike, dt: float) -> FloatArray:
        """Configuration after following a target X_WF, shape (4, 4), for a time dt [s]."""
        wanted = as_matrix(target, "target", 4, 4)
        if not (np.isfinite(dt) and dt > 0):
            raise ArgumentError(f"dt is {dt!r}; expected a number above 0 [s]")
        near = _drawn_near(self.pose, wanted, dt, self.oriented)
        own: Task = FramePose(self.frame, near) if self.oriented else Position(self.frame, near[:3, 3])
        tasks = (replace(own, weight=LIGHT), *self._keep) if self._keep else (own,)
        found, _ = TaskSolver(self._space, tasks).solve(self.q[None], STEPS)
        way = self._space.way(self.q, found[0])
        fastest = float((np.abs(way) / (self._v_max * dt)).max())
        there = self.model.integrate(self.q, way / max(1.0, fastest))[None]
        if self._keeper is not None:
            there, kept = self._keeper.solve(there)
            if not kept[0]:
                return self.q
        if self._space.inside(there)[0]:
            self.q = there[0]
        return self.q


def _drawn_near(X: FloatArray, target: FloatArray, dt: float, oriented: bool) -> FloatArray:
    """The target, or what lies on the way to it from X as far as a step goes."""
    way = target[:3, 3] - X[:3, 3]
    turn = rotation_vector_from_rotation_matrix(target[:3, :3] @ X[:3, :3].T) if oriented else np.zeros(3)
    share = max(1.0, float(np.linalg.norm(way)) / (SPEED * dt), float(np.linalg.norm(turn)) / (SPIN * dt))
    near = np.eye(4)
    near[:3, :3] = rotation_matrix_from_rotation_vector(turn / share) @ X[:3, :3]
    near[:3, 3] = X[:3, 3] + way / share
    return near
