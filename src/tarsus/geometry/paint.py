"""What mesh files say about colours: materials of triangles, and where pictures are wrapped around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from tarsus.arrays import FloatArray, IndexArray

Color = tuple[float, float, float, float]


class Material(NamedTuple):
    """Colour and picture of some triangles.

    Attributes
    ----------
    color : tuple of 4 floats or None
        Red, green, blue, opacity between 0 and 1; it multiplies the picture. None where nothing is said.
    picture : str, bytes or None
        Path of a picture beside the mesh file as the file names it, or the encoded picture itself.
    """

    color: Color | None = None
    picture: str | bytes | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Paint:
    """Colours of the triangles of a mesh.

    Attributes
    ----------
    material : ndarray of int, shape (m,)
        Material of each triangle, -1 where it has none.
    materials : tuple of Material or str
        A name stands for a material of a library.
    uv : ndarray, shape (m, 3, 2), or None
        Texture coordinates of the corners, from the lower left corner of the picture.
    libraries : tuple of str
        Files that define the named materials, as the mesh file names them.
    """

    material: IndexArray
    materials: tuple[Material | str, ...] = ()
    uv: FloatArray | None = None
    libraries: tuple[str, ...] = ()

    @property
    def nbytes(self) -> int:
        """Memory taken by arrays [bytes]."""
        return self.material.nbytes + (0 if self.uv is None else self.uv.nbytes)
