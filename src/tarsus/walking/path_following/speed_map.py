"""From step to step: the speed s' at the start of a step on the path, and that at the start of the next."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, SimulationError
from tarsus.walking.path_following.path_law import PathLaw
from tarsus.walking.path_following.timing import ClockTiming

_ON_PATH = 1e-6
"""Share of the joint rates by which an impact may leave the direction of the path."""


class PeriodicStep(NamedTuple):
    """A step that ends as it began.

    Attributes
    ----------
    rate : float
        s' at its start [1/s].
    duration : float
        [s].
    multiplier : float
        d(s'^2 of the next step) / d(s'^2); steps approach this one where it is between -1 and 1.
    rate_along, acceleration_along : callable
        s'(s) [1/s] and s''(s) [1/s^2].
    """

    rate: float
    duration: float
    multiplier: float
    rate_along: Callable[[float], float]
    acceleration_along: Callable[[float], float]

    @property
    def clock(self) -> ClockTiming:
        """The same step in time."""
        return ClockTiming(self.rate, self.acceleration_along)


@dataclass(frozen=True, eq=False)
class SpeedMap:
    """P(s'): the Poincare map of a robot on its path, at the exchanges of legs.

    On the path s is the only freedom that is left, and z = s'^2 obeys dz/ds = 2 s''(s, z). Where the pressure is a
    function of s alone and no limit is met, s'' is affine in z, and so is the map of z over a step; the impact
    multiplies s' by a factor (Chevallereau et al. 2008). P is then a line in z: its slope, `multiplier`, tells whether
    steps approach the periodic speed, and how fast.

    It counts on landings that leave the foot flat; `walk_path` tells whether their impulses do.

    Attributes
    ----------
    law : PathLaw
    tolerance : float
        Of the integration (Dormand and Prince of order 8), relative.
    """

    law: PathLaw
    tolerance: float = 1e-10

    @cached_property
    def impact_factor(self) -> float:
        """Pace s' after an exchange of legs by that before."""
        biped, (first, last) = self.law.biped, (self.law.path.at(s) for s in (0.0, 1.0))
        if np.abs(np.roll(last.theta, biped.joints // 2) - first.theta).max() > _ON_PATH:
            raise ArgumentError("the path does not begin as it ends, legs exchanged")
        q = biped.placed(last.theta)
        after = biped.impact(q, biped.velocity(q, last.slope)).v[biped.exchanged][3:]
        factor = float(after @ first.slope / (first.slope @ first.slope))
        if factor <= 0.0:
            raise ArgumentError(f"the impact turns the path back: it multiplies s' by {factor:.4g}")
        beside = float(np.abs(after - factor * first.slope).max() / np.abs(after).max())
        if beside > _ON_PATH:
            raise ArgumentError(
                f"the impact turns the joint rates by a share of {beside:.1e} off the path's start; expected a path "
                "that starts in the direction that its own impact gives, such as that of falling_step"
            )
        return factor

    def __call__(self, rate: float) -> float:
        """Pace s' at the start of the next step [1/s]. A step that stalls raises `SimulationError`."""
        return self.impact_factor * math.sqrt(float(self._step(rate).y[0, -1]))

    def iterate(self, rate: float, steps: int) -> FloatArray:
        """Pace s' at the starts of steps, shape (steps + 1,) [1/s]."""
        rates = [rate]
        for _ in range(steps):
            rates.append(self(rates[-1]))
        return np.array(rates)

    def multiplier(self, rate: float, difference: float = 1e-3) -> float:
        """d(P^2) / d(s'^2), by central differences of a relative size."""
        z = rate**2 * np.array([1.0 - difference, 1.0 + difference])
        low, high = (self(math.sqrt(value)) ** 2 for value in z)
        return float((high - low) / (z[1] - z[0]))

    def periodic_step(self, guess: float, *, iterations: int = 20) -> PeriodicStep:
        """The step that ends as it began, by Newton's method on s'^2 from a guess of s' at its start [1/s]."""
        z = guess**2
        for _ in range(iterations):
            rate = math.sqrt(z)
            slope, change = self.multiplier(rate), self(rate) ** 2 - z
            if abs(change) < 10.0 * self.tolerance * z:
                return self._described(rate, slope)
            z += change / (1.0 - slope)
            if not (math.isfinite(z) and z > 0.0):
                raise SimulationError(
                    f"no step ends as it began: the next s'^2 is larger by {change:.3g}, with the slope {slope:.6g}"
                )
        raise SimulationError(f"no step that ends as it began was found in {iterations} iterations from {guess:g}/s")

    def _described(self, rate: float, slope: float) -> PeriodicStep:
        solved = self._step(rate)

        def rate_along(s: float) -> float:
            return math.sqrt(float(solved.sol(s)[0]))

        def acceleration_along(s: float) -> float:
            return self._acceleration(s, rate_along(s))

        return PeriodicStep(rate, float(solved.y[1, -1]), slope, rate_along, acceleration_along)

    def _acceleration(self, s: float, rate: float) -> float:
        """Change s'' of the pace on the path."""
        command = self.law.on_path(s, rate)
        if command.limit == "infeasible":
            raise SimulationError(f"at s = {s:.4g} with s' = {rate:.6g}/s no s'' keeps the foot flat on the ground")
        return command.path_acceleration

    def _step(self, rate: float) -> Any:
        """s'^2 and time as functions of s over one step, a result of `scipy.integrate.solve_ivp`."""
        from scipy.integrate import solve_ivp

        if not (math.isfinite(rate) and rate > 0.0):
            raise ArgumentError(f"rate is {rate!r}; expected a finite number above 0 [1/s]")
        least = 1e-6 * rate**2

        def change(s: float, y: FloatArray) -> list[float]:
            now = math.sqrt(max(float(y[0]), least))
            return [2.0 * self._acceleration(s, now), 1.0 / now]

        def stalled(s: float, y: FloatArray) -> float:
            return float(y[0]) - 2.0 * least

        stalled.terminal = True  # type: ignore[attr-defined]
        solved: Any = solve_ivp(change, (0.0, 1.0), [rate**2, 0.0], method="DOP853", rtol=self.tolerance,
                                atol=self.tolerance * rate**2, dense_output=True, events=stalled)  # fmt: skip
        if solved.status != 0:
            raise SimulationError(
                f"a step that starts with s' = {rate:.6g}/s stalls at s = {solved.t[-1]:.4g}: its speed does not carry "
                "the robot over its foot"
            )
        return solved
