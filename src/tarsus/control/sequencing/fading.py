"""Contacts whose force and place change from step to step, without working out their cones again."""

from __future__ import annotations

from dataclasses import replace

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.contact import Contact

_KEPT = ("X_FC", "freedoms", "rows", "wrench_map", "cone", "normal_row")
"""What does not depend on the bounds of the force."""


def with_most_force(contact: Contact, most: float) -> Contact:
    """The contact with another upper bound of its normal force [N]."""
    return _with_cone_of(contact, contact.with_force(most))


def with_pose(contact: Contact, pose: FloatArray) -> Contact:
    """The contact with another pose, shape (4, 4)."""
    return _with_cone_of(contact, replace(contact, pose=pose))


def _with_cone_of(contact: Contact, other: Contact) -> Contact:
    for name in _KEPT:
        other.__dict__[name] = getattr(contact, name)
    return other
