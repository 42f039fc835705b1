"""Links of SDF: shapes and inertias."""

from __future__ import annotations

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.geometry.shapes import Shape
from tarsus.io.packages import PackageFinder
from tarsus.io.sdf.auto_inertia import auto_inertia
from tarsus.io.sdf.elements import child_number, read_pose, relative_to
from tarsus.io.sdf.scope import Place, Scope
from tarsus.io.sdf.shapes import ShapeReader
from tarsus.io.xml import Report, tag_of
from tarsus.model.description import LinkSpec
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import inverse_pose

_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


class LinkReader:
    """Reads the links of one document."""

    def __init__(self, scope: Scope, report: Report, finder: PackageFinder, check_meshes: bool) -> None:
        self._scope = scope
        self._report = report
        self._shapes = ShapeReader(report, finder, check_meshes)

    def read(self, name: str, place: Place, is_static: bool) -> LinkSpec:
        """Return a link; one that never moves may do without an inertia."""
        visuals: list[Shape] = []
        solids: list[tuple[etree._Element, Shape]] = []
        for child in place.node:
            tag = tag_of(child)
            if tag in ("visual", "collision"):
                shape = self._shapes.read(child, self._frame_on_link(child, place))
                if shape is not None and tag == "visual":
                    visuals.append(shape)
                elif shape is not None:
                    solids.append((child, shape))
        inertia = self._inertia(name, place, solids, is_static)
        source = self._report.source(place.node)
        return LinkSpec(name, inertia, tuple(visuals), tuple(shape for _, shape in solids), source=source)

    def _frame_on_link(self, node: etree._Element, place: Place) -> FloatArray:
        """Pose, on its link, of the frame that an element's pose is relative to: the link itself as a rule."""
        given = relative_to(node)
        if not given:
            return np.eye(4)
        X_ML, X_MF = self._scope.pose(place), self._scope.named_pose(given, place.scope, node)
        return inverse_pose(X_ML) @ X_MF

    def _inertia(self, name: str, place: Place, solids: list[tuple[etree._Element, Shape]], is_static: bool) -> Inertia:
        """Inertia of a link; SDF says 1 kg and 1 kg m^2 about each axis where nothing is given."""
        report = self._report
        node = place.node.find("inertial")
        if node is None and is_static:
            return Inertia()
        if node is None:
            message = f"link {name!r} has no <inertial>; SDF takes it for 1 kg with moments of 1 kg m^2"
            report.warning("missing-inertia", message, place.node)
            return Inertia(1.0, np.zeros(3), np.eye(3))
        if node.get("auto", "false").strip().lower() not in ("false", "0"):
            return auto_inertia(report, node, solids)
        mass = child_number(report, node, "mass", 1.0)
        inertia = node.find("inertia")
        if inertia is None:
            report.warning("missing-inertia", "<inertial> has no <inertia>; SDF takes 1 kg m^2 about each axis", node)
        values = (child_number(report, inertia, tag, 1.0 if tag[1] == tag[2] else 0.0) for tag in _MOMENTS)
        xx, xy, xz, yy, yz, zz = values
        X_LF = self._frame_on_link(node, place)
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return Inertia(mass, np.zeros(3), moments).in_frame(X_LF @ read_pose(report, node.find("pose")))
