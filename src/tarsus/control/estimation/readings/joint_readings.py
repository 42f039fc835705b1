"""Joint positions and rates that can be believed."""

from __future__ import annotations

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
_SILENT = 0.1
"""Without a reading for so long [s], a sensor is silent."""


@final
class JointReadings:
    """The last positions and rates that can be believed, joint by joint.

    A position that is not a number, or that would have been reached faster than three times the joint can turn, is not
    believed: the joint keeps its last position, and its rate is zero.

    Parameters
    ----------
    model : Model
        With a free base.
    cutoff : float
        Of rates that are made of positions, see `JointRates` [rad/s].

    Attributes
    ----------
    position, rate : ndarray, shape (nq - base,), (nv - 6,)
    bad : ndarray of bool, shape (nv - 6,), or None
        Joints that are not known now; None where all are.
    fresh : bool
        Whether positions came in the last step.
    """

    def __init__(self, model: Model, cutoff: float) -> None:
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

    def update(self, dt: float, position: FloatArray | None, rate: FloatArray | None) -> None:
        """Take readings that came in a step of dt [s]; None where none came."""
        self._age += dt
        self._silence += dt
        self.fresh = position is not None
        if position is None:
            return
        if position.shape != (self._size[0],):
            raise ShapeError(f"joint_positions has shape {position.shape}, expected ({self._size[0]},)")
        elapsed, self._silence = self._silence, 0.0
        change = position - self.position
        if self._known and change @ change <= (self._slowest * self._age) ** 2:  # no joint can have jumped
            self._age = 0.0
        else:
            position = self._without_jumps(position, np.abs(change))
        self.position = position
        self.rate = self._checked_rates(self._differences.update(elapsed, position) if rate is None else rate)

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
        if rate.shape != (self._size[1],):
            raise ShapeError(f"joint_velocities has shape {rate.shape}, expected ({self._size[1]},)")
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
        if self.bad is None:
            return {}
        return {self._names[k]: "no number, or a jump" for k in np.flatnonzero(self.bad)}
