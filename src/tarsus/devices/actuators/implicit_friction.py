"""Dry friction on a mass whose linear motion within a step is known: Coulomb's law, solved for."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.devices.actuators.linear_step import LinearStep, along


def implicit_friction(step: LinearStep, y: FloatArray, level: FloatArray, rate: int, dry: int) -> FloatArray:
    """Friction torque (...), constant during a step, against the motion.

    The rate at the end of the step is w(f) = w(0) + g f with g < 0, since the step is linear. Coulomb's law at the end
    of the step, as in Moreau's time stepping: f stops the mass, w(f) = 0, where |f| <= level allows it, and has the
    magnitude `level` in the direction of w(f) otherwise. A mass that sticks stands still, whatever the step.

    Where the mass turns round within the step, that force would push along the way: it would give energy. Then f is
    taken with which the mass does not move on the whole, or, if there is none of the same sign, zero. So f times the
    way is never negative.

    Parameters
    ----------
    step : LinearStep
    y : ndarray, shape (..., m)
        At the beginning, without friction: y[dry] = 0.
    level : ndarray, shape (...)
        Greatest magnitude [N m], not negative.
    rate, dry : int
        Entries of y: rate of the mass, and friction torque.
    """
    at_end, over_step = step.end[..., rate, :], step.mean[..., rate, :]
    f = np.clip(-along(at_end, y) / at_end[..., dry], -level, level)
    way = along(over_step, y)
    pushes = f * (way + over_step[..., dry] * f) < 0.0
    without_way = -way / over_step[..., dry]
    torque: FloatArray = np.where(pushes, np.where(without_way * f > 0.0, without_way, 0.0), f)
    return torque
