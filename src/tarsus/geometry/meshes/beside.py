"""Files that a mesh file refers to: read only from its own directory and below, within bounds."""

from __future__ import annotations

import os
from urllib.parse import unquote

from tarsus.geometry.meshes.problem import DefectiveMesh


class FilesBeside:
    """Reads the files of one mesh.

    Parameters
    ----------
    mesh_path : str
    limit : int
        Bytes that all of them may have together.

    Attributes
    ----------
    used : bool
        Whether any was asked for.
    """

    def __init__(self, mesh_path: str, limit: int) -> None:
        self._directory = os.path.realpath(os.path.dirname(os.path.abspath(mesh_path)))
        self._left = limit
        self.used = False

    def read(self, address: str) -> bytes:
        """Contents of a file by its relative address.

        Raises
        ------
        DefectiveMesh
        """
        self.used = True
        name = unquote(address)
        if ":" in name or os.path.isabs(name) or "\0" in name:
            raise DefectiveMesh.because(
                "mesh-unreadable", f"{name[:60]!r} is not the address of a file beside the mesh"
            )
        path = os.path.realpath(os.path.join(self._directory, name))
        if not path.startswith(self._directory.rstrip(os.sep) + os.sep):
            raise DefectiveMesh.because("mesh-unreadable", f"{name[:60]!r} is outside of the directory of the mesh")
        try:
            if not os.path.isfile(path):
                raise DefectiveMesh.because("mesh-unreadable", f"{name[:60]!r} is not there")
            size = os.path.getsize(path)
            if size > self._left:
                raise DefectiveMesh.because("mesh-size", f"{name[:60]!r} has {size} bytes, more than the limit")
            with open(path, "rb") as stream:
                data = stream.read(size)
        except OSError as error:
            raise DefectiveMesh.because("mesh-unreadable", f"cannot be read: {error}") from None
        self._left -= len(data)
        return data
