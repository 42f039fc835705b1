"""HRP-2 that stands while it is pushed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from tarsus import robots
from tarsus.arrays import BoolArray, FloatArray
from tarsus.contact import ContactPoint, Ground, flat
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.dynamics import center_of_mass, frame_pose, momentum
from tarsus.gym.base_motion import up_in_base
from tarsus.gym.robot_env import RobotEnv
from tarsus.gym.robot_vector_env import RobotVectorEnv
from tarsus.gym.start import Start

REACH = 0.3
"""What an action of 1 adds to the reference of a joint [rad]."""
LEG_JOINTS = tuple(f"{side}LEG_JOINT{k}" for side in "RL" for k in range(6))
"""Joints that actions move: yaw, roll and pitch of the hip, knee, pitch and roll of the ankle, right leg first."""
_LOWEST = 0.45
"""Height of the base below which the robot has fallen [m]."""
_EVERY, _FIRST = 100, 25
"""Actions from push to push, and until the first one at the latest."""
_LASTS = 5
"""Actions that a push lasts."""


@final
class HRP2StandVectorEnv(RobotVectorEnv):
    """HRP-2 robots that stand on flat ground and are pushed at their waist, each at its own times.

    An action is the reference of the 12 joints of the legs: 0.3 rad times it, added to the reference pose, and held by
    stiff springs and dampers for 0.02 s; so are the other joints. Every 2 s a horizontal force of 200 to 300 N acts for
    0.1 s in any direction. An episode ends where the waist is below 0.45 m.

    An observation has 73 numbers: the upward direction in the axes of the waist (3), its velocity [m/s] and angular
    velocity [rad/s] in its axes (6), the centre of mass beside its place in the reference pose, seen from between the
    soles (2) [m], and its velocity (2) [m/s], both horizontal in world axes, angles of all joints less those of the
    reference pose [rad] (30) and their velocities over 10 [rad/s] (30).

    The reward of an action is 1 - 10 |e|^2 - |u|^2, with the horizontal deviation e [m] and velocity u [m/s] of the
    centre of mass.

    Parameters
    ----------
    num_envs : int
    ground : Ground or sequence of Ground, optional
        Flat by default.
    threads, max_episode_steps
        See `RobotVectorEnv`.

    Attributes
    ----------
    push : ndarray, shape (num_envs, 2)
        Horizontal force of the present pushes, or of the last ones [N].
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        ground: Ground | Sequence[Ground] | None = None,
        threads: int = 1,
        max_episode_steps: int | None = 500,
    ) -> None:
        model = robots.hrp2()
        corners = [name for name in model.frames if "_sole_" in name]
        contacts = [ContactPoint(name, model.frames[name].body, model.frames[name].pose[:3, 3]) for name in corners]
        super().__init__(num_envs, model, actions=12, observations=73, ground=flat() if ground is None else ground,
                         contacts=contacts, threads=threads, max_episode_steps=max_episode_steps)  # fmt: skip
        self._rest = np.array(model.reference)
        self._moved = [model.joints[name].q_index.start for name in LEG_JOINTS]
        self._place = np.zeros(2)
        self._place = self._deviation(self._rest)
        self.push = np.zeros((self.num_envs, 2))
        self._offset = np.zeros(self.num_envs, dtype=np.int64)
        self._pushes: list[FloatArray] = [np.zeros((0, 2))] * self.num_envs

    def start(self, rng: np.random.Generator, robot: int) -> Start:
        """The reference pose; pushes of the episode are drawn, the first six."""
        count = 6
        force, angle = rng.uniform(200.0, 300.0, count), rng.uniform(-np.pi, np.pi, count)
        self._pushes[robot] = force[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        self._offset[robot] = rng.integers(0, _FIRST)
        return Start(self._rest, 0.02 * rng.normal(size=self.sim.model.nv))

    def command(self, actions: FloatArray) -> JointLaw:
        """Stiff springs and dampers."""
        q = np.tile(self._rest, (self.num_envs, 1))
        q[:, self._moved] += REACH * actions
        return JointLaw(3000.0, 60.0, q=q)

    def external(self) -> FloatArray | None:
        """The pushes of this moment."""
        since = self.elapsed - self._offset
        number = since // _EVERY
        pushed = (since >= 0) & (since % _EVERY < _LASTS)
        if not pushed.any():
            return None
        wrenches = np.zeros((self.num_envs, len(self.sim.model.bodies), 6))
        for i in np.flatnonzero(pushed):
            self.push[i] = self._pushes[i][number[i] % len(self._pushes[i])]
            wrenches[i, 0, :2] = self.push[i]
        return wrenches

    def observation(self, observed: Observation) -> FloatArray:
        """Up, velocities, centre of mass, joints."""
        q, v = observed.q, observed.v
        return np.concatenate(
            [up_in_base(q), v[:, :6], self._deviation(q), self._drift(q, v), q[:, 7:] - self._rest[7:], 0.1 * v[:, 6:]],
            axis=-1,
        )

    def reward(self, actions: FloatArray) -> FloatArray:
        """For standing still."""
        e, u = self._deviation(self.sim.q), self._drift(self.sim.q, self.sim.v)
        return np.asarray(1.0 - 10.0 * np.sum(e**2, axis=-1) - np.sum(u**2, axis=-1))

    def terminated(self) -> BoolArray:
        """Those that have fallen."""
        return np.asarray(self.sim.q[:, 2] < _LOWEST)

    def _deviation(self, q: FloatArray) -> FloatArray:
        """Centre of mass seen from between the soles, less its place there in the reference pose, (..., 2) [m]."""
        model = self.sim.model
        soles = [frame_pose(model, q, name)[..., :2, 3] for name in ("l_sole", "r_sole")]
        return np.asarray(center_of_mass(model, q)[..., :2] - 0.5 * (soles[0] + soles[1]) - self._place)

    def _drift(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Horizontal velocity of the centre of mass, (..., 2) [m/s]."""
        model = self.sim.model
        return np.asarray(momentum(model, q, v)[..., :2] / model.total_mass)


def hrp2_stand(**options: Any) -> RobotEnv:
    """One robot of `HRP2StandVectorEnv`, without a limit of time: Gymnasium has one."""
    return RobotEnv(HRP2StandVectorEnv(1, max_episode_steps=None, **options))
