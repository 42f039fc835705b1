"""Shooting: the pressure is shifted until the divergent component ends right, legs included (Takenaka 2004)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, PlanningError
from tarsus.walking.pendulum.linear_inverted_pendulum import MassState
from tarsus.walking.pendulum.three_mass_model import ThreeMassModel
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.planner import Planner, Start, end_component, pattern_times, start_state, trapezoid
from tarsus.walking.planning.pressure_path import PressurePath

LegMotion = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
"""Positions and accelerations of the masses of both legs at times (n,): shape (n, 2, 3) each [m], [m/s^2]."""


ROUNDING = 1e-14
"""Of places at the start [m]."""

Shot = tuple[FloatArray, FloatArray, FloatArray]
"""Position, velocity and pressure at the samples, shape (n, 2) each."""


@dataclass(frozen=True)
class Shooting(Planner):
    """Integrates forward and shoots again (Takenaka 2004, Takenaka et al. 2009).

    The pressure is the reference plus a trapezoid between `shifted`, one height a direction; the motion is integrated
    by a Runge-Kutta method of order 4, and the heights are changed by secants until the divergent component at the end
    is the wanted one. That needs no closed form: with `masses`, legs push the body.

    Attributes
    ----------
    masses : ThreeMassModel, optional
    legs : callable, optional
        Motion of its legs.
    shifted : tuple of float, optional
        Between which times the pressure may be shifted [s]; the first second by default. The trapezoid rises and
        falls in a fifth of that time each.
    tolerance : float
        Of the divergent component at the end, beside what rounding at the start grows to until then [m].
    """

    masses: ThreeMassModel | None = None
    legs: LegMotion | None = None
    shifted: tuple[float, float] | None = None
    tolerance: float = 1e-9

    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion above a path; see `Planner.plan`. With `masses` the pattern is that of the body's mass."""
        if (self.masses is None) != (self.legs is None):
            raise ArgumentError("masses and legs of Shooting belong together; found one of them")
        begin = start_state(reference, start)
        end = end_component(reference, divergent_end)
        times = pattern_times(reference, self.dt)

        def shot(height: FloatArray) -> Shot:
            return self._integrated(times, lambda t: reference.at(t) + self._shape(reference, t) * height, begin)

        x, v, pressure = self._hit(shot, end, times)
        rate = self._rates(times, pressure)
        return Pattern(times, x, v, self._omega**2 * (x - pressure) + rate, pressure, self._omega)

    @property
    def _omega(self) -> float:
        return self.pendulum.omega if self.masses is None else self.masses.omega

    def _hit(self, shot: Callable[[FloatArray], Shot], end: FloatArray, times: FloatArray) -> Shot:
        """Secants: two shots where the model is linear, some more where rounding grows."""
        grown = np.exp(self._omega * (times[-1] - times[0]))
        height, last_height, last_miss = np.zeros(2), None, np.zeros(2)
        for _ in range(20):
            x, v, pressure = shot(height)
            miss = x[-1] + v[-1] / self._omega - end
            if np.abs(miss).max() <= self.tolerance + ROUNDING * grown:
                return x, v, pressure
            if last_height is None:
                slope = np.full(2, -1.0)  # of the right sign; the second shot tells the true one
                step = -miss / slope / grown
            else:
                step = -miss * (height - last_height) / np.where(miss == last_miss, 1.0, miss - last_miss)
            last_height, last_miss, height = height, miss, height + step
        raise PlanningError(f"shooting missed the divergent component at the end by {np.abs(miss).max():.3g} m")

    def _shape(self, reference: PressurePath, t: FloatArray) -> FloatArray:
        return trapezoid(reference, self.shifted, 0.2, t)[:, None]

    def _rates(self, t: FloatArray, p: FloatArray) -> FloatArray:
        """What legs add to the acceleration, shape (n, 2)."""
        if self.masses is None or self.legs is None:
            return np.zeros_like(p)
        return self.masses.leg_push(p, *self.legs(t))

    def _integrated(
        self, times: FloatArray, pressure: Callable[[FloatArray], FloatArray], start: MassState
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Order 4, with everything that does not depend on the state evaluated for all stages at once."""
        h = times[1] - times[0]
        # Just inside of each step, so that a jump of the pressure belongs to one side.
        inside = 1e-9 * h
        stages = np.stack([times[:-1] + inside, times[:-1] + h / 2, times[1:] - inside], axis=1)
        p = pressure(stages.ravel())
        push = self._omega**2 * -p + self._rates(stages.ravel(), p)
        push = push.reshape(-1, 3, 2)
        w2 = self._omega**2
        x, v = np.empty((len(times), 2)), np.empty((len(times), 2))
        x[0], v[0] = start.position, start.velocity
        for k in range(len(times) - 1):
            u = push[k]
            a1 = w2 * x[k] + u[0]
            v2, a2 = v[k] + h / 2 * a1, w2 * (x[k] + h / 2 * v[k]) + u[1]
            v3, a3 = v[k] + h / 2 * a2, w2 * (x[k] + h / 2 * v2) + u[1]
            v4, a4 = v[k] + h * a3, w2 * (x[k] + h * v3) + u[2]
            x[k + 1] = x[k] + h / 6 * (v[k] + 2 * v2 + 2 * v3 + v4)
            v[k + 1] = v[k] + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return x, v, pressure(times)
