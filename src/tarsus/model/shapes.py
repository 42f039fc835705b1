"""Shapes of a model's links; they live in `tarsus.geometry.shapes`."""

from tarsus.geometry.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Plane,
    Shape,
    Sphere,
)
from tarsus.geometry.triangles import Triangles

MeshContent = Triangles

__all__ = ["Box", "Capsule", "Cylinder", "Ellipsoid", "Geometry", "Mesh", "MeshContent", "Plane", "Shape", "Sphere"]
