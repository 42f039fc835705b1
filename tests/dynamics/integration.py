"""Integrating motions on the configuration manifold."""

from collections.abc import Callable

import numpy as np

import tarsus as ts
from tarsus.arrays import FloatArray

Acceleration = Callable[[FloatArray, FloatArray], FloatArray]


def free_acceleration(model: ts.Model) -> Acceleration:
    """Accelerations without any forces but gravity."""
    return lambda q, v: ts.forward_dynamics(model, q, v, np.zeros_like(v))


def bracket(model: ts.Model, x: FloatArray, y: FloatArray) -> FloatArray:
    """Lie bracket [x, y] of the joints' groups, by which velocities along exp(x) fail to commute; (..., nv)."""
    result = np.zeros_like(x)
    for joint in model.joints.values():
        a, b = x[..., joint.v_index], y[..., joint.v_index]
        if joint.kind == "spherical":
            result[..., joint.v_index] = np.cross(a, b)
        elif joint.kind == "free":
            linear = np.cross(a[..., 3:], b[..., :3]) - np.cross(b[..., 3:], a[..., :3])
            result[..., joint.v_index] = np.concatenate([linear, np.cross(a[..., 3:], b[..., 3:])], axis=-1)
        elif joint.kind == "planar":
            from tarsus.model.joint import planar_tangents

            t1, t2 = planar_tangents(joint.axis)
            sense = np.sign(np.cross(t1, t2) @ joint.axis)
            linear = a[..., 2:] * np.stack([-b[..., 1], b[..., 0]], -1) - b[..., 2:] * np.stack(
                [-a[..., 1], a[..., 0]], -1
            )
            result[..., joint.v_index] = np.concatenate([sense * linear, np.zeros_like(a[..., :1])], axis=-1)
    return result


def runge_kutta_step(
    model: ts.Model, q: FloatArray, v: FloatArray, dt: float, acceleration: Acceleration | None = None
) -> tuple[FloatArray, FloatArray]:
    """One step of order four on the manifold, for states (..., nq), (..., nv).

    The classical tableau of Kutta in the form of Munthe-Kaas (1998): increments x with q exp(x) obey
    dx/dt = v + [x, v] / 2 + [x, [x, v]] / 12 + ..., of which order four needs what is written here (the sign belongs to
    velocities in axes of the child).
    """
    f = acceleration or free_acceleration(model)

    def rates(x: FloatArray, u: FloatArray) -> tuple[FloatArray, FloatArray]:
        once = bracket(model, x, u)
        return u + 0.5 * once + bracket(model, x, once) / 12.0, f(model.integrate(q, x), u)

    zero = np.zeros_like(v)
    x1, a1 = rates(zero, v)
    x2, a2 = rates(0.5 * dt * x1, v + 0.5 * dt * a1)
    x3, a3 = rates(0.5 * dt * x2, v + 0.5 * dt * a2)
    x4, a4 = rates(dt * x3, v + dt * a3)
    increment = dt / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4)
    return model.integrate(q, increment), v + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
