"""Linear model predictive control with the feet as bounds of the pressure (Wieber 2006; Diedam et al. 2008)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, PlanningError
from tarsus.optimization import QP
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum
from tarsus.walking.planning.pattern import Pattern
from tarsus.walking.planning.planner import Planner, Start, start_state
from tarsus.walking.planning.pressure_path import PressurePath


class Prediction(NamedTuple):
    """Pressures and velocities ahead, from the state (x, x', x'') and jerks: P s + U u.

    Attributes
    ----------
    pressure, velocity, divergent : tuple of ndarray
        (N, 3) and (N, N).
    """

    pressure: tuple[FloatArray, FloatArray]
    velocity: tuple[FloatArray, FloatArray]
    divergent: tuple[FloatArray, FloatArray]


def prediction(pendulum: LinearInvertedPendulum, step: float, count: int) -> Prediction:
    """Of `count` steps with constant jerk each."""
    T, k = step, np.arange(1, count + 1)[:, None]
    ago = k - np.arange(1, count + 1)[None, :]  # steps since the jerk ended
    on = ago >= 0
    x_u = np.where(on, (1 + 3 * ago + 3 * ago**2) * T**3 / 6, 0.0)
    v_u = np.where(on, (1 + 2 * ago) * T**2 / 2, 0.0)
    a_u = np.where(on, T, 0.0)
    ones = np.ones_like(k, dtype=float)
    x_s = np.hstack([ones, k * T, (k * T) ** 2 / 2])
    v_s = np.hstack([0 * ones, ones, k * T])
    a_s = np.hstack([0 * ones, 0 * ones, ones])
    w = pendulum.omega
    return Prediction((x_s - a_s / w**2, x_u - a_u / w**2), (v_s, v_u), (x_s + v_s / w, x_u + v_u / w))


@dataclass(frozen=True)
class PredictiveControl(Planner):
    """Jerks that keep the pressure within the feet, planned `horizon` ahead again and again.

    At every `step` seconds, for each direction: minimise jerk_weight |u|^2 + velocity_weight |x'|^2 +
    pressure_weight |p - p_ref|^2 over the horizon, with the pressure within the bounds of the path, and the divergent
    component within them at the end of the horizon: from there the mass could be stopped. Without the latter a plan
    may follow its pressures and fall (Scianca et al. 2020). The first jerk is applied.

    Attributes
    ----------
    step : float
        Between plans, and of jerks that are constant [s]; `dt` is that of the samples of the pattern.
    horizon : float
        [s].
    jerk_weight, velocity_weight, pressure_weight : float
    """

    step: float = 0.1
    horizon: float = 1.6
    jerk_weight: float = 1e-6
    velocity_weight: float = 0.0
    pressure_weight: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._expect(("step", "horizon"), above=True)
        self._expect(("jerk_weight", "velocity_weight", "pressure_weight"), above=False)

    def plan(self, reference: PressurePath, start: Start = None, divergent_end: npt.ArrayLike | None = None) -> Pattern:
        """Motion above a path, whose last pressure and bounds go on for ever; see `Planner.plan`.

        Raises
        ------
        PlanningError
            Where the pressure cannot stay within its bounds without a fall, with the time.
        """
        if divergent_end is not None:
            raise ArgumentError("PredictiveControl ends above the last pressure; found divergent_end")
        begin = start_state(reference, start)
        count = max(1, math.ceil((reference.end - reference.start) / self.step - 1e-9))
        samples = max(1, round(self.step / self.dt))
        state = np.stack([begin.position, begin.velocity, np.zeros(2)])
        states = [state[None]]
        since = self.step * np.arange(1, samples + 1) / samples
        for k in range(count):
            jerk = self._jerk(reference, reference.start + k * self.step, state)
            inside = _moved(state, jerk, since)
            states.append(inside)
            state = inside[-1]
        found = np.concatenate(states)
        times = np.linspace(reference.start, reference.start + self.step * count, count * samples + 1)
        x, v, a = found[:, 0], found[:, 1], found[:, 2]
        return Pattern(times, x, v, a, self.pendulum.pressure(x, a), self.pendulum.omega)

    @cached_property
    def _ahead(self) -> Prediction:
        count = round(self.horizon / self.step)
        if count < 2:
            raise ArgumentError(f"horizon of PredictiveControl is {self.horizon!r}; expected two steps or more [s]")
        return prediction(self.pendulum, self.step, count)

    def _jerk(self, reference: PressurePath, now: float, state: FloatArray) -> FloatArray:
        (p_s, p_u), (v_s, v_u), (xi_s, xi_u) = self._ahead
        # Just before the end of each step, so that a jump belongs to the step behind it.
        times = now + self.step * np.arange(1, len(p_s) + 1) - 1e-9
        wanted, (lower, upper) = reference.at(times), reference.bounds(times)
        H = self.jerk_weight * np.eye(len(p_s)) + self.velocity_weight * v_u.T @ v_u
        H += self.pressure_weight * p_u.T @ p_u
        rows = np.vstack([p_u, xi_u[-1:]])
        jerk = np.empty(2)
        for axis in range(2):
            p0, v0 = p_s @ state[:, axis], v_s @ state[:, axis]
            g = self.velocity_weight * v_u.T @ v0 + self.pressure_weight * p_u.T @ (p0 - wanted[:, axis])
            known = np.append(p0, xi_s[-1] @ state[:, axis])
            low, high = (np.append(bound[:, axis], bound[-1, axis]) for bound in (lower, upper))
            solution = QP(H, g, rows, low - known, high - known).solve("native")
            if not solution.success:
                raise PlanningError(
                    f"the pressure cannot stay within its bounds without a fall along {'xy'[axis]} from {now:.3g} s "
                    f"on: {solution.reason}"
                )
            jerk[axis] = solution.x[0]
        return jerk


def _moved(state: FloatArray, jerk: FloatArray, t: FloatArray) -> FloatArray:
    """States (n, 3, 2) after times of a constant jerk."""
    t = t[:, None]
    x, v, a = state
    return np.stack([x + t * (v + t * (a / 2 + t * jerk / 6)), v + t * (a + t * jerk / 2), a + t * jerk], axis=1)
