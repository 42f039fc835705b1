"""Putting the parts of an SDF model together: the tree, the loops that are left over, and the base."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.errors import Problem
from tarsus.geometry.shapes import Shape
from tarsus.io.packages import PackageFinder
from tarsus.io.sdf.document import Document
from tarsus.io.sdf.elements import child_flag, child_number, read_pose, relative_to
from tarsus.io.sdf.joints import Axis, JointReader, RawJoint
from tarsus.io.sdf.scope import WORLD, Place, collect, full_name
from tarsus.io.sdf.shapes import ShapeReader
from tarsus.io.sdf.tree import SpanningTree, gear_coupling
from tarsus.io.xml import Report, tag_of
from tarsus.model.coupling import Coupling, Loop
from tarsus.model.description import BaseKind, Description, FrameSpec, JointSpec, LinkSpec, PoseValues
from tarsus.model.joint import JOINT_TRAITS
from tarsus.model.poses import base_pose
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import inverse_pose
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix

_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


class ModelReader:
    """Turns the model of one document into a description; errors go to the report and reading continues."""

    def __init__(self, document: Document, report: Report, finder: PackageFinder, check_meshes: bool) -> None:
        self._model = document.model
        self._gravity = document.gravity
        self._report = report
        self._scope = collect(document.model, report)
        self._shapes = ShapeReader(report, finder, check_meshes)
        self._X_WM = read_pose(report, document.model.find("pose"))
        self._is_static = child_flag(report, document.model, "static", False)

    def describe(self, base: BaseKind | None) -> Description:
        """Return the whole model."""
        report, scope = self._report, self._scope
        for place in (*scope.links.values(), *scope.frames.values(), *scope.models.values()):
            scope.pose(place)
        links = [self._link(name, place) for name, place in scope.links.items()]
        reader = JointReader(scope, report)
        raw = [joint for name, place in scope.joints.items() if (joint := reader.read(name, place)) is not None]
        tree = SpanningTree(joint for joint in raw if joint.kind != "gearbox")
        loops = [self._loop(joint) for joint in tree.loops]
        couplings = reader.couplings
        for joint in raw:
            if joint.kind == "gearbox":
                self._add_gear(joint, tree, couplings, loops)
        joints, inferred = self._joints(raw, tree, any(WORLD in (loop.link_a, loop.link_b) for loop in loops))
        if any(joint.parent == WORLD for joint in joints):
            links.insert(0, LinkSpec(WORLD, virtual=True, source=report.source(self._model)))
        return Description(
            name=self._model.get("name", "").strip() or "robot",
            links=tuple(links),
            joints=tuple(joints),
            frames=self._frames({link.name for link in links}),
            couplings=tuple(couplings),
            loops=tuple(loops),
            base=base or inferred,
            gravity=self._gravity,
            reference=self._reference(raw, joints, inferred),
            source=report.source(self._model),
        )

    # Links

    def _link(self, name: str, place: Place) -> LinkSpec:
        visuals: list[Shape] = []
        collisions: list[Shape] = []
        for child in place.node:
            tag = tag_of(child)
            if tag in ("visual", "collision"):
                shape = self._shapes.read(child, self._frame_on_link(child, name, place))
                if shape is not None:
                    (visuals if tag == "visual" else collisions).append(shape)
        source = self._report.source(place.node)
        return LinkSpec(name, self._inertia(name, place), tuple(visuals), tuple(collisions), source=source)

    def _frame_on_link(self, node: etree._Element, link: str, place: Place) -> FloatArray:
        """Pose, on its link, of the frame that an element's pose is relative to: the link itself as a rule."""
        given = relative_to(node)
        found = self._scope.find(full_name(given, place.scope)) if given else place
        if found is None:
            self._report.error("unknown-frame", f"pose is relative to the unknown frame {given!r}", node, given)
            return np.eye(4)
        return np.eye(4) if found is place else self._scope.pose_on_link(found, link)

    def _inertia(self, name: str, place: Place) -> Inertia:
        """Inertia of a link; SDF says 1 kg and 1 kg m^2 about each axis where nothing is given."""
        report = self._report
        node = place.node.find("inertial")
        if node is None:
            message = f"link {name!r} has no <inertial>; SDF takes it for 1 kg with moments of 1 kg m^2"
            report.warning("missing-inertia", message, place.node)
            return Inertia(1.0, np.zeros(3), np.eye(3))
        if node.get("auto", "false") not in ("false", "0"):
            report.warning("not-supported", "inertias computed from shapes are not supported", node, "auto")
        mass = child_number(report, node, "mass", 1.0)
        inertia = node.find("inertia")
        if inertia is None:
            report.warning("missing-inertia", "<inertial> has no <inertia>; SDF takes 1 kg m^2 about each axis", node)
        values = (child_number(report, inertia, tag, 1.0 if tag[1] == tag[2] else 0.0) for tag in _MOMENTS)
        xx, xy, xz, yy, yz, zz = values
        X_LF = self._frame_on_link(node, name, place)
        moments = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return Inertia(mass, np.zeros(3), moments).in_frame(X_LF @ read_pose(report, node.find("pose")))

    def _frames(self, links: set[str]) -> tuple[FrameSpec, ...]:
        frames = []
        for name, place in self._scope.frames.items():
            link = self._scope.link_of(name)
            source = self._report.source(place.node)
            if link is None:
                message = f"frame {name!r} is attached to nothing that exists"
                self._report.error("unknown-frame", message, place.node, place.link)
            elif name in links:
                message = f"frame {name!r} has the name of a link and is left out"
                self._report.warning("duplicate-name", message, place.node, name)
            else:
                frames.append(FrameSpec(name, link, self._scope.pose_on_link(place, link), source))
        return tuple(frames)

    # Joints

    def _X_M(self, link: str) -> FloatArray:
        """Pose of a link, or of the world, in the model as drawn."""
        return inverse_pose(self._X_WM) if link == WORLD else self._scope.pose(self._scope.links[link])

    def _joints(self, raw: list[RawJoint], tree: SpanningTree, world_needed: bool) -> tuple[list[JointSpec], BaseKind]:
        """Return the joints of the tree, what ties the other links to the world, and the base that follows."""
        carried = [joint for joint in raw if tree.carrier.get(joint.child) is joint]
        joints = [self._spec(joint) for joint in carried]
        roots = [name for name in self._scope.links if name not in tree.carrier]
        if not any(joint.parent == WORLD for joint in joints) and len(roots) == 1 and not world_needed:
            if not self._is_static:
                return joints, "free"
            if np.array_equal(self._X_WM @ self._X_M(roots[0]), np.eye(4)):
                return [replace(joint, kind="fixed") for joint in joints], "fixed"
        joints = [self._tie(name) for name in roots] + joints
        if self._is_static:
            joints = [replace(joint, kind="fixed") for joint in joints]
        first = [joint for joint in joints if joint.parent == WORLD]
        if len(first) == 1 and first[0].kind == "fixed" and not world_needed:
            X_WL = first[0].pose @ first[0].child_pose
            if np.allclose(X_WL, np.eye(4), rtol=0.0, atol=1e-15):
                joints.remove(first[0])
        return joints, "fixed"

    def _tie(self, link: str) -> JointSpec:
        """Free joint of a link that nothing else ties to the world."""
        source = self._report.source(self._scope.links[link].node)
        if self._is_static:
            return JointSpec(f"{link}/fixed", "fixed", WORLD, link, self._X_WM @ self._X_M(link), source=source)
        return JointSpec(f"{link}/free", "free", WORLD, link, actuated=False, source=source)

    def _spec(self, joint: RawJoint) -> JointSpec:
        needed = JOINT_TRAITS[joint.kind].axes
        axes = joint.axes if needed else ()
        first = axes[0] if axes else Axis()
        second = axes[1] if len(axes) > 1 else Axis()
        node, report = joint.place.node, self._report
        if len(axes) < needed:
            message = f"a {node.get('type')} joint needs " + ("two axes" if needed == 2 else "an axis")
            report.error("missing-axis", message, node)
        kind = joint.kind
        if kind == "revolute" and (first.q_min, first.q_max) == (-math.inf, math.inf):
            kind = "continuous"
        if kind == "universal" and (first.stiffness != 0.0 or second.stiffness != 0.0):
            report.warning("not-supported", "springs of universal joints are not supported and left out", node)
        spec = JointSpec(
            joint.name,
            kind,
            joint.parent,
            joint.child,
            pose=inverse_pose(self._X_M(joint.parent)) @ joint.X_MJ,
            child_pose=inverse_pose(joint.X_CJ),
            axis=first.direction,
            axis2=second.direction if len(axes) > 1 else (0.0, 1.0, 0.0),
            pitch=joint.pitch,
            source=report.source(node),
        )
        return replace(spec, **_limits(kind, first, second))

    def _loop(self, joint: RawJoint) -> Loop:
        axis = joint.axes[0].direction if joint.axes else (0.0, 0.0, 1.0)
        axis2 = joint.axes[1].direction if len(joint.axes) > 1 else (0.0, 1.0, 0.0)
        pose_a = inverse_pose(self._X_M(joint.parent)) @ joint.X_MJ
        source = self._report.source(joint.place.node)
        return Loop(
            joint.name,
            joint.kind,
            joint.parent,
            joint.child,
            pose_a,
            joint.X_CJ,
            axis,
            source=source,
            axis2=axis2,
            pitch=joint.pitch,
        )

    def _add_gear(self, gear: RawJoint, tree: SpanningTree, couplings: list[Coupling], loops: list[Loop]) -> None:
        source = self._report.source(gear.place.node)
        coupling = gear_coupling(gear, tree, source)
        if coupling is not None:
            couplings.append(coupling)
            return
        message = f"gearbox {gear.name!r} is not between two hinges of its reference body; it is kept as a loop"
        self._report.problems.append(Problem("warning", "gearbox", message, f"joint {gear.name!r}", "", *source))
        loops.append(Loop(gear.name, "gearbox", gear.parent, gear.child, source=source))

    def _reference(self, raw: list[RawJoint], joints: list[JointSpec], base: BaseKind) -> PoseValues:
        """Return the initial positions of joints, and of a free base."""
        moving = {joint.name for joint in joints if JOINT_TRAITS[joint.kind].one_axis}
        reference: PoseValues = {}
        for joint in raw:
            initial = joint.axes[0].initial if joint.axes and joint.name in moving else None
            if initial is not None:
                reference[joint.name] = initial
        if base == "free":
            carried = {joint.child for joint in joints}
            root = next(name for name in self._scope.links if name not in carried)
            X = self._X_WM @ self._X_M(root)
            reference |= base_pose((*X[:3, 3].tolist(), *quaternion_from_rotation_matrix(X[:3, :3]).tolist()))
        return reference


def _limits(kind: str, first: Axis, second: Axis) -> dict[str, Any]:
    """Limits and passive forces of a joint, one value for each degree of freedom."""
    names = ("q_min", "q_max", "v_max", "tau_max", "damping", "friction")
    if JOINT_TRAITS[kind].one_axis:
        return {name: getattr(first, name) for name in (*names, "stiffness", "rest")}
    if JOINT_TRAITS[kind].axes == 2:
        return {name: (getattr(first, name), getattr(second, name)) for name in names}
    return {}
