"""Forces of the ground during a step: in all, at the supporting toe, and the zero-moment point against its hull."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.dynamics import center_of_mass, forward_dynamics, frame_poses, jacobian, momentum_dot_v, momentum_matrix
from tarsus.geometry.support_polygon import support_polygon
from tarsus.robots.feng18 import FOOT_WIDTH, TOE_JOINT, TOE_TIP
from tarsus.walking.feng.contacting_foot import FENG_CONTACTS, contact_places, support_model
from tarsus.walking.feng.walk_step import WalkStep

_CLOSED_HEIGHT = 1e-6
"""Points that are not higher touch the ground [m]; no foot floats so close above it."""


@dataclass(frozen=True, eq=False)
class GroundReaction:
    """What the ground does to the robot at the samples of a step; world axes, from the supporting toe joint.

    Attributes
    ----------
    wrench : ndarray, shape (N, 6)
        Force [N] and moment about the toe joint [N m] of all of the ground.
    toe_force : ndarray, shape (N, 3)
        Part of the force that link 0 takes [N]. Being fixed, it could also pull.
    zero_moment_point : ndarray, shape (N, 2)
        x and y [m].
    outside : ndarray of bool, shape (N,)
        Whether that is outside of the convex hull of what touches.
    outside_along : ndarray of bool, shape (N,)
        Whether it is so along x alone, in the plane in which the legs move.
    """

    wrench: FloatArray
    toe_force: FloatArray
    zero_moment_point: FloatArray
    outside: BoolArray
    outside_along: BoolArray


def ground_reaction(step: WalkStep) -> GroundReaction:
    """Reactions of the samples of a step.

    The rate of momentum about the centre of mass c, h' = A v' + A' v, is due to gravity and ground alone: F = m a - m
    g, M = c x F + h'_angular. The zero-moment point is (-M_y, M_x) / F_z (Vukobratovic and Borovac 2004). Legs that
    move in their planes cannot bring it from the middle of the body to the foot: link 0 is held by the ground against
    rolling, as the paper holds it, so that across the walk the point is outside whenever one foot stands alone.
    """
    model, run = support_model(step.support), step.run
    q, v, force = run.q, run.v, run.contact_force
    bodies = [contact.frame for contact in FENG_CONTACTS]
    tau = run.tau.copy()
    origins = frame_poses(model, q, bodies)[..., :3, 3]
    for k, body in enumerate(bodies):
        moment = np.cross(run.contact_position[:, k] - origins[:, k], force[:, k])
        wrench = np.concatenate([force[:, k], moment], axis=-1)
        tau += (np.swapaxes(jacobian(model, q, body), -1, -2) @ wrench[..., None])[..., 0]
    vdot = forward_dynamics(model, q, v, tau, passive=True)
    rate = (momentum_matrix(model, q) @ vdot[..., None])[..., 0] + momentum_dot_v(model, q, v)
    total = rate[:, :3] - model.total_mass * np.asarray(model.gravity)
    moment = np.cross(center_of_mass(model, q), total) + rate[:, 3:]
    point = np.stack([-moment[:, 1], moment[:, 0]], axis=-1) / total[:, 2:]
    outside, along = _outside(step, point)
    return GroundReaction(np.concatenate([total, moment], axis=-1), total - force.sum(axis=1), point, outside, along)


def _outside(step: WalkStep, point: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Whether points, shape (N, 2), are outside of the hull of the feet, and outside of its range along x."""
    contacts = contact_places(support_model(step.support), step.run.q)
    closed = contacts[..., 2] < _CLOSED_HEIGHT
    outside, along = np.zeros((2, len(point)), dtype=bool)
    for i, at in enumerate(point):
        places = [(0.0, 0.0), (TOE_TIP - TOE_JOINT, 0.0)]  # link 0 lies on the ground
        places += [(float(x), float(y)) for (x, y, _), on in zip(contacts[i], closed[i], strict=True) if on]
        corners = np.array([(x, y + side, 0.0) for x, y in places for side in (-FOOT_WIDTH / 2, FOOT_WIDTH / 2)])
        hull = support_polygon(corners, np.tile([0.0, 0.0, 1.0], (len(corners), 1)))
        ahead = np.roll(hull, -1, axis=0) - hull
        turn = ahead[:, 0] * (at[1] - hull[:, 1]) - ahead[:, 1] * (at[0] - hull[:, 0])
        outside[i] = bool((turn < 0.0).any())
        along[i] = not corners[:, 0].min() <= at[0] <= corners[:, 0].max()
    return outside, along
