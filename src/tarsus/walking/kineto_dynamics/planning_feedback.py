"""Stabilisation via planning: each step is planned from where the reference robot is (Buschmann 2014, 5.5.3)."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.kineto_dynamics.known_motion import KnownMotion
from tarsus.walking.kineto_dynamics.moment_equation import Centroid
from tarsus.walking.kineto_dynamics.three_mass_plan import PlannedMass, ThreeMassPlan


class Piece(NamedTuple):
    """A time for which is planned at once.

    Attributes
    ----------
    start, end : float
        [s].
    shaped_until : float
        Both feet stand from the start until then: pressure may change [s].
    """

    start: float
    end: float
    shaped_until: float


class PlanningFeedback:
    """The planned centre of mass and pressure, planned anew at the start of every double support.

    At the end of the single support after it the divergent component is that of the whole walk; what it takes is a
    trapezoid of the pressure in double support. Long times on both feet are cut in pieces of a step.

    Attributes
    ----------
    plan : ThreeMassPlan
    mass : PlannedMass
        At all cycles, as it was last planned.
    changes : list of float
        Largest changes of the pressure of all pieces [m].
    """

    def __init__(self, plan: ThreeMassPlan) -> None:
        self.plan = plan
        first = plan.along(plan.known.times)
        self.mass = PlannedMass(*(np.array(values) for values in first))
        self.changes: list[float] = []
        self._pieces = {
            int(np.searchsorted(plan.known.times, piece.start - 1e-9)): piece for piece in pieces(plan.known)
        }

    def look(self, cycle: int, centroid: Centroid) -> None:
        """Plan again where a piece begins."""
        piece = self._pieces.get(cycle)
        times = self.plan.known.times
        if piece is None or times[cycle] >= piece.shaped_until - 4 * self.plan.known.dt:
            return
        start = float(times[cycle])
        found = self.plan.again(centroid.com[:2], centroid.com_rate[:2], start, piece.end, (start, piece.shaped_until))
        own = slice(cycle, int(np.searchsorted(times, piece.end - 1e-9)))
        part = self.plan.along(times[own], found)
        wanted = self.plan.known.path.at(times[own])
        self.changes.append(float(np.abs(part.pressure - wanted).max(initial=0.0)))
        for values, new in zip(self.mass, part, strict=True):
            values[own] = new


def pieces(known: KnownMotion) -> list[Piece]:
    """Times of a walk that are planned at once, from the first double support on."""
    phases = known.phases
    longest = max(
        (after.end - before.start for before, after in itertools.pairwise(phases[1:]) if after.swing),
        default=1.0,
    )
    found = []
    for k, phase in enumerate(phases):
        if phase.swing is not None:
            continue
        end = min(phase.end, float(known.times[-1]))
        count = max(1, int((end - phase.start) / longest))
        edges: FloatArray = np.linspace(phase.start, end, count + 1)
        for i in range(count):
            until = float(edges[i + 1])
            last = i == count - 1 and k + 1 < len(phases)
            found.append(Piece(float(edges[i]), phases[k + 1].end if last else until, until))
    return [piece for piece in found if piece.end <= known.path.end + 1e-9]
