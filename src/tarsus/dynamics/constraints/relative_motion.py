"""Motion of one frame seen from another, and the scalar functions of it that constraints are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.dynamics.constraints.state_kinematics import FrameMotion, cross, spread, times, transposed
from tarsus.spatial.pose import FloatArray
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A function of the relative pose with its derivatives along the motion.

    d/dt value = gradient . (u, w), and the second derivative is gradient . (du, dw) + curvature.

    Attributes
    ----------
    value, curvature : ndarray, shape (...)
    gradient : ndarray, shape (..., 6)
        On the relative twist (u, w) in axes of A.
    holonomic : bool
        False where only the rate means something; `value` is zero then.
    """

    value: FloatArray
    gradient: FloatArray
    curvature: FloatArray
    holonomic: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class RelativeMotion:
    """Frame B seen from frame A, in axes of A.

    Attributes
    ----------
    p, R : ndarray, shapes (..., 3), (..., 3, 3)
        p_AB and R_AB.
    u, w : ndarray, shape (..., 3)
        du/dt of p, and the angular velocity of B in A: dR/dt = w x R.
    du, dw : ndarray, shape (..., 3)
        Their time derivatives for vdot = 0.
    J : ndarray, shape (..., 6, nv)
        Of (u, w).
    """

    p: FloatArray
    R: FloatArray
    u: FloatArray
    w: FloatArray
    du: FloatArray
    dw: FloatArray
    J: FloatArray

    @property
    def twist(self) -> FloatArray:
        """(u, w), shape (..., 6)."""
        return np.concatenate([self.u, self.w], axis=-1)

    @property
    def bias(self) -> FloatArray:
        """(du, dw), shape (..., 6)."""
        return np.concatenate([self.du, self.dw], axis=-1)

    def coordinate(self, e: FloatArray) -> Scalar:
        """Component e . p of the position along a direction of A."""
        gradient = np.concatenate([e, np.zeros(3)])
        value = self.p @ e
        return Scalar(value, np.broadcast_to(gradient, (*value.shape, 6)), np.zeros(value.shape))

    def cosine(self, a: FloatArray, b: FloatArray) -> Scalar:
        """Scalar product a . R b of a direction of A and one of B."""
        Rb = self.R @ b
        gradient = np.concatenate([np.zeros(Rb.shape), cross(Rb, a)], axis=-1)
        return Scalar(Rb @ a, gradient, cross(self.w, cross(self.w, Rb)) @ a)

    def rate(self, x: Scalar) -> FloatArray:
        """Rate of a scalar, shape (...)."""
        result: FloatArray = np.einsum("...i,...i->...", x.gradient, self.twist)
        return result

    def tilt(self, n: FloatArray, t: FloatArray) -> Scalar:
        """Tilt of the axis R n towards t: 2 sin(angle / 2) in that direction, zero only where the axes agree in sense.

        x sqrt(2 / (1 + c)) with x = t . R n and c = n . R n. The plain x would vanish for opposite axes, too.
        """
        x, c = self.cosine(t, n), self.cosine(n, n)
        above = np.maximum(1.0 + c.value, 1e-12)
        s = np.sqrt(2.0 / above)
        ds, dds = -0.5 * s / above, 0.75 * s / above**2
        x_rate, c_rate = self.rate(x), self.rate(c)
        curvature = s * x.curvature + x.value * ds * c.curvature + 2.0 * ds * c_rate * x_rate
        gradient = s[..., None] * x.gradient + (x.value * ds)[..., None] * c.gradient
        value = np.where(c.value < -1.0 + 1e-12, 2.0, s * x.value)  # opposite axes are tilted in no direction
        return Scalar(value, gradient, curvature + x.value * dds * c_rate**2)

    def turn(self, n: FloatArray, t1: FloatArray, t2: FloatArray) -> Scalar:
        """Angle of the turn about n, in (-pi, pi]; (t1, t2, n) is right-handed."""
        s = _combined(self.cosine(t2, t1), self.cosine(t1, t2), -1.0)
        c = _combined(self.cosine(t1, t1), self.cosine(t2, t2), 1.0)
        r = s.value**2 + c.value**2
        gradient = (c.value[..., None] * s.gradient - s.value[..., None] * c.gradient) / r[..., None]
        r_rate = 2.0 * (s.value * self.rate(s) + c.value * self.rate(c))
        rate = np.einsum("...i,...i->...", gradient, self.twist)
        curvature = (c.value * s.curvature - s.value * c.curvature - rate * r_rate) / r
        return Scalar(np.arctan2(s.value, c.value), gradient, curvature)

    def orientation(self) -> list[Scalar]:
        """Three scalars 2 sin(angle / 2) axis of the rotation R, zero only where A and B have the same axes.

        Twice the vector part h of the unit quaternion (h0, h): d/dt 2h = h0 w + w x h, and the derivative of that
        contains -|w|^2 h / 2.
        """
        quaternion = quaternion_from_rotation_matrix(self.R)
        quaternion = np.where(quaternion[..., :1] < 0.0, -quaternion, quaternion)
        h0, h = quaternion[..., :1], quaternion[..., 1:]
        square = np.einsum("...i,...i->...", self.w, self.w)
        rows = []
        for k, e in enumerate(np.eye(3)):
            angular = h0 * e + cross(h, e)
            gradient = np.concatenate([np.zeros(h.shape), angular], axis=-1)
            rows.append(Scalar(2.0 * h[..., k], gradient, -0.5 * square * h[..., k]))
        return rows


def _combined(x: Scalar, y: Scalar, factor: float) -> Scalar:
    """Sum x + factor y."""
    gradient = x.gradient + factor * y.gradient
    return Scalar(x.value + factor * y.value, gradient, x.curvature + factor * y.curvature)


def relative_motion(A: FrameMotion, B: FrameMotion, batch: tuple[int, ...], nv: int) -> RelativeMotion:
    """Motion of B seen from A; neither needs to stand still, Buschmann 2014 (2.65)-(2.69) solved for it."""
    d, dv, w = B.p - A.p, B.v - A.v, B.w - A.w
    u = dv - cross(A.w, d)
    du = B.a - A.a - cross(A.dw, d) - cross(A.w, dv) - cross(A.w, u)
    dw = B.dw - A.dw - cross(A.w, w)
    J = np.zeros((*batch, 6, nv))
    if B.J_v is not None and B.J_w is not None:
        J[..., :3, :] += B.J_v
        J[..., 3:, :] += B.J_w
    if A.J_v is not None and A.J_w is not None:
        J[..., :3, :] -= A.J_v - transposed(cross(d[..., None, :], transposed(A.J_w)))
        J[..., 3:, :] -= A.J_w
    R_AW = transposed(A.R)
    J[..., :3, :], J[..., 3:, :] = R_AW @ J[..., :3, :], R_AW @ J[..., 3:, :]
    shape = (*batch, 3)
    return RelativeMotion(
        p=spread(times(R_AW, d), shape),
        R=spread(R_AW @ B.R, (*batch, 3, 3)),
        u=spread(times(R_AW, u), shape),
        w=spread(times(R_AW, w), shape),
        du=spread(times(R_AW, du), shape),
        dw=spread(times(R_AW, dw), shape),
        J=J,
    )
