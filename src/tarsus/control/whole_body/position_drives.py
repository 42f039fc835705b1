"""Robots whose drives follow positions: joint motions made of commanded accelerations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.joint_law import JointLaw
from tarsus.control.whole_body.answer import Command
from tarsus.errors import ArgumentError
from tarsus.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class PositionDrives:
    """Drives that follow desired joint motions: tau + kp (q_d - q) + kd (v_d - v), within torque limits.

    The desired motion is the integral of commanded accelerations, which leaks to the measured one, so that it does not
    run away where the robot cannot follow:

        d/dt v_d = vdot + leak (v - v_d),    d/dt q_d = v_d + leak (q - q_d).

    Attributes
    ----------
    kp, kd : mapping, or array_like, a number or shape (nv,)
        Gains of `JointLaw` [N m/rad, N m s/rad or N/m, N s/m].
    leak : float
        [1/s]: what is held against the tasks is forgotten in a time of its inverse.
    feed_forward : bool
        Whether drives take the commanded torque tau as well. Without it a joint that carries tau at rest needs q_d - q =
        tau / kp, which leaks: tasks of gain g stay off by about (leak / g)^2 tau / kp.
    """

    kp: npt.ArrayLike | Mapping[str, float]
    kd: npt.ArrayLike | Mapping[str, float]
    leak: float = 5.0
    feed_forward: bool = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.leak) and self.leak >= 0):
            raise ArgumentError(f"leak of PositionDrives is {self.leak!r}; expected a number of at least 0 [1/s]")


class DesiredMotion:
    """The desired joint motion of `PositionDrives`, from command to command.

    Attributes
    ----------
    q, v : ndarray, shape (nq,), (nv,)
        Those of joints; those of a base that no drive holds are the measured ones.
    """

    def __init__(self, model: Model, drives: PositionDrives) -> None:
        self.model, self.drives = model, drives
        self._loose = ~np.array(model.actuated)
        self._time: float | None = None
        self.q, self.v = np.array(model.reference), np.zeros(model.nv)

    def law(self, t: float, q: FloatArray, v: FloatArray, command: Command) -> JointLaw:
        """What drives do from now on; it begins at the measured state, and anew where time falls."""
        if self._time is None or t < self._time:
            self.q, self.v = np.array(q), np.array(v)
        else:
            dt, leak = t - self._time, self.drives.leak
            self.v = self.v + dt * (command.vdot + leak * (v - self.v))
            way = self.v + leak * self.model.difference(self.q, q)
            # What no drive holds is where it is.
            self.v[self._loose] = v[self._loose]
            way[self._loose] = self.model.difference(self.q, q)[self._loose] / dt if dt > 0 else 0.0
            self.q = self.model.integrate(self.q, way, dt)
        self._time = t
        tau = command.tau if self.drives.feed_forward else None
        return JointLaw(self.drives.kp, self.drives.kd, q=self.q, v=self.v, tau=tau)
