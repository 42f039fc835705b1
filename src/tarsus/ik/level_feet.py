"""Feet that are level: turned by their ankles as they come to rest when they are pressed down."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from scipy.optimize import linprog

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor
from tarsus.contact.contactors import Feature, contactors, features
from tarsus.dynamics import frame_pose, jacobian
from tarsus.ik.feet import find_feet
from tarsus.model import Model
from tarsus.model.joint import ONE_AXIS

STEEPEST = math.radians(45.0)
"""Turn up to which a side of a foot is its sole [rad]."""
ANKLE = 2
"""Joints above a foot that may turn it: with more of them, legs would not be stretched any more."""
ROUNDS = 12
"""Of the search for the plane, whose touching points change with its slope, and of that for the angles."""
LEVEL = 1e-6
"""Slope that is left [rad]."""


def with_level_feet(model: Model, q: FloatArray, contacts: Iterable[Contactor] | None = None) -> FloatArray:
    """The configuration with feet turned by their ankles so that they stand on soles, where they do not as they are.

    A foot that is pressed down at its ankle comes to rest on the side of its convex hull that is below the ankle. A
    file may have its soles in any slope where all joints are at zero.

    Parameters
    ----------
    q : ndarray, shape (nq,)
        Legs stretched, base upright.
    contacts : iterable of contactors, optional
        What it touches with; those of its collision shapes by default.

    Returns
    -------
    q : ndarray, shape (nq,)
        As it was where all feet are flat there, or where turning does not make them so.
    """
    chosen = tuple(contactors(model) if contacts is None else contacts)
    feet = find_feet(model, q, chosen)
    if all(foot.flat for foot in feet):
        return q
    turned = np.array(q)
    for foot in feet:
        if not foot.flat and not _turn(model, turned, foot.body, features(model, chosen)):
            return q
    now = find_feet(model, turned, chosen)
    same = [foot.body for foot in now] == [foot.body for foot in feet]
    return turned if same and all(foot.flat for foot in now) else q


def _turn(model: Model, q: FloatArray, foot: str, touching: Iterable[Feature]) -> bool:
    """Turn a foot in `q` so that its sole is level; False where it has none, or its ankle cannot."""
    X = frame_pose(model, q, foot)
    down = _resting_direction(X[2, :3] * -1.0, *_balls(model, q, foot, touching))
    if down is None:
        return False
    ankle = [model.joints[name].v_index.start for name in _ankle(model, foot)]
    places = [model.joints[name].q_index.start for name in _ankle(model, foot)]
    if not ankle:
        return False
    for _ in range(ROUNDS):
        R = frame_pose(model, q, foot)[:3, :3]
        off = np.cross(R @ down, [0.0, 0.0, -1.0])  # the rotation that is missing
        if float(np.linalg.norm(off)) < LEVEL:
            return True
        turn = np.linalg.lstsq(jacobian(model, q, foot)[3:5, ankle], off[:2], rcond=1e-6)[0]
        q[places] = np.clip(q[places] + turn, model.q_min[places], model.q_max[places])
    return False


def _ankle(model: Model, foot: str) -> list[str]:
    """The last joints above a foot that have one axis and move by themselves."""
    names: list[str] = []
    body = model.bodies[foot]
    while body.parent is not None and len(names) < ANKLE:
        joint = model.joints[body.joint]
        if joint.kind in ONE_AXIS and joint.q_index.stop > joint.q_index.start:
            names.append(joint.name)
        body = model.bodies[body.parent]
    return names


def _balls(model: Model, q: FloatArray, foot: str, touching: Iterable[Feature]) -> tuple[FloatArray, FloatArray]:
    """Points of a foot and of what it carries, in its axes about its origin, shape (k, 3), and their radii [m]."""
    X = np.linalg.inv(frame_pose(model, q, foot))
    places, radii = [], []
    for feature in touching:
        body: str | None = feature.body
        while body is not None and body != foot:
            body = model.bodies[body].parent
        if body is None:
            continue
        X_FB = X @ frame_pose(model, q, feature.body)
        for point in (feature.start,) if feature.end is None else (feature.start, feature.end):
            places.append(X_FB[:3, :3] @ point + X_FB[:3, 3])
            radii.append(feature.radius)
    return np.array(places).reshape(-1, 3), np.array(radii)


def _resting_direction(down: FloatArray, points: FloatArray, radii: FloatArray) -> FloatArray | None:
    """Direction into the ground of a foot that rests under a force through its origin, shape (3,); None for none.

    Of all planes below the points, that which is highest at the origin: a linear program of three unknowns.
    """
    first = down
    for _ in range(ROUNDS):
        along = np.linalg.svd(down[None])[2][1:]  # two axes across
        places = points + radii[:, None] * down
        across, height = places @ along.T, -(places @ down)
        found = linprog(
            [0.0, 0.0, -1.0], A_ub=np.column_stack([across, np.ones(len(across))]), b_ub=height, bounds=(None, None)
        )
        if found.status != 0 or found.x is None:  # the origin is not above the foot
            return None
        slope = found.x[:2]
        new = down + slope @ along
        new /= np.linalg.norm(new)
        if math.acos(min(1.0, max(-1.0, float(new @ first)))) > STEEPEST:
            return None
        done = float(np.linalg.norm(slope)) < LEVEL
        down = new
        if done:
            return down
    return down
