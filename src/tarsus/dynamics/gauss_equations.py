"""Equations of motion of one model in parameter coordinates, Bouyarmane and Kheddar 2012 (14)-(26).

The kinematic Jacobians over v and their derivatives are native; with v = G(x) xdot the Jacobians over the rates of
parameters are J G, and their derivatives (dJ/dt) G + J dG/dt. For the columns of the base this is (14), (16), (17);
(15) takes the derivative of R(p) instead, which is the same only for rates that keep the constraints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.gauss_coordinates import ParameterCoordinates
from tarsus.dynamics.jacobians import body_jacobians, jacobian_dot
from tarsus.dynamics.kinematics import body_poses
from tarsus.model.model import Model
from tarsus.spatial.cross_product import skew
from tarsus.spatial.pose import FloatArray


class BodyJacobians(NamedTuple):
    """Jacobians of all bodies over the rates of parameters: J_t at one point of each body, J_r.

    Attributes
    ----------
    translational : ndarray, shape (..., nb, 3, nx)
        Velocity of the point in world axes.
    rotational : ndarray, shape (..., nb, 3, nx)
        Angular velocity in body axes.
    """

    translational: FloatArray
    rotational: FloatArray


def jacobians_at(coordinates: ParameterCoordinates, x: FloatArray, points: npt.ArrayLike) -> BodyJacobians:
    """J_t(p) and J_r^local of all bodies, (14), (16), (19).

    Parameters
    ----------
    coordinates : ParameterCoordinates
    x : ndarray, shape (..., nx)
    points : array_like, shape (nb, 3)
        One point of each body in body axes.
    """
    model, q = coordinates.model, coordinates.configuration(x)
    R = body_poses(model, q)[..., :3, :3]
    J = body_jacobians(model, q) @ coordinates.rate_map(x)[..., None, :, :]
    arm = (R @ np.asarray(points)[..., None])[..., 0]
    linear, angular = J[..., :3, :], J[..., 3:, :]
    return BodyJacobians(linear - skew(arm) @ angular, np.swapaxes(R, -1, -2) @ angular)


def jacobian_rates_at(
    coordinates: ParameterCoordinates, x: FloatArray, xdot: FloatArray, points: npt.ArrayLike
) -> BodyJacobians:
    """Time derivatives of `jacobians_at` along the rates xdot (..., nx)."""
    model, q = coordinates.model, coordinates.configuration(x)
    G, G_dot = coordinates.rate_map(x), coordinates.rate_map_dot(x, xdot)
    v = (G @ xdot[..., None])[..., 0]
    R = body_poses(model, q)[..., :3, :3]
    J = body_jacobians(model, q)
    J_dot = np.stack([jacobian_dot(model, q, v, body) for body in model.bodies], axis=-3)
    J, J_dot = J @ G[..., None, :, :], J_dot @ G[..., None, :, :] + J @ G_dot[..., None, :, :]
    omega = (J[..., 3:, :] @ xdot[..., None, :, None])[..., 0]
    arm = (R @ np.asarray(points)[..., None])[..., 0]
    linear = J_dot[..., :3, :] - skew(arm) @ J_dot[..., 3:, :] - skew(np.cross(omega, arm)) @ J[..., 3:, :]
    return BodyJacobians(linear, np.swapaxes(R, -1, -2) @ (J_dot[..., 3:, :] - skew(omega) @ J[..., 3:, :]))


def mass_matrix(coordinates: ParameterCoordinates, x: FloatArray) -> FloatArray:
    """M(x) (..., nx, nx) of (25), and the rotors: sum of m J_t(c)^T J_t(c) + J_r^T I J_r, G^T armature G."""
    bodies = _Bodies.of(coordinates.model)
    J = jacobians_at(coordinates, x, bodies.com)
    G = coordinates.rate_map(x)
    M = _sum(J.translational, bodies.mass * J.translational) + _sum(J.rotational, bodies.moments @ J.rotational)
    return M + np.swapaxes(G, -1, -2) @ (armature(coordinates.model)[:, None] * G)


def velocity_matrix(coordinates: ParameterCoordinates, x: FloatArray, xdot: FloatArray) -> FloatArray:
    """N(x, xdot) (..., nx, nx) of (26), and the rotors: G^T armature dG/dt."""
    bodies = _Bodies.of(coordinates.model)
    J, J_dot = jacobians_at(coordinates, x, bodies.com), jacobian_rates_at(coordinates, x, xdot, bodies.com)
    spin = (bodies.moments @ (J.rotational @ xdot[..., None, :, None]))[..., 0]  # I_k omega_k
    gyroscopic = bodies.moments @ J_dot.rotational - skew(spin) @ J.rotational
    N = _sum(J.translational, bodies.mass * J_dot.translational) + _sum(J.rotational, gyroscopic)
    G, G_dot = coordinates.rate_map(x), coordinates.rate_map_dot(x, xdot)
    return N + np.swapaxes(G, -1, -2) @ (armature(coordinates.model)[:, None] * G_dot)


def gravity_force(coordinates: ParameterCoordinates, x: FloatArray) -> FloatArray:
    """Sum of J_t(c)^T m g, (..., nx): M(x) (g, 0, 0) of (24) for a free base, and valid for any other."""
    bodies = _Bodies.of(coordinates.model)
    J = jacobians_at(coordinates, x, bodies.com).translational
    weights = bodies.mass[..., 0] * np.asarray(coordinates.model.gravity)
    return np.asarray((np.swapaxes(J, -1, -2) @ weights[..., None])[..., 0].sum(axis=-2))


def external_force(coordinates: ParameterCoordinates, x: FloatArray, external: FloatArray) -> FloatArray:
    """Sum of J^T of wrenches (..., nb, 6) on the bodies at their origins, world axes; (..., nx), (24)."""
    J = body_jacobians(coordinates.model, coordinates.configuration(x))
    force = (np.swapaxes(J, -1, -2) @ external[..., None]).sum(axis=-3)
    return np.asarray((np.swapaxes(coordinates.rate_map(x), -1, -2) @ force)[..., 0])


def armature(model: Model) -> FloatArray:
    """Rotor inertia seen at each entry of v; that of a dependent joint counts with the square of its ratio."""
    c, result = model.coordinates, np.zeros(model.nv)
    tree = np.concatenate([joint.armature for joint in model.joints.values()])
    np.add.at(result, c.leader_v, c.ratio_v**2 * tree)
    return result


def _sum(J: FloatArray, F: FloatArray) -> FloatArray:
    """Sum over the bodies of J^T F, for arrays (..., nb, 3, nx)."""
    rows = (*J.shape[:-3], J.shape[-3] * 3, J.shape[-1])
    return np.swapaxes(J.reshape(rows), -1, -2) @ F.reshape(rows)


class _Bodies(NamedTuple):
    """Masses (nb, 1, 1), centres of mass (nb, 3) and moments about them (nb, 3, 3), body axes."""

    mass: FloatArray
    com: FloatArray
    moments: FloatArray

    @classmethod
    def of(cls, model: Model) -> _Bodies:
        inertias = [body.inertia for body in model.bodies.values()]
        return cls(
            np.array([i.mass for i in inertias]).reshape(-1, 1, 1),
            np.array([i.com for i in inertias]),
            np.array([i.moments for i in inertias]),
        )
