"""Reading SRDF, which tells of a robot what its URDF does not: poses by name, and pairs of links to leave alone."""

from __future__ import annotations

import math
import os
from dataclasses import replace

from lxml import etree

from tarsus.errors import Problem, nearest
from tarsus.io.numbers import parse_floats
from tarsus.io.report import Report
from tarsus.io.xml import MAX_FILE_SIZE, parse_xml
from tarsus.model.description import Description, PoseValues
from tarsus.model.joint import JOINT_TRAITS
from tarsus.model.poses import base_pose
from tarsus.untrusted_xml import tag_of

ELEMENTS = frozenset(
    (
        "group",
        "group_state",
        "disable_collisions",
        "disable_default_collisions",
        "enable_collisions",
        "end_effector",
        "virtual_joint",
        "passive_joint",
    )
)
"""Elements that only an SRDF has, of those that are written below <robot>."""
_ROOT = "root_joint"
"""Name of the joint of a free base where the file has no virtual joint."""
_MOST_COORDINATES = 7


def with_srdf(
    description: Description, path: str | os.PathLike[str], *, max_size: int = MAX_FILE_SIZE
) -> tuple[Description, tuple[Problem, ...]]:
    """Return the description with group states as poses and pairs that are not checked for collision.

    A group state of one name adds to those of the same name in other groups. Joints and links that the robot does not
    have are warnings. Coordinates of a continuous joint may be its cosine and sine, those of a base are its position
    and a quaternion x, y, z, w, as Pinocchio writes them.

    Raises
    ------
    ModelFileError
        If the file cannot be read, or is no SRDF.
    """
    root, report = parse_xml(path, max_size=max_size)
    if tag_of(root) != "robot":
        report.error("root-element", f"expected <robot>, found <{tag_of(root)}>", root, tag_of(root))
    elif root.find("link") is not None and not any(tag_of(node) in ELEMENTS for node in root):
        report.error("file-format", "this is a URDF, not an SRDF", root)
    report.raise_if_errors()
    poses = {name: dict(pose) for name, pose in description.poses.items()}
    for name, pose in _states(root, description, report).items():
        poses[name] = {**poses.get(name, {}), **pose}
    pairs = {*description.collision_exclusions, *_pairs(root, description, report)}
    report.raise_if_errors()
    result = replace(description, poses=poses, collision_exclusions=tuple(sorted(pairs)))
    return result, tuple(report.problems)


def _states(root: etree._Element, description: Description, report: Report) -> dict[str, PoseValues]:
    kinds = {joint.name: joint.kind for joint in description.joints}
    virtual = {node.get("name", "") for node in root.iterchildren("virtual_joint")} or {_ROOT}
    poses: dict[str, PoseValues] = {}
    for state in root.iterchildren("group_state"):
        pose = poses.setdefault(state.get("name") or "state", {})
        for node in state.iterchildren("joint"):
            name = node.get("name", "")
            values = parse_floats(report, node, node.get("value", ""), (1, _MOST_COORDINATES), "value")
            if values is None:
                continue
            if name in kinds:
                pose.update(_coordinates(name, kinds[name], values, node, report))
            elif name in virtual and len(values) == _MOST_COORDINATES:
                pose.update(base_pose((*values[:3], values[6], *values[3:6])))
            elif name not in virtual:
                message = f"the robot has no joint {name!r}{nearest(name, kinds)}"
                report.warning("srdf-unknown-joint", message, node, name[:40])
    return poses


def _coordinates(name: str, kind: str, values: tuple[float, ...], node: etree._Element, report: Report) -> PoseValues:
    """Coordinates of a joint in a pose; none where there are too few or too many."""
    expected = JOINT_TRAITS[kind].nq if kind in JOINT_TRAITS else 0
    if kind == "continuous" and len(values) == 2:
        return {name: math.atan2(values[1], values[0])}
    if len(values) != expected:
        message = f"joint {name!r} has {expected} coordinates, found {len(values)}"
        report.warning("srdf-coordinates", message, node, str(len(values)))
        return {}
    return {name: values[0] if expected == 1 else values}


def _pairs(root: etree._Element, description: Description, report: Report) -> set[tuple[str, str]]:
    """Pairs that are not checked; a link disabled by default is not checked with any but those that are enabled."""
    links = {link.name for link in description.links}
    pairs: set[tuple[str, str]] = set()
    for node in root.iterchildren("disable_default_collisions"):
        for name in _known(node, ("link",), links, report):
            pairs |= {_ordered(name, other) for other in links - {name}}
    for tag in ("enable_collisions", "disable_collisions"):
        for node in root.iterchildren(tag):
            named = _known(node, ("link1", "link2"), links, report)
            if len(set(named)) == 2:
                (pairs.discard if tag == "enable_collisions" else pairs.add)(_ordered(named[0], named[1]))
    return pairs


def _ordered(one: str, other: str) -> tuple[str, str]:
    return min(one, other), max(one, other)


def _known(node: etree._Element, attributes: tuple[str, ...], links: set[str], report: Report) -> list[str]:
    """Links that attributes name; none after a warning of those that the robot does not have."""
    named = [node.get(attribute, "") for attribute in attributes]
    missing = [name for name in named if name not in links]
    for name in missing:
        message = f"the robot has no link {name!r}{nearest(name, links)}"
        report.warning("srdf-unknown-link", message, node, name[:40])
    return [] if missing else named
