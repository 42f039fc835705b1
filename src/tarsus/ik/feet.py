"""Which parts of a legged robot it stands on, found from its shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Contactor
from tarsus.contact.contactors import Feature, contactors, features
from tarsus.dynamics import body_poses
from tarsus.errors import ArgumentError
from tarsus.model import Model

REACHING = 0.015
"""Share of the robot's height by which the lowest point of a foot may be above that of the lowest one."""
LOWEST = 0.01
"""The same of points of one foot that make its sole."""
FLAT = 0.03
"""Share of the robot's height that a sole must have in length and width; what is smaller stands on a point."""


@dataclass(frozen=True, slots=True, eq=False)
class Foot:
    """A body that a robot stands on.

    Attributes
    ----------
    body : str
    points : ndarray, shape (k, 3)
        Corners of the sole in the frame of the body [m], or the point of contact.
    flat : bool
        Whether it has a sole; otherwise it stands on a point, and its orientation is free.
    """

    body: str
    points: FloatArray
    flat: bool


def find_feet(model: Model, q: FloatArray, contacts: Iterable[Contactor] | None = None) -> tuple[Foot, ...]:
    """Feet of a robot with its legs stretched down: the most proximal bodies of limbs that reach lowest.

    Parameters
    ----------
    q : ndarray, shape (nq,)
        Legs stretched, base upright.
    contacts : iterable of contactors, optional
        What it touches with; those of its collision shapes by default.

    Raises
    ------
    ArgumentError
        Where there is nothing to stand on.
    """
    places = _places(model, q, contacts)
    if not places:
        raise ArgumentError(f"{model.name!r} has no collision shapes to stand on; give contacts=")
    X = body_poses(model, q)
    heights = {name: float(points[:, 2].min()) for name, points in places.items()}
    lowest = min(heights.values())
    height = max(float(X[:, 2, 3].max()), *(float(points[:, 2].max()) for points in places.values())) - lowest
    reaching = {name for name, z in heights.items() if z < lowest + REACHING * height}
    feet = [name for name in model.bodies if name in reaching and not reaching & set(_carriers(model, name))]
    result = []
    for name in feet:
        points = _points_of(model, places, name)
        sole = points[points[:, 2] < points[:, 2].min() + LOWEST * height]
        flat = bool((_extents(sole) > FLAT * height).all())
        world = sole if flat else sole.mean(axis=0, keepdims=True)
        place = X[model.bodies[name].index]
        result.append(Foot(name, (world - place[:3, 3]) @ place[:3, :3], flat))
    return tuple(result)


def foot_heights(
    model: Model, q: FloatArray, feet: Iterable[Foot], contacts: Iterable[Contactor] | None = None
) -> FloatArray:
    """Height of the lowest point of each foot, with what it carries, in the world, shape (feet,) [m]."""
    places = _places(model, q, contacts)
    return np.array([_points_of(model, places, foot.body)[:, 2].min() for foot in feet])


def _points_of(model: Model, places: Mapping[str, FloatArray], name: str) -> FloatArray:
    """Points of a body and of those that it carries."""
    return np.concatenate([p for other, p in places.items() if other == name or name in _carriers(model, other)])


def _places(model: Model, q: FloatArray, contacts: Iterable[Contactor] | None) -> dict[str, FloatArray]:
    """Lowest places of the contact points of every body, world, radii taken off; none inside a ball of the body."""
    X = body_poses(model, q)
    found: dict[str, list[FloatArray]] = {}
    chosen = features(model, contactors(model) if contacts is None else contacts)
    balls = [feature for feature in chosen if feature.end is None and feature.radius > 0.0]
    for feature in chosen:
        if any(_inside(feature, ball) for ball in balls):
            continue
        place = X[model.bodies[feature.body].index]
        for point in (feature.start,) if feature.end is None else (feature.start, feature.end):
            world = place[:3, :3] @ point + place[:3, 3] - [0.0, 0.0, feature.radius]
            found.setdefault(feature.body, []).append(world)
    return {name: np.array(points) for name, points in found.items()}


def _inside(feature: Feature, ball: Feature) -> bool:
    """Whether a point or an edge is within a ball on the same body, so that it never touches anything."""
    if feature is ball or feature.body != ball.body:
        return False
    ends = (feature.start,) if feature.end is None else (feature.start, feature.end)
    return all(float(np.linalg.norm(end - ball.start)) + feature.radius < ball.radius for end in ends)


def _carriers(model: Model, name: str) -> list[str]:
    """Bodies between one and the world, itself left out."""
    way: list[str] = []
    parent = model.bodies[name].parent
    while parent is not None:
        way.append(parent)
        parent = model.bodies[parent].parent
    return way


def _extents(points: FloatArray) -> FloatArray:
    """Length and width of points seen from above, along the axes of their spread, shape (2,)."""
    flat = points[:, :2] - points[:, :2].mean(axis=0)
    axes = np.linalg.svd(flat, full_matrices=False)[2] if len(points) > 1 else np.eye(2)
    along = flat @ axes.T
    extents: FloatArray = np.zeros(2)
    extents[: along.shape[1]] = along.max(axis=0) - along.min(axis=0)
    return extents
