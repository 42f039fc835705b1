"""Key frames of MJCF, and the pose in which a robot was drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from lxml import etree

from tarsus.io.mjcf.expansion.attachment import SCOPE
from tarsus.io.mjcf.settings.defaults import Element
from tarsus.io.mjcf.tree.bodies import Tree
from tarsus.io.xml import Report
from tarsus.model.description import PoseValues
from tarsus.model.joint import JOINT_TRAITS
from tarsus.model.poses import base_pose
from tarsus.spatial.quaternion import quaternion_from_rotation_matrix

_MAX_COORDINATES = 10_000_000


def read_poses(root: etree._Element, tree: Tree, drawn: Mapping[str, float], report: Report) -> dict[str, PoseValues]:
    """Poses by name: "" is the robot as drawn, the others are key frames; those without a name are numbered."""
    kinds = {joint.name: joint.kind for joint in tree.joints}
    children = {joint.name: joint.child for joint in tree.joints}
    as_drawn: PoseValues = {}
    for name in tree.order:
        if kinds[name] == "spherical":
            as_drawn[name] = (1.0, 0.0, 0.0, 0.0)
        elif kinds[name] != "free":
            as_drawn[name] = drawn.get(name, 0.0)
        else:
            X = tree.X_W.get(children[name], np.eye(4))
            as_drawn[name] = (*X[:3, 3].tolist(), *quaternion_from_rotation_matrix(X[:3, :3]).tolist())
    poses = {"": as_drawn}
    keys = [key for section in root.iterchildren("keyframe") for key in section.iterchildren("key")]
    if keys and tree.left_out:
        message = f"key frames count coordinates of {tree.left_out[0]!r}, which is left out; so are they"
        report.warning("left-out", message, keys[0])
        return poses
    for number, key in enumerate(keys):
        order = [name for name, node in tree.order.items() if _is_around(node, _scope(key))]
        pose = _key_pose(key, order, kinds, as_drawn, report)
        if pose is not None:
            poses.setdefault(key.get("name") or f"key{number}", {**as_drawn, **pose})
    return poses


def _key_pose(
    key: etree._Element, order: Sequence[str], kinds: Mapping[str, str], as_drawn: PoseValues, report: Report
) -> PoseValues | None:
    """Coordinates of a key frame by joint, as drawn where it has too few; None if it does not fit."""
    values = Element(key, report, None).numbers("qpos", (1, _MAX_COORDINATES))
    if values is None:
        return {}
    pose: PoseValues = {}
    start = 0
    for name in order:
        size = JOINT_TRAITS[kinds[name]].nq
        part = values[start : start + size].tolist()
        start += size
        if part:
            whole = (*part, *np.ravel(as_drawn[name]).tolist()[len(part) :])
            pose[name] = whole[0] if size == 1 else whole
    # Of an attached model that is replicated, the first replica has its key frames.
    if _scope(key) and (start == 0 or start % len(values)):
        message = f"a key frame of an attached model has {len(values)} numbers for {start} coordinates; it is left out"
        report.warning("keyframe-size", message, key, str(len(values)))
        return None
    message = f"qpos of a key has {len(values)} numbers, the model {start} coordinates"
    if len(values) > start:
        report.error("keyframe-size", message, key, str(len(values)))
    elif len(values) < start and not _scope(key):
        report.warning("keyframe-size", f"{message}; the others are as drawn", key, str(len(values)))
    return pose


def _scope(key: etree._Element) -> str:
    """Mark of the attached model that a key frame came with."""
    section = key.getparent()
    return "" if section is None else section.get(SCOPE, "")


def _is_around(node: etree._Element, scope: str) -> bool:
    return not scope or any(place.get(SCOPE) == scope for place in (node, *node.iterancestors()))


def with_base(pose: PoseValues, joint: str | None) -> PoseValues:
    """A pose whose free joint has become the base."""
    values = pose.get(joint) if joint is not None else None
    if not isinstance(values, tuple):
        return pose
    return {**{name: value for name, value in pose.items() if name != joint}, **base_pose(values)}
