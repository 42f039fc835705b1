"""The law as a controller of `tarsus.simulate`: it keeps s and s', and notices when the other foot stands."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.control.observation import Observation
from tarsus.errors import ArgumentError
from tarsus.walking.path_following.flat_foot_limits import pressure_of
from tarsus.walking.path_following.path_law import PathLaw

_LANDING = 0.5
"""s from which on a touch of the swinging foot is its landing; before, the foot that has just left may still rub."""
_TIPPED = np.radians(1.0)
"""Pitch of a foot that does not stand flat any more [rad]."""
_LATEST = 1.2
"""s at which a foot that did not land has missed the ground."""


class PathController:
    """Torques of a `PathLaw` at the times of a digital controller, for one robot on ground that can let go.

    Between its calls s'' is constant, as the torques are. A step ends when the foot that swings touches; s is 0 then,
    and s' is taken from the joint rates. The robot begins with its first leg, at s = 0. A controller is for one run.

    It logs "s", "s_rate" [1/s], "wanted_pressure" [m] along the sole that stands, "standing", the number of the leg
    that stands (0, 1), and "limited", whether the pressure had to give way. It stops the run where s' falls to zero,
    where the foot that stands has tipped (the law counts on a flat one), and where the other does not land by s = 1.2.

    Attributes
    ----------
    law : PathLaw
    rates : list of float
        s' at the start of each step so far [1/s].
    """

    def __init__(self, law: PathLaw) -> None:
        self.law = law
        self.rates: list[float] = []
        self._s = self._rate = self._acceleration = self._time = 0.0

    def __call__(self, now: Observation) -> FloatArray:
        """Torques, shape (nv,) [N m]."""
        if now.q.ndim != 1:
            raise ArgumentError(f"a PathController is for one robot; q has shape {now.q.shape}")
        biped, dt = self.law.biped, now.t - self._time
        self._time = now.t
        self._s += dt * (self._rate + 0.5 * dt * self._acceleration)
        self._rate += dt * self._acceleration
        swinging = biped.soles[len(self.rates) % 2]
        if not self.rates or (self._s > _LANDING and now.touching(swinging)):
            self._begin_step(now)
        order = self._order
        command = self.law.command(now.q[order][3:], now.v[order][3:], self._s, self._rate)
        self._acceleration = command.path_acceleration
        now.log(
            s=self._s, s_rate=self._rate, wanted_pressure=float(pressure_of(command.wrench)),
            standing=float((len(self.rates) - 1) % 2), limited=float(bool(command.limit)),
        )  # fmt: skip
        pitch = float(now.q[2] - biped.placed(now.q[order][3:])[2])
        if abs(pitch) > _TIPPED:
            now.stop(f"the foot that stands tipped at s = {self._s:.4g}, by {np.degrees(pitch):.3g} degrees")
        elif self._rate <= 0.0:
            now.stop(f"s' came to zero at s = {self._s:.4g}: the robot stalled")
        elif self._s > _LATEST:
            now.stop(f"the other foot did not land by s = {self._s:.4g}")
        return np.asarray(command.tau[order])

    @property
    def _order(self) -> npt.NDArray[np.int64] | slice:
        """Coordinates with the leg that stands first."""
        return slice(None) if len(self.rates) % 2 == 1 else self.law.biped.exchanged

    def _begin_step(self, now: Observation) -> None:
        self.rates.append(0.0)
        order = self._order
        self._s, self._rate = 0.0, self.law.start_rate(now.q[order][3:], now.v[order][3:])
        self.rates[-1] = self._rate
