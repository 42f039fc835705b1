"""Coloured meshes on bodies, packed once and placed for every picture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.geometry.surface import Surface
from tarsus.viewer.drawing.scene import Scene
from tarsus.viewer.parts import IndexedMesh


class Piece(NamedTuple):
    """Triangles of one colour: in the frame of a body, or in the world where `body` is None.

    Attributes
    ----------
    points : ndarray, shape (n, 3)
        [m].
    normals : ndarray, shape (n, 3)
        Unit normals at the points.
    faces : ndarray of int32, shape (m, 3)
    color : sequence of 3 or 4 floats
        Red, green, blue between 0 and 1, and opacity where it is not 1.
    """

    body: int | None
    points: FloatArray
    normals: FloatArray
    faces: npt.NDArray[np.int32]
    color: Sequence[float]


def piece_of_mesh(body: int | None, mesh: IndexedMesh, color: Sequence[float]) -> Piece:
    """Piece that is an indexed mesh."""
    return Piece(body, mesh.vertices.astype(float), mesh.normals.astype(float), mesh.faces.astype(np.int32), color)


def piece_of_surface(surface: Surface, color: Sequence[float]) -> Piece:
    """Piece in the world that is a surface."""
    faces = np.arange(3 * len(surface.corners), dtype=np.int32).reshape(-1, 3)
    return Piece(None, surface.corners.reshape(-1, 3), surface.normals.reshape(-1, 3), faces, color)


class Pieces:
    """Pieces in one set of arrays.

    Parameters
    ----------
    pieces : sequence of Piece
    first : int
        Number of the first shape.
    """

    def __init__(self, pieces: Sequence[Piece], first: int = 0) -> None:
        self._pieces = pieces
        starts = np.cumsum([0, *(len(p.points) for p in pieces)])
        self._spans = [slice(int(a), int(b)) for a, b in pairwise(starts)]
        self._count = int(starts[-1])
        triangles = [len(p.faces) for p in pieces]
        nothing = np.zeros((0, 3), dtype=np.int32)
        self._faces = np.concatenate(
            [nothing, *(p.faces + np.int32(start) for p, start in zip(pieces, starts, strict=False))]
        )
        self._colors = np.repeat(np.reshape([(*p.color, 1.0)[:4] for p in pieces], (-1, 4)), triangles, axis=0)
        self._shape = np.repeat(np.arange(first, first + len(pieces), dtype=np.int32), triangles)

    def placed(self, X_WB: FloatArray) -> Scene:
        """Scene with bodies at the poses X_WB (nb, 4, 4)."""
        points, normals = np.empty((self._count, 3)), np.empty((self._count, 3))
        for piece, span in zip(self._pieces, self._spans, strict=True):
            if piece.body is None:
                points[span], normals[span] = piece.points, piece.normals
            else:
                X = X_WB[piece.body]
                np.einsum("nj,ij->ni", piece.points, X[:3, :3], out=points[span])
                points[span] += X[:3, 3]
                np.einsum("nj,ij->ni", piece.normals, X[:3, :3], out=normals[span])
        return Scene(points, normals, self._faces, self._colors, self._shape)


def joined(scenes: Sequence[Scene]) -> Scene:
    """One scene of several, in their order."""
    starts = np.cumsum([0, *(len(scene.points) for scene in scenes)])
    faces = [scene.faces + np.int32(start) for scene, start in zip(scenes, starts, strict=False)]
    points, normals, _, colors, shape = (np.concatenate(field) for field in zip(*scenes, strict=True))
    return Scene(points, normals, np.concatenate(faces), colors, shape)
