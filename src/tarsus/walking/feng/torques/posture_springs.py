"""Springs that bring the swinging leg back to a posture: what the four torques of the paper do not do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.walking.feng.finite_numbers import check_numbers

_KNEE, _TOE, _TRUNK = 5, 7, 8
"""Joints 6, 8 and 9."""


@dataclass(frozen=True)
class PostureSprings:
    """-k (q - q0) at knee and toes of the swinging leg, and -k q between waist and trunk.

    A deviation from Feng et al. 2015, whose four torques leave these joints to gravity and their friction of 10 N m
    s/rad: a toe of 0.2 kg bent by the heel-off takes more than a minute to fall back, so that no foot would ever be
    flat again, and the waist, whose joints 4, 5 and 9 share one axis, turns by what the thigh's torque leaves over.
    Arrays of a shape (...) are those of as many robots.

    Attributes
    ----------
    knee, toe, trunk : float or ndarray, shape (...)
        Stiffness k [N m/rad].
    knee_rest, toe_rest : float or ndarray, shape (...)
        Angle q0 [rad]; positive bends the knee and lowers the toes.
    """

    knee: float | FloatArray
    toe: float | FloatArray
    trunk: float | FloatArray
    knee_rest: float | FloatArray
    toe_rest: float | FloatArray

    def __post_init__(self) -> None:
        check_numbers(self, ("knee", "toe", "trunk"), 0.0)
        check_numbers(self, ("knee_rest", "toe_rest"))

    def torque(self, q: FloatArray) -> FloatArray:
        """Torques [N m], shape (..., 18), of configurations q, shape (..., 18)."""
        tau = np.zeros(np.shape(q))
        tau[..., _KNEE] = -self.knee * (q[..., _KNEE] - self.knee_rest)
        tau[..., _TOE] = -self.toe * (q[..., _TOE] - self.toe_rest)
        tau[..., _TRUNK] = -self.trunk * q[..., _TRUNK]
        return tau
