"""Scenes for motions of a robot: its volumes, and its shapes where volumes overlap though nothing touches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.spatial import HalfspaceIntersection

from tarsus.collision.collision_model import CollisionModel
from tarsus.collision.fitting.facets import Facets, facets_of
from tarsus.collision.obstacle import Obstacle
from tarsus.collision.segment_pairs import Pair
from tarsus.collision.shape_pairs import ShapePairs
from tarsus.errors import ArgumentError
from tarsus.geometry.hull import convex_hull
from tarsus.geometry.shapes import Plane
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.model.model import Model

SIDES = 8
"""Of prisms that stand for cylinders, which are 8 % thicker at their edges."""
MOST_FACETS = 400
"""Of a link; those with more are taken as polytopes around each of their shapes."""
DIRECTIONS = np.array([d for d in np.ndindex(3, 3, 3) if d != (1, 1, 1)], dtype=float) - 1.0
"""Normals of the faces of such a polytope, 26 of them, before they have unit length."""
FLAT = 1e-6
"""By how much polytopes are thicker, so that those of flat meshes have an inside [m]."""

AS_BUILT = 1e-4
"""Distance in the reference pose [m] up to which shapes touch as the robot was built: ends of cylinders in a row, to
the rounding of a file, overlap as soon as the joint between them bends."""


class MotionScenes(NamedTuple):
    """What must not touch while a robot moves.

    Attributes
    ----------
    scenes : tuple of CollisionModel and ShapePairs
        One of volumes, and one of shapes where there are pairs that need it.
    by_shapes : tuple of (str, str)
        Pairs whose volumes overlap at the start, so that their shapes are looked at.
    ignored : tuple of (str, str)
        Pairs that are not looked at: their shapes touch in the reference pose already.
    """

    scenes: tuple[CollisionModel | ShapePairs, ...]
    by_shapes: tuple[Pair, ...]
    ignored: tuple[Pair, ...]


def motion_scenes(model: Model, q: npt.ArrayLike | None = None, obstacles: Sequence[Obstacle] = ()) -> MotionScenes:
    """All pairs of a robot's segments with each other and with obstacles, as they are looked at during a motion.

    Volumes enclose links with some room; those of links around joints of several axes overlap though the links do not
    touch. Pairs whose volumes overlap at `q` are looked at by their shapes: the triangles of boxes and meshes, prisms
    around cylinders, polytopes of 26 faces around meshes of many triangles. Pairs whose shapes touch in the reference
    pose, as the robot was built, to a tenth of a millimetre, are left out, and so are obstacles with a root that is
    fixed to the world.

    Parameters
    ----------
    model : Model
        With volumes, see `tarsus.collision.fit`.
    q : array_like, shape (nq,), optional
        Where a motion begins; the reference pose by default.
    obstacles : sequence of Obstacle
    """
    start = model.reference if q is None else np.asarray(q, dtype=float)
    standing = _never_moving(model, obstacles)
    whole = CollisionModel(model, obstacles=obstacles, exclude=standing)
    if not whole.pairs:
        return MotionScenes((), (), ())
    distance = whole.distances(start)
    over = [pair for pair, d in zip(whole.pairs, distance, strict=True) if d <= 0 and pair[1] in model.volumes]
    if not over:
        return MotionScenes((whole,), (), ())
    coarse = CollisionModel(model, obstacles=obstacles, exclude=[*standing, *over])
    detail, ignored = _by_shapes(model, over)
    scenes: tuple[CollisionModel | ShapePairs, ...] = (coarse,) if coarse.pairs else ()
    if detail is not None:
        scenes = (*scenes, detail)
    return MotionScenes(scenes, () if detail is None else detail.pairs, ignored)


def _never_moving(model: Model, obstacles: Sequence[Obstacle]) -> list[Pair]:
    """Segments on a root that is fixed to the world, with all obstacles: an arm may stand on its table."""
    if model.base != "fixed":
        return []
    root = next(iter(model.bodies))
    names = [obstacle.name for obstacle in obstacles]
    return [(name, other) for name in model.volumes if model.frames[name].body == root for other in names]


def _by_shapes(model: Model, pairs: Sequence[Pair]) -> tuple[ShapePairs | None, tuple[Pair, ...]]:
    """A scene of the shapes of these pairs, and those that it leaves out."""
    volumes: dict[str, list[SweptSphere]] = {}
    for name in {name for pair in pairs for name in pair}:
        facets = _facets(model, name)
        if facets is not None and len(facets):
            volumes[name] = [_volume(*facet) for facet in zip(facets.corners, facets.radius, strict=True)]
    known = [pair for pair in pairs if all(name in volumes for name in pair)]
    if not known:
        return None, tuple(pairs)
    scene = CollisionModel(model, volumes, include=known)
    touching = [pair for pair, d in zip(scene.pairs, scene.distances(model.reference), strict=True) if d <= AS_BUILT]
    left = [pair for pair in known if not any(set(pair) == set(other) for other in touching)]
    ignored = tuple(pair for pair in pairs if pair not in left)
    return (ShapePairs(model, volumes, left) if left else None), ignored


def _facets(model: Model, name: str) -> Facets | None:
    """Of the link of a segment, in its frame; None where they are not to be had."""
    frame = model.frames[name]
    body = model.bodies[frame.body]
    shapes = [shape for shape in body.collisions or body.visuals if not isinstance(shape.geometry, Plane)]
    try:
        facets = facets_of(shapes, f"link {body.name!r}", SIDES)
    except ArgumentError:
        return None
    if len(facets) > MOST_FACETS:
        around = [_polytope(facets.chosen(facets.shape == k)) for k in np.unique(facets.shape)]
        corners = np.concatenate(around)
        facets = Facets(corners, np.zeros(len(corners)), np.zeros(len(corners), dtype=np.intp))
    X = frame.pose
    return Facets((facets.corners - X[:3, 3]) @ X[:3, :3], facets.radius, facets.shape)


def _polytope(facets: Facets) -> npt.NDArray[np.float64]:
    """Triangles (m, 3, 3) of the polytope that planes of `DIRECTIONS` make around facets."""
    normals = DIRECTIONS / np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)
    points = facets.corners.reshape(-1, 3)
    far = (points @ normals.T + np.repeat(facets.radius, 3)[:, None]).max(axis=0) + FLAT
    inside = HalfspaceIntersection(np.column_stack([normals, -far]), points.mean(axis=0))
    hull = convex_hull(inside.intersections)
    return np.asarray(hull.vertices[hull.faces])


def _volume(corners: npt.NDArray[np.float64], radius: float) -> SweptSphere:
    """A facet, with corners that coincide once."""
    points = np.unique(corners, axis=0)
    return SweptSphere(corners if len(points) == 3 else points, float(radius))
