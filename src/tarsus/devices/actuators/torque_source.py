"""An actuator that delivers what it is told."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.actuator import Actuator, Step, checked_duration
from tarsus.devices.actuators.torque_speed_curve import TorqueSpeedCurve


@dataclass(frozen=True, eq=False)
class TorqueSource(Actuator):
    """Ideal source: the force on the joint is the command [N m or N], within limits if there are any. No state.

    Attributes
    ----------
    limits : TorqueSpeedCurve, optional
    """

    limits: TorqueSpeedCurve | None = None

    def initial(self, q: npt.ArrayLike, v: npt.ArrayLike | None = None) -> FloatArray:
        """An empty state (..., 0)."""
        return np.zeros((*np.shape(q), 0))

    def step(self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike, dt: float) -> Step:
        """The force is the limited command; what is put in is what comes out. See `Actuator.step`."""
        h = checked_duration("TorqueSource", dt)
        state, order, _, rate = self._arguments(x, command, q, v)
        tau = self._force(order, rate)
        work = tau * rate * h
        return Step(state, tau, {"supply": work, "output": work})

    def derivative(
        self, x: npt.ArrayLike, command: npt.ArrayLike, q: npt.ArrayLike, v: npt.ArrayLike
    ) -> tuple[FloatArray, FloatArray]:
        """No state to change, and the limited command."""
        state, order, _, rate = self._arguments(x, command, q, v)
        return np.zeros(state.shape), self._force(order, rate)

    def stored(self, x: npt.ArrayLike, q: npt.ArrayLike) -> dict[str, FloatArray]:
        """Nothing."""
        return {}

    def _force(self, command: FloatArray, v: FloatArray) -> FloatArray:
        return np.array(command) if self.limits is None else self.limits.limited(command, v)
