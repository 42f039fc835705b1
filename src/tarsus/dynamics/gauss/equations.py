"""Equations of motion of one model in parameter coordinates, Bouyarmane and Kheddar 2012 (14)-(26).

The kinematic Jacobians over v and their derivatives are native; with v = G(x) xdot the Jacobians over the rates of
parameters are J G, and their derivatives (dJ/dt) G + J dG/dt. For the columns of the base this is (14), (16), (17);
(15) takes the derivative of R(p) instead, which is the same only for rates that keep the constraints.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics.gauss.coordinates import ParameterCoordinates
from tarsus.dynamics.jacobians import body_jacobians, jacobian_dot
from tarsus.dynamics.kinematics import body_poses
from tarsus.dynamics.sliding_armature import sliding_matrix
from tarsus.model.model import Model
from tarsus.spatial.cross_product import skew


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


@final
class PartMotion:
    """One model at parameters x and rates xdot: the quantities that the equations share, each computed once.

    Parameters
    ----------
    coordinates : ParameterCoordinates
    x, xdot : ndarray, shape (..., nx)
        `xdot` is needed for rates only.
    """

    def __init__(self, coordinates: ParameterCoordinates, x: FloatArray, xdot: FloatArray | None = None) -> None:
        self.coordinates = coordinates
        self.model = coordinates.model
        self.x = x
        self.xdot = np.zeros_like(x) if xdot is None else xdot

    @cached_property
    def q(self) -> FloatArray:
        """Configuration (..., nq) in the layout of the model."""
        return self.coordinates.configuration(self.x)

    @cached_property
    def G(self) -> FloatArray:
        """Map (..., nv, nx) from rates to velocities."""
        return self.coordinates.rate_map(self.x)

    @cached_property
    def G_dot(self) -> FloatArray:
        """Its time derivative."""
        return self.coordinates.rate_map_dot(self.x, self.xdot)

    @cached_property
    def v(self) -> FloatArray:
        """Velocity (..., nv)."""
        return np.asarray((self.G @ self.xdot[..., None])[..., 0])

    @cached_property
    def v_drift(self) -> FloatArray:
        """What vdot is at xddot = 0, (..., nv)."""
        return np.asarray((self.G_dot @ self.xdot[..., None])[..., 0])

    @cached_property
    def R(self) -> FloatArray:
        """Rotations R_WB of the bodies, (..., nb, 3, 3)."""
        return body_poses(self.model, self.q)[..., :3, :3]

    @cached_property
    def J_v(self) -> FloatArray:
        """Jacobians over v at the origins of the bodies, world axes; (..., nb, 6, nv)."""
        return body_jacobians(self.model, self.q)

    @cached_property
    def J(self) -> FloatArray:
        """The same over xdot, (..., nb, 6, nx)."""
        return _columns_times(self.J_v, self.G)

    @cached_property
    def J_dot(self) -> FloatArray:
        """Time derivative of `J`."""
        rates = np.stack([jacobian_dot(self.model, self.q, self.v, body) for body in self.model.bodies], axis=-3)
        return _columns_times(rates, self.G) + _columns_times(self.J_v, self.G_dot)

    @cached_property
    def omega(self) -> FloatArray:
        """Angular velocities of the bodies, world axes; (..., nb, 3)."""
        return np.asarray((self.J[..., 3:, :] @ self.xdot[..., None, :, None])[..., 0])

    @cached_property
    def at_com(self) -> BodyJacobians:
        """Jacobians at the centres of mass."""
        return self.jacobians(self.inertias.com)

    @cached_property
    def inertias(self) -> _Inertias:
        """Mass properties of the bodies."""
        return _Inertias.of(self.model)

    def jacobians(self, points: FloatArray) -> BodyJacobians:
        """J_t of points (nb, 3) of the bodies, in body axes, and J_r^local, (14), (16), (19)."""
        linear, angular = self.J[..., :3, :], self.J[..., 3:, :]
        return BodyJacobians(linear - skew(self._arms(points)) @ angular, np.swapaxes(self.R, -1, -2) @ angular)

    def jacobian_rates(self, points: FloatArray) -> BodyJacobians:
        """Time derivatives of `jacobians`."""
        arms, angular = self._arms(points), self.J[..., 3:, :]
        linear_dot, angular_dot = self.J_dot[..., :3, :], self.J_dot[..., 3:, :]
        return BodyJacobians(
            linear_dot - skew(arms) @ angular_dot - skew(np.cross(self.omega, arms)) @ angular,
            np.swapaxes(self.R, -1, -2) @ (angular_dot - skew(self.omega) @ angular),
        )

    def _arms(self, points: FloatArray) -> FloatArray:
        """Points relative to the origins of their bodies, world axes."""
        return np.asarray((self.R @ points[..., None])[..., 0])


def mass_matrix(motion: PartMotion) -> FloatArray:
    """M(x) (..., nx, nx) of (25), and the rotors: sum of m J_t(c)^T J_t(c) + J_r^T I J_r, G^T armature G."""
    J, inertias = motion.at_com, motion.inertias
    M = _sum(J.translational, inertias.mass * J.translational) + _sum(J.rotational, inertias.moments @ J.rotational)
    return M + np.swapaxes(motion.G, -1, -2) @ (armature(motion.model)[:, None] * motion.G)


def velocity_matrix(motion: PartMotion) -> FloatArray:
    """N(x, xdot) (..., nx, nx) of (26), and the rotors: G^T (armature dG/dt + C G) with C of `sliding_matrix`."""
    J, inertias = motion.at_com, motion.inertias
    J_dot = motion.jacobian_rates(inertias.com)
    spin = (inertias.moments @ (J.rotational @ motion.xdot[..., None, :, None]))[..., 0]  # I_k omega_k
    gyroscopic = inertias.moments @ J_dot.rotational - skew(spin) @ J.rotational
    N = _sum(J.translational, inertias.mass * J_dot.translational) + _sum(J.rotational, gyroscopic)
    rotors = armature(motion.model)[:, None] * motion.G_dot + sliding_matrix(motion.model, motion.v) @ motion.G
    return N + np.swapaxes(motion.G, -1, -2) @ rotors


def gravity_force(motion: PartMotion) -> FloatArray:
    """Sum of J_t(c)^T m g, (..., nx): M(x) (g, 0, 0) of (24) for a free base, and valid for any other."""
    weights = motion.inertias.mass[..., 0] * np.asarray(motion.model.gravity)
    return np.asarray((np.swapaxes(motion.at_com.translational, -1, -2) @ weights[..., None])[..., 0].sum(axis=-2))


def external_force(motion: PartMotion, external: FloatArray) -> FloatArray:
    """Sum of J^T of wrenches (..., nb, 6) on the bodies at their origins, world axes; (..., nx), (24)."""
    return np.asarray((np.swapaxes(motion.J, -1, -2) @ external[..., None])[..., 0].sum(axis=-2))


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


def _columns_times(J: FloatArray, G: FloatArray) -> FloatArray:
    """J G for all bodies, (..., nb, 6, nv) and (..., nv, nx)."""
    product = J.reshape(*J.shape[:-3], J.shape[-3] * 6, J.shape[-1]) @ G
    return np.asarray(product.reshape(*product.shape[:-2], J.shape[-3], 6, G.shape[-1]))


class _Inertias(NamedTuple):
    """Masses (nb, 1, 1), centres of mass (nb, 3) and moments about them (nb, 3, 3), body axes."""

    mass: FloatArray
    com: FloatArray
    moments: FloatArray

    @classmethod
    def of(cls, model: Model) -> _Inertias:
        inertias = [body.inertia for body in model.bodies.values()]
        return cls(
            np.array([i.mass for i in inertias]).reshape(-1, 1, 1),
            np.array([i.com for i in inertias]),
            np.array([i.moments for i in inertias]),
        )
