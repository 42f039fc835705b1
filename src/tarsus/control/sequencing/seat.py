"""Where a contact is held on ground that yields: along the surface where it was made, in depth and tilt where it is."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.contact import Contact
from tarsus.spatial import rotation_matrix_from_rotation_vector

DEPTH, TILT = 5e-5, 2e-4
"""By how much a contact may be off in depth [m] and tilt [rad] before its seat follows."""


def seat_of(contact: Contact, X_WF: FloatArray) -> FloatArray:
    """Pose to keep, shape (4, 4), of a contact whose frame is at X_WF.

    A rigid contact would have to come back to the pose at which it was planned; a foot that has sunk in by half a
    millimetre, or stands on ground that gives way at its heel, cannot, and a controller that asks for it bends the rest
    of the body instead.
    """
    normal = _normal(contact)
    way, turn = _off(contact.pose, X_WF)
    seat = np.array(X_WF)
    seat[:3, 3] += way - normal * (normal @ way)
    seat[:3, :3] = rotation_matrix_from_rotation_vector(normal * (normal @ turn)) @ seat[:3, :3]
    return seat


def is_seated(contact: Contact, seat: FloatArray, X_WF: FloatArray) -> bool:
    """Whether depth and tilt of a seat are still those of the contact."""
    normal = _normal(contact)
    way, turn = _off(seat, X_WF)
    tilt = turn - normal * (normal @ turn)
    return abs(float(normal @ way)) < DEPTH and float(np.linalg.norm(tilt)) < TILT


def _normal(contact: Contact) -> FloatArray:
    normal: FloatArray = np.asarray(contact.pose)[:3, :3] @ np.asarray(contact.normal)
    return normal


def _off(target: object, X_WF: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Way and rotation from a frame to its target, world axes; seats are near, the sine of an angle stands for it."""
    X = np.asarray(target, dtype=float)
    D = X[:3, :3] @ X_WF[:3, :3].T
    turn = 0.5 * np.array([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])
    return X[:3, 3] - X_WF[:3, 3], turn
