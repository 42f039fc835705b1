"""Exact motion of the linear inverted pendulum above straight pieces of pressure (Harada et al. 2004)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.planner import Planner, Start, end_component, pattern_times, start_position
from tarsus.walking.planning.pressure_path import PressurePath


@dataclass(frozen=True)
class Analytic(Planner):
    """The one motion that does not diverge from a pressure path, in closed form, piece by piece.

    The divergent component is followed backwards from the end, where it is stable, the position forwards. The velocity
    at the start follows: xi(0) is given by the whole path. Where a start has a velocity of its own, knots of the path
    before `adapted` seconds are moved, in one direction each, so that both hold: by a (1 - t / adapted), which
    is linear in a.

    Attributes
    ----------
    adapted : float
        [s].
    """

    adapted: float = 0.5

    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion above a path; see `Planner.plan`."""
        path = reference
        if isinstance(start, MassState):
            path = self._through(reference, start, divergent_end)
        xi = divergent_along(self.pendulum, path, divergent_end)
        times = pattern_times(path, self.dt)
        first = start_position(reference, start)
        state = MassState(first, self.pendulum.omega * (xi[0] - first))
        position, velocity = np.empty((len(times), 2)), np.empty((len(times), 2))
        for number, (lasts, begin, p, rate) in enumerate(path.pieces()):
            own = (times >= begin) & (times <= begin + lasts)
            inside = self.pendulum.moved(state, (times[own] - begin)[:, None], p, rate)
            # Of the two components the divergent one is taken from the backward pass, which does not drift.
            xi_inside = self.pendulum.divergent_before(xi[number + 1], (begin + lasts - times[own])[:, None],
                                                       p + rate * (times[own] - begin)[:, None], rate)  # fmt: skip
            eta = self.pendulum.convergent(*inside)
            position[own], velocity[own] = self.pendulum.state_of(xi_inside, eta)
            last = self.pendulum.moved(state, lasts, p, rate)
            state = self.pendulum.state_of(xi[number + 1], self.pendulum.convergent(*last))
        pressure = path.at(times)
        return Pattern(times, position, velocity, self.pendulum.acceleration(position, pressure), pressure,
                       self.pendulum.omega)  # fmt: skip

    def _through(self, reference: PressurePath, start: MassState, end: npt.ArrayLike | None) -> PressurePath:
        """The path with knots moved so that xi(0) is that of the start."""
        if not self.adapted > 0:
            raise ArgumentError(f"adapted of Analytic is {self.adapted!r}; expected a time above 0 [s]")
        times = np.asarray(reference.times)
        knots = _with_knot(reference, reference.start + self.adapted)
        share = np.clip(1 - (np.asarray(knots.times) - times[0]) / self.adapted, 0.0, 1.0)[:, None]
        wanted = self.pendulum.divergent(start.position, start.velocity)
        now = divergent_along(self.pendulum, knots, end)[0]
        unit = divergent_along(self.pendulum, knots.moved(share * np.ones(2)), end)[0] - now
        return knots.moved(share * ((wanted - now) / unit))


def divergent_along(
    pendulum: LinearInvertedPendulum, path: PressurePath, end: npt.ArrayLike | None = None
) -> FloatArray:
    """Divergent component at the beginning of every piece and at the end, shape (pieces + 1, 2) [m].

    Backwards from `end`, which is the last pressure by default: the mass comes to rest above it.
    """
    pieces = path.pieces()
    xi = np.empty((len(pieces) + 1, 2))
    xi[-1] = end_component(path, end)
    for k in range(len(pieces) - 1, -1, -1):
        lasts, _, p, rate = pieces[k]
        xi[k] = pendulum.divergent_before(xi[k + 1], lasts, p, rate)
    return xi


def _with_knot(path: PressurePath, t: float) -> PressurePath:
    """The path with one more knot, on it."""
    times = np.asarray(path.times)
    if t >= times[-1] or (times == t).any():
        return path
    k = int(np.searchsorted(times, t))
    low, high = path.bounds(t)

    def put(values: npt.ArrayLike | None, value: FloatArray) -> FloatArray | None:
        return None if values is None else np.insert(np.asarray(values), k, value, axis=0)

    points = put(path.points, path.at(t))
    assert points is not None
    return PressurePath(np.insert(times, k, t), points, put(path.lower, low), put(path.upper, high))
