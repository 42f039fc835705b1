"""What of the feet of `feng18` can touch the ground, and where the points of the contacting foot are."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact import ContactPoint
from tarsus.dynamics import frame_poses, jacobian
from tarsus.model import Model
from tarsus.robots import feng18
from tarsus.robots.feng18 import ANKLE_HEIGHT, TOE_JOINT, TOE_TIP, Side
from tarsus.robots.feng18 import HEEL as HEEL_X

SUPPORT_HEEL, HEEL, BALL, TIP = "support_heel", "heel", "ball", "tip"
"""Names of the contacts: heel of the supporting foot; heel, toe joint and tip of the toes of the other one."""
FOOT_BODIES = ("swing_foot", "swing_toe")

FENG_CONTACTS = (
    ContactPoint(SUPPORT_HEEL, "support_foot", (HEEL_X - TOE_JOINT, 0.0, 0.0)),
    ContactPoint(HEEL, "swing_foot", (HEEL_X, 0.0, -ANKLE_HEIGHT)),
    ContactPoint(BALL, "swing_toe", (0.0, 0.0, 0.0)),
    ContactPoint(TIP, "swing_toe", (TOE_TIP - TOE_JOINT, 0.0, 0.0)),
)
"""Points in the middle planes of the feet: legs move in these planes only, so that corners would touch in pairs."""


@cache
def support_model(side: Side) -> Model:
    """`feng18` that stands on the toe of its right or left leg, the link 0 of the paper: 18 joints."""
    return feng18(support=side)


def contact_places(model: Model, q: npt.ArrayLike) -> FloatArray:
    """Places of all of `FENG_CONTACTS` at configurations (..., 18), shape (..., 4, 3) [m].

    Those of a run are where forces act; it does not follow points that are far above the ground.
    """
    poses = frame_poses(model, q, [contact.frame for contact in FENG_CONTACTS])
    local = np.array([contact.position for contact in FENG_CONTACTS])
    return np.asarray((poses[..., :3, :3] @ local[..., None])[..., 0] + poses[..., :3, 3])


class FootPoints(NamedTuple):
    """Heel, ball and tip of the contacting foot.

    Attributes
    ----------
    position, velocity : ndarray, shape (..., 3, 3)
        World axes, from the toe joint of the supporting foot [m], [m/s].
    """

    position: FloatArray
    velocity: FloatArray

    @property
    def highest(self) -> FloatArray:
        """Height of the highest of them, shape (...) [m]: 0 for a foot that is flat on the ground."""
        return np.asarray(self.position[..., 2].max(axis=-1))

    @property
    def speed(self) -> FloatArray:
        """Of the fastest of them, shape (...) [m/s]."""
        return np.asarray(np.linalg.norm(self.velocity, axis=-1).max(axis=-1))


def foot_points(model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FootPoints:
    """Points of the contacting foot of states q, v, shapes (..., 18)."""
    q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    poses = frame_poses(model, q, FOOT_BODIES)
    positions, velocities = [], []
    for contact in FENG_CONTACTS[1:]:
        body = FOOT_BODIES.index(contact.frame)
        pose = poses[..., body, :, :]
        arm = pose[..., :3, :3] @ np.asarray(contact.position)
        twist = (jacobian(model, q, contact.frame) @ v[..., None])[..., 0]
        positions.append(pose[..., :3, 3] + arm)
        velocities.append(twist[..., :3] + np.cross(twist[..., 3:], arm))
    return FootPoints(np.stack(positions, axis=-2), np.stack(velocities, axis=-2))
