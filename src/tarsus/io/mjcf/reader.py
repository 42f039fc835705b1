"""Putting the parts of an MJCF document together."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from lxml import etree

from tarsus.errors import Problem
from tarsus.io.mjcf.forces.actuators import driven_joints
from tarsus.io.mjcf.forces.equalities import Equalities, EqualityReader
from tarsus.io.mjcf.forces.gravity import read_gravity, with_carried_weights
from tarsus.io.mjcf.forces.spring_dampers import with_spring_dampers
from tarsus.io.mjcf.forces.tendons import joint_tendons, with_tendons
from tarsus.io.mjcf.settings.compiler import Compiler, read_compiler
from tarsus.io.mjcf.settings.defaults import Defaults
from tarsus.io.mjcf.shapes.geoms import GeomReader
from tarsus.io.mjcf.shapes.materials import Materials
from tarsus.io.mjcf.shapes.meshes import MeshAssets
from tarsus.io.mjcf.tree.bodies import WORLD, Tree, TreeReader
from tarsus.io.mjcf.tree.inertias import scaled_to
from tarsus.io.mjcf.tree.joints import JointReader
from tarsus.io.mjcf.tree.key_frames import read_poses, with_base
from tarsus.io.numbers import shown
from tarsus.io.packages import PackageFinder
from tarsus.io.xml import Report, tag_of
from tarsus.model.derive import lock_joints
from tarsus.model.description import BaseKind, Description, FrameSpec, JointSpec
from tarsus.model.joint import JOINT_TRAITS
from tarsus.model.poses import base_pose
from tarsus.spatial.rotation_vector import rotation_vector_from_rotation_matrix

_SECTIONS = frozenset(
    "compiler option size visual statistic default custom asset worldbody deformable contact equality tendon actuator "
    "sensor keyframe extension".split()
)
_HOME = "home"


def describe(
    root: etree._Element, report: Report, finder: PackageFinder, base: BaseKind | None, check_meshes: bool
) -> Description:
    """Return the description of a document whose includes and replicas are written out; problems go to `report`."""
    _check_sections(root, report)
    compiler = read_compiler(root, report)
    defaults = Defaults(root, report)
    meshes = MeshAssets(root, compiler, defaults, finder, report, check_meshes)
    materials = Materials(root, compiler, defaults, finder, report)
    geoms = GeomReader(root, compiler, meshes, materials, report)
    joints = JointReader(compiler, defaults, report)
    tree = TreeReader(compiler, defaults, geoms, joints, report).read(root)
    tree.joints = driven_joints(root, tree, compiler, defaults, report)
    tree.links = scaled_to(tree.links, compiler.settotalmass)
    equalities = EqualityReader(tree, joints.reference, defaults, report).read(root)
    tree.joints = _with_passive_forces(root, tree, joints, equalities, compiler, defaults, report)
    tendons = joint_tendons(root, tree, joints.spring_reference, equalities, compiler, defaults, report)
    poses = read_poses(root, tree, joints.reference, report)
    gravity = read_gravity(root, report)
    tree.links = with_carried_weights(root, tree, report)
    _pass_over_empty_bodies(tree)
    before = {joint.name for joint in tree.joints}
    inferred, base_forces = _settle_base(tree, equalities)
    now = {joint.name for joint in tree.joints}
    removed = next(iter(before - now), None) if inferred == "free" else None
    poses = {name: with_base(pose, removed) for name, pose in poses.items()}
    kept = (now - set(equalities.locked)) | set(base_pose((0.0,) * 7))
    poses = {name: {k: value for k, value in pose.items() if k in kept} for name, pose in poses.items()}
    drawn = poses.pop("")
    if equalities.loops:  # zero is where nobody put a joint: it may be anywhere between its limits
        drawn = {name: value for name, value in drawn.items() if value not in (0.0, (1.0, 0.0, 0.0, 0.0))}
    description = Description(
        name=root.get("model") or "MuJoCo Model",
        links=tuple(tree.links),
        joints=tuple(tree.joints),
        frames=_frames(tree, report),
        couplings=tuple(equalities.couplings),
        loops=tuple(equalities.loops),
        base=base or inferred,
        base_forces=base_forces if base in (None, "free") else {},
        tendons=tendons,
        gravity=gravity,
        reference=poses.get(_HOME, next(iter(poses.values()), drawn)),
        poses=poses,
        source=report.source(root),
    )
    return _locked(description, equalities, report)


def _with_passive_forces(
    root: etree._Element,
    tree: Tree,
    reader: JointReader,
    equalities: Equalities,
    compiler: Compiler,
    defaults: Defaults,
    report: Report,
) -> list[JointSpec]:
    """Return the joints with the springs and dampers that follow from inertias, and with what tendons do."""
    rest = reader.spring_reference
    if reader.spring_dampers:
        pulled = with_tendons(root, tree.joints, rest, compiler, defaults, Report([], report.file))
        armature = {joint.name: float(np.max(joint.armature)) for joint in pulled}
        tree.joints = with_spring_dampers(tree, reader.spring_dampers, armature, rest, report)
    joints = with_tendons(root, tree.joints, rest, compiler, defaults, report, equalities.held)
    return [_with_rest_as_drawn(joint, tree) for joint in joints]


def _with_rest_as_drawn(joint: JointSpec, tree: Tree) -> JointSpec:
    """Springs of free joints are at rest where the body is drawn; those of ball joints without a turn."""
    if joint.kind != "free" or not np.any(joint.stiffness) or joint.child not in tree.X_W:
        return joint  # a free joint among several of a body is refused; the tree does not know its child
    X = tree.X_W[joint.child]
    return replace(joint, rest=(*X[:3, 3].tolist(), *rotation_vector_from_rotation_matrix(X[:3, :3]).tolist()))


def _check_sections(root: etree._Element, report: Report) -> None:
    for node in root:
        tag = tag_of(node)
        if tag and tag not in _SECTIONS:
            report.warning("unknown-element", f"<{shown(tag)}> is ignored", node, shown(tag))
        if tag == "deformable" and len(node):
            report.warning("left-out", "flexible bodies are not supported and left out", node)


def _settle_base(tree: Tree, equalities: Equalities) -> tuple[BaseKind, dict[str, float | tuple[float, ...]]]:
    """Decide what the root is, and which passive forces act on it.

    A single body with a free joint is the root of a free base, a single body at the world origin without joints the
    root of a fixed base, and otherwise the world is a link of its own. What is attached to the world is dropped where
    the world is no link.
    """
    if len(tree.top) == 1 and not equalities.touch_world:
        first = next(joint for joint in tree.joints if joint.parent == WORLD)
        is_free = first.kind == "free"
        at_origin = first.kind == "fixed" and np.array_equal(first.pose, np.eye(4))
        if is_free or at_origin:
            tree.joints.remove(first)
            tree.frames = [frame for frame in tree.frames if frame.link != WORLD]
            forces = {name: getattr(first, name) for name in ("damping", "armature", "stiffness", "rest") if is_free}
            return ("free" if is_free else "fixed"), {name: value for name, value in forces.items() if np.any(value)}
    tree.links.insert(0, tree.world)
    return "fixed", {}


def _pass_over_empty_bodies(tree: Tree) -> None:
    """Drop bodies fixed to the world without shapes, mass and other bodies, where one beside them has a free joint.

    They are names of places, such as an origin; sites on them go the way of those of the world.
    """
    first = {joint.child: joint for joint in tree.joints if joint.parent == WORLD}
    parents = {joint.parent for joint in tree.joints}
    links = {link.name: link for link in tree.links}
    empty = [
        name
        for name in tree.top
        if name in first and first[name].kind == "fixed" and name not in parents and name not in tree.mocap
        and links[name].inertia is None and not links[name].visuals and not links[name].collisions
    ]  # fmt: skip
    if [joint.kind for name, joint in first.items() if name not in empty] != ["free"]:
        return
    tree.top = [name for name in tree.top if name not in empty]
    tree.links = [link for link in tree.links if link.name not in empty]
    tree.joints = [joint for joint in tree.joints if joint.child not in empty]
    tree.frames = [frame for frame in tree.frames if frame.link not in empty]


def _frames(tree: Tree, report: Report) -> tuple[FrameSpec, ...]:
    """Sites as frames; one with the name of a link is renamed, as frames and links share their names here."""
    links = {link.name for link in tree.links}
    taken = links | {frame.name for frame in tree.frames}
    frames = []
    for frame in tree.frames:
        if frame.name in links:
            name = f"{frame.link}/{frame.name}"
            while name in taken:
                name += "_"
            taken.add(name)
            message = f"site {frame.name!r} has the name of a body; its frame is called {name!r}"
            report.problems.append(_warning(message, frame.name, *frame.source, rule="renamed-site", what="site"))
            frame = replace(frame, name=name)
        frames.append(frame)
    return tuple(frames)


def _locked(description: Description, equalities: Equalities, report: Report) -> Description:
    """Return the description with the joints fixed that an equality constraint holds at a value."""
    leaders = {name: coupling for coupling in description.couplings for name, _ in coupling.terms}
    values: dict[str, tuple[float]] = {}
    joints = {joint.name: joint for joint in description.joints}
    for name, value in equalities.locked.items():
        if name in leaders:
            coupling = leaders[name]
            message = f"joint {name!r} is held at a value and leads joint {coupling.joint!r}; that is not supported"
            problem = _warning(message, name, *coupling.source)
            report.problems.append(replace(problem, severity="error"))
        elif math.hypot(*joints[name].axis) > 0.0:
            # Turns beyond a circle are the same pose, and huge angles are not rotations any more.
            slides = JOINT_TRAITS[joints[name].kind].slides[0]
            values[name] = (value if slides else math.remainder(value, 2.0 * math.pi),)
    return lock_joints(description, values) if values else description


def _warning(
    message: str, name: str, file: str, line: int, *, rule: str = "not-supported", what: str = "joint"
) -> Problem:
    return Problem("warning", rule, message, f"{what} {name!r}", "", file, line)
