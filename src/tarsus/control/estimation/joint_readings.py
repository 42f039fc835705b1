"""Joint positions and rates that can be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.estimation.joint_rates import JointRates
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
        self._names = [n for n, j in model.joints.items() for _ in range(j.v_index.stop - j.v_index.start)][6:]
        self._differences = JointRates(self._size[0], cutoff)
        self.reset(np.asarray(model.reference)[lead:], np.zeros(model.nv - 6))

    def reset(self, position: FloatArray, rate: FloatArray) -> None:
        """Begin anew."""
        self.position, self.rate = np.array(position, dtype=float), np.array(rate, dtype=float)
        self._differences.reset(self.rate)
        self._age = np.full(self._size[1], np.inf)  # since the last believed reading; the first one is believed
        self._silence, self.fresh = 0.0, False
        self.bad: np.ndarray | None = None

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
        wrong = ~(np.abs(position - self.position) <= self._fastest * self._age)
        self.bad = None
        if wrong.any():
            wrong &= ~(np.isfinite(position) & np.isinf(self._age))  # nothing to compare the first ones with
            if wrong.any():
                self.bad = wrong
                position = np.where(wrong, self.position, position)
            self._age[~wrong] = 0.0
        else:
            self._age[:] = 0.0
        differences = None if rate is not None else self._differences.update(elapsed, position)
        self.position = position
        self.rate = self._checked_rates(rate if differences is None else differences)

    def _checked_rates(self, rate: FloatArray) -> FloatArray:
        if rate.shape != (self._size[1],):
            raise ShapeError(f"joint_velocities has shape {rate.shape}, expected ({self._size[1]},)")
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
