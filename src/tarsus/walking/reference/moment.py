"""One moment of a planned walk, looked up in a table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray

if TYPE_CHECKING:
    from tarsus.walking.reference.walk_plan import WalkPlan


class Moment(NamedTuple):
    """Everything that a plan says at one time; see `WalkPlan` for shapes without their first axis.

    Attributes
    ----------
    phase : int
    place : ndarray, shape (2, 4)
    load, lead, pitch : ndarray, shape (2,)
    com, divergent, pressure, pivot, q, v, tau : ndarray
    """

    phase: int
    place: FloatArray
    load: FloatArray
    lead: FloatArray
    pitch: FloatArray
    com: FloatArray
    divergent: FloatArray
    pressure: FloatArray
    pivot: FloatArray
    q: FloatArray
    v: FloatArray
    tau: FloatArray


class MomentTable:
    """A plan as one table, so that a moment between two knots is one interpolation.

    The base quaternion is interpolated linearly, and normalised: knots are 5 ms apart.
    """

    def __init__(self, plan: WalkPlan) -> None:
        n = len(plan.times)
        feet = (plan.feet.place.reshape(n, 8), plan.feet.load, plan.lead, plan.feet.pitch)
        parts = (*feet, plan.com, plan.divergent, plan.pressure, plan.pivot, plan.q, plan.v, plan.tau)
        self._table = np.ascontiguousarray(np.concatenate(parts, axis=1))
        self._slices = _slices([part.shape[1] for part in parts])
        self._phase = plan.feet.phase.tolist()
        self._start, self._dt, self._last = float(plan.times[0]), plan.dt, n - 1

    def at(self, t: float) -> Moment:
        """The moment at a time [s]; the ends are held."""
        x = min(max((t - self._start) / self._dt, 0.0), float(self._last))
        k = min(int(x + 1e-9), self._last - 1)
        share = x - k
        row = (1.0 - share) * self._table[k] + share * self._table[k + 1] if share > 1e-9 else self._table[k].copy()
        place, load, lead, pitch, com, divergent, pressure, pivot, q, v, tau = [row[part] for part in self._slices]
        q[3:7] /= math.hypot(*q[3:7].tolist())
        phase = self._phase[k if share < 1.0 - 1e-6 else k + 1]
        return Moment(phase, place.reshape(2, 4), load, lead, pitch, com, divergent, pressure, pivot, q, v, tau)


def _slices(widths: list[int]) -> list[slice]:
    ends = np.cumsum(widths)
    return [slice(int(end) - width, int(end)) for end, width in zip(ends, widths, strict=True)]
