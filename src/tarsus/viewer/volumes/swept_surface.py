"""Surfaces of swept-sphere volumes, for pictures."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.hull import convex_hull
from tarsus.geometry.surface import Surface
from tarsus.geometry.swept_sphere import SweptSphere

COLORS = {"point": (0.95, 0.55, 0.15), "line": (0.15, 0.55, 0.85), "triangle": (0.25, 0.70, 0.35)}
"""By what the sphere is swept along."""
OPACITY = 0.42
THINNEST = 1e-3
"""Radius with which volumes without any are drawn, beside their length."""
_RINGS, _SIDES = 11, 20


def _directions() -> FloatArray:
    """Unit vectors on a polar grid, shape (n, 3)."""
    angle = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    rows = [
        np.column_stack([np.cos(angle) * np.cos(h), np.sin(angle) * np.cos(h), np.full(_SIDES, np.sin(h))])
        for h in np.pi * (np.arange(1, _RINGS) / _RINGS - 0.5)
    ]
    return np.concatenate([*rows, [(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)]])


_DIRECTIONS = _directions()
_BALL = convex_hull(_DIRECTIONS)


def swept_surface(volume: SweptSphere) -> Surface:
    """Surface of a volume in its own frame: the convex hull of balls at its vertices."""
    size = float(np.ptp(volume.vertices, axis=0).max())
    radius = max(volume.radius, THINNEST * (size or 1.0))
    points = (volume.vertices[:, None] + radius * _DIRECTIONS).reshape(-1, 3)
    normals = np.tile(_DIRECTIONS, (len(volume.vertices), 1))
    faces = (_BALL if len(volume.vertices) == 1 else convex_hull(points)).faces
    return Surface(points[faces], normals[faces])
