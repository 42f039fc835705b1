"""Planar biped on one flat foot: whole states from joint angles, forces of the ground, impact of the other foot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.dynamics import frame_pose, inverse_dynamics, jacobian, jacobian_dot_v, mass_matrix
from tarsus.dynamics.constraints.constrained_dynamics import constrained_dynamics
from tarsus.dynamics.constraints.loop_joint import LoopJoint, weld
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.walking.path_following.flat_foot_limits import FlatFootLimits

_SAGITTAL = [0, 2, 4]
"""Rows of a 6-vector that lie in the sagittal plane: force x and z, moment about y."""
_ALIKE = 1e-9
"""Share of the mass matrix by which exchanged legs may differ: rounding."""


class GroundedMotion(NamedTuple):
    """What a motion on a flat foot takes.

    Attributes
    ----------
    wrench : ndarray, shape (..., 3)
        Of the ground on the foot that stands: force forward and up [N], moment about +y at the sole's frame [N m].
    tau : ndarray, shape (..., nv)
        Joint torques [N m]; those of the base are zero.
    """

    wrench: FloatArray
    tau: FloatArray


class DrivenMotion(NamedTuple):
    """What torques do to a robot on a flat foot.

    Attributes
    ----------
    vdot : ndarray, shape (nv,)
    wrench : ndarray, shape (3,)
        Of the ground, as in `GroundedMotion`.
    """

    vdot: FloatArray
    wrench: FloatArray


class Impact(NamedTuple):
    """Landing of the foot that swung.

    Attributes
    ----------
    v : ndarray, shape (nv,)
        Velocity after it; the foot that landed is at rest.
    impulse : ndarray, shape (3,)
        On that foot, as in `GroundedMotion.wrench` [N s], [N m s].
    """

    v: FloatArray
    impulse: FloatArray


@dataclass(frozen=True, eq=False)
class PlanarBiped:
    """A planar robot with two equal legs and flat feet, whose first leg stands at the origin of level ground.

    Coordinates are those of a planar base (x, z, pitch), then the joints of the first leg, then those of the second in
    the same order. With the foot at rest the joint angles theta are all there is to choose: q, v and vdot follow from
    theta, theta' and theta''.

    Attributes
    ----------
    model : Model
        Such as `tarsus.robots.shah7`.
    soles : tuple of 2 str
        Frames in the soles of first and second leg: x forward, z up, origin in the plane of the sole.
    heel, toe : str
        Frames at the ends of the first leg's sole.
    """

    model: Model
    soles: tuple[str, str] = ("r_sole", "l_sole")
    heel: str = "r_heel"
    toe: str = "r_toe"

    def __post_init__(self) -> None:
        model = self.model
        if model.base != "planar" or model.nq != model.nv or model.nv < 5 or model.nv % 2 == 0:
            raise ArgumentError(
                f"{model.name!r} has a {model.base} base and {model.nv} degrees of freedom; expected a planar base and "
                "two legs with the same number of one-axis joints"
            )
        q = model.neutral()
        q[3:] = np.linspace(0.2, 0.9, self.joints)
        M, swapped = (mass_matrix(model, at) for at in (q, q[self.exchanged]))
        if np.abs(M - swapped[np.ix_(self.exchanged, self.exchanged)]).max() > _ALIKE * np.abs(M).max():
            raise ArgumentError(f"the legs of {model.name!r} differ in their masses or in the order of their joints")
        if not self.sole[0] < 0.0 < self.sole[1]:
            raise ArgumentError(
                f"heel {self.heel!r} and toe {self.toe!r} are at x = {self.sole[0]:g} m and {self.sole[1]:g} m in the "
                f"frame {self.soles[0]!r}; expected the heel behind and the toe before it"
            )

    @property
    def joints(self) -> int:
        """Number of joints."""
        return self.model.nv - 3

    @cached_property
    def exchanged(self) -> npt.NDArray[np.int64]:
        """Indices of q and v with the second leg before the first."""
        half = self.joints // 2
        return np.asarray(np.r_[0:3, 3 + half : 3 + 2 * half, 3 : 3 + half])

    @cached_property
    def sole(self) -> tuple[float, float]:
        """Places of heel and toe along the sole, from its frame [m]."""
        q = self.model.neutral()
        X_SW = np.linalg.inv(frame_pose(self.model, q, self.soles[0]))
        heel, toe = (float((X_SW @ frame_pose(self.model, q, end))[0, 3]) for end in (self.heel, self.toe))
        return heel, toe

    @cached_property
    def weight(self) -> float:
        """[N]."""
        return float(self.model.total_mass * np.linalg.norm(self.model.gravity))

    def limits(self, friction: float = 0.7, least_force: float = 0.0) -> FlatFootLimits:
        """Limits of the whole sole, with a coefficient of friction and a least normal force [N]."""
        return FlatFootLimits(*self.sole, friction, least_force)

    def placed(self, theta: npt.ArrayLike) -> FloatArray:
        """Configuration q, shape (..., nv), of joint angles, shape (..., joints), with the first sole on the origin."""
        theta = np.asarray(theta, dtype=float)
        q = np.concatenate([np.zeros((*theta.shape[:-1], 3)), theta], axis=-1)
        X_BS = frame_pose(self.model, q, self.soles[0])
        pitch = -np.arctan2(X_BS[..., 0, 2], X_BS[..., 0, 0])
        x, z, c, s = X_BS[..., 0, 3], X_BS[..., 2, 3], np.cos(pitch), np.sin(pitch)
        q[..., :3] = np.stack([-c * x - s * z, s * x - c * z, pitch], axis=-1)
        return q

    def velocity(self, q: npt.ArrayLike, rates: npt.ArrayLike) -> FloatArray:
        """Velocity v, shape (..., nv), of joint rates, shape (..., joints), with the first foot at rest."""
        rates = np.asarray(rates, dtype=float)
        return self._completed(np.asarray(q, dtype=float), rates, np.zeros((*rates.shape[:-1], 3)))

    def acceleration(self, q: npt.ArrayLike, v: npt.ArrayLike, joint_acceleration: npt.ArrayLike) -> FloatArray:
        """Acceleration vdot, shape (..., nv), of that of the joints, with the first foot at rest."""
        q = np.asarray(q, dtype=float)
        bias = jacobian_dot_v(self.model, q, v, self.soles[0])[..., _SAGITTAL]
        return self._completed(q, np.asarray(joint_acceleration, dtype=float), -bias)

    def _completed(self, q: FloatArray, joints: FloatArray, foot: FloatArray) -> FloatArray:
        """Joints, shape (..., joints), with the part of the base for which J (base, joints) = foot."""
        J = self.foot_jacobian(q)
        base = np.linalg.solve(J[..., :3], (foot - (J[..., 3:] @ joints[..., None])[..., 0])[..., None])[..., 0]
        return np.concatenate([base, np.broadcast_to(joints, (*base.shape[:-1], self.joints))], axis=-1)

    def foot_jacobian(self, q: npt.ArrayLike, leg: int = 0) -> FloatArray:
        """Jacobian of forward and upward velocity and pitch rate of a sole's frame, shape (..., 3, nv)."""
        return np.asarray(jacobian(self.model, q, self.soles[leg])[..., _SAGITTAL, :])

    def grounded(self, q: npt.ArrayLike, v: npt.ArrayLike, vdot: npt.ArrayLike) -> GroundedMotion:
        """Ground wrench and joint torques that the motion takes: the base has no drive, J_0^T w = (M vdot + h)_0."""
        need = inverse_dynamics(self.model, q, v, vdot, passive=True)
        transposed = np.swapaxes(self.foot_jacobian(q), -1, -2)
        wrench = np.linalg.solve(transposed[..., :3, :], need[..., :3, None])
        tau = (need[..., None] - transposed @ wrench)[..., 0]
        tau[..., :3] = 0.0
        return GroundedMotion(np.asarray(wrench[..., 0], dtype=np.float64), tau)

    def driven(self, q: npt.ArrayLike, v: npt.ArrayLike, tau: npt.ArrayLike) -> DrivenMotion:
        """What torques do to one robot whose first foot is held by the ground: the reverse of `grounded`."""
        motion = constrained_dynamics(self.model, q, v, tau, [self._hold], redundant="accept", passive=True)
        wrench = np.linalg.solve(self.foot_jacobian(q)[:, :3].T, motion.joint_force[:3])
        return DrivenMotion(motion.vdot, np.asarray(wrench, dtype=np.float64))

    @cached_property
    def _hold(self) -> LoopJoint:
        """The first sole at rest on the origin; of its six conditions three are of the sagittal plane."""
        at = frame_pose(self.model, self.placed(np.zeros(self.joints)), self.soles[0])
        return weld("world", self.soles[0], at)

    def impact(self, q: npt.ArrayLike, v: npt.ArrayLike) -> Impact:
        """Rigid, plastic landing of the second foot, flat, while the first one leaves the ground unhindered.

        M (v+ - v) = J^T W, J v+ = 0 with the Jacobian J of the foot that lands.
        """
        v = np.asarray(v, dtype=float)
        J, M = self.foot_jacobian(q, 1), mass_matrix(self.model, q)
        answer = np.linalg.solve(M, J.T)
        impulse = np.linalg.solve(J @ answer, -J @ v)
        return Impact(v + answer @ impulse, impulse)
