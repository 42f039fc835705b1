"""How far a foot that stands alone turns on the ground, where a planned motion needs more friction than there is."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.contact import Compliant
from tarsus.dynamics import body_poses, center_of_mass, frame_pose, mass_matrix
from tarsus.walking.biped.biped import Biped
from tarsus.walking.reference.ground_wrench import ground_wrench
from tarsus.walking.reference.walk_plan import WalkPlan, derivatives

FRICTION = Compliant().friction
"""Of the ground that is walked on where none is given."""
ALONE = 0.999
"""Load from which on a foot stands alone."""


def foot_slide(plan: WalkPlan, friction: float = FRICTION) -> float:
    """Largest angle by which a foot that stands alone turns in a plan [rad].

    A block on moving ground slides from the moment at which more than friction is needed until it has no speed left
    (Newmark 1965, "Effects of earthquakes on dams and embankments"). Here the centre of mass moves as planned, and what
    friction lacks of the moment about the pressure turns the stiff robot about it. Feet of walks turn further.
    """
    biped, most = plan.biped, 0.0
    wrench = ground_wrench(biped, plan.q, *derivatives(biped, plan.q, plan.dt))
    inertia = upright_inertia(biped)
    for k, leg in enumerate(biped.legs):
        X = frame_pose(biped.model, plan.q, leg.sole)
        R = X[:, :3, :3]
        about = wrench.moment - np.cross(X[:, :3, 3] - wrench.origin, wrench.force)
        f, n = np.einsum("nij,ni->nj", R, wrench.force), np.einsum("nij,ni->nj", R, about)
        pressure = np.clip(np.stack([-n[:, 1], n[:, 0]], axis=-1) / f[:, 2:], -leg.half, leg.half)
        needed = n[:, 2] - pressure[:, 0] * f[:, 1] + pressure[:, 1] * f[:, 0]
        held = held_moment(f, pressure, leg.half, friction)
        most = max(most, slid(needed / inertia, held / inertia, plan.feet.load[:, k] > ALONE, plan.dt))
    return most


def held_moment(force: FloatArray, pressure: FloatArray, half: FloatArray, friction: float) -> FloatArray:
    """Moment about the normal through the pressure that friction on the corners of a sole can hold, shape (n,) [N m].

    mu sum f_i |r_i - p|, with the force shared by the corners as the pressure tells; less what holds the tangential
    force, by an ellipse (Howe and Cutkosky 1996).

    Parameters
    ----------
    force : ndarray, shape (n, 3)
        On the sole, in its axes [N].
    pressure : ndarray, shape (n, 2)
        Within the sole, from its middle [m].
    half : ndarray, shape (2,)
        Half length and half width of the sole [m].
    """
    arm = np.zeros(len(force))
    for corner in (half * np.array(signs) for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1))):
        share = np.prod(0.5 * (1.0 + pressure * corner / half**2), axis=1)
        arm += share * np.linalg.norm(corner - pressure, axis=1)
    most = friction * np.maximum(force[:, 2], 0.0)
    along = np.linalg.norm(force[:, :2], axis=1) / np.maximum(most, 1e-12)
    return np.asarray(most * arm * np.sqrt(np.maximum(0.0, 1.0 - along**2)))


def slid(needed: FloatArray, held: FloatArray, alone: BoolArray, dt: float) -> float:
    """Largest way of a block that is held by friction up to some acceleration, at n moments where it stands [rad].

    Parameters
    ----------
    needed, held : ndarray, shape (n,)
        Accelerations that the motion of the ground gives, and that friction can give [rad/s^2].
    alone : ndarray of bool, shape (n,)
        Where it stands; it is put down anew after the others.
    """
    most = way = rate = 0.0
    for need, most_held, stands in zip(needed.tolist(), held.tolist(), alone.tolist(), strict=True):
        if not stands:
            way = rate = 0.0
            continue
        if rate == 0.0:
            rate = dt * (max(0.0, need - most_held) + min(0.0, need + most_held))
        else:
            sign = 1.0 if rate > 0.0 else -1.0
            rate = sign * max(0.0, sign * rate + dt * (sign * need - most_held))
        way += dt * rate
        most = max(most, abs(way))
    return most


def upright_inertia(biped: Biped) -> float:
    """Of the robot as it stands, about the vertical through its centre of mass [kg m^2]."""
    model, q = biped.model, biped.q
    X = body_poses(model, q)[0]
    up = X[2, :3]
    away = center_of_mass(model, q)[:2] - X[:2, 3]
    return float(up @ mass_matrix(model, q)[3:6, 3:6] @ up - model.total_mass * away @ away)
