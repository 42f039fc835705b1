"""What the ground must do to a robot that moves as planned, and what its joints must do then."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics import body_poses, frame_pose, inverse_dynamics, jacobian, passive_force
from tarsus.model import Model
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.foot_paths import FootPaths

ROLLED = 0.05
"""Angle of a heel beyond which a foot carries on its front edge [rad]."""


class GroundWrench(NamedTuple):
    """Of the ground on the robot at n moments, and the torques without it.

    Attributes
    ----------
    force, moment : ndarray, shape (n, 3)
        In world axes [N], about the origin of the base [N m].
    origin : ndarray, shape (n, 3)
        Of the base [m].
    tau : ndarray, shape (n, nv)
        Inverse dynamics, dampers and springs of the joints included: what base and joints would need if nothing touched
        the ground.
    """

    force: FloatArray
    moment: FloatArray
    origin: FloatArray
    tau: FloatArray

    @property
    def pressure(self) -> FloatArray:
        """Zero-moment point at height 0, shape (n, 2) [m]."""
        about = self.moment + np.cross(self.origin, self.force)
        return np.stack([-about[:, 1], about[:, 0]], axis=-1) / self.force[:, 2:]


def ground_wrench(biped: Biped, q: FloatArray, v: FloatArray, vdot: FloatArray) -> GroundWrench:
    """Wrench of the ground along a motion, shapes (n, nq), (n, nv), (n, nv)."""
    tau = inverse_dynamics(biped.model, q, v, vdot)
    tau[:, 6:] -= _smooth_passive_force(biped.model, q, v)[:, 6:]
    X = body_poses(biped.model, q)[:, 0]
    force = np.einsum("nij,nj->ni", X[:, :3, :3], tau[:, :3])
    moment = np.einsum("nij,nj->ni", X[:, :3, :3], tau[:, 3:6])
    return GroundWrench(force, moment, X[:, :3, 3], tau)


def _smooth_passive_force(model: Model, q: FloatArray, v: FloatArray) -> FloatArray:
    """Of dampers, springs and what carries weights, shape (n, nv).

    Coulomb friction, which jumps where a joint turns back, is left to the position loops.
    """
    friction = np.zeros(model.nv)
    for joint in model.joints.values():
        friction[joint.v_index] = joint.friction
    return np.asarray(passive_force(model, q, v) + friction * np.sign(v))


def feed_forward(biped: Biped, wrench: GroundWrench, q: FloatArray, feet: FootPaths) -> FloatArray:
    """Torques of the joints that move the robot as planned, shape (n, nv), zero for the base.

    Forces are shared by the load of the feet, and so is the moment that they leave over. A foot whose heel has risen
    carries on its front edge, and takes no moment.
    """
    tau = np.array(wrench.tau)
    left_over = np.array(wrench.moment)
    forces = [feet.load[:, k, None] * wrench.force for k in (0, 1)]
    soles = [frame_pose(biped.model, q, leg.sole) for leg in biped.legs]
    rolled = np.clip(feet.pitch / ROLLED, 0.0, 1.0)
    arms = [rolled[:, k, None] * biped.legs[k].half[0] * X[:, :3, 0] for k, X in enumerate(soles)]
    for k in (0, 1):
        left_over -= np.cross(soles[k][:, :3, 3] + arms[k] - wrench.origin, forces[k])
    flat = feet.load * (1.0 - rolled)
    share = flat / np.maximum(flat.sum(axis=1, keepdims=True), 1e-9)
    for k, leg in enumerate(biped.legs):
        moment = share[:, k, None] * left_over + np.cross(arms[k], forces[k])
        on_sole = np.concatenate([forces[k], moment], axis=-1)
        tau -= np.einsum("nij,ni->nj", jacobian(biped.model, q, leg.sole), on_sole)
    tau[:, :6] = 0.0
    return tau
