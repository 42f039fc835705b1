"""What a robot does where no command is found: the torques of a moment ago, then damping alone."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.minimum_jerk import minimum_jerk
from tarsus.control.sequencing.pace import Pace
from tarsus.control.whole_body.answer import Command
from tarsus.dynamics.mass_matrix import mass_matrix
from tarsus.model import Model

MISSES = 20
"""Commands in a row without a solution after which nothing is expected to come any more."""


class Stopgap:
    """Torques in place of commands that were not found.

    For a moment those of the last command go on. Held for longer, they would push a robot that moves on with nobody
    looking; so they fade into tau_i = -2 gain d_i v_i within limits, with d_i = 1 / (M^-1)_ii, what joint i alone has
    to accelerate: power that only leaves the robot. Where the state is not told, they fade to nothing.

    Parameters
    ----------
    model : Model
    pace : Pace
        Whose `fade` is the time to come to damping, and `gain` its rate.

    Attributes
    ----------
    misses : int
        Commands in a row that were not found.
    """

    def __init__(self, model: Model, pace: Pace) -> None:
        self._model, self._pace = model, pace
        self._last: FloatArray | None = None
        self._given_up: float | None = None
        self.misses = 0

    @property
    def given_up(self) -> bool:
        """Whether so many commands were missed that none is waited for."""
        return self.misses >= MISSES

    def answered(self, command: Command) -> None:
        """Take a command that was found."""
        self._last, self._given_up, self.misses = command.tau, None, 0

    def torques(self, t: float, q: FloatArray, v: FloatArray, found: Command) -> FloatArray:
        """Torques (nv,) of a time [s] at which a command was not found; q and v may be no numbers."""
        self.misses += 1
        last = found.tau if self._last is None else self._last
        if not self.given_up:
            return last
        if self._given_up is None:
            self._given_up = t
        share = minimum_jerk(t - self._given_up, self._pace.fade).share
        return np.asarray((1.0 - share) * last + share * self._damping(q, v))

    def _damping(self, q: FloatArray, v: FloatArray) -> FloatArray:
        model = self._model
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            return np.zeros(model.nv)
        carried = 1.0 / np.diagonal(np.linalg.inv(mass_matrix(model, q)))
        tau = np.clip(-2.0 * self._pace.gain * carried * np.asarray(v), -model.tau_max, model.tau_max)
        return np.where(model.actuated, tau, 0.0)
