"""Joint positions and rates that can be believed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, final

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.control.estimation.readings.joint_rates import JointRates
from tarsus.errors import ShapeError

if TYPE_CHECKING:
    from tarsus.model import Model

_FASTER = 3.0
"""Times the greatest rate of a joint: a position that changed faster is not one."""
_UNKNOWN_RATE = 100.0
"""Greatest rate of joints without one [rad/s or m/s]."""
_JUMP = 20.0
"""Standard deviations by which a position may differ from the one that rates lead to before it has jumped."""
_FOLLOWED = 0.01
"""Longest time between readings [s] over which rates tell where a joint has gone."""
_SILENT = 0.1
"""Without a reading for so long [s], a sensor is silent."""
_ABSURD = 1e6
"""Readings beyond are no numbers, in units of the joints and their rates."""


@final
class JointReadings:
    """The last positions and rates that can be believed, joint by joint.

    A position that is not a number, or that would have been reached faster than three times the joint can turn, is not
    believed: the joint keeps its last position, and its rate is zero. Where rates are read as well, a position that
    goes further from where they lead between two readings than the joint can turn is an encoder that has jumped: the
    jump is taken off all that follow, and told.

    Parameters
    ----------
    model : Model
        With a free base.
    cutoff : float
        Of rates that are made of positions, see `JointRates` [rad/s].
    noise : float
        Standard deviation of positions [rad or m].

    Attributes
    ----------
    position, rate : ndarray, shape (nq - base,), (nv - 6,)
    bad : ndarray of bool, shape (nv - 6,), or None
        Joints that are not known now; None where all are.
    fresh : bool
        Whether positions came in the last step.
    """

    def __init__(self, model: Model, cutoff: float, noise: float = 1e-4) -> None:
        self._least = _JUMP * noise
        lead = model.joints["base"].q_index.stop
        self._size = model.nq - lead, model.nv - 6
        v_max = np.asarray(model.v_max)[6:]
        self._fastest = _FASTER * np.where(np.isfinite(v_max) & (v_max > 0.0), v_max, _UNKNOWN_RATE)
        self._slowest = float(self._fastest.min(initial=np.inf))
        self._names = [n for n, j in model.joints.items() for _ in range(j.v_index.stop - j.v_index.start)][6:]
        self._differences = JointRates(self._size[0], cutoff)
        self.reset(np.asarray(model.reference)[lead:], np.zeros(model.nv - 6))

    def reset(self, position: FloatArray, rate: FloatArray) -> None:
        """Begin anew."""
        self.position, self.rate = np.array(position, dtype=float), np.array(rate, dtype=float)
        self._differences.reset(self.rate)
        self._age = 0.0  # since readings came that all were believed, or since `_unseen` was told
        self._unseen = np.full(self._size[1], np.inf)  # before that: since each was believed; the first one is
        self._silence, self.fresh, self._known = 0.0, False, False
        self.bad: BoolArray | None = None
        self._read: tuple[FloatArray, FloatArray] | None = None  # the last readings, as they came
        self._jumps = np.zeros(self._size[1])
        self._jumped = False  # whether any of them is not 0

    def update(self, dt: float, position: FloatArray | None, rate: FloatArray | None) -> None:
        """Take readings that came in a step of dt [s]; None where none came."""
        self._age += dt
        self._silence += dt
        self.fresh = position is not None
        if position is None:
            return
        if position.shape != (self._size[0],):
            raise ShapeError(f"joint_positions has shape {position.shape}, expected ({self._size[0]},)")
        if rate is not None and rate.shape != (self._size[1],):
            raise ShapeError(f"joint_velocities has shape {rate.shape}, expected ({self._size[1]},)")
        position, rate = _plausible(position), None if rate is None else _plausible(rate)
        elapsed, self._silence = self._silence, 0.0
        position = self._less_jumps(elapsed, position, rate)
        change = position - self.position
        if self._known and change @ change <= (self._slowest * self._age) ** 2:  # no joint can have jumped
            self._age = 0.0
        else:
            position = self._without_jumps(position, np.abs(change))
        self.position = position
        self.rate = self._checked_rates(self._differences.update(elapsed, position) if rate is None else rate)

    def _less_jumps(self, dt: float, position: FloatArray, rate: FloatArray | None) -> FloatArray:
        """Positions less what encoders have jumped by: |q1 - q0 - dt (v0 + v1) / 2| > 20 sigma + dt v_max."""
        if rate is None or self._size[0] != self._size[1]:
            self._read = None
            return position
        before, self._read = self._read, (position, rate)
        if before is not None and 0.0 < dt <= _FOLLOWED:
            missed = position - before[0]
            missed -= (0.5 * dt) * (before[1] + rate)
            if not missed.dot(missed) <= (self._least + dt / _FASTER * self._slowest) ** 2:  # else none can have jumped
                self._take_jumps(missed, np.abs(missed) > self._least + dt / _FASTER * self._fastest)
        return position - self._jumps if self._jumped else position

    def _take_jumps(self, missed: FloatArray, jumped: BoolArray) -> None:
        """Encoders that have jumped, or back."""
        if jumped.any():
            self._jumps = np.where(jumped & np.isfinite(missed), self._jumps + missed, self._jumps)
            self._jumps[np.abs(self._jumps) < self._least] = 0.0
            self._jumped = bool(self._jumps.any())

    def _without_jumps(self, position: FloatArray, change: FloatArray) -> FloatArray:
        """Positions, the last ones of joints that cannot be believed."""
        self._unseen += self._age
        self._age = 0.0
        right = np.isfinite(position) & ((change <= self._fastest * self._unseen) | np.isinf(self._unseen))
        self._unseen[right] = 0.0
        self._known = bool(right.all())
        self.bad = None if self._known else ~right
        return position if self.bad is None else np.where(right, position, self.position)

    def _checked_rates(self, rate: FloatArray) -> FloatArray:
        if rate @ rate <= self._slowest**2 and self.bad is None:
            return rate
        trusted = np.abs(rate) <= self._fastest
        if self.bad is not None:
            trusted &= ~self.bad
        return rate if trusted.all() else np.where(trusted, rate, 0.0)

    def rejected(self) -> dict[str, str]:
        """Joints that are not believed, and why."""
        if self._silence > _SILENT:
            return {"encoder": f"silent for {self._silence:.3g} s"}
        told = {self._names[k]: f"has jumped by {self._jumps[k]:.3g}" for k in np.flatnonzero(self._jumps)}
        if self.bad is not None:
            told |= {self._names[k]: "no number, or a jump" for k in np.flatnonzero(self.bad)}
        return told


def _plausible(reading: FloatArray) -> FloatArray:
    """A copy of the reading, with NaN for what is no number, or too large to compute with."""
    if math.hypot(*reading.tolist()) < _ABSURD:  # then no entry is
        return np.array(reading, dtype=float)
    return np.where(np.abs(reading) < _ABSURD, reading, np.nan)
