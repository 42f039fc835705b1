"""Mass properties of bodies of uniform density: solid primitives, thin shells, triangle meshes."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Ellipsoid, Sphere
from tarsus.spatial.inertia import Inertia

Primitive = Box | Capsule | Cylinder | Ellipsoid | Sphere

_SHELL_THICKNESS = 1e-6
"""Difference of the semi-axes of the two ellipsoids whose difference stands for a shell [m], as in MuJoCo."""
_AREA_EXPONENT = 1.6075
"""Exponent p of Thomsen's formula for the area of an ellipsoid, good to 1.1 percent."""


def volume(solid: Primitive) -> float:
    """Volume of a primitive [m^3]."""
    match solid:
        case Box(size=(x, y, z)):
            return x * y * z
        case Sphere(radius=r):
            return 4.0 / 3.0 * math.pi * r * r * r
        case Cylinder(radius=r, length=h):
            return math.pi * r * r * h
        case Capsule(radius=r, length=h):
            return math.pi * r * r * (h + 4.0 / 3.0 * r)
        case Ellipsoid(radii=(a, b, c)):
            return 4.0 / 3.0 * math.pi * a * b * c


def area(solid: Primitive) -> float:
    """Surface area of a primitive [m^2]; of an ellipsoid by Thomsen's approximation."""
    match solid:
        case Box(size=(x, y, z)):
            return 2.0 * (x * y + y * z + z * x)
        case Sphere(radius=r):
            return 4.0 * math.pi * r * r
        case Cylinder(radius=r, length=h):
            return 2.0 * math.pi * r * (r + h)
        case Capsule(radius=r, length=h):
            return 2.0 * math.pi * r * (2.0 * r + h)
        case Ellipsoid(radii=(a, b, c)):
            p = _AREA_EXPONENT
            mean = ((a * b) ** p + (b * c) ** p + (c * a) ** p) / 3.0
            return float(4.0 * math.pi * mean ** (1.0 / p))


def solid_inertia(solid: Primitive, mass: float) -> Inertia:
    """Inertia of a filled primitive about its centre, which is the centre of mass."""
    match solid:
        case Box(size=size):
            return Inertia.of_box(mass, size)
        case Sphere(radius=r):
            return Inertia.of_sphere(mass, r)
        case Cylinder(radius=r, length=h):
            return Inertia.of_cylinder(mass, r, h)
        case Capsule(radius=r, length=h):
            return _solid_capsule(mass, r, h)
        case Ellipsoid(radii=radii):
            s = np.square(radii)
            return Inertia(mass, np.zeros(3), np.diag(mass / 5.0 * (s.sum() - s)))


def _solid_capsule(mass: float, r: float, h: float) -> Inertia:
    """Cylinder and two half-balls, whose centres of mass stand 3 r / 8 from their flat sides."""
    total = h + 4.0 / 3.0 * r
    tube, ball = mass * (h / total), mass * (4.0 / 3.0 * r / total)
    axial = 0.5 * tube * r * r + 0.4 * ball * r * r
    across = tube * (r * r / 4.0 + h * h / 12.0) + ball * (0.4 * r * r + 0.375 * r * h + 0.25 * h * h)
    return Inertia(mass, np.zeros(3), np.diag([across, across, axial]))


def shell_inertia(solid: Primitive, mass: float) -> Inertia:
    """Inertia of the surface of a primitive, equally heavy everywhere, about its centre.

    The shell of an ellipsoid is the space up to one whose semi-axes are a little longer, which is not equally thick
    everywhere.
    """
    match solid:
        case Sphere(radius=r):
            return Inertia(mass, np.zeros(3), np.eye(3) * (2.0 / 3.0 * mass * r * r))
        case Cylinder(radius=r, length=h):
            return _shell_cylinder(mass, r, h)
        case Capsule(radius=r, length=h):
            return _shell_capsule(mass, r, h)
        case Box(size=size):
            return _shell_box(mass, size)
        case Ellipsoid(radii=radii):
            return _shell_ellipsoid(mass, np.asarray(radii))


def _shell_cylinder(mass: float, r: float, h: float) -> Inertia:
    wall, lids = mass * (h / (h + r)), mass * (r / (h + r))
    axial = wall * r * r + 0.5 * lids * r * r
    across = wall * (0.5 * r * r + h * h / 12.0) + lids * (0.25 * r * r + 0.25 * h * h)
    return Inertia(mass, np.zeros(3), np.diag([across, across, axial]))


def _shell_capsule(mass: float, r: float, h: float) -> Inertia:
    """Tube and two hollow half-spheres, whose centres of mass stand r / 2 from their rims."""
    tube, caps = mass * (h / (h + 2.0 * r)), mass * (2.0 * r / (h + 2.0 * r))
    axial = tube * r * r + 2.0 / 3.0 * caps * r * r
    across = tube * (0.5 * r * r + h * h / 12.0) + caps * (2.0 / 3.0 * r * r + 0.5 * r * h + 0.25 * h * h)
    return Inertia(mass, np.zeros(3), np.diag([across, across, axial]))


def _shell_box(mass: float, size: tuple[float, float, float]) -> Inertia:
    """Three pairs of rectangular plates."""
    total = area(Box(size))
    squares = np.zeros(3)
    for normal in range(3):
        a, b = (size[i] for i in range(3) if i != normal)
        plates = mass * (2.0 * a * b / total)
        squares += plates * np.array([s * s / (4.0 if i == normal else 12.0) for i, s in enumerate(size)])
    return Inertia(mass, np.zeros(3), np.diag(squares.sum() - squares))


def _shell_ellipsoid(mass: float, radii: FloatArray) -> Inertia:
    outer = radii + _SHELL_THICKNESS
    volumes = np.prod(outer), np.prod(radii)
    squares = (volumes[0] * outer**2 - volumes[1] * radii**2) / (5.0 * (volumes[0] - volumes[1]))
    return Inertia(mass, np.zeros(3), np.diag(mass * (squares.sum() - squares)))


def mesh_inertia(vertices: npt.ArrayLike, faces: npt.ArrayLike, *, absolute: bool = False) -> Inertia:
    """Inertia of the space inside a triangle mesh at unit density, its mass being the volume.

    The sum over the pyramids between a reference point and the triangles.

    Parameters
    ----------
    vertices : array_like, shape (n, 3)
        [m].
    faces : array_like of int, shape (m, 3)
        Counter-clockwise seen from outside.
    absolute : bool
        Count every pyramid as positive, whichever way its triangle looks: what MuJoCo's "legacy" inertia of a mesh
        means. It tolerates flipped triangles and overestimates hollow shapes. The reference points are the centroid
        of the surface for the centre of mass, and the centre of mass for volume and moments.
    """
    corners = np.asarray(vertices, dtype=float)[np.asarray(faces, dtype=np.intp)]
    start = _surface_centroid(corners) if absolute else corners.reshape(-1, 3).mean(axis=0)
    volumes = _pyramids(corners - start, absolute)
    total = float(volumes.sum())
    if total == 0.0:
        return Inertia()
    center = start + np.einsum("f,fci->i", volumes, corners - start) / (4.0 * total)
    centered = corners - center
    volumes = _pyramids(centered, absolute)
    sums = centered.sum(axis=1)
    second = np.einsum("f,fci,fcj->ij", volumes, centered, centered) + np.einsum("f,fi,fj->ij", volumes, sums, sums)
    second /= 20.0
    return Inertia(float(volumes.sum()), center, np.trace(second) * np.eye(3) - second)


def mesh_shell_inertia(vertices: npt.ArrayLike, faces: npt.ArrayLike) -> Inertia:
    """Inertia of the triangles of a mesh at unit surface density, its mass being the area; see `mesh_inertia`."""
    corners = np.asarray(vertices, dtype=float)[np.asarray(faces, dtype=np.intp)]
    areas = _areas(corners)
    total = float(areas.sum())
    if total == 0.0:
        return Inertia()
    center = np.einsum("f,fci->i", areas, corners) / (3.0 * total)
    centered = corners - center
    sums = centered.sum(axis=1)
    second = np.einsum("f,fci,fcj->ij", areas, centered, centered) + np.einsum("f,fi,fj->ij", areas, sums, sums)
    second /= 12.0
    return Inertia(total, center, np.trace(second) * np.eye(3) - second)


def _areas(corners: FloatArray) -> FloatArray:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.asarray(0.5 * np.linalg.norm(normals, axis=1))


def _surface_centroid(corners: FloatArray) -> FloatArray:
    areas = _areas(corners)
    total = areas.sum()
    weights = areas / total if total > 0.0 else np.full(len(areas), 1.0 / max(len(areas), 1))
    return np.asarray(np.einsum("f,fci->i", weights, corners) / 3.0)


def _pyramids(corners: FloatArray, absolute: bool) -> FloatArray:
    """Volumes of the pyramids between the origin and the triangles."""
    volumes = np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    return np.asarray(np.abs(volumes) if absolute else volumes)
