"""Pressure paths of a few steps."""

import numpy as np

from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum
from tarsus.walking.planning.pressure_path import PressurePath
from tarsus.walking.steps.footsteps import StepLimits, footsteps
from tarsus.walking.steps.gait import Gait

PENDULUM = LinearInvertedPendulum(0.814)


def path(speed=0.4, steps=4, half_sole=(0.11, 0.05), settling=1.5, step_time=0.8):
    feet = footsteps([speed, 0.0, 0.0], step_time, steps, 0.18, StepLimits(0.5, 0.2, 0.3))
    return Gait(step_time, half_sole=half_sole, settling=settling).pressure_path(feet)


def stairs_of_pressure():
    """0 until 2 s, then 0.3 m further every 0.8 s, four times; 8 s in all."""
    times, points = [0.0], [0.0]
    for k in range(4):
        times += [2.0 + 0.8 * k] * 2
        points += [0.3 * k, 0.3 * (k + 1)]
    return PressurePath([*times, 8.0], np.stack([[*points, 1.2], np.zeros(10)], axis=-1))
