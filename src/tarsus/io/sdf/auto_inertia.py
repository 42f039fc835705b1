"""Inertias that SDF leaves to the reader: those of the collision shapes of a link, filled with a density."""

from __future__ import annotations

import math

import numpy as np
from lxml import etree

from tarsus.geometry.mass_properties import mesh_inertia, solid_inertia, volume
from tarsus.geometry.meshes.read import triangles_of
from tarsus.geometry.shapes import Mesh, Plane, Shape
from tarsus.geometry.triangles import Triangles
from tarsus.io.sdf.elements import child_number
from tarsus.io.xml import Report
from tarsus.spatial.inertia import Inertia

WATER = 1000.0
"""Density where none is given [kg/m^3]."""


def auto_inertia(report: Report, node: etree._Element, solids: list[tuple[etree._Element, Shape]]) -> Inertia:
    """Inertia of ``<inertial auto="true">``.

    Densities are those of the <collision>, else of the <inertial>, else that of water. A <mass> scales them all so that
    the masses add up to it. Shapes that overlap count twice there, as in SDFormat.

    Parameters
    ----------
    node : Element
        The <inertial>.
    solids : list of (Element, Shape)
        Collision elements of the link with their shapes, in the frame of the link.
    """
    for tag in ("pose", "inertia"):
        if node.find(tag) is not None:
            report.warning("auto-inertia", f"<{tag}> gives way to what the collision shapes say", node, tag)
    common = child_number(report, node, "density", WATER)
    total = Inertia()
    for element, shape in solids:
        part = _solid(report, element, shape)
        density = child_number(report, element, "density", common)
        if not 0.0 < density < math.inf:
            report.error("density", f"a density must be positive and finite, not {density:g}", element, f"{density:g}")
        elif part is not None:
            total = total + Inertia(part.mass * density, part.com, part.moments * density).in_frame(shape.pose)
    if total.mass <= 0.0:
        message = 'auto="true" needs collision shapes with a volume; SDF takes 1 kg with moments of 1 kg m^2'
        report.warning("missing-inertia", message, node, "auto")
        return Inertia(1.0, np.zeros(3), np.eye(3))
    if node.find("mass") is None:
        return total
    scale = child_number(report, node, "mass", total.mass) / total.mass
    return Inertia(total.mass * scale, total.com, total.moments * scale)


def _solid(report: Report, element: etree._Element, shape: Shape) -> Inertia | None:
    """Inertia of a shape of density one about its own frame, or None after a warning."""
    geometry = shape.geometry
    if isinstance(geometry, Plane):
        report.warning("auto-inertia", "a plane has no volume and counts nothing", element)
        return None
    if not isinstance(geometry, Mesh):
        return solid_inertia(geometry, volume(geometry))
    found = triangles_of(geometry)
    if not isinstance(found, Triangles):
        report.error("auto-inertia", f"mesh {geometry.uri!r} has no inertia: {found[0].message}", element, geometry.uri)
        return None
    inertia = mesh_inertia(found.vertices * geometry.scale, found.faces)
    if inertia.mass == 0.0:
        report.error("auto-inertia", f"mesh {geometry.uri!r} has no volume", element, geometry.uri)
        return None
    # A mirrored or inside-out mesh has a negative volume, and the moments of one.
    return inertia if inertia.mass > 0.0 else Inertia(-inertia.mass, inertia.com, -inertia.moments)
