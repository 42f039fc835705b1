"""Shapes attached to bodies for pictures and collision: primitives and meshes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.triangles import Triangles


@dataclass(frozen=True, slots=True)
class Box:
    """Box with edge lengths `size` = (x, y, z) [m], centred."""

    size: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Sphere:
    """Sphere [m]."""

    radius: float


@dataclass(frozen=True, slots=True)
class Cylinder:
    """Cylinder about z, centred [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Capsule:
    """Cylinder about z of the given `length` with half-spheres added at both ends, centred [m]."""

    radius: float
    length: float


@dataclass(frozen=True, slots=True)
class Ellipsoid:
    """Ellipsoid with semi-axes `radii` [m]."""

    radii: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Plane:
    """Half-space below the xy-plane of its frame; `size` are the half extents drawn (0: unbounded)."""

    size: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Mesh:
    """Triangle mesh in a file.

    `uri` is what the model file says; `path` is where it was found, or None. `content` are the triangles themselves,
    for models that come from a recording or have them in their own file. `texture` is the path of a picture that is
    wrapped around it by its texture coordinates; without it `own_colors` tells whether colours of the file count.
    `part` is the name of the only part of the file that belongs to the shape, and `centered` moves the middle of its
    box to the origin.
    """

    uri: str
    path: str | None = None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    content: Triangles | None = None
    texture: str | None = None
    own_colors: bool = True
    part: str | None = None
    centered: bool = False


Geometry = Box | Sphere | Cylinder | Capsule | Ellipsoid | Plane | Mesh


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A geometry placed on a link or body.

    Attributes
    ----------
    geometry : Box, Sphere, Cylinder, Capsule, Ellipsoid, Plane or Mesh
    pose : ndarray, shape (4, 4)
        X_BG of the geometry in the frame it is attached to.
    color : tuple of 4 floats
        Red, green, blue, alpha between 0 and 1.
    name : str
    """

    geometry: Geometry
    pose: FloatArray = field(default_factory=lambda: np.eye(4))
    color: tuple[float, float, float, float] = (0.7, 0.7, 0.72, 1.0)
    name: str = ""
