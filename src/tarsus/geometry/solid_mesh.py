"""Triangles as the surface of a solid: which side is out, and a tree of boxes to find the nearest triangle in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.errors import ArgumentError
from tarsus.geometry.triangles import Triangles, merged

LEAF = 4
"""Triangles in a leaf of the tree; kMeshLeaf of the native core."""
_CODE_BITS = 10
"""Of each coordinate in the codes by which triangles are put in order."""


@dataclass(frozen=True, slots=True, eq=False)
class SolidMesh:
    """A solid bounded by triangles, their corners counter-clockwise seen from outside.

    Attributes
    ----------
    corner : ndarray, shape (m, 3, 3)
        Of the triangles, in the order of the leaves of the tree [m].
    normal : ndarray, shape (m, 7, 3)
        Out of the solid: of the face, of its edges (the first from corner 0 to corner 1) and of its corners, weighted
        by the angles of the faces that meet there (Baerentzen and Aanaes 2005). Those are unit vectors.
    rim : ndarray of bool, shape (m, 7)
        Whether these belong to the rim of a surface that is not closed.
    box : ndarray, shape (2 leaves, 6)
        Lowest and highest coordinates of what is below a node of the tree; node i has the children 2 i and 2 i + 1, and
        node `leaves` + k holds the triangles from LEAF k on. Node 0 is none.
    """

    corner: FloatArray
    normal: FloatArray
    rim: BoolArray
    box: FloatArray

    @property
    def leaves(self) -> int:
        """Leaves of the tree: a power of two."""
        return len(self.box) // 2

    @property
    def closed(self) -> bool:
        """Whether the surface has no rim."""
        return not self.rim.any()


def solid_mesh(triangles: Triangles) -> SolidMesh:
    """Triangles as the surface of a solid; vertices of equal bits are one, triangles without area are left out.

    Raises
    ------
    ArgumentError
        Where there is no triangle, or neighbours do not agree on which side is out.
    """
    found = merged(triangles)
    corner = found.vertices[found.faces]
    across = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    area = np.linalg.norm(across, axis=1)
    kept = area > 0.0
    if not kept.any():
        raise ArgumentError("the mesh has no triangle with an area; expected the surface of a solid")
    faces, corner, face = found.faces[kept], corner[kept], across[kept] / area[kept, None]
    vertex = _vertex_normals(len(found.vertices), faces, corner, face)
    edge, alone = _edge_normals(faces, face)
    on_rim = np.zeros(len(found.vertices), dtype=bool)
    for k in range(3):
        on_rim[faces[alone[:, k]][:, [k, (k + 1) % 3]]] = True
    normal = np.concatenate([face[:, None], edge, vertex[faces]], axis=1)
    rim = np.concatenate([np.zeros((len(faces), 1), dtype=bool), alone, on_rim[faces]], axis=1)
    order = _order(corner)
    return SolidMesh(corner[order], _unit(normal[order]), rim[order], _tree(corner[order]))


def _unit(x: FloatArray) -> FloatArray:
    size = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.asarray(x / np.where(size > 0.0, size, 1.0))


def _vertex_normals(count: int, faces: IndexArray, corner: FloatArray, face: FloatArray) -> FloatArray:
    """Sums of the normals of the faces at each vertex times their angles there, shape (count, 3)."""
    total = np.zeros((count, 3))
    for k in range(3):
        a = _unit(corner[:, (k + 1) % 3] - corner[:, k])
        b = _unit(corner[:, (k + 2) % 3] - corner[:, k])
        angle = np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), np.sum(a * b, axis=1))
        np.add.at(total, faces[:, k], angle[:, None] * face)
    return total


def _edge_normals(faces: IndexArray, face: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Sums of the normals of the faces at each edge, shape (m, 3, 3), and which edges have one face, shape (m, 3)."""
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    low, forward = np.sort(ends, axis=1), ends[:, 0] < ends[:, 1]
    _, label = np.unique(low, axis=0, return_inverse=True)
    label = label.reshape(-1)
    uses, balance = np.bincount(label), np.bincount(label, weights=np.where(forward, 1.0, -1.0))
    wrong = np.flatnonzero((uses > 1) & (balance != 0.0))
    if len(wrong):
        raise ArgumentError(
            f"at {len(wrong)} edges of the mesh neighbouring triangles do not agree on which side is out; expected "
            "corners in counter-clockwise order seen from outside"
        )
    total = np.zeros((len(uses), 3))
    np.add.at(total, label, np.repeat(face, 3, axis=0))
    return total[label].reshape(-1, 3, 3), (uses[label] == 1).reshape(-1, 3)


def _order(corner: FloatArray) -> IndexArray:
    """Triangles in the Morton order of their centres, so that neighbours are near, shape (m,)."""
    centre = corner.mean(axis=1)
    low, high = centre.min(axis=0), centre.max(axis=0)
    cell = ((centre - low) / np.where(high > low, high - low, 1.0) * (2**_CODE_BITS - 1)).astype(np.int64)
    code = np.zeros(len(centre), dtype=np.int64)
    for bit in range(_CODE_BITS):
        for k in range(3):
            code |= ((cell[:, k] >> bit) & 1) << (3 * bit + k)
    return np.argsort(code, kind="stable")


def _tree(corner: FloatArray) -> FloatArray:
    """Bounds of the nodes of the tree, shape (2 leaves, 6); those of empty leaves are at an infinite distance."""
    leaves = 1
    while leaves * LEAF < len(corner):
        leaves *= 2
    box = np.full((2 * leaves, 6), np.inf)
    box[:, 3:] = -np.inf
    first = np.arange(0, len(corner), LEAF)
    box[leaves : leaves + len(first), :3] = np.minimum.reduceat(corner.min(axis=1), first)
    box[leaves : leaves + len(first), 3:] = np.maximum.reduceat(corner.max(axis=1), first)
    level = leaves // 2
    while level > 0:
        children = box[2 * level : 4 * level].reshape(level, 2, 6)
        box[level : 2 * level, :3] = children[:, :, :3].min(axis=1)
        box[level : 2 * level, 3:] = children[:, :, 3:].max(axis=1)
        level //= 2
    return box
