"""Position-level inverse kinematics as least squares: the stacked errors of tasks, for many targets at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.model.joint import JOINT_TRAITS, Joint
from tarsus.tasks import Task
from tarsus.tasks.moved_freedoms import moved_freedoms


class Problem:
    """Minimise 1/2 |W e(q)|^2 within the limits of the joints (Buschmann 2014 (5.1)).

    Members of a batch are numbered as if it had one axis, and are looked at a few at a time: `rows` says which.

    Attributes
    ----------
    model : Model
    tasks : tuple of Task
    batch : tuple of int
        Shape of the batch of targets and starts.
    kept : ndarray of int
        Coordinates of the base, of free joints, and of joints that no task depends on, which further starts leave as
        they are.
    """

    def __init__(self, model: Model, tasks: Sequence[Task], batch: tuple[int, ...], limits: bool) -> None:
        self.model, self.tasks, self.batch = model, tuple(tasks), batch
        self.weights = np.concatenate([task.weights(model) for task in self.tasks])
        if not (self.weights > 0).any():
            raise ArgumentError("nothing is asked for: the tasks have no rows, or all of their weights are zero")
        self.weights = self.weights / self.weights.max()  # damping has a scale
        self._bounded(limits)

    @cached_property
    def kept(self) -> IndexArray:
        """Coordinates that further starts leave as they are."""
        moving = moved_freedoms(self.model, self.tasks, self.model.reference)
        joints = [joint for joint in self.model.joints.values() if _floats(joint) or not moving[joint.v_index].any()]
        return np.array([k for joint in joints for k in range(joint.q_index.start, joint.q_index.stop)], dtype=np.intp)

    def _bounded(self, limits: bool) -> None:
        """Where the coordinates with limits are in q and in v, and these limits."""
        q_index: list[int] = []
        v_index: list[int] = []
        for joint in self.model.joints.values():
            if limits and JOINT_TRAITS[joint.kind].flat:
                q_index.extend(range(joint.q_index.start, joint.q_index.stop))
                v_index.extend(range(joint.v_index.start, joint.v_index.stop))
        self.q_index, self.v_index = np.array(q_index, dtype=np.intp), np.array(v_index, dtype=np.intp)
        self.lower, self.upper = self.model.q_min[self.q_index], self.model.q_max[self.q_index]

    def asked(self, plain: FloatArray) -> FloatArray:
        """Size of the errors (n, m) that have a weight."""
        return np.abs(plain) * (self.weights > 0)

    def of_rows(self, rows: IndexArray) -> tuple[Task, ...]:
        """The tasks with the targets of some members of the batch."""
        return tuple(task.of_rows(self.batch, rows) for task in self.tasks)

    def plain_error(self, q: FloatArray, rows: IndexArray) -> FloatArray:
        """Errors of all tasks [m, rad, ...], shape (n, m), for q of shape (n, nq)."""
        parts = [task.error(self.model, q) for task in self.of_rows(rows)]
        return np.concatenate([np.broadcast_to(part, (len(rows), part.shape[-1])) for part in parts], axis=-1)

    def error(self, q: FloatArray, rows: IndexArray) -> FloatArray:
        """The same times the weights."""
        weighted: FloatArray = self.plain_error(q, rows) * self.weights
        return weighted

    def jacobian(self, q: FloatArray, rows: IndexArray) -> FloatArray:
        """Of all tasks times the weights, shape (n, m, nv)."""
        stacked = np.concatenate([task.jacobian(self.model, q) for task in self.of_rows(rows)], axis=-2)
        weighted: FloatArray = stacked * self.weights[:, None]
        return weighted

    def inside(self, q: FloatArray) -> FloatArray:
        """The configurations, with joints brought back to their limits."""
        result = q.copy()
        result[..., self.q_index] = np.clip(q[..., self.q_index], self.lower, self.upper)
        return result

    def held(self, q: FloatArray, way: FloatArray) -> BoolArray:
        """Freedoms at a limit that a way (n, nv) would leave, shape (n, nv)."""
        result = np.zeros(way.shape, dtype=bool)
        at, along = q[..., self.q_index], way[..., self.v_index]
        result[..., self.v_index] = ((at <= self.lower) & (along < 0)) | ((at >= self.upper) & (along > 0))
        return result

    def moved(self, q: FloatArray, way: FloatArray) -> FloatArray:
        """Configurations further along a way (n, nv), inside the limits."""
        return self.inside(self.model.integrate(q, way))


def _floats(joint: Joint) -> bool:
    """Whether a joint is the base, or that of an object beside the robot."""
    return joint.name == "base" or joint.kind == "free"
