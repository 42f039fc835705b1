"""Balance of weight and contact forces: linear in the forces and in the centre of mass, where contacts are in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.whole_body.contact import Contact
from tarsus.control.whole_body.contact_forces import ForceRows, force_rows
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.spatial.cross_product import skew


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """A y + B p + b = 0 for force variables y and a centre of mass p: forces, then moments about the world's origin.

    Both are divided by the weight, and so are the variables y.

    Attributes
    ----------
    A : ndarray, shape (6, k)
    B : ndarray, shape (6, 3)
    b : ndarray, shape (6,)
    forces : ForceRows
        Cones and normal forces, of variables that are not divided.
    weight : float
        [N].
    """

    A: FloatArray
    B: FloatArray
    b: FloatArray
    forces: ForceRows
    weight: float


def balance(model: Model, contacts: Sequence[Contact]) -> Balance:
    """Balance of a robot on contacts whose poses are told.

    Raises
    ------
    ArgumentError
        Where a contact has no pose, or the model no weight.
    """
    weight = model.total_mass * float(np.linalg.norm(model.gravity))
    if not weight > 0.0:
        raise ArgumentError(f"{model.name!r} has no weight: {model.total_mass:g} kg under gravity {model.gravity}")
    force = model.total_mass * np.asarray(model.gravity) / weight
    columns = [at_origin(contact) @ contact.wrench_map for contact in contacts]
    forces = force_rows(contacts)
    B = np.vstack([np.zeros((3, 3)), -skew(force)])
    A = np.hstack(columns) if columns else np.zeros((6, 0))
    return Balance(A, B, np.append(force, np.zeros(3)), forces, weight)


def at_origin(contact: Contact) -> FloatArray:
    """Matrix (6, 6) that takes a wrench at C, in its axes, to one at the world's origin, world axes."""
    X = place_of(contact) @ contact.X_FC
    R, p = X[:3, :3], X[:3, 3]
    return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])


def place_of(contact: Contact) -> FloatArray:
    """X_WF of a contact of a stance, shape (4, 4).

    Raises
    ------
    ArgumentError
        Where it has none, or touches another body and not the world.
    """
    if contact.pose is None:
        raise ArgumentError(f"contact {contact.frame!r} of a stance has no pose; expected where its frame is")
    if contact.other is not None:
        raise ArgumentError(
            f"contact {contact.frame!r} of a stance is with {contact.other!r}; expected contacts with the world"
        )
    return np.asarray(contact.pose)
