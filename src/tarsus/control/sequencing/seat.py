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
    of the body instead. A point or an edge that rolls does not turn its surface: rotations that a contact leaves free
    are no part of its seat.
    """
    target, turned = np.asarray(contact.pose) @ contact.X_FC, X_WF @ contact.X_FC
    normal, way = target[:3, 2], target[:3, 3] - turned[:3, 3]
    X_WC = np.eye(4)
    X_WC[:3, :3] = _tilted(contact, target[:3, :3], turned[:3, :3])
    X_WC[:3, 3] = turned[:3, 3] + way - normal * (normal @ way)
    R_FC = contact.X_FC[:3, :3]
    seat = np.eye(4)
    seat[:3, :3] = X_WC[:3, :3] @ R_FC.T
    seat[:3, 3] = X_WC[:3, 3] - seat[:3, :3] @ contact.X_FC[:3, 3]
    return seat


def is_seated(contact: Contact, seat: FloatArray, X_WF: FloatArray) -> bool:
    """Whether depth and tilt of a seat are still those of the contact."""
    held, turned = seat @ contact.X_FC, X_WF @ contact.X_FC
    normal: FloatArray = (np.asarray(contact.pose) @ contact.X_FC)[:3, 2]
    if abs(float(normal @ (held - turned)[:3, 3])) >= DEPTH:
        return False
    if contact.freedoms == 3:
        return True
    if contact.freedoms == 1:
        return abs(float(normal @ (held - turned)[:3, 0])) < TILT
    turn = _turn(held[:3, :3], turned[:3, :3])
    return float(np.linalg.norm(turn - normal * (normal @ turn))) < TILT


def _tilted(contact: Contact, target: FloatArray, turned: FloatArray) -> FloatArray:
    """Axes of the seat (3, 3): as planned about the normal, leaning as the contact does where it is not free to."""
    normal = target[:, 2]
    if contact.freedoms == 3:
        return target
    if contact.freedoms == 1:  # the edge along x leans by the sine of its angle with the surface
        lean = np.cross(target[:, 0], normal) * float(normal @ turned[:, 0])
        return rotation_matrix_from_rotation_vector(lean) @ target
    turn = _turn(target, turned)
    return rotation_matrix_from_rotation_vector(normal * (normal @ turn)) @ turned


def _turn(target: FloatArray, turned: FloatArray) -> FloatArray:
    """Rotation from axes to their target, world axes; seats are near, the sine of an angle stands for it."""
    D = target @ turned.T
    return 0.5 * np.array([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]])
