"""Random stances of robots: a posture, frames that touch, and tasks."""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus.control import Contact
from tarsus.control.whole_body.contact import contact_poses

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


def residual(model, q, v, command):
    """Of the equation of motion, relative to its largest term."""
    external = ts.body_wrenches(model, q, command.wrenches)
    needed = ts.inverse_dynamics(model, q, v, command.vdot, external=external, passive=True)
    return np.abs(needed - command.tau).max() / np.abs(ts.inverse_dynamics(model, q, v, command.vdot)).max()


def farthest_out(model, q, contacts, command):
    """By how much the worst row of any cone is missed, relative to the weight of the robot; one contact a frame."""
    worst = 0.0
    for contact in contacts:
        X_WF, X_WG = contact_poses(model, contact, q)
        X_WC, wrench = contact.X_WC(X_WF, X_WG), command.wrenches[contact.frame]
        moment = wrench[3:] - np.cross(X_WC[:3, 3] - X_WF[:3, 3], wrench[:3])
        at_C = np.append(X_WC[:3, :3].T @ wrench[:3], X_WC[:3, :3].T @ moment)
        y = contact.rows @ at_C
        worst = max(worst, np.abs(contact.rows.T @ y - at_C).max(), -(contact.cone @ y).min())
    return worst / (9.81 * model.total_mass)
