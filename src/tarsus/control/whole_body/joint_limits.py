"""Limits of joints that accelerations miss, by name: the law of `SecondOrderLimits` for all joints at once."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.acceleration.limits import SecondOrderLimits
from tarsus.ik.objectives.limited_coordinates import limited_coordinates
from tarsus.ik.velocity.joint_limits import rate_names
from tarsus.model import Model


class JointLimitNames:
    """Which limits of positions, velocities and accelerations a robot misses.

    Parameters
    ----------
    model : Model
    limits : SecondOrderLimits
        Distances do not count here.
    """

    def __init__(self, model: Model, limits: SecondOrderLimits) -> None:
        self._gain = limits.gain
        places, none = limited_coordinates(model), np.full(model.nv, np.inf)
        kept = np.full(len(places.q_index), limits.position)
        self._q, self._v = places.q_index[kept], places.v_index[kept]
        self._lower, self._upper = places.lower[kept], places.upper[kept]
        self._v_max = np.array(model.v_max) if limits.velocity else none
        self._a_max = limits.accelerations(model)
        names, joints = rate_names(model), [name for name, on in zip(places.names, kept, strict=True) if on]
        self._names = [
            *(f"lower limit of {name!r}" for name in joints),
            *(f"upper limit of {name!r}" for name in joints),
            *(f"velocity limit of {name!r}" for name in names),
            *(f"acceleration limit of {name!r}" for name in names),
        ]

    def missed(self, q: FloatArray, v: FloatArray, vdot: FloatArray, allowed: float) -> dict[str, float]:
        """Limits that are missed by more than is allowed, and by how much [rad/s^2, m/s^2].

        Parameters
        ----------
        q : ndarray, shape (nq,)
        v, vdot : ndarray, shape (nv,)
        allowed : float
        """
        k = self._gain
        braked = vdot[self._v] + 2 * k * v[self._v]
        beyond = np.concatenate(
            [
                -k * k * (q[self._q] - self._lower) - braked,
                braked - k * k * (self._upper - q[self._q]),
                np.abs(vdot + k * v) - k * self._v_max,
                np.abs(vdot) - self._a_max,
            ]
        )
        where = np.flatnonzero(beyond > allowed)
        return {self._names[i]: by for i, by in zip(where.tolist(), beyond[where].tolist(), strict=True)}
