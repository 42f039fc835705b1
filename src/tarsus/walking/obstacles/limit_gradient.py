"""Gradient of the potential of joint limits of one robot, cycle by cycle."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.objectives.limited_coordinates import limited_coordinates
from tarsus.model import Model

BAND = 0.1
"""Share of the range of a joint before each limit in which it is felt."""


class LimitGradient:
    """The gradient (A.58) of `tarsus.ik.objectives.ScaledJointLimits`, with everything that does not change looked up.

    Parameters
    ----------
    model : Model
    weight : float
        [1/s].
    """

    def __init__(self, model: Model, weight: float) -> None:
        limited = limited_coordinates(model)
        ranged = np.isfinite(limited.upper - limited.lower) & (limited.upper > limited.lower)
        self._q, self._v = limited.q_index[ranged], limited.v_index[ranged]
        self._width = BAND * (limited.upper - limited.lower)[ranged]
        self._low, self._high = limited.lower[ranged] + self._width, limited.upper[ranged] - self._width
        self._scale = 2.0 * weight / self._width**2
        self._nv = model.nv

    def at(self, q: FloatArray) -> FloatArray:
        """DH/dq at a configuration (nq,), shape (nv,)."""
        x = q[self._q]
        found = np.zeros(self._nv)
        found[self._v] = self._scale * (np.maximum(x - self._high, 0.0) - np.maximum(self._low - x, 0.0))
        return found
