"""Putting the parts of an SDF model together: the tree, the loops that are left over, and the base."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import Problem
from tarsus.io.packages import PackageFinder
from tarsus.io.sdf.document import Document
from tarsus.io.sdf.elements import child_flag
from tarsus.io.sdf.joints import Axis, JointReader, RawJoint
from tarsus.io.sdf.links import LinkReader
from tarsus.io.sdf.scope import WORLD, collect, outer_pose
from tarsus.io.sdf.tree import SpanningTree, gear_coupling, reversed_joint
from tarsus.io.xml import Report
from tarsus.model.coupling import Coupling, Loop
from tarsus.model.description import BaseKind, Description, FrameSpec, JointSpec, LinkSpec, PoseValues
from tarsus.model.joint import JOINT_TRAITS
from tarsus.model.poses import base_pose
from tarsus.spatial.pose import inverse_pose
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix


class ModelReader:
    """Turns the model of one document into a description; errors go to the report and reading continues."""

    def __init__(self, document: Document, report: Report, finder: PackageFinder, check_meshes: bool) -> None:
        self._model = document.model
        self._gravity = document.gravity
        self._report = report
        self._is_world = document.is_world
        self._scope = collect(document.model, report, is_world=document.is_world)
        self._links = LinkReader(self._scope, report, finder, check_meshes)
        self._X_WM = document.X_WM @ outer_pose(document.model, self._scope)
        models = list(document.model.iterchildren("model")) if document.is_world else [document.model]
        models += [place.node for place in self._scope.models.values() if place.node not in models]
        self._static = {model for model in models if child_flag(report, model, "static", False)}

    def describe(self, base: BaseKind | None) -> Description:
        """Return the whole model."""
        report, scope = self._report, self._scope
        for place in (*scope.links.values(), *scope.frames.values(), *scope.models.values()):
            scope.pose(place)
        links = [self._links.read(name, place, self._is_static(name)) for name, place in scope.links.items()]
        reader = JointReader(scope, report)
        read = [joint for name, place in scope.joints.items() if (joint := reader.read(name, place)) is not None]
        raw = self._with_static_fixed(read)
        tree = SpanningTree(scope.links, (joint for joint in raw if joint.kind != "gearbox"))
        loops = [self._loop(joint) for joint in tree.loops]
        couplings = reader.couplings
        for joint in raw:
            if joint.kind == "gearbox":
                self._add_gear(joint, tree, couplings, loops)
        joints, inferred = self._joints(raw, tree, any(WORLD in (loop.link_a, loop.link_b) for loop in loops))
        if self._is_world or any(joint.parent == WORLD for joint in joints):
            links.insert(0, LinkSpec(WORLD, virtual=True, source=report.source(self._model)))
        return Description(
            name=self._model.get("name", "").strip() or ("world" if self._is_world else "robot"),
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

    # Frames

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
        joints = []
        for joint in raw:
            if tree.holds(joint):
                self._note_turned(joint, tree)
                spec = self._spec(joint)
                joints.append(reversed_joint(spec) if tree.is_reversed(joint) else spec)
        roots = [name for name in self._scope.links if name not in tree.carrier]
        world_needed = world_needed or self._is_world
        if not any(joint.parent == WORLD for joint in joints) and len(roots) == 1 and not world_needed:
            return joints, "free"
        joints = [self._tie(name) for name in roots] + joints
        first = [joint for joint in joints if joint.parent == WORLD]
        if len(first) == 1 and first[0].kind == "fixed" and not world_needed:
            X_WL = first[0].pose @ first[0].child_pose
            if np.allclose(X_WL, np.eye(4), rtol=0.0, atol=1e-15):
                joints.remove(first[0])
        return joints, "fixed"

    def _note_turned(self, joint: RawJoint, tree: SpanningTree) -> None:
        """Tell of joints whose coordinates change with their direction."""
        if tree.is_reversed(joint) and joint.kind in ("spherical", "universal"):
            what = "its quaternion is inverted" if joint.kind == "spherical" else "its second angle comes first"
            message = f"joint {joint.name!r} leads from its child to its parent, towards the root: {what}"
            self._report.warning("reversed-joint", message, joint.place.node)

    def _with_static_fixed(self, joints: list[RawJoint]) -> list[RawJoint]:
        """Joints, those within static models fixed, and after what fixes static models to the world."""
        still = {link for link in self._scope.links if self._is_static(link)}
        around = {WORLD, *still}
        inner = {joint.name for joint in joints if joint.child in still and joint.parent in around}
        held = {joint.child for joint in joints if joint.name in inner}
        ties = []
        for link in self._scope.links:
            if link in still and link not in held:
                place = self._scope.links[link]
                X_ML = self._scope.pose(place)
                ties.append(RawJoint(f"{link}/fixed", "fixed", WORLD, link, X_ML, np.eye(4), (), 0.0, 1.0, "", place))
        return ties + [replace(joint, kind="fixed") if joint.name in inner else joint for joint in joints]

    def _is_static(self, link: str) -> bool:
        """Whether a link belongs to a static model."""
        if not self._static or link not in self._scope.links:
            return False
        return any(node in self._static for node in self._scope.links[link].node.iterancestors("model"))

    def _tie(self, link: str) -> JointSpec:
        """Free joint of a link that nothing else ties to the world."""
        source = self._report.source(self._scope.links[link].node)
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
        """Return the initial positions of joints, of free bodies and of a free base."""
        moving = {joint.name: joint for joint in joints if JOINT_TRAITS[joint.kind].axes > 0}
        reference: PoseValues = {}
        for joint in raw:
            given = [axis.initial for axis in joint.axes] if joint.name in moving else []
            if any(value is not None for value in given):
                values = tuple(value or 0.0 for value in given)
                turned = moving[joint.name].child != joint.child
                both = len(values) == 2 and not JOINT_TRAITS[joint.kind].one_axis
                reference[joint.name] = (values[::-1] if turned else values) if both else values[0]
        for joint_spec in joints:
            if joint_spec.kind == "free":
                reference[joint_spec.name] = self._start(joint_spec.child)
        if base == "free":
            carried = {joint.child for joint in joints}
            root = next(name for name in self._scope.links if name not in carried)
            reference |= base_pose(self._start(root))
        return reference

    def _start(self, link: str) -> tuple[float, ...]:
        """Position and quaternion of a link in the world as drawn, seven numbers."""
        X = self._X_WM @ self._X_M(link)
        return (*X[:3, 3].tolist(), *quaternion_from_rotation_matrix(X[:3, :3]).tolist())


def _limits(kind: str, first: Axis, second: Axis) -> dict[str, Any]:
    """Limits and passive forces of a joint, one value for each degree of freedom."""
    names = ("q_min", "q_max", "v_max", "tau_max", "damping", "friction")
    if JOINT_TRAITS[kind].one_axis:
        return {name: getattr(first, name) for name in (*names, "stiffness", "rest")}
    if JOINT_TRAITS[kind].axes == 2:
        return {name: (getattr(first, name), getattr(second, name)) for name in names}
    return {}
