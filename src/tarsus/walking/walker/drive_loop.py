"""Position loops of joints inside their drives: between the cycles of a walk, at every step of the simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.control.observation import Observation
from tarsus.devices.actuators.actuated_controller import ActuatedController
from tarsus.devices.actuators.driven_joints import Drives
from tarsus.model import Model

MOST = 1e-3
"""Longest step of a simulation [s]."""


def steps_of(cycle: float) -> int:
    """Steps of the simulation in a cycle of the controller [s], none longer than 1 ms."""
    return max(1, int(np.ceil(cycle / MOST - 1e-9)))


class DriveLoop:
    """A controller of a walk whose joints have drives.

    The controller is called every `cycle`, as it is without drives. Its law, tau + kp (q_ref - q) + kd (v_ref - v), is
    the command of the drives at every step between: their position loops are as fast as the simulation, read the angles
    of their joints as they are, and know neither friction nor losses of their gears.

    Parameters
    ----------
    control : callable
        From observation to `JointLaw`.
    model : Model
        The robot that is simulated.
    drives : mapping
        As of `ActuatedController`.
    cycle : float
        Of the controller [s].
    """

    def __init__(self, control: Callable[[Observation], JointLaw], model: Model, drives: Drives, cycle: float) -> None:
        self._control, self._model = control, model
        self._every, self._calls = steps_of(cycle), 0
        self._law: JointLaw | None = None
        self.dt = cycle / self._every
        self._driven = ActuatedController(self._command, drives, model=model, rate=1.0 / self.dt, record=False)

    def __call__(self, observation: Observation) -> FloatArray:
        """Torques until the next step, shape (nv,)."""
        if self._calls % self._every == 0:
            self._law = self._control(observation)
        self._calls += 1
        return self._driven(observation.t, observation.q, observation.v)

    def _command(self, t: float, q: FloatArray, v: FloatArray) -> FloatArray:
        law = self._law
        assert law is not None and law.q is not None and law.v is not None and law.tau is not None
        command = np.asarray(law.kp) * self._model.difference(q, np.asarray(law.q))
        command += np.asarray(law.kd) * (np.asarray(law.v) - v) + np.asarray(law.tau)
        command[:6] = 0.0
        return command
