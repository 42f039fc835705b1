"""Predictive inverse kinematics written down as in Buschmann 2014, 5.6 and A.5, with matrices and without shortcuts.

For tasks that are positions or poses of one frame, robots whose coordinates are plain numbers, and no dependent joints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.collision import CollisionModel


def potential(kind: str, gain: float, d_a: float, t: float, d: float) -> tuple[float, float]:
    """H and H' of (5.50), (5.51), (5.58), (5.59), with signs such that it repels."""
    if d >= d_a:
        return 0.0, 0.0
    if kind == "quadratic":
        return gain * (d - d_a) ** 2, 2 * gain * (d - d_a)
    if kind == "cubic":
        return -gain * (d - d_a) ** 3, -3 * gain * (d - d_a) ** 2
    s = -gain  # as printed, with s_0 < 0
    if d < t * d_a:
        H = -s * d**2 / (d_a * (t + 1)) + s * d - s * d_a * (t**2 + t + 1) / (3 * (t + 1))
        return H, -2 * s / (d_a * (t + 1)) * d + s
    return s * (d_a - d) ** 3 / (3 * d_a**2 * (t**2 - 1)), -s * (d_a - d) ** 2 / (d_a**2 * (t**2 - 1))


@dataclass
class SlowHorizon:
    """Costs and gradients of one horizon.

    `targets` are positions (K + 1, 3) of a frame in the world, of which `axes` are followed with `gain`.
    """

    model: ts.Model
    frame: str
    axes: tuple[int, ...]
    targets: FloatArray
    dt: float
    gain: float
    velocity: float = 1.0
    acceleration: float = 0.0
    limits: tuple[float, float] | None = None  # weight, share of the range
    collision: tuple[CollisionModel, str, float, float, float, float] | None = None  # scene, kind, weight, gain, d_a, t
    posture: tuple[float, FloatArray] | None = None  # weight, target

    def f(self, q: FloatArray, u: FloatArray, k: int) -> FloatArray:
        """(5.102), with feedback (5.5)."""
        J, w = self.jacobian(q), self.task_velocity(q, k)
        J_plus = np.linalg.pinv(J)
        result: FloatArray = J_plus @ w + (np.eye(self.model.nv) - J_plus @ J) @ u
        return result

    def jacobian(self, q: FloatArray) -> FloatArray:
        return ts.jacobian(self.model, q, self.frame)[list(self.axes)]

    def task_velocity(self, q: FloatArray, k: int) -> FloatArray:
        error = self.targets[k] - ts.frame_pose(self.model, q, self.frame)[:3, 3]
        rate = (self.targets[k + 1] - self.targets[k]) / self.dt
        result: FloatArray = (rate + self.gain * error)[list(self.axes)]
        return result

    def df_dq(self, q: FloatArray, u: FloatArray, k: int) -> FloatArray:
        """(A.53) with (A.59); "J_u" of (A.53) is J u. Column i is the derivative by q_i."""
        J, w = self.jacobian(q), self.task_velocity(q, k)
        dJ = ts.jacobian_derivative(self.model, q, self.frame)[list(self.axes)]  # (m, nv, nv), last axis q_i
        B = np.linalg.inv(J @ J.T)
        J_plus = J.T @ B
        columns = []
        for i in range(self.model.nv):
            D = dJ[:, :, i]
            D_plus = D.T @ B - J.T @ B @ (D @ J.T + J @ D.T) @ B
            columns.append(D_plus @ w - J_plus @ (self.gain * J[:, i]) - D_plus @ J @ u - J_plus @ D @ u)
        return np.stack(columns, axis=1)

    def phi(self, q: FloatArray) -> tuple[float, FloatArray]:
        """Costs of a configuration, and their gradient."""
        model, value, gradient = self.model, 0.0, np.zeros(self.model.nv)
        if self.limits is not None:
            weight, share = self.limits
            for i, (low, high, x) in enumerate(zip(model.q_min, model.q_max, q, strict=True)):
                width = share * (high - low)
                for end, inner in ((high, high - width), (low, low + width)):  # (A.58) and its integral
                    if (x > inner) if end == high else (x < inner):
                        value += weight * ((x - inner) / (end - inner)) ** 2
                        gradient[i] += weight * 2 * (x - inner) / (end - inner) ** 2
        if self.collision is not None:
            scene, kind, weight, gain, d_a, t = self.collision
            found = scene.distance_jacobian(q)
            for d, row in zip(found.distance, found.jacobian, strict=True):
                H, slope = potential(kind, gain, d_a, t, float(d))
                value += weight * H
                gradient = gradient + weight * slope * row
        if self.posture is not None:
            weight, target = self.posture
            value += weight * float(((q - target) ** 2).sum())
            gradient = gradient + 2 * weight * (q - target)
        return value, gradient

    def states(self, q0: FloatArray, inputs: FloatArray, u0: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        """q (K + 1, nv) and u (K, nv)."""
        q, us = [q0], []
        u = u0
        for k, own in enumerate(inputs):
            us.append(own if u is None else u)
            q.append(q[-1] + self.dt * self.f(q[-1], us[-1], k))
            u = None if u is None else u + self.dt * own
        return np.array(q), np.array(us)

    def cost(self, q0: FloatArray, inputs: FloatArray, u0: FloatArray | None = None) -> float:
        q, u = self.states(q0, inputs, u0)
        total = 0.0
        for k in range(len(inputs)):
            v = self.f(q[k], u[k], k)
            total += self.dt * self.velocity * float(v @ v)
            if u0 is not None:
                total += self.dt * self.acceleration * float(inputs[k] @ inputs[k])
        for k, x in enumerate(q):
            total += (0.5 if k in (0, len(inputs)) else 1.0) * self.dt * self.phi(x)[0]
        return total

    def gradient(
        self, q0: FloatArray, inputs: FloatArray, u0: FloatArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """dH/du (A.55)-(A.57) or dH/d(du/dt) (A.63), shape (K, nv), and lambda (K + 1, nv)."""
        q, u = self.states(q0, inputs, u0)
        K, nv, dt = len(inputs), self.model.nv, self.dt
        g, adjoint, second = np.zeros((K, nv)), np.zeros((K + 1, nv)), np.zeros(nv)
        adjoint[K] = 0.5 * dt * self.phi(q[K])[1]
        for k in reversed(range(K)):
            J = self.jacobian(q[k])
            N = np.eye(nv) - np.linalg.pinv(J) @ J
            f, f_q = self.f(q[k], u[k], k), self.df_dq(q[k], u[k], k)
            by_u = 2 * self.velocity * N.T @ f + N.T @ adjoint[k + 1]
            half = 0.5 if k == 0 else 1.0
            rate = half * self.phi(q[k])[1] + 2 * self.velocity * f_q.T @ f + f_q.T @ adjoint[k + 1]
            adjoint[k] = adjoint[k + 1] + dt * rate
            g[k] = by_u if u0 is None else 2 * self.acceleration * inputs[k] + second
            second = second + dt * by_u
        return g, adjoint


def directional(function: Callable[[FloatArray], float], x: FloatArray, way: FloatArray, h: float) -> float:
    """Derivative along a way, by central differences of two widths."""
    near = (function(x + h * way) - function(x - h * way)) / (2 * h)
    far = (function(x + 2 * h * way) - function(x - 2 * h * way)) / (4 * h)
    return (4 * near - far) / 3


def as_floats(x: npt.ArrayLike) -> FloatArray:
    return np.asarray(x, dtype=float)
