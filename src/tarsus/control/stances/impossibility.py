"""Proofs that a stance cannot be, whatever the posture: contacts out of reach, or forces that carry nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from tarsus.control.stances.balance import balance, place_of
from tarsus.control.stances.conditions import ROUGH, Kind
from tarsus.control.stances.reach import reach
from tarsus.control.whole_body.contact import Contact
from tarsus.model import Model
from tarsus.optimization.linear_program import linear_minimum

FAR = 1e3
"""Distance from the origin within which the centre of mass is looked for [m]."""


def impossibility(model: Model, contacts: Sequence[Contact]) -> tuple[Kind, str] | None:
    """The kind of condition that fails and why, where it is certain that one does; None where it is not.

    Two contacts further apart than the links between them are long; or no forces within their cones that balance the
    weight, wherever the centre of mass is: a linear program, once with the friction that is given and, where that
    fails, once with more than enough of it.
    """
    for one, other in combinations(contacts, 2):
        far = float(np.linalg.norm(_middle(one) - _middle(other)))
        most = reach(model, one.frame, other.frame) + sum(float(np.linalg.norm(c.X_FC[:3, 3])) for c in (one, other))
        if far > most:
            return "place", f"place of {one.frame} and {other.frame}: {far:.3g} m apart, the robot reaches {most:.3g} m"
    carrying = [contact for contact in contacts if contact.max_force > 0]
    if _carried(model, carrying):
        return None
    if _carried(model, [replace(contact, friction=max(contact.friction, ROUGH)) for contact in carrying]):
        return "friction", "friction: cones of contacts hold no forces that carry the robot, wherever it is"
    return "balance", "balance: contacts cannot carry the robot, whatever their friction"


def _middle(contact: Contact) -> np.ndarray:
    """Mean of the points where they shall be, in the world, shape (3,)."""
    return np.asarray((place_of(contact) @ contact.X_FC)[:3, 3])


def _carried(model: Model, contacts: Sequence[Contact]) -> bool:
    """Whether some forces balance the weight at some place of the centre of mass."""
    problem = balance(model, contacts)
    count, forces = problem.A.shape[1], problem.forces
    rows = np.vstack([np.hstack([forces.A, np.zeros((len(forces.A), 3))]), np.hstack([problem.A, problem.B])])
    lower, upper = (np.append(bound / problem.weight, -problem.b) for bound in (forces.lower, forces.upper))
    far = np.append(np.full(count, np.inf), np.full(3, FAR))
    return linear_minimum(np.zeros(count + 3), rows, lower, upper, x_min=-far, x_max=far) is not None
