"""Pictures that are wrapped around meshes: nobody vouches for them, so that their headers are judged first."""

from __future__ import annotations

import functools
import io
import os

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
"""Rows from the top, columns, (red, green, blue)."""

MAX_PICTURE_SIZE = 64 * 2**20
"""Largest picture file that is looked into [bytes]."""
MAX_PIXELS = 2**26
"""Most pixels that are decoded: 200 MB."""
SIDE = 1024
"""Pictures are reduced to this many pixels along their longer side."""
_FORMATS = ("PNG", "JPEG", "BMP", "TGA", "GIF", "WEBP", "TIFF")
_UPWARDS = 2
"""Directories above that of the mesh in which a picture may be."""
_PLACES = ("", "textures", "../textures", "../materials/textures")
"""Where a picture is looked for that is not where the file says."""


def find_picture(mesh_path: str, name: str) -> str | None:
    """Path of a picture that a mesh file names; None if it is not there, or too far from the mesh."""
    directory = os.path.dirname(os.path.abspath(mesh_path))
    name = name.replace("\\", "/")
    candidates = [] if os.path.isabs(name) or ":" in name else [name]
    candidates += [f"{place}/{os.path.basename(name)}".lstrip("/") for place in _PLACES]
    top = directory
    for _ in range(_UPWARDS):
        top = os.path.dirname(top)
    for candidate in candidates:
        path = os.path.realpath(os.path.join(directory, candidate))
        inside = path.startswith(os.path.realpath(top).rstrip(os.sep) + os.sep)
        if inside and os.path.isfile(path):
            return path
    return None


def read_picture(source: str | bytes) -> Picture | str:
    """Picture of a file (a path) or of its contents, or why there is none."""
    if isinstance(source, bytes):
        return _decoded(source)
    try:
        status = os.stat(source)
        if status.st_size > MAX_PICTURE_SIZE:
            return f"{status.st_size} bytes are more than the limit of {MAX_PICTURE_SIZE}"
        return _read(source, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError) as error:
        return f"cannot be read: {error}"


@functools.lru_cache(maxsize=32)
def _read(path: str, modified: int, size: int) -> Picture | str:
    with open(path, "rb") as stream:
        return _decoded(stream.read(size))


def _decoded(data: bytes) -> Picture | str:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                return f"{width} x {height} pixels are more than the limit of {MAX_PIXELS}"
            image.draft("RGB", (SIDE, SIDE))
            image.thumbnail((SIDE, SIDE))
            return np.asarray(image.convert("RGB"))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        return f"cannot be decoded: {str(error)[:120]}"
