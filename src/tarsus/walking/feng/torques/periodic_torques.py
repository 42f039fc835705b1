"""Periodic torques of thigh, trunk and arms, inputs (2) to (4) of Feng et al. 2015, section 6."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.walking.feng.finite_numbers import check_numbers

_JOINTS = 18
_THIGH, _ROLL, _RIGHT_SHOULDER, _LEFT_SHOULDER = 4, 10, 11, 14
"""Joints 5, 11, 12 and 15."""


@dataclass(frozen=True)
class PeriodicTorques:
    """A cos(2 pi (t - t2) / T) at joints 5, 11, 12 and 15, where t2 is the time of the last exchange of supports.

    Amplitudes and period are not in the paper. Signs are those that swing the leg forward (about -y) and that are
    mirrored with the supporting leg: roll is positive on the right one, and the arm of the supporting side swings
    forward with the other leg. Arrays of a shape (...) are those of as many robots.

    Attributes
    ----------
    thigh, roll, arms : float or ndarray, shape (...)
        Amplitudes at joints 5, 11, and 12 with 15 [N m].
    period : float or ndarray, shape (...)
        T [s].
    """

    thigh: float | FloatArray
    roll: float | FloatArray
    arms: float | FloatArray
    period: float | FloatArray

    def __post_init__(self) -> None:
        check_numbers(self, ("thigh", "roll", "arms"))
        check_numbers(self, ("period",), 0.0, above=True)

    def torque(self, elapsed: npt.ArrayLike, across: float = 1.0) -> FloatArray:
        """Torques [N m], shape (..., 18).

        Parameters
        ----------
        elapsed : array_like, shape (...)
            t - t2 [s].
        across : {1.0, -1.0}
            Direction along y from the supporting leg to the other one: 1 on the right leg, -1 on the left one.
        """
        wave = np.cos(2.0 * np.pi * np.asarray(elapsed, dtype=float) / self.period)
        tau = np.zeros((*np.shape(wave), _JOINTS))
        tau[..., _THIGH] = -self.thigh * wave
        tau[..., _ROLL] = across * self.roll * wave
        tau[..., _RIGHT_SHOULDER] = -across * self.arms * wave
        tau[..., _LEFT_SHOULDER] = across * self.arms * wave
        return tau
