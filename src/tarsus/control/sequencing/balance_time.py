"""How slowly a robot must move to keep its balance: what it swings, it turns itself with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.minimum_jerk import PEAK_CHANGE
from tarsus.control.stances.com_region import com_region
from tarsus.control.whole_body.contact import Contact
from tarsus.dynamics.momentum import center_of_mass, momentum_matrix
from tarsus.model import Model

USED = 0.4
"""Part of the distance of the centre of mass from the edge of its region that a motion may take for itself."""
LEAST = 1e-3
"""Distance from the edge [m] that is counted on at least."""


def balance_time(model: Model, start: FloatArray, end: FloatArray, contacts: Sequence[Contact]) -> float:
    """Least time from one posture to another, by the time law of least jerk, on contacts [s].

    The rate of angular momentum and the horizontal acceleration of the centre of mass shift the pressure by
    (|L'| + m z a) / (m g), which must be less than the room around the centre of mass in its region. Both are
    proportional to the change of the time law, at most 5.77 / T^2.
    """
    edge = com_region(model, contacts, tolerance=1e-3)
    places = [center_of_mass(model, q) for q in (start, end)]
    room = USED * max(min(_inside(place[:2], edge) for place in places), LEAST)
    way_q = model.difference(start, end)
    momentum = max(float(np.linalg.norm((momentum_matrix(model, q) @ way_q)[3:5])) for q in (start, end))
    lowest = min(float(np.asarray(contact.pose)[2, 3]) for contact in contacts)
    height = max(float(place[2]) - lowest for place in places)
    way = float(np.linalg.norm((places[1] - places[0])[:2]))
    weight = model.total_mass * float(np.linalg.norm(model.gravity))
    turned = momentum + model.total_mass * height * way
    return float(np.sqrt(PEAK_CHANGE * turned / (weight * room)))


def _inside(point: FloatArray, corners: FloatArray) -> float:
    """Distance of a point from the edge of a convex region, negative outside [m]."""
    if len(corners) < 3:
        return 0.0
    sides = np.roll(corners, -1, axis=0) - corners
    normals = np.stack([sides[:, 1], -sides[:, 0]], axis=-1) / np.linalg.norm(sides, axis=-1, keepdims=True)
    return float(np.min(np.sum(normals * (corners - point), axis=-1)))
