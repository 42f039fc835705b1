"""A linear inverted pendulum on soles that walks, is pushed, and steps by a rule such as `StepAdaptation`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.planning.step_timing import StepTiming
from tarsus.walking.stabilizer.catching.catching_steps import RULES, Adapting, adapting
from tarsus.walking.stabilizer.catching.reach import Reach
from tarsus.walking.stabilizer.catching.step_adaptation import LATEST, ComingStep, PlannedNow
from tarsus.walking.stabilizer.pressure_feedback import GAIN, WITHIN

DT = 0.005
STEPS = 12
"""After the push."""
BACK = 0.02
"""Of the divergent component from the walk at the end [m]."""


@dataclass(frozen=True)
class PushedPendulum:
    """Walks with steps of a length, time and width; feet take over at once, and go evenly where they are told."""

    height: float
    half: np.ndarray
    width: float
    length: float
    step_time: float
    reach: Reach

    def recovers(self, angle: float, speed: float, *, adapt: Adapting) -> bool:
        """From a change of velocity [m/s] towards an angle [rad], after a tenth of a step of the right foot."""
        pendulum = LinearInvertedPendulum(self.height)
        w, T = pendulum.omega, self.step_time
        timing = StepTiming(pendulum, T, T, -np.ones(2), np.ones(2))
        name = adapting(adapt)
        rule = None if name is None else RULES[name](w, (self.half, self.half), self.reach)
        stance, left, pushed = np.zeros(2), False, False
        wanted = timing.periodic([self.length, 0.0], T, self.width, left)
        foot = np.array([-1.0, 1.0]) * wanted.foothold
        xi = (wanted.foothold + wanted.offset) * math.exp(-w * T)
        com = first = _begins(xi, wanted.foothold, w, T)
        error = np.zeros(2)
        for _ in range(STEPS):
            wanted = timing.periodic([self.length, 0.0], T, self.width, left)
            landing, clock, shift, together = stance + wanted.foothold, 0.0, np.zeros(2), False
            side = np.array([1.0, -1.0 if left else 1.0])
            while clock < T - 1e-9:
                if not pushed and clock >= 0.1 * T:
                    xi, pushed = xi + speed / w * np.array([math.cos(angle), math.sin(angle)]), True
                rate = 1.0
                if rule is not None and clock < LATEST * T:
                    planned = (landing + wanted.offset - stance) * math.exp(-w * (T - clock))
                    speed_then = w * ((landing + wanted.offset - stance) * math.exp(-w * T) - side * first)
                    at = pendulum.moved(MassState(side * first, speed_then), clock, 0.0).position
                    now = PlannedNow(stance + at, stance + planned, stance)
                    step = ComingStep(
                        1 - left, foot, landing, stance, 0.0, landing + wanted.offset, 1.0, T - clock, T, com, now,
                        together,
                    )  # fmt: skip
                    shift, rate, together = rule.adapt(xi, step)
                dt = min(DT, (T - clock) / rate)
                foot = foot + rate * dt / (T - clock) * (landing + shift - foot)
                reference = (landing + shift + wanted.offset - stance) * math.exp(-w * (T - clock) / rate)
                error = xi - stance - reference
                p = stance + np.clip(GAIN * error, -WITHIN * self.half, WITHIN * self.half)
                com = pendulum.moved(MassState(com, w * (xi - com)), dt, p).position
                xi = p + (xi - p) * math.exp(w * dt)
                clock += rate * dt
                if np.abs(xi - stance).max() > 10.0 * self.height:
                    return False
            foot, stance, left = stance, landing + shift, not left
        return bool(np.linalg.norm(error) < BACK)

    def limit(self, angle: float, *, adapt: Adapting) -> float:
        """Largest change of velocity that it recovers from, by halving [m/s]."""
        low, high = 0.0, 4.0
        while high - low > 0.02:
            middle = (low + high) / 2
            low, high = (middle, high) if self.recovers(angle, middle, adapt=adapt) else (low, middle)
        return low


def _begins(xi: np.ndarray, foothold: np.ndarray, w: float, T: float) -> np.ndarray:
    """Where the mass of the periodic walk is when a step of the right foot begins, from the foot that stands [m].

    The convergent component falls by e^(-w T) in a step, and is then, from the next foot, what it was before, mirrored.
    """
    mirror = np.array([1.0, -1.0])
    eta = -foothold / (mirror - math.exp(-w * T))
    return np.asarray((xi + eta) / 2)
