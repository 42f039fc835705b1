"""A solid bounded by triangles as a part of the ground."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.contact.laws import Compliant, ContactLaw
from tarsus.errors import ArgumentError, ShapeError
from tarsus.geometry.meshes.read import read_mesh
from tarsus.geometry.solid_mesh import SolidMesh, solid_mesh
from tarsus.geometry.triangles import Triangles


@dataclass(frozen=True, slots=True, eq=False)
class TriangleMesh:
    """A solid bounded by triangles.

    A surface that is closed encloses a solid. One that is open, such as a piece of terrain, has its solid on the inner
    side of its triangles; what is nearest to its rim is outside.

    Attributes
    ----------
    vertices : ndarray, shape (n, 3)
        World [m].
    faces : ndarray of int, shape (m, 3)
        Vertices at the corners of each triangle, counter-clockwise seen from outside.
    law : contact law
    name : str
    """

    vertices: npt.ArrayLike
    faces: npt.ArrayLike
    law: ContactLaw = field(default_factory=Compliant)
    name: str = "mesh"
    solid: SolidMesh = field(init=False, repr=False)

    def __post_init__(self) -> None:
        vertices, faces = np.array(self.vertices, dtype=float), np.array(self.faces)
        for name, array in (("vertices", vertices), ("faces", faces)):
            if array.ndim != 2 or array.shape[1] != 3:
                raise ShapeError(f"{name} of TriangleMesh has shape {array.shape}; expected (n, 3)")
        if not np.all(np.isfinite(vertices)):
            raise ArgumentError("vertices of TriangleMesh has entries that are not finite")
        if not np.issubdtype(faces.dtype, np.integer):
            raise ArgumentError(f"faces of TriangleMesh is of type {faces.dtype}; expected whole numbers of vertices")
        if faces.size and not (faces.min() >= 0 and faces.max() < len(vertices)):
            raise ArgumentError(
                f"faces of TriangleMesh name the vertices {faces.min()} to {faces.max()}; there are {len(vertices)}"
            )
        triangles = Triangles(vertices, faces.astype(np.intp))
        for name, array in (("vertices", triangles.vertices), ("faces", triangles.faces)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "solid", solid_mesh(triangles))

    @classmethod
    def from_file(
        cls,
        path: str | os.PathLike[str],
        *,
        pose: npt.ArrayLike | None = None,
        scale: float = 1.0,
        law: ContactLaw | None = None,
        name: str | None = None,
    ) -> TriangleMesh:
        """The mesh of an STL, OBJ, PLY, COLLADA or glTF file.

        Parameters
        ----------
        path : path-like
        pose : array_like, shape (4, 4), optional
            X_WM of the axes of the file.
        scale : float
            Metres in a unit of the file.
        law : contact law, optional
        name : str, optional
            That of the file by default.

        Raises
        ------
        ArgumentError
            Where the file cannot be read, or is not the surface of a solid.
        """
        found = read_mesh(path)
        if not isinstance(found, Triangles):
            what = "; ".join(problem.message for problem in found)
            raise ArgumentError(f"{os.fspath(path)} is no ground: {what}")
        X: FloatArray = np.eye(4) if pose is None else np.array(pose, dtype=float)
        if X.shape != (4, 4):
            raise ShapeError(f"pose has shape {X.shape}; expected (4, 4)")
        vertices = scale * found.vertices @ X[:3, :3].T + X[:3, 3]
        try:
            return cls(vertices, found.faces, law or Compliant(), name or os.path.basename(os.fspath(path)))
        except ArgumentError as error:
            raise ArgumentError(f"{os.fspath(path)} is no ground: {error}") from None
