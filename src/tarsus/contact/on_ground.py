"""Robots set down on the ground."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.contactors import Contactor, Feature, contactors, features
from tarsus.contact.ground import Ground
from tarsus.contact.surface_tables import surface_distances
from tarsus.dynamics import body_poses
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError, nearest

if TYPE_CHECKING:
    from tarsus.model import Model
    from tarsus.model.joint import Joint

_TOUCHING = 1e-9
"""Gap of a robot that stands on the ground [m]."""
_LEAST_RISE = 0.02
"""Way up out of the ground that is tried at once [m]."""
_MOST_PASSES = 2000
_PARTS = tuple(k / 32 for k in range(1, 32))
"""Places along an edge, which may cross those of blocks between its ends."""
_MOST_WAY = 1e4
"""[m]; there is no ground below what falls further."""


def contact_gaps(
    model: Model, q: npt.ArrayLike, ground: Ground, contacts: Iterable[Contactor] | None = None
) -> tuple[tuple[str, ...], FloatArray]:
    """Names of the contact points of a robot, and their gaps to the ground, shape (*batch, n), negative inside [m].

    Parameters
    ----------
    q : array_like, shape (*batch, nq)
    contacts : iterable of contactors, optional
        Those of the collision shapes by default.
    """
    names, p, radius = _points(model, np.asarray(q, dtype=float), contacts)
    gap, _ = surface_distances(ground.surfaces, p.reshape(-1, 3))
    return names, gap.reshape(p.shape[:-1]) - radius


def on_ground(
    model: Model,
    q: npt.ArrayLike | None,
    ground: Ground,
    contacts: Iterable[Contactor] | None = None,
    *,
    body: str | None = None,
) -> FloatArray:
    """Configuration in which a robot stands on the ground: q, with its base moved up or down.

    It is moved against gravity until nothing of it is in the ground, and then down until its first contact point
    touches. In a model with several free bodies (`model.with_object`) one of them is moved, with what it carries; the
    others stay where they are.

    Parameters
    ----------
    model : Model
        With a free or planar base, or with free joints at its root.
    q : array_like, shape (*batch, nq), or None
        None is the model's reference pose.
    ground : Ground
    contacts : iterable of contactors, optional
        What it touches with; those of its collision shapes by default.
    body : str, optional
        Which of several free bodies is set down; by default the first one in the model, the robot beside objects.

    Returns
    -------
    q : ndarray, shape (*batch, nq)

    Raises
    ------
    ArgumentError
        Where the base is fixed, the robot has nothing to touch with, or there is no ground below it.
    """
    start = np.array(model.reference if q is None else q, dtype=float)
    if start.shape[-1:] != (model.nq,):
        raise ShapeError(f"q has shape {start.shape}; expected (..., {model.nq})")
    joint, moved_bodies = _base(model, body)
    up = _up(model)
    names, p, radius = _points(model, start, contacts, moved_bodies)
    if not names:
        raise ArgumentError(f"{model.name!r} has no collision shapes to touch the ground with; give contacts=")
    rise = np.zeros(start.shape[:-1])

    def gaps(rise: FloatArray) -> FloatArray:
        moved = p + rise[..., None, None] * up
        gap = surface_distances(ground.surfaces, moved.reshape(-1, 3))[0].reshape(p.shape[:-1])
        return np.asarray((gap - radius).min(axis=-1))

    for falling in (False, True):
        for _ in range(_MOST_PASSES):
            gap = gaps(rise)
            moving = gap > _TOUCHING if falling else gap < 0.0
            if not moving.any():
                break
            step = -gap if falling else np.maximum(-gap, _LEAST_RISE)
            rise = np.where(moving, rise + step, rise)
            if np.abs(rise).max() > _MOST_WAY:
                raise ArgumentError("there is no ground below the robot")
        else:
            raise ArgumentError("the robot found no place on the ground; move it to where it is less steep")
    first = model.joints[joint].q_index.start
    planar = model.base == "planar"
    start[..., first : first + (2 if planar else 3)] += rise[..., None] * (up[[0, 2]] if planar else up)
    return start


def _base(model: Model, body: str | None) -> tuple[str, frozenset[str]]:
    """The joint that is moved, and the bodies that go with it."""
    free = [joint.name for joint in model.joints.values() if joint.kind == "free" and _at_root(model, joint)]
    if model.base in ("free", "planar"):
        free = [model.bodies[next(iter(model.bodies))].joint]
    if not free:
        raise ArgumentError(f"the base of {model.name!r} is fixed and cannot be moved to the ground; try base='free'")
    carried = {name: frozenset(each for each in model.bodies if name in _carriers(model, each)) for name in free}
    if body is None:
        return free[0], carried[free[0]]
    if body not in model.bodies:
        raise UnknownNameError(f"body {body!r} not found{nearest(str(body), model.bodies)}")
    for name, bodies in carried.items():
        if body in bodies:
            return name, bodies
    raise ArgumentError(f"body {body!r} cannot be moved to the ground: no free joint carries it")


def _at_root(model: Model, joint: Joint) -> bool:
    """Whether a free joint has world axes at the world's origin in front of it."""
    parent = model.bodies[joint.child].parent
    return parent is None or (model.bodies[parent].parent is None and np.allclose(joint.pose, np.eye(4)))


def _carriers(model: Model, name: str) -> list[str]:
    """Joints between a body and the world."""
    way: list[str] = []
    body: str | None = name
    while body is not None:
        way.append(model.bodies[body].joint)
        body = model.bodies[body].parent
    return way


def _up(model: Model) -> FloatArray:
    """Unit vector against gravity, world axes; z without gravity."""
    gravity = np.asarray(model.gravity)
    size = float(np.linalg.norm(gravity))
    return -gravity / size if size > 0.0 else np.array([0.0, 0.0, 1.0])


def _points(
    model: Model, q: FloatArray, contacts: Iterable[Contactor] | None, bodies: frozenset[str] | None = None
) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
    """Names, centres (*batch, n, 3), world, and radii (n,) of the contact points, and of points along edges.

    Those of some bodies, or of all.
    """
    found: list[tuple[Feature, FloatArray]] = []
    for feature in features(model, contactors(model) if contacts is None else contacts):
        if bodies is not None and feature.body not in bodies:
            continue
        way = None if feature.end is None else feature.end - feature.start
        found += [(feature, feature.start if way is None else feature.start + part * way)
                  for part in ((0.0,) if way is None else _PARTS)]  # fmt: skip
    body = np.array([model.bodies[feature.body].index for feature, _ in found], dtype=int)
    place = np.array([point for _, point in found], dtype=float).reshape(-1, 3)
    X = body_poses(model, q)[..., body, :, :]
    p = np.einsum("...ij,...j->...i", X[..., :3, :3], place) + X[..., :3, 3]
    return tuple(f.name for f, _ in found), p, np.array([f.radius for f, _ in found], dtype=float)
