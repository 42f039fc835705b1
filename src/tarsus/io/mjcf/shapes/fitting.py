"""Primitives that MuJoCo fits to a mesh: geoms that are no mesh but name one."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose


def fitted_size(
    kind: str, unit: Inertia, scale: float, vertices: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Half sizes (3,) of a primitive as in <geom>, and its pose X_GP (4, 4) in the frame of the mesh.

    The primitive follows the box with the same volume, centre and moments of inertia as the mesh, its longest edge
    along z. With `vertices` (n, 3) it holds their bounding box along the principal axes instead.

    Parameters
    ----------
    kind : {"sphere", "capsule", "ellipsoid", "cylinder", "box"}
    unit : Inertia
        Of the mesh at unit density.
    scale : float
        Factor for the size.
    """
    moments, axes = np.linalg.eigh(unit.moments)
    moments, axes = moments[::-1], axes[:, ::-1]
    if np.linalg.det(axes) < 0.0:
        axes = axes * (1.0, 1.0, -1.0)
    if vertices is not None:
        seen = (vertices - unit.com) @ axes
        low, high = seen.min(axis=0), seen.max(axis=0)
        x, y, z = 0.5 * (high - low)
        around = {"sphere": (max(x, y, z), 0.0, 0.0), "cylinder": (max(x, y), z, 0.0)}
        around["capsule"] = (max(x, y), z - max(x, y), 0.0)
        return scale * np.asarray(around.get(kind, (x, y, z))), pose(unit.com + axes @ (0.5 * (low + high)), axes)
    edges = 0.5 * np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / unit.mass, 0.0))
    across = 0.5 * (edges[0] + edges[1])
    sizes = {
        "sphere": (edges.mean(), 0.0, 0.0),
        "capsule": (across, max(0.0, edges[2] - 0.5 * across), 0.0),
        "cylinder": (across, edges[2], 0.0),
    }
    return scale * np.asarray(sizes.get(kind, edges)), pose(unit.com, axes)
