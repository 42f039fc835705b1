"""Which surface of a ground is touched at a point: its normal and its friction.

At an edge of a block the normal is not unique. What crosses the edge, the rim of a sole, is pushed across both, in any
direction between the normals of the two faces and a little beyond them (`native/contact/segment.hpp`), while the face
that happens to be nearer says nothing: force and position do not tell the direction of the rim. There the force
decides.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.ground import Block, Ground
from tarsus.contact.surface_tables import surface_distances

EDGE = 0.01
"""Distance from both faces within which a point is at an edge [m]: feet press less deep into the ground."""
LEAN = np.arcsin(0.5)
"""By how much the normal at an edge may lean beyond those of the faces [rad]: `kMostLean` of the native core."""


class Touched(NamedTuple):
    """Surfaces at points.

    Attributes
    ----------
    normal : ndarray, shape (..., 3)
        Out of the ground, world axes.
    friction : ndarray, shape (...)
        Coefficient of Coulomb friction.
    """

    normal: FloatArray
    friction: FloatArray


def touched_surfaces(ground: Ground, position: npt.ArrayLike, force: npt.ArrayLike | None = None) -> Touched:
    """The surface that each of the points touches: the nearest, or the one that it is deepest in.

    Where a force is told that is beyond the cone of that surface and the point is at an edge of a block, the normal is
    that of the face whose cone the force is in; where it is in neither, the one next to them that has it in its cone,
    or comes nearest to that. Away from edges forces change nothing.

    Parameters
    ----------
    position : array_like, shape (..., 3)
        World [m].
    force : array_like, shape (..., 3), optional
        Of the ground at each of the points, world axes [N].
    """
    p = np.asarray(position, dtype=float)
    flat = p.reshape(-1, 3)
    gap, normal, friction = np.full(len(flat), np.inf), np.zeros_like(flat), np.zeros(len(flat))
    for surface in ground.surfaces:
        found, direction = surface_distances((surface,), flat)
        nearer = found < gap
        gap[nearer], normal[nearer] = found[nearer], direction[nearer]
        friction[nearer] = surface.law.friction
    if force is not None:
        _decide_at_edges(
            ground,
            flat,
            _directions(np.broadcast_to(np.asarray(force, dtype=float), p.shape).reshape(-1, 3)),
            normal,
            friction,
        )
    return Touched(normal.reshape(p.shape), friction.reshape(p.shape[:-1]))


def _directions(force: FloatArray) -> FloatArray:
    """Unit vectors of forces (n, 3); zeros where there is none, or none that is finite."""
    size = np.max(np.abs(force), axis=-1, keepdims=True)
    known = (size > 0.0) & np.isfinite(size)
    scaled: FloatArray = np.divide(force, size, out=np.zeros_like(force), where=known)  # large forces have no squares
    np.divide(scaled, np.linalg.norm(scaled, axis=-1, keepdims=True), out=scaled, where=known)
    return scaled


def _inside(along: FloatArray, normal: FloatArray, friction: npt.ArrayLike) -> FloatArray:
    """Cosine of the angle of directions from normals (n, 3) over that at the edge of the cone: 1 on it, more inside."""
    cosine: FloatArray = np.sum(along * normal, axis=-1)
    return cosine * np.sqrt(1.0 + np.square(friction))


def _decide_at_edges(
    ground: Ground, p: FloatArray, along: FloatArray, normal: FloatArray, friction: FloatArray
) -> None:
    """Put the normals of edges where directions of forces (n, 3) at points (n, 3) are beyond the cones so far."""
    best = _inside(along, normal, friction)
    rows = np.flatnonzero((best < 1.0) & np.any(along != 0.0, axis=-1))
    for block in ground.surfaces:
        if not isinstance(block, Block):
            continue
        pose, mu = np.asarray(block.pose), block.law.friction
        local = (p[rows] - pose[:3, 3]) @ pose[:3, :3]
        depth = 0.5 * np.asarray(block.size) - np.abs(local)  # below the nearer face of each axis
        faces = np.where(local < 0.0, -1.0, 1.0)[..., None] * pose[:3, :3].T
        at_block = np.all(depth > -EDGE, axis=-1)
        for a, b in combinations(range(3), 2):
            at_edge = at_block & (depth[:, a] < EDGE) & (depth[:, b] < EDGE)
            here = rows[at_edge]
            found = _edge_normal(faces[at_edge, a], faces[at_edge, b], along[here], mu)
            inside = _inside(along[here], found, mu)
            better = inside > best[here]
            best[here[better]], normal[here[better]], friction[here[better]] = inside[better], found[better], mu


def _edge_normal(a: FloatArray, b: FloatArray, along: FloatArray, friction: float) -> FloatArray:
    """Normals (n, 3) at edges between faces with normals a and b (n, 3), for directions of forces (n, 3).

    With the normal at the angle x from a towards b, and the part r of the direction in the plane of both at the angle
    y, a force is in the cone where r cos(x - y) >= 1 / sqrt(1 + friction^2). Of the two faces the one nearer to the
    force is turned until that holds, not further.
    """
    x, y = np.sum(along * a, axis=-1), np.sum(along * b, axis=-1)
    towards = np.arctan2(y, x)
    towards = np.where(towards < -0.75 * np.pi, towards + 2.0 * np.pi, towards)  # nearer to b
    reach = np.hypot(x, y) * np.sqrt(1.0 + friction**2)
    room = np.arccos(1.0 / np.maximum(reach, 1.0))
    face = np.where(y > x, 0.5 * np.pi, 0.0)
    turn = np.clip(np.clip(face, towards - room, towards + room), -LEAN, 0.5 * np.pi + LEAN)[:, None]
    found: FloatArray = np.cos(turn) * a + np.sin(turn) * b
    return found
