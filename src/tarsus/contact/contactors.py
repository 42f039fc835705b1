"""What a robot touches with: points, spheres, edges, capsules and soles, given by hand or found from its shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.geometry import shapes
from tarsus.geometry.meshes.read import triangles_of
from tarsus.geometry.triangles import Triangles

if TYPE_CHECKING:
    from tarsus.model import Model
    from tarsus.model.body import Frame

_RIM_POINTS = 8
"""Points on each rim of a cylinder."""

_HULL_POINTS = 32
"""At most so many points of a mesh: those furthest out in directions spread over the sphere."""


@dataclass(frozen=True, slots=True, eq=False)
class ContactPoint:
    """A point of a body, or with a radius a sphere about it.

    Attributes
    ----------
    name : str
        Of the contact.
    frame : str
        Frame F of the model that it is fixed to.
    position : ndarray, shape (3,)
        In F [m].
    radius : float
        [m].
    """

    name: str
    frame: str
    position: npt.ArrayLike = (0.0, 0.0, 0.0)
    radius: float = 0.0

    def __post_init__(self) -> None:
        _check_radius(self)


@dataclass(frozen=True, slots=True, eq=False)
class ContactEdge:
    """A straight edge of a body, or with a radius a capsule about it.

    Its ends touch like points. Where it crosses an edge of a block, both are pushed apart along their common
    perpendicular, so that a foot half over a step stands on the step's edge.

    Attributes
    ----------
    name, frame : str
    start, end : ndarray, shape (3,)
        In the frame [m].
    radius : float
        [m].
    """

    name: str
    frame: str
    start: npt.ArrayLike
    end: npt.ArrayLike
    radius: float = 0.0

    def __post_init__(self) -> None:
        _check_radius(self)


@dataclass(frozen=True, slots=True, eq=False)
class Sole:
    """A flat convex polygon: its corners touch like points, its sides like edges.

    Attributes
    ----------
    name, frame : str
    corners : ndarray, shape (n, 3)
        In order around the polygon, in the frame [m].
    """

    name: str
    frame: str
    corners: npt.ArrayLike


Contactor = ContactPoint | ContactEdge | Sole


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """A point (`end` is None) or the inside of an edge, in the axes of a body; what the contact search reads."""

    name: str
    body: str
    start: FloatArray
    end: FloatArray | None
    radius: float


def points(model: Model, frames: Sequence[str], radius: float = 0.0) -> tuple[ContactPoint, ...]:
    """Contact points at the origins of frames, named after them."""
    for frame in frames:
        _ = model.frames[frame]  # unknown names raise
    return tuple(ContactPoint(frame, frame, radius=radius) for frame in frames)


def contactors(model: Model, bodies: Iterable[str] | None = None) -> tuple[Contactor, ...]:
    """Contactors of the collision shapes of a robot: nothing has to be said about which bodies may touch.

    Boxes touch with their corners and edges, spheres and capsules as they are, cylinders with points on their rims,
    ellipsoids with points of their surface, meshes with points of their convex hull. A body without collision shapes
    touches nothing.

    Parameters
    ----------
    bodies : iterable of str, optional
        These only; all moving bodies otherwise.
    """
    names = list(model.bodies) if bodies is None else list(bodies)
    moving = [model.bodies[name] for name in names if model.bodies[name].index > 0 or model.base != "fixed"]
    found: list[Contactor] = []
    for body in moving:
        for i, shape in enumerate(body.collisions):
            label = f"{body.name}/{shape.name or i}"
            found.extend(_of_shape(label, body.name, shape))
    return tuple(found)


def _of_shape(label: str, body: str, shape: shapes.Shape) -> list[Contactor]:
    geometry, pose = shape.geometry, shape.pose

    def at(local: npt.ArrayLike) -> FloatArray:
        return np.asarray(pose[:3, :3] @ np.asarray(local, dtype=float) + pose[:3, 3])

    if isinstance(geometry, shapes.Sphere):
        return [ContactPoint(label, body, at((0, 0, 0)), geometry.radius)]
    if isinstance(geometry, shapes.Capsule):
        half = geometry.length / 2.0
        return [ContactEdge(label, body, at((0, 0, -half)), at((0, 0, half)), geometry.radius)]
    if isinstance(geometry, shapes.Box):
        return _of_box(label, body, 0.5 * np.array(geometry.size), at)
    if isinstance(geometry, shapes.Cylinder):
        return [ContactPoint(f"{label}.{k}", body, at(p)) for k, p in enumerate(rim_points(geometry))]
    if isinstance(geometry, shapes.Ellipsoid):
        return [ContactPoint(f"{label}.{k}", body, at(p)) for k, p in enumerate(surface_points(geometry))]
    if isinstance(geometry, shapes.Mesh):
        return [ContactPoint(f"{label}.{k}", body, at(p)) for k, p in enumerate(hull_points(body, geometry))]
    return []  # an unbounded plane on a moving body has no points to touch with


def _of_box(label: str, body: str, half: FloatArray, at: Callable[[FloatArray], FloatArray]) -> list[Contactor]:
    signs = list(product((-1, 1), repeat=3))
    found: list[Contactor] = []
    for k, s in enumerate(signs):
        found.append(ContactPoint(f"{label}.{k}", body, at(half * s)))
    for a, b in product(range(8), repeat=2):
        if a < b and sum(x != y for x, y in zip(signs[a], signs[b], strict=True)) == 1:
            found.append(_Inside(f"{label}.{a}-{b}", body, at(half * signs[a]), at(half * signs[b])))
    return found


class _Inside(ContactEdge):
    """An edge whose ends are contact points already."""


def _directions(count: int) -> FloatArray:
    """Unit vectors spread evenly over the sphere (a spiral), shape (count, 3)."""
    k = np.arange(count) + 0.5
    z, turn = 1.0 - 2.0 * k / count, np.pi * (1.0 + 5.0**0.5) * k
    r = np.sqrt(1.0 - z * z)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)


def rim_points(cylinder: shapes.Cylinder) -> FloatArray:
    """Points on both rims of a cylinder, shape (n, 3)."""
    rim = [(cylinder.radius * np.cos(a), cylinder.radius * np.sin(a))
           for a in 2.0 * np.pi * np.arange(_RIM_POINTS) / _RIM_POINTS]  # fmt: skip
    return np.array([(x, y, z) for z in (-cylinder.length / 2.0, cylinder.length / 2.0) for x, y in rim])


def surface_points(ellipsoid: shapes.Ellipsoid) -> FloatArray:
    """Points of the surface of an ellipsoid, shape (n, 3)."""
    return np.array(ellipsoid.radii) * _directions(_HULL_POINTS)


def hull_points(body: str, mesh: shapes.Mesh) -> FloatArray:
    """Vertices of a mesh that are furthest out, shape (n, 3)."""
    found = triangles_of(mesh)
    if not isinstance(found, Triangles):
        what = "; ".join(problem.message for problem in found)
        where = f"body {body!r}" if mesh.path is None else f"body {body!r}, file {mesh.path}"
        raise ArgumentError(f"mesh {mesh.uri!r} has no points to touch with: {what} ({where})")
    vertices = found.vertices * np.array(mesh.scale)
    furthest = np.unique(np.argmax(_directions(_HULL_POINTS) @ vertices.T, axis=1))
    return np.asarray(vertices[furthest])


def features(model: Model, chosen: Iterable[Contactor]) -> tuple[Feature, ...]:
    """Contactors in the axes of the bodies that carry them; edges and soles become points and sides."""
    found: list[Feature] = []
    for item in chosen:
        if not isinstance(item, Contactor):
            raise ArgumentError(f"contacts are ContactPoint, ContactEdge or Sole, not {type(item).__name__}")
        frame = model.frames[item.frame]

        def place(p: npt.ArrayLike, frame: Frame = frame, item: Contactor = item) -> FloatArray:
            try:
                x = np.array(p, dtype=float)
            except (TypeError, ValueError):
                x = np.zeros(0)
            if x.shape != (3,) or not np.all(np.isfinite(x)):
                raise ShapeError(f"a position of contact {item.name!r} is {p!r}; expected three finite numbers")
            return np.asarray(frame.pose[:3, :3] @ x + frame.pose[:3, 3])

        if isinstance(item, ContactPoint):
            found.append(Feature(item.name, frame.body, place(item.position), None, float(item.radius)))
        elif isinstance(item, ContactEdge):
            a, b, r = place(item.start), place(item.end), float(item.radius)
            if not isinstance(item, _Inside):
                found.append(Feature(f"{item.name}.start", frame.body, a, None, r))
                found.append(Feature(f"{item.name}.end", frame.body, b, None, r))
            found.append(Feature(item.name, frame.body, a, b, r))
        else:
            corners = [place(c) for c in np.atleast_2d(np.asarray(item.corners, dtype=float))]
            if len(corners) < 3:
                raise ArgumentError(f"sole {item.name!r} has {len(corners)} corners; expected three or more")
            for k, corner in enumerate(corners):
                found.append(Feature(f"{item.name}.{k}", frame.body, corner, None, 0.0))
            for k, (a, b) in enumerate(pairwise([*corners, corners[0]])):
                found.append(Feature(f"{item.name}.side{k}", frame.body, a, b, 0.0))
    names = [feature.name for feature in found]
    twice = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()
    if twice:
        raise ArgumentError(f"contact names must differ; given twice: {', '.join(sorted(twice)[:4])}")
    return tuple(found)


def _check_radius(item: ContactPoint | ContactEdge) -> None:
    if not (isinstance(item.radius, (int, float, np.number)) and np.isfinite(item.radius) and item.radius >= 0):
        raise ArgumentError(f"radius of contact {item.name!r} is {item.radius!r}; expected 0 or more [m]")
