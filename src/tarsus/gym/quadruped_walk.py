"""A four-legged robot that keeps a speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from tarsus import robots
from tarsus.arrays import BoolArray, FloatArray
from tarsus.contact import ContactPoint, Ground, flat, on_ground
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.gym.base_motion import heading, up_in_base
from tarsus.gym.robot_env import RobotEnv
from tarsus.gym.robot_vector_env import RobotVectorEnv
from tarsus.gym.start import Start
from tarsus.robots.quadruped import LEGS
from tarsus.simulation.stepping.body_inertias import body_inertias

if TYPE_CHECKING:
    from tarsus.model import Model

PERIOD = 0.4
"""Of the clock that policies see [s]."""
REACH = 0.8
"""What an action of 1 adds to the reference of a joint [rad]."""
_FOOT_RADIUS = 0.02
_LOWEST, _STEEPEST = 0.15, 0.7
"""Height of the trunk [m] and upward component of its vertical axis below which it has fallen."""


@final
class QuadrupedWalkVectorEnv(RobotVectorEnv):
    """Robots with four legs, each with a speed to keep straight ahead.

    An action is the reference of the 12 joints: 0.8 rad times it, added to the reference pose, and held by springs and
    dampers for 0.02 s. An episode begins near the reference pose with a speed to keep of 0.2 to 0.6 m/s and a
    coefficient of friction of 0.5 to 1. It ends where the trunk is below 0.15 m or leans by more than 45 degrees.

    An observation has 37 numbers: the upward direction in the axes of the trunk (3), its velocity [m/s] and angular
    velocity [rad/s] in its axes (6), heading [rad] (1), the speed to keep [m/s] (1), sine and cosine of a clock with
    a period of 0.4 s (2), angles of the joints less those of the reference pose [rad] (12) and their velocities over
    10 [rad/s] (12).

    The reward of an action is exp(-4 e) - 0.1 |heading| - 1e-3 |tau|^2 / 12, with e the square of the difference to the
    wanted velocity, forward and sideways [m/s], and the torques tau [N m].

    Parameters
    ----------
    num_envs : int
    model : Model, optional
        With the joints and frames of `ts.robots.quadruped`, which it is by default.
    ground : Ground or sequence of Ground, optional
        Flat by default.
    kp, kd : float
        Gains of the joints [N m/rad, N m s/rad].
    randomised : bool
        Whether masses vary by 10 % and commands and observations are late by up to 0.01 s, too.
    threads, max_episode_steps
        See `RobotVectorEnv`.

    Attributes
    ----------
    speed : ndarray, shape (num_envs,)
        To be kept [m/s].
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        model: Model | None = None,
        ground: Ground | Sequence[Ground] | None = None,
        kp: float = 100.0,
        kd: float = 3.0,
        randomised: bool = False,
        threads: int = 1,
        max_episode_steps: int | None = 500,
    ) -> None:
        model = robots.quadruped() if model is None else model
        feet = [_foot(model, leg) for leg in LEGS]
        ground = flat() if ground is None else ground
        self._feet, self._grounds = feet, (ground,) if isinstance(ground, Ground) else tuple(ground)
        each = {id(one): on_ground(model, None, one, feet) for one in self._grounds}
        q0 = np.array([each[id(one)] for one in self._grounds]) if len(self._grounds) == num_envs else None
        super().__init__(num_envs, model, actions=12, observations=37, ground=ground, q0=q0,
                         contacts=feet, threads=threads, max_episode_steps=max_episode_steps)  # fmt: skip
        self._kp, self._kd, self._randomised = kp, kd, randomised
        self._rest = np.array(model.reference)
        self.speed = np.zeros(self.num_envs)

    def start(self, rng: np.random.Generator, robot: int) -> Start:
        """Near the reference pose on the ground, with a speed to keep."""
        model = self.sim.model
        self.speed[robot] = rng.uniform(0.2, 0.6)
        q, v = self._rest.copy(), 0.05 * rng.normal(size=model.nv)
        q[7:] += rng.uniform(-0.05, 0.05, 12)
        q = on_ground(model, q, self._grounds[robot % len(self._grounds)], self._feet)
        friction = rng.uniform(0.5, 1.0)
        if not self._randomised:
            return Start(q, v, friction=friction)
        late = rng.integers(0, 6, 2)
        return Start(q, v, body_inertias(model, rng.uniform(0.9, 1.1, 1)), friction, int(late[0]), int(late[1]))

    def command(self, actions: FloatArray) -> JointLaw:
        """Springs and dampers."""
        q = np.tile(self._rest, (self.num_envs, 1))
        q[:, 7:] += REACH * actions
        return JointLaw(self._kp, self._kd, q=q)

    def observation(self, observed: Observation) -> FloatArray:
        """Up, velocities, heading, speed, clock, joints."""
        q, v = observed.q, observed.v
        angle = 2.0 * np.pi * self.elapsed * (self.steps * self.sim.dt) / PERIOD
        own = np.stack([heading(q), self.speed, np.sin(angle), np.cos(angle)], axis=-1)
        return np.concatenate([up_in_base(q), v[:, :6], own, q[:, 7:] - self._rest[7:], 0.1 * v[:, 6:]], axis=-1)

    def reward(self, actions: FloatArray) -> FloatArray:
        """For the speed that is kept, less what it costs."""
        q, v = self.sim.q, self.sim.v
        error = (v[:, 0] - self.speed) ** 2 + v[:, 1] ** 2
        effort = 1e-3 * np.mean(self.sim.torque()[:, 6:] ** 2, axis=-1)
        return np.asarray(np.exp(-4.0 * error) - 0.1 * np.abs(heading(q)) - effort)

    def terminated(self) -> BoolArray:
        """Those that have fallen."""
        q = self.sim.q
        return np.asarray((q[:, 2] < _LOWEST) | (up_in_base(q)[:, 2] < _STEEPEST))


def quadruped_walk(**options: Any) -> RobotEnv:
    """One robot of `QuadrupedWalkVectorEnv`, without a limit of time: Gymnasium has one."""
    return RobotEnv(QuadrupedWalkVectorEnv(1, max_episode_steps=None, **options))


def _foot(model: Model, leg: str) -> ContactPoint:
    frame = model.frames[f"{leg}_foot"]
    return ContactPoint(f"{leg}_foot", frame.body, frame.pose[:3, 3], _FOOT_RADIUS)
