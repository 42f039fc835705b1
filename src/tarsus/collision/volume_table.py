"""Tables of a collision model in the form that the native core reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray, IntArray
from tarsus.collision.obstacle import Obstacle
from tarsus.collision.segment_pairs import Pair
from tarsus.contact.ground import HeightField
from tarsus.geometry.convex_volume import ConvexVolume
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.model.model import Model

FEW = 16
"""Volumes up to which an obstacle is looked through one by one; those with more have a tree of boxes."""
_PLAIN, _SURFACE, _HULL, _FIELD = -1, 0, 1, 2  # SolidKind of native/collision/volumes.hpp; plain ones have none


@dataclass(frozen=True)
class _Part:
    """Volumes of one segment, and the solid that they bound."""

    vertex: FloatArray
    vertices: IntArray
    radius: FloatArray
    solid: int = _PLAIN
    size: tuple[int, int, int] = (0, 0, 0)
    number: FloatArray = field(default_factory=lambda: np.zeros(0))
    edge: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))


def volume_table(
    model: Model,
    volumes: Mapping[str, Sequence[SweptSphere]],
    obstacles: Sequence[Obstacle],
    pairs: Sequence[Pair],
    frames: Mapping[str, str] | None = None,
) -> _native.VolumeCore:
    """The native tables of segments, obstacles and pairs; segments are called by their frames unless `frames` says."""
    around = [_obstacle(obstacle) for obstacle in obstacles]
    parts = [*(_swept(group) for group in volumes.values()), *around]
    place = {name: k for k, name in enumerate((*volumes, *(obstacle.name for obstacle in obstacles)))}
    index = {name: k for k, name in enumerate(model.frames)}
    arrays: dict[str, Any] = {
        "frame": np.array([index[frames[name] if frames else name] for name in volumes], dtype=np.int32),
        "count": np.array([len(part.radius) for part in parts], dtype=np.int32),
        "vertices": np.concatenate([part.vertices for part in parts]).astype(np.int32),
        "vertex": np.concatenate([part.vertex for part in parts]),
        "radius": np.concatenate([part.radius for part in parts]),
        "pose": np.array([obstacle.pose_numbers(obstacle.pose) for obstacle in obstacles], dtype=float),
        "pair": np.array([(place[a], place[b]) for a, b in pairs], dtype=np.int32).reshape(-1, 2),
        "solid": np.array([part.solid for part in around], dtype=np.int32),
        "size": np.array([part.size for part in around], dtype=np.int32).reshape(-1, 3),
        "number": np.concatenate([np.zeros(0), *(part.number for part in around)]),
        "edge": np.concatenate([np.zeros(0), *(part.edge for part in around)]).astype(np.int32),
    }
    return _native.VolumeCore(model, arrays)


def _swept(volumes: Sequence[SweptSphere], solid: int = _PLAIN) -> _Part:
    vertex = np.zeros((len(volumes), 3, 3))
    for row, volume in zip(vertex, volumes, strict=True):
        row[: len(volume.vertices)] = volume.vertices
    count = np.array([len(volume.vertices) for volume in volumes])
    return _Part(vertex, count, np.array([volume.radius for volume in volumes], dtype=float), solid)


def _obstacle(obstacle: Obstacle) -> _Part:
    if isinstance(obstacle.solid, ConvexVolume):
        return _hull(obstacle.solid)
    if isinstance(obstacle.solid, HeightField):
        return _field(obstacle.solid)
    return _swept(obstacle.volumes, _SURFACE if len(obstacle.volumes) > FEW else _PLAIN)


def _hull(hull: ConvexVolume) -> _Part:
    triangles = hull.corners[hull.faces]
    planes = hull.planes
    return _Part(
        triangles,
        np.full(len(triangles), 3),
        np.full(len(triangles), hull.radius),
        _HULL,
        (len(planes), len(hull.corners), len(hull.edges)),
        np.concatenate([planes.ravel(), hull.corners.ravel()]),
        hull.edges.ravel(),
    )


def _field(ground: HeightField) -> _Part:
    """Two triangles a cell, in axes whose origin is the field's."""
    heights = np.asarray(ground.heights, dtype=float)
    rows, columns = heights.shape
    x, y = np.meshgrid(ground.spacing * np.arange(columns), ground.spacing * np.arange(rows))
    points = np.stack([x, y, heights], axis=-1)
    a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, :-1], points[1:, 1:]
    triangles = np.concatenate([np.stack(t, axis=2).reshape(-1, 3, 3) for t in ((a, b, d), (a, d, c))])
    number = np.concatenate([[ground.spacing], heights.ravel()])
    count = len(triangles)
    return _Part(triangles, np.full(count, 3), np.zeros(count), _FIELD, (columns, rows, 0), number)
