"""From feet and base to joints: one native step of inverse kinematics a cycle."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.velocity.joint_limits import Limits
from tarsus.ik.velocity.stepper import Stepper
from tarsus.tasks import FramePose, Task
from tarsus.walking.biped.biped import Biped

ROUNDS = 2
"""Steps of inverse kinematics a cycle. They are damped with the error: legs that near their reach are not thrown about,
which exact ones were on slopes, and what is left of an error is made good in the next cycles."""


class JointSetpoints:
    """Coordinates of the legs that put both soles where they shall be below a base where it shall be.

    Jumps of their places, as of feet that land, come through within some cycles.

    This is the step between planner and joints: anything that has `solve` can stand in for it.
    """

    def __init__(self, biped: Biped, dt: float) -> None:
        self._lower = lower = biped.lower
        self._base = next(iter(lower.model.bodies))
        poses = [np.eye(4)] * 3
        tasks: list[Task] = [
            FramePose(name, X, gain=1.0 / dt)
            for name, X in zip((biped.legs[0].sole, biped.legs[1].sole, self._base), poses, strict=True)
        ]
        self._step = Stepper(lower.model, [*tasks, *lower.tasks], dt=dt, limits=Limits(velocity=False), damping=1e-8)
        targets = [self._step.target(k) for k in range(3)]
        self._targets = [(numbers[:3], numbers[3:].reshape(3, 3)) for numbers in targets]  # written into
        self._q = np.array(biped.q[lower.q])

    def solve(self, left: FloatArray, right: FloatArray, base: FloatArray, q_base: FloatArray) -> FloatArray:
        """Coordinates of base and legs, as those of `LowerBody`.

        Parameters
        ----------
        left, right, base : ndarray, shape (4, 4)
            Poses of soles and base.
        q_base : ndarray, shape (7,)
            The same base as coordinates.
        """
        for (place, axes), X in zip(self._targets, (left, right, base), strict=True):
            place[:], axes[:] = X[:3, 3], X[:3, :3]
        q = self._q
        q[:7] = q_base
        for _ in range(ROUNDS):
            q = self._step(q)
        self._q = np.array(q)
        return q
