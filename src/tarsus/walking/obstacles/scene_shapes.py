"""What pictures and the viewer draw of a walk past obstacles: shapes, volumes, swings before and after."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.shapes import Box, Capsule, Plane, Shape
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.spatial import pose, rotation_z
from tarsus.walking.obstacles.obstacle_plan import ObstaclePlan

BEFORE, AFTER, VOLUME = (0.55, 0.55, 0.6, 1.0), (0.9, 0.45, 0.1, 1.0), (0.3, 0.6, 0.9, 0.3)
"""Colours of swings with nothing in the way, of those that are walked, and of volumes around obstacles."""
FEET = ((0.75, 0.3, 0.3, 1.0), (0.3, 0.6, 0.35, 1.0))
"""Colours of left and right footsteps."""
THIN = 0.004
"""Radius of a path [m]."""
PIECES = 24
"""Of a path."""


def scene_shapes(plan: ObstaclePlan, *, volumes: bool = True) -> list[Shape]:
    """Shapes in the world, as `tarsus.show` and `tarsus.viewer.draw_moment` take them as `ground`.

    Obstacles at the start of the walk, footsteps, and the middles of soles where obstacles change a swing: grey with
    nothing in the way, orange as they are planned.

    Parameters
    ----------
    volumes : bool
        Whether to draw the swept spheres around obstacles, too, as far as they are points and lines.
    """
    found = [Shape(Plane()), *(one.shape for one in plan.obstructions)]
    if volumes:
        for one in plan.obstructions:
            found += [shape for volume in one.volumes.volumes for shape in _swept(volume, one.shape.pose)]
    for foot in plan.walk.footsteps:
        half = plan.walk.biped.legs[0].half
        X = pose(foot.position, rotation_z(foot.yaw))
        found.append(Shape(Box((2 * half[0], 2 * half[1], 0.004)), X, FEET[0 if foot.left else 1]))
    for number, phase in enumerate(plan.walk.phases):
        if phase.swing is None:
            continue
        own, side = plan.walk.feet.phase == number, int(not phase.swing[1].left)
        before, after = plan.plain[own, side, :3], plan.moved[own, side]
        found += _path(after, AFTER)
        if np.abs(after - before).max() > THIN:
            found += _path(before, BEFORE)
    return found


def _path(points: FloatArray, color: tuple[float, float, float, float]) -> Iterator[Shape]:
    at = points[np.linspace(0, len(points) - 1, PIECES + 1).round().astype(int)]
    for a, b in itertools.pairwise(at):
        if np.linalg.norm(b - a) > 1e-6:
            yield _capsule(a, b, THIN, color)


def _swept(volume: SweptSphere, X: FloatArray) -> Iterator[Shape]:
    at = volume.vertices @ X[:3, :3].T + X[:3, 3]
    for a, b in zip(at, np.roll(at, -1, axis=0), strict=True) if len(at) > 1 else ((at[0], at[0]),):
        yield _capsule(a, b, volume.radius, VOLUME)
        if len(at) == 2:
            return


def _capsule(a: FloatArray, b: FloatArray, radius: float, color: tuple[float, float, float, float]) -> Shape:
    way = b - a
    length = float(np.linalg.norm(way))
    z = way / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return Shape(Capsule(radius, length), pose((a + b) / 2, np.column_stack([x, np.cross(z, x), z])), color)
