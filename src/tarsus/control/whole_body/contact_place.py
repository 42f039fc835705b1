"""Where a contact is and which way it may push: points as the frame has them, normal and friction of what is touched.

A patch that is turned against its pose still has its corners where they are. With axes E of the patch as it is, and
the normal n = E (s, c) of what is touched, wrenches of forces inside friction cones about n at points of the plane
z = 0 of E are those of the cone of the contact (`Contact.cone`), sheared:

    force = E S f,  moment = E S^-T m,  S = [[1, 0, a], [0, 1, b], [0, 0, 1]],

because (S p) x (S f) = S^-T (p x f), and S p = p in that plane. The slope

    (a, b) = s (1 + friction^2) / (c + friction |s|)

takes the circle of radius `friction` about +z, at height 1, into the section of the friction cone about n, where it
touches the vertex of that conic, whose radius of curvature is `friction`, from inside. So nothing leaves the cone of
Coulomb.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.contact import Contact
from tarsus.spatial.cross_product import skew

UPRIGHT = 1e-3
"""Cosine of the largest angle by which a patch or an edge may be turned away from what it touches."""


@dataclass(frozen=True, slots=True, eq=False)
class ContactPlace:
    """A contact at a configuration, in world axes.

    Attributes
    ----------
    origin : ndarray, shape (3,)
        Of C, the mean of the points [m].
    A : ndarray, shape (3, 3)
        E S: what the first three of the contact's wrench variables push along, and the rows of its motion.
    surface : ndarray, shape (3, 3)
        Axes of what is touched, z its normal: those of forces at points.
    arms : ndarray, shape (n, 3)
        Points of forces from the origin [m].
    upright : float
        Cosine of the angle by which the contact is turned out of what it touches.
    """

    origin: FloatArray
    A: FloatArray
    surface: FloatArray
    arms: FloatArray
    upright: float

    def wrench_map(self, contact: Contact) -> FloatArray:
        """W with the wrench W y at C, world axes, for force variables y, shape (6, k)."""
        if contact.forces == "points":
            return np.hstack([np.vstack([self.surface, skew(arm) @ self.surface]) for arm in self.arms])
        return self.motion_map().T @ contact.wrench_map

    def motion_map(self) -> FloatArray:
        """Matrix (6, 6) from twists at C in world axes to those of the rows of the contact: (A^T u, A^-1 w)."""
        nothing = np.zeros((3, 3))
        return np.block([[self.A.T, nothing], [nothing, np.linalg.inv(self.A)]])

    def normal_row(self, contact: Contact) -> FloatArray:
        """Row n with the normal force n y, shape (k,)."""
        return np.asarray(self.surface[:, 2] @ self.wrench_map(contact)[:3])

    def variables(self, contact: Contact, X_WF: FloatArray, wrench: FloatArray) -> FloatArray:
        """Variables y, shape (6 - freedoms,), of one wrench (6,) at the origin of F, world axes; of its cone.

        What an edge or a point cannot give is left out.
        """
        force = wrench[:3]
        moment = wrench[3:] - np.cross(self.origin - X_WF[:3, 3], force)
        at_C = np.append(np.linalg.solve(self.A, force), self.A.T @ moment)
        return np.asarray(contact.rows @ at_C)


def contact_place(contact: Contact, X_WF: FloatArray, X_WG: FloatArray | None = None) -> ContactPlace:
    """The place of a contact whose frame is at X_WF; X_WG is that of what is touched where that is no world."""
    turned = X_WF @ contact.X_FC
    R, arms = turned[:3, :3], contact.arms @ turned[:3, :3].T
    if contact.pose is None:
        return ContactPlace(turned[:3, 3], R, R, arms, 1.0)
    surface = contact.target(X_WG)[:3, :3] @ contact.X_FC[:3, :3]
    if contact.freedoms == 3:
        return ContactPlace(turned[:3, 3], surface, surface, arms, 1.0)
    n = surface[:, 2]
    E = R if contact.freedoms == 0 else _edge_axes(R[:, 0], n)
    s, upright = n @ E[:, :2], float(n @ E[:, 2])
    slope = s * (1.0 + contact.friction**2) / (max(upright, 0.0) + contact.friction * float(np.linalg.norm(s)))
    A = np.column_stack([E[:, :2], E[:, 2] + E[:, :2] @ slope])
    return ContactPlace(turned[:3, 3], A, surface, arms, upright)


def turned_over(contacts: Sequence[Contact], places: Sequence[ContactPlace]) -> str:
    """Which contact is turned so far out of what it touches that it cannot push, in words; empty where none is."""
    for contact, place in zip(contacts, places, strict=True):
        if place.upright < UPRIGHT:
            angle = np.degrees(np.arccos(np.clip(place.upright, -1.0, 1.0)))
            return (
                f"contact {contact.frame!r} is turned by {angle:.0f} degrees out of what its pose says that it touches"
            )
    return ""


def _edge_axes(x: FloatArray, normal: FloatArray) -> FloatArray:
    """Axes along an edge x, with z as near to the normal as they can be: it may turn about itself."""
    z = normal - (normal @ x) * x
    z /= max(float(np.linalg.norm(z)), UPRIGHT)
    return np.column_stack([x, np.cross(z, x), z])
