"""Force variables of several contacts, one after the other: their bounds, and the wrenches they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.contact import Contact, contact_poses
from tarsus.control.whole_body.contact_place import ContactPlace, contact_place
from tarsus.model import Model


class ForceRows(NamedTuple):
    """lower <= A y <= upper: cones and normal forces of all contacts [N].

    Attributes
    ----------
    A : ndarray, shape (m, k)
    lower, upper : ndarray, shape (m,)
    names : tuple of str
    """

    A: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]


def force_rows(contacts: Sequence[Contact], places: Sequence[ContactPlace] | None = None) -> ForceRows:
    """Rows of all contacts, at their places; without these, where their poses are."""
    count = sum(contact.wrench_map.shape[1] for contact in contacts)
    A, lower, upper, names, place = [np.zeros((0, count))], [np.zeros(0)], [np.zeros(0)], [], 0
    for i, contact in enumerate(contacts):
        cone, k = contact.cone, contact.wrench_map.shape[1]
        normal = contact.normal_row if places is None else places[i].normal_row(contact)
        own = np.zeros((len(cone) + 1, count))
        own[:, place : place + k] = np.vstack([cone, normal])
        A.append(own)
        lower.append(np.append(np.zeros(len(cone)), contact.min_force))
        upper.append(np.append(np.full(len(cone), np.inf), contact.max_force))
        names += [f"cone of {contact.frame}"] * len(cone) + [f"normal force of {contact.frame}"]
        place += k
    return ForceRows(np.concatenate(A), np.concatenate(lower), np.concatenate(upper), tuple(names))


def frame_wrenches(model: Model, q: FloatArray, contacts: Sequence[Contact], y: FloatArray) -> dict[str, FloatArray]:
    """What contacts do to bodies of the model, by frame: at the origin of the frame, world axes, shape (6,) [N, N m].

    Contacts on the same frame are summed. Where a contact is with another frame, that has the opposite.
    """
    found: dict[str, FloatArray] = {}
    place = 0
    for contact in contacts:
        k = contact.wrench_map.shape[1]
        X_WF, X_WG = contact_poses(model, contact, q)
        at = contact_place(contact, X_WF, X_WG)
        force, moment = np.split(at.wrench_map(contact) @ y[place : place + k], 2)
        for frame, X, sign in ((contact.frame, X_WF, 1.0), (contact.other, X_WG, -1.0)):
            if frame is not None and X is not None:
                at_frame = sign * np.append(force, moment + np.cross(at.origin - X[:3, 3], force))
                found[frame] = found.get(frame, np.zeros(6)) + at_frame
        place += k
    return found


def contact_places(model: Model, q: FloatArray, contacts: Sequence[Contact]) -> list[ContactPlace]:
    """Places of contacts at a configuration."""
    return [contact_place(contact, *contact_poses(model, contact, q)) for contact in contacts]
