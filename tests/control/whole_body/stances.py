"""Random stances of robots: a posture, frames that touch, and tasks."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

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
    """By how much wrenches miss those of forces in cones of Coulomb at the points where the robot has them.

    Relative to the weight of the robot; one contact a frame. The cones are about the normal of what is touched, with 64
    sides around them.
    """
    worst, weight = 0.0, 9.81 * model.total_mass
    angle = 2 * np.pi * np.arange(64) / 64
    for contact in contacts:
        X_WF, X_WG = contact_poses(model, contact, q)
        touched = (X_WF if contact.pose is None else contact.target(X_WG))[:3, :3] @ contact.X_FC[:3, :3]
        wide = contact.friction / np.cos(np.pi / 64)
        cone = np.stack([wide * np.cos(angle), wide * np.sin(angle), np.ones(64)]).T @ touched.T
        arms = contact.force_points @ X_WF[:3, :3].T
        edges = np.vstack([np.hstack([cone, np.cross(arm, cone)]) for arm in arms])
        worst = max(worst, nnls(edges.T, command.wrenches[contact.frame] / weight)[1])
    return worst
