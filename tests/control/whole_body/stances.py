"""Random stances of robots: a posture, frames that touch, and tasks."""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus.control import Contact

CORNERS = [[x, y, 0.0] for x in (-0.1, 0.12) for y in (-0.06, 0.06)]
EDGE = [[0.0, -0.05, 0.0], [0.0, 0.05, 0.0]]
PLACES = {"l_sole": CORNERS, "r_sole": CORNERS, "l_hand": [[0.0, 0.0, 0.0]], "r_hand": EDGE}


def random_state(model, rng, size=0.3, speed=0.3):
    q = model.integrate(model.reference, size * rng.normal(size=model.nv), 1.0)
    return q, speed * rng.normal(size=model.nv)


def contacts_at(model, q, names, **options):
    return [Contact(name, PLACES[name], pose=ts.frame_pose(model, q, name), **options) for name in names]


def standing_tasks(model, q):
    return [
        ts.tasks.CenterOfMass(ts.center_of_mass(model, q), weight=10.0, gain=5.0),
        ts.tasks.Orientation("BODY", np.eye(3), gain=5.0),
        ts.tasks.Posture(q, weight=0.3, gain=5.0),
    ]
