"""Where supports are, as seen from the inertial unit: what joint positions tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from tarsus import _native
from tarsus.arrays import BoolArray, FloatArray, read_only_copy
from tarsus.control.estimation.single_rotation import cross_matrices
from tarsus.control.estimation.support import Support
from tarsus.dynamics import frame_poses, frame_velocity, jacobian

if TYPE_CHECKING:
    from tarsus.model import Model

_NOTHING = 1e-9
"""Entries of a Jacobian below this are rounding [1 or m]."""


@final
class SupportKinematics:
    """Poses and Jacobians of supports relative to the unit I, for joint positions with the base B at the origin.

    Parameters
    ----------
    model : Model
        With a free base.
    imu : str
        Frame of the unit.
    supports : sequence of Support

    Attributes
    ----------
    X_BI : ndarray, shape (4, 4)
    p_IC, R_IC : ndarray, shape (n, 3), (n, 3, 3)
    J : ndarray, shape (n, 6, joints)
        Velocity and angular velocity of the supports relative to I, in axes of B, for joint rates.
    depends : ndarray of bool, shape (n, joints)
        Joints between I and each support.
    """

    def __init__(self, model: Model, imu: str, supports: tuple[Support, ...]) -> None:
        self._model, self._imu = model, imu
        self._names = (imu, *(support.frame for support in supports))
        self._q, self._v = np.array(model.neutral()), np.zeros(model.nv)
        self._lead, self._n = model.joints["base"].q_index.stop, len(supports)
        self._buffer = np.zeros((len(supports), 6, model.nv))
        self.p_IC, self.R_IC = np.zeros((len(supports), 3)), np.zeros((len(supports), 3, 3))
        self._unit, self._still = np.zeros((6, model.nv)), read_only_copy(np.zeros(6))
        self.fixed = model.frames[imu].body == next(iter(model.bodies))
        self.update(self._q[self._lead :])
        self.depends: BoolArray = np.zeros((len(supports), model.nv - 6), dtype=bool)
        rng = np.random.default_rng(0)
        for _ in range(2):  # a joint that moves a support does so in almost every posture
            self.update(np.asarray(model.random(rng))[self._lead :])
            self.depends |= np.abs(self.J).max(axis=1, initial=0.0) > _NOTHING

    def update(self, joints: FloatArray) -> None:
        """Poses and Jacobians at joint positions, shape (nq - base,)."""
        q = self._q
        q[self._lead :] = joints
        X = frame_poses(self._model, q, self._names)
        for k in range(self._n):
            jacobian(self._model, q, self._names[k + 1], out=self._buffer[k])
        X_BI = self.X_BI = X[0]
        J = self._buffer[:, :, 6:]
        if not self.fixed:
            unit = jacobian(self._model, q, self._imu, out=self._unit)[:, 6:]
            J = J - unit
            J[:, :3] += cross_matrices(X[1:, :3, 3] - X_BI[:3, 3]) @ unit[3:]  # the arm turns with I
        _native.relative_poses(X, self.p_IC, self.R_IC)
        self.J = J

    def unit_motion(self, rates: FloatArray) -> FloatArray:
        """Twist of I as seen from B for joint rates, (v; w) at I in axes of B, shape (6,)."""
        if self.fixed:
            return self._still
        self._v[6:] = rates
        return np.asarray(frame_velocity(self._model, self._q, self._v, self._imu))
