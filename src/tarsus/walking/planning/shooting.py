"""Shooting: the pressure is shifted until the divergent component is right at both ends (Takenaka 2004)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, DtypeError, PlanningError
from tarsus.simulation.argument_kinds import check_kind
from tarsus.walking.pendulum.linear_inverted_pendulum import MassState
from tarsus.walking.pendulum.three_mass_model import ThreeMassModel
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.planner import (
    Planner,
    Start,
    changed_span,
    end_component,
    pattern_times,
    start_state,
    trapezoid,
)
from tarsus.walking.planning.pressure_path import PressurePath

LegMotion = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""Positions and accelerations of the masses of both legs at times (n,): shape (n, 2, 3) each [m], [m/s^2]."""


ROUNDING = 1e-14
"""Of places, as a share of them."""
COARSEST = 0.05
"""w h of the integration, at most: it is stable below 2.8, and misses (w h)^5 / 120 in a step."""
EDGE = 0.2
"""Part of its time in which the trapezoid rises, and in which it falls."""
SHOTS = 20
"""After which the search for heights is given up; a linear model needs three."""

Shot = tuple[FloatArray, FloatArray]
"""Divergent and convergent component at the times of the integration, shape (n, 2) each [m]."""


def check_masses(of: str, masses: ThreeMassModel | None, legs: LegMotion | None) -> None:
    """Refuse masses and legs of a planner that are none, and one without the other."""
    check_kind(f"masses of {of}", masses, ThreeMassModel, "a ThreeMassModel")
    if legs is not None and not callable(legs):
        raise DtypeError(f"legs of {of} is {legs!r}; expected a function of times")
    if (masses is None) != (legs is None):
        raise ArgumentError(f"masses and legs of {of} belong together; found one of them")


@dataclass(frozen=True)
class Shooting(Planner):
    """Integrates and shoots again until both ends are met (Takenaka 2004, Takenaka et al. 2009).

    The pressure is the reference plus a trapezoid between `shifted`, one height a direction. For given heights the
    motion is integrated by a Runge-Kutta method of order 4: the divergent component backwards from the wanted end, the
    convergent one forwards from the start, each in the direction in which it is stable. By what the divergent component
    misses at the start the heights are changed, by secants. That needs no closed form: with `masses`, legs push the
    body.

    Shots in the original go forward. What is rounded at the start then grows by e^(w T), to metres in ten seconds;
    backwards it fades as fast, so that paths may be of any length.

    Attributes
    ----------
    masses : ThreeMassModel, optional
    legs : callable, optional
        Motion of its legs.
    shifted : tuple of float, optional
        Between which times the pressure may be shifted [s]; the first second by default. The trapezoid rises and
        falls in a fifth of that time each.
    tolerance : float
        By which the divergent component may miss that of the start, beside rounding [m].
    """

    masses: ThreeMassModel | None = None
    legs: LegMotion | None = None
    shifted: tuple[float, float] | None = None
    tolerance: float = 1e-12

    def __post_init__(self) -> None:
        super().__post_init__()
        self._expect(("tolerance",), above=False)
        self._expect_span("shifted")

    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion above a path; see `Planner.plan`. With `masses` the pattern is that of the body's mass.

        Raises
        ------
        PlanningError
            Where no shift leads from the start to the end, with what is missed: one that begins long after the start
            does not catch what has fallen by then.
        """
        check_masses("Shooting", self.masses, self.legs)
        begin, end = start_state(reference, start), end_component(reference, divergent_end)
        times, w = pattern_times(reference, self.dt), self._omega
        fine = self._fine(times, reference)

        def pressure(t: FloatArray, height: FloatArray) -> FloatArray:
            return reference.at(t) + trapezoid(reference, self.shifted, EDGE, t)[:, None] * height

        def shot(height: FloatArray) -> Shot:
            return self._integrated(fine, lambda t: pressure(t, height), begin, end)

        height, (xi, eta) = self._hit(shot, begin.position + begin.velocity / w, reference)
        at = np.searchsorted(fine, times)
        x, v, p = (xi[at] + eta[at]) / 2, w * (xi[at] - eta[at]) / 2, pressure(times, height)
        return Pattern(times, x, v, w**2 * (x - p) + self._legs_push(times, p), p, w)

    @property
    def _omega(self) -> float:
        return self.pendulum.omega if self.masses is None else self.masses.omega

    def _fine(self, times: FloatArray, reference: PressurePath) -> FloatArray:
        """Times of the integration: samples, all corners of the pressure, and as many between as it needs."""
        first, last = changed_span(reference, self.shifted)
        edge = EDGE * (last - first)
        corners = np.unique([*times, *np.asarray(reference.times), first, first + edge, last - edge, last])
        parts = np.ceil(self._omega * np.diff(corners) / COARSEST).astype(int)
        pieces = [
            np.linspace(a, b, n, endpoint=False) for a, b, n in zip(corners[:-1], corners[1:], parts, strict=True)
        ]
        return np.concatenate([*pieces, corners[-1:]])

    def _hit(
        self, shot: Callable[[FloatArray], Shot], wanted: FloatArray, reference: PressurePath
    ) -> tuple[FloatArray, Shot]:
        """Heights with which the divergent component starts as wanted, and the shot with them."""
        height, step, last_miss, slope = np.zeros(2), np.zeros(2), np.zeros(2), np.ones(2)
        for _ in range(SHOTS):
            found = shot(height)
            miss = found[0][0] - wanted
            if (np.abs(miss) <= self.tolerance + ROUNDING * (np.abs(wanted) + np.abs(found[0][0]))).all():
                return height, found
            slope = np.divide(miss - last_miss, step, out=slope, where=step != 0.0)
            if not (np.isfinite(miss).all() and slope.all()):
                break
            step, last_miss = -miss / slope, miss
            height = height + step
        first, last = changed_span(reference, self.shifted)
        raise PlanningError(
            f"pressure that is shifted between {first:.3g} and {last:.3g} s does not lead from the start to the end: "
            f"shooting missed the divergent component at the start by {np.abs(miss).max():.3g} m"
        )

    def _legs_push(self, t: FloatArray, p: FloatArray) -> FloatArray:
        """What legs add to the acceleration, shape (n, 2)."""
        if self.masses is None or self.legs is None:
            return np.zeros_like(p)
        return self.masses.leg_push(p, *self.legs(t))

    def _integrated(
        self, times: FloatArray, pressure: Callable[[FloatArray], FloatArray], start: MassState, end: FloatArray
    ) -> Shot:
        """Order 4, with everything that does not depend on the state evaluated for all stages at once."""
        w, h = self._omega, np.diff(times)
        # Just inside of each step, so that a jump of the pressure belongs to one side.
        inside = 1e-9 * h
        stages = np.stack([times[:-1] + inside, times[:-1] + h / 2, times[1:] - inside])
        p = pressure(stages.ravel())
        push = ((-(w**2) * p + self._legs_push(stages.ravel(), p)) / w).reshape(*stages.shape, 2)
        # xi' = w xi + u / w backwards and eta' = -w eta - u / w forwards: z = -w h of both.
        z = -w * h
        fades = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)))
        before, after = _added(z, -h, push[::-1]), _added(z, h, -push)
        xi, eta = np.empty((len(times), 2)), np.empty((len(times), 2))
        xi[-1], eta[0] = end, start.position - start.velocity / w
        for k in range(len(h)):
            eta[k + 1] = fades[k] * eta[k] + after[k]
        for k in range(len(h) - 1, -1, -1):
            xi[k] = fades[k] * xi[k + 1] + before[k]
        return xi, eta


def _added(z: FloatArray, h: FloatArray, f: FloatArray) -> FloatArray:
    """What Runge-Kutta steps of y' = (z / h) y + f lead to from y = 0 on, shape (n, 2); f has shape (3, n, 2)."""
    z, h = z[:, None], h[:, None]
    k1 = f[0]
    k2 = z / 2 * k1 + f[1]
    k3 = z / 2 * k2 + f[1]
    k4 = z * k3 + f[2]
    return np.asarray(h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
