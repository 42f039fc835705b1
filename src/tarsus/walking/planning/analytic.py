"""Exact motion of the linear inverted pendulum above straight pieces of pressure (Harada et al. 2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.simulation.argument_kinds import check_number
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.planner import Planner, Start, end_component, pattern_times, start_state
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
        [s]; of a shorter path all of it, so that its end stays.
    """

    adapted: float = 0.5

    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion above a path; see `Planner.plan`."""
        path, begin = reference, start_state(reference, start)
        if isinstance(start, MassState):
            path = self._through(reference, begin, divergent_end)
        pieces = _Pieces.of(path, self.pendulum)
        xi = pieces.divergent(end_component(path, divergent_end))
        eta = pieces.convergent(2.0 * begin.position - xi[0])
        times = pattern_times(path, self.dt)
        # Of the two components the divergent one is followed backwards and the other one forwards: neither drifts.
        k = np.clip(np.searchsorted(pieces.begin, times, side="right") - 1, 0, len(pieces.begin) - 1)
        since = (times - pieces.begin[k])[:, None]
        until, p, rate = pieces.lasts[k][:, None] - since, pieces.p[k], pieces.rate[k]
        position, velocity = self.pendulum.state_of(
            self.pendulum.divergent_before(xi[k + 1], until, p + rate * since, rate),
            self.pendulum.convergent_after(eta[k], since, p, rate),
        )
        pressure = path.at(times)
        return Pattern(times, position, velocity, self.pendulum.acceleration(position, pressure), pressure,
                       self.pendulum.omega)  # fmt: skip

    def _through(self, reference: PressurePath, start: MassState, end: npt.ArrayLike | None) -> PressurePath:
        """The path with knots moved so that xi(0) is that of the start."""
        check_number("adapted of Analytic", self.adapted, "a time above 0 [s]")
        if not self.adapted > 0:
            raise ArgumentError(f"adapted of Analytic is {self.adapted!r}; expected a time above 0 [s]")
        adapted = min(self.adapted, reference.end - reference.start)
        knots = _with_knot(reference, reference.start + adapted)
        share = np.clip(1 - (np.asarray(knots.times) - reference.start) / adapted, 0.0, 1.0)[:, None]
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
    return _Pieces.of(path, pendulum).divergent(end_component(path, end))


class _Pieces(NamedTuple):
    """Straight pieces of a path that last some time, m of them, and how both components pass through each.

    Attributes
    ----------
    begin, lasts : ndarray, shape (m,)
        [s].
    p, rate : ndarray, shape (m, 2)
        Pressure at the beginning [m], and its rate [m/s].
    fades : ndarray, shape (m,)
        e^(-w t): what is left of a divergent component from the end at the beginning, and of a convergent one from the
        beginning at the end.
    before, after : ndarray, shape (m, 2)
        These components where the other end has none [m].
    """

    begin: FloatArray
    lasts: FloatArray
    p: FloatArray
    rate: FloatArray
    fades: FloatArray
    before: FloatArray
    after: FloatArray

    @classmethod
    def of(cls, path: PressurePath, pendulum: LinearInvertedPendulum) -> _Pieces:
        times, points = np.asarray(path.times), np.asarray(path.points)
        lasting = np.flatnonzero(np.diff(times) > 0.0)
        begin, p = times[lasting], points[lasting]
        lasts = times[lasting + 1] - begin
        rate = (points[lasting + 1] - p) / lasts[:, None]
        t = lasts[:, None]
        before = pendulum.divergent_before(0.0, t, p, rate)
        after = pendulum.convergent_after(0.0, t, p, rate)
        return cls(begin, lasts, p, rate, np.exp(-pendulum.omega * lasts), before, after)

    def divergent(self, end: FloatArray) -> FloatArray:
        """Divergent component at the beginning of every piece and at the end, shape (m + 1, 2) [m]."""
        xi = np.empty((len(self.begin) + 1, 2))
        xi[-1] = end
        for k in range(len(self.begin) - 1, -1, -1):
            xi[k] = self.before[k] + self.fades[k] * xi[k + 1]
        return xi

    def convergent(self, start: FloatArray) -> FloatArray:
        """The same of the convergent component, shape (m + 1, 2) [m]."""
        eta = np.empty((len(self.begin) + 1, 2))
        eta[0] = start
        for k in range(len(self.begin)):
            eta[k + 1] = self.after[k] + self.fades[k] * eta[k]
        return eta


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
