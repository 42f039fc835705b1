"""Meshes that are written into an MJCF file itself: vertices and faces, or the name of a built-in shape."""

from __future__ import annotations

import numpy as np

from tarsus.geometry.hull import convex_hull
from tarsus.geometry.triangles import Triangles
from tarsus.io.mjcf.settings.defaults import Element
from tarsus.io.mjcf.shapes.builtin_meshes import builtin_mesh
from tarsus.io.numbers import shown
from tarsus.io.xml import Report

_MAX_VERTICES = 1_000_000
_MAX_PARAMETERS = 100


def written_triangles(element: Element, report: Report) -> Triangles | None:
    """Triangles of a <mesh> without a file, before its scale; None after a note."""
    kind = element.text("builtin", "none")
    if kind != "none":
        parameters = element.numbers("params", (1, _MAX_PARAMETERS), ())
        made = builtin_mesh(kind[:100], [] if parameters is None else parameters.tolist())
        if isinstance(made, str):
            report.warning("not-supported", f"{made}; the mesh is left out", element.node, shown(kind))
            return None
        return made
    if element.node.find("plugin") is not None:
        report.warning("left-out", "a mesh that a plugin makes is left out, and the mass of its geoms", element.node)
        return None
    points = element.numbers("vertex", (12, 3 * _MAX_VERTICES))
    if points is None or len(points) % 3:
        message = "the mesh has neither a file nor vertices (x y z ...); the mass of its geoms is left out"
        report.warning("missing-inertia", message, element.node)
        return None
    vertices = points.reshape(-1, 3)
    corners = element.numbers("face", (3, 6 * _MAX_VERTICES))
    if corners is None:
        return convex_hull(vertices)
    whole = len(corners) % 3 == 0 and bool((corners == np.floor(corners)).all())
    if not whole or not 0 <= corners.min() <= corners.max() < len(vertices):
        report.error("mesh-index", "face is not a list of three indices of vertices each", element.node)
        return None
    return Triangles(vertices, corners.astype(np.intp).reshape(-1, 3))
