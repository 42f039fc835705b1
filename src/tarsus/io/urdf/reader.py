"""Reading URDF, the Unified Robot Description Format."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Iterable

import numpy as np
from lxml import etree

from tarsus.errors import Problem, nearest
from tarsus.geometry.shapes import Shape
from tarsus.io.numbers import number, parse_floats
from tarsus.io.packages import PackageFinder
from tarsus.io.report import Report
from tarsus.io.urdf.shapes import IDENTITY, UNLIMITED, ShapeReader, origin_pose
from tarsus.io.urdf.srdf import ELEMENTS as SRDF_ELEMENTS
from tarsus.io.xml import MAX_FILE_SIZE, parse_xml, parse_xml_text
from tarsus.model.coupling import Coupling
from tarsus.model.description import BaseKind, Description, JointSpec, LinkSpec
from tarsus.model.validation import MIN_AXIS_NORM
from tarsus.spatial.inertia import Inertia
from tarsus.untrusted_xml import tag_of

JOINT_TYPES = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
"""URDF joint types and the joint kinds they become."""

_DEFAULT_AXIS = (1.0, 0.0, 0.0)
_INERTIA_ATTRIBUTES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_KNOWN = {
    "robot": {"link", "joint", "material", "transmission", "gazebo", "sensor", "group"},
    "link": {"inertial", "visual", "collision", "contact", "sensor", "gravity", "self_collision_checking"},
    "joint": {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"},
    "inertial": {"origin", "mass", "inertia"},
}
_XACRO = ("{http://www.ros.org/wiki/xacro}", "{http://wiki.ros.org/xacro}", "{http://ros.org/wiki/xacro}")
_MAX_SPELLING_CHECKS = 200
_WORLD = "world"


def read_urdf(
    path: str | os.PathLike[str],
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    base: BaseKind | None = None,
    *,
    max_size: int = MAX_FILE_SIZE,
    check_meshes: bool = False,
) -> tuple[Description, tuple[Problem, ...]]:
    """Read a URDF file.

    Mimic joints become couplings; transmissions, safety controllers, calibration and simulator extensions are
    ignored, and so are tags nobody knows, unless they look like a misspelled known one.

    Parameters
    ----------
    path : path-like
    package_dirs : iterable of path-like
        Where packages are looked for first; see `tarsus.io.packages`.
    base : {"free", "planar", "fixed"}, optional
        How the root is attached to the world; fixed by default, as URDF has it.
    max_size : int
        Refuse larger files [bytes].
    check_meshes : bool
        Look into mesh files, too; otherwise they are only located.

    Returns
    -------
    description : Description
    problems : tuple of Problem
        What only the file can tell; `find_problems` judges the description. With an error among them the description
        is incomplete.

    Raises
    ------
    ModelFileError
        If the file cannot be read or parsed at all.
    """
    root, report = parse_xml(path, max_size=max_size)
    return _read(root, report, PackageFinder(path, package_dirs), base, check_meshes)


def read_urdf_text(
    text: str | bytes,
    package_dirs: Iterable[str | os.PathLike[str]] = (),
    base: BaseKind | None = None,
    *,
    name: str = "<string>",
    max_size: int = MAX_FILE_SIZE,
    check_meshes: bool = False,
) -> tuple[Description, tuple[Problem, ...]]:
    """Read URDF from a string; see `read_urdf`. `name` stands for the file in messages."""
    root, report = parse_xml_text(text, name, max_size=max_size)
    return _read(root, report, PackageFinder(None, package_dirs), base, check_meshes)


def _read(
    root: etree._Element, report: Report, finder: PackageFinder, base: BaseKind | None, check_meshes: bool
) -> tuple[Description, tuple[Problem, ...]]:
    _leave_namespace(root, report)
    # Numbers that are finite each may overflow together; what comes out infinite is refused by validation.
    with np.errstate(over="ignore", invalid="ignore"):
        description = _UrdfReader(report, ShapeReader(report, finder, check_meshes)).robot(root, base or "fixed")
    return description, tuple(report.problems)


def _leave_namespace(root: etree._Element, report: Report) -> None:
    """Take elements in the namespace of the root, which URDF has none of, as if they were in none."""
    tag = tag_of(root)
    if not tag.startswith("{") or tag.endswith(("}sdf", "}mujoco")):
        return
    space = tag[: tag.index("}") + 1]
    report.warning("namespace", f"the namespace {space[1:-1][:60]!r} is ignored", root, space[1:-1][:60])
    for node in root.iter():
        if tag_of(node).startswith(space):
            node.tag = tag_of(node)[len(space) :]


class _UrdfReader:
    """Turns the elements of one URDF into a description; errors go to the report and reading continues."""

    def __init__(self, report: Report, shapes: ShapeReader) -> None:
        self._report = report
        self._shapes = shapes
        self._spelling: dict[tuple[str, str], None] = {}

    def robot(self, root: etree._Element, base: BaseKind) -> Description:
        report = self._report
        if tag_of(root) != "robot":
            report.error("root-element", f"expected <robot>, found <{tag_of(root)}>", root, tag_of(root))
            report.raise_if_errors()
        name = _name(root)
        if not name:
            report.warning("missing-name", "the robot has no name", root)
            name = os.path.splitext(os.path.basename(report.file))[0]
        self._shapes.collect_materials(root)
        links: list[LinkSpec] = []
        joints: list[JointSpec] = []
        couplings: list[Coupling] = []
        for node in root:
            tag = node.tag
            if tag == "link":
                links.append(self._link(node))
            elif tag == "joint":
                self._joint(node, joints, couplings)
            elif tag_of(node).startswith(_XACRO):
                report.error("xacro", f"xacro element <{node.tag.split('}')[1]}> was not expanded", node)
            else:
                self._check_spelling("robot", node)
        if any(joint.parent == _WORLD for joint in joints) and all(link.name != _WORLD for link in links):
            report.warning("undeclared-world", "joints are attached to 'world', which is no link; it is added", root)
            links.insert(0, LinkSpec(_WORLD, source=report.source(root)))
        if not links and any(tag_of(node) in SRDF_ELEMENTS for node in root):
            report.error("file-format", "this is an SRDF: load the robot's URDF, with this file as srdf=", root)
            report.raise_if_errors()
        return Description(
            name=name,
            links=tuple(links),
            joints=tuple(joints),
            couplings=tuple(couplings),
            base=base,
            source=report.source(root),
        )

    def _link(self, node: etree._Element) -> LinkSpec:
        visuals: list[Shape] = []
        collisions: list[Shape] = []
        inertial: etree._Element | None = None
        for child in node:
            tag = child.tag
            if tag == "visual" or tag == "collision":
                shape = self._shapes.shape(child)
                if shape is not None:
                    (visuals if tag == "visual" else collisions).append(shape)
            elif tag == "inertial":
                if inertial is None:
                    inertial = child
                else:
                    self._duplicate(child)
            else:
                self._check_spelling("link", child)
        inertia = None if inertial is None else self._inertial(inertial)
        return LinkSpec(_name(node), inertia, tuple(visuals), tuple(collisions), False, self._report.source(node))

    def _inertial(self, node: etree._Element) -> Inertia:
        parts = self._children("inertial", node)
        X_LC = origin_pose(self._report, parts.get("origin"))
        mass = 0.0
        if "mass" in parts:
            mass = number(self._report, parts["mass"], "value", 0.0, required=True)
        else:
            self._report.warning("missing-mass", "<inertial> has no mass", node)
        if "inertia" in parts:
            moments = self._moments(parts["inertia"])
        else:
            self._report.warning("missing-inertia", "<inertial> has no moments of inertia", node)
            moments = np.zeros((3, 3))
        R = X_LC[:3, :3]
        if X_LC is not IDENTITY and R.trace() != 3.0:
            moments = R @ moments @ R.T
            moments = 0.5 * (moments + moments.T)
        return Inertia(mass, X_LC[:3, 3], moments)

    def _moments(self, node: etree._Element) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        values = []
        for attribute in _INERTIA_ATTRIBUTES:
            if node.get(attribute) is None:
                message = f"<inertia> has no {attribute}; 0 is assumed"
                report = self._report.error if attribute in ("ixx", "iyy", "izz") else self._report.warning
                report("missing-attribute", message, node, attribute)
            values.append(number(self._report, node, attribute, 0.0))
        xx, xy, xz, yy, yz, zz = values
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def _joint(self, node: etree._Element, joints: list[JointSpec], couplings: list[Coupling]) -> None:
        report = self._report
        parts = self._children("joint", node)
        name, source = _name(node), report.source(node)
        parent, child = self._end(node, parts, "parent"), self._end(node, parts, "child")
        kind = self._kind(node)
        pose = origin_pose(report, parts.get("origin"))
        axis = self._axis(parts.get("axis"))
        q_min, q_max, v_max, tau_max = self._limits(node, kind, parts.get("limit"))
        damping = friction = 0.0
        if "dynamics" in parts:
            damping = number(report, parts["dynamics"], "damping", 0.0)
            friction = number(report, parts["dynamics"], "friction", 0.0)
        if "mimic" in parts and kind != "fixed":  # where a joint was fixed by hand, its mimic is often left behind
            self._mimic(name, parts["mimic"], couplings)
        joints.append(
            JointSpec(
                name=name,
                kind=kind,
                parent=parent,
                child=child,
                pose=pose,
                child_pose=IDENTITY,
                axis=axis,
                q_min=q_min,
                q_max=q_max,
                v_max=v_max,
                tau_max=tau_max,
                damping=damping,
                friction=friction,
                source=source,
            )
        )

    def _kind(self, node: etree._Element) -> str:
        type_name = node.get("type")
        if type_name is None:
            self._report.error("missing-attribute", "<joint> needs the attribute 'type'", node)
            return "fixed"
        kind = JOINT_TYPES.get(type_name)
        if kind is None:
            message = f"unknown joint type {type_name[:60]!r}{nearest(type_name[:60], JOINT_TYPES)}"
            self._report.error("joint-kind", message, node, type_name[:60])
            return "fixed"
        return kind

    def _end(self, node: etree._Element, parts: dict[str, etree._Element], role: str) -> str:
        part = parts.get(role)
        link = None if part is None else part.get("link")
        if not link:
            what = f"no <{role}>" if part is None else f"a <{role}> without a link"
            self._report.error(f"missing-{role}", f"joint {_name(node)!r} has {what}", node)
        return link or ""

    def _axis(self, node: etree._Element | None) -> tuple[float, float, float]:
        if node is None:
            return _DEFAULT_AXIS
        text = node.get("xyz")
        if text is None:
            self._report.error("missing-attribute", "<axis> needs the attribute 'xyz'", node)
            return _DEFAULT_AXIS
        xyz = parse_floats(self._report, node, text, 3, "xyz")
        return _DEFAULT_AXIS if xyz is None else _unit_axis(*xyz)

    def _limits(self, joint: etree._Element, kind: str, node: etree._Element | None) -> tuple[float, ...]:
        """Return q_min, q_max, v_max, tau_max: infinite for the kinds that have no limits in URDF."""
        limited = kind in ("revolute", "prismatic")
        lower, upper, velocity, effort = -math.inf, math.inf, math.inf, math.inf
        if node is None:
            if limited and joint.get("type") in JOINT_TYPES:
                message = f"{kind} joint {_name(joint)!r} has no <limit>; it is taken as unlimited"
                self._report.warning("missing-limit", message, joint)
            return lower, upper, velocity, effort
        low, high = (_limit(number(self._report, node, attribute, 0.0)) for attribute in ("lower", "upper"))
        rates = {}
        for attribute in ("velocity", "effort"):
            if limited and node.get(attribute) is None:
                message = f"<limit> of joint {_name(joint)!r} has no {attribute}; it is taken as unlimited"
                self._report.warning("missing-attribute", message, node, attribute)
            rates[attribute] = _limit(number(self._report, node, attribute, math.inf))
            if rates[attribute] == -1.0:
                message = f"{attribute} of joint {_name(joint)!r} is -1; it is taken as unlimited"
                self._report.warning("unlimited", message, node, "-1")
                rates[attribute] = math.inf
        if limited:
            lower, upper = low, high
        if limited or kind == "continuous":
            velocity, effort = rates["velocity"], rates["effort"]
        return lower, upper, velocity, effort

    def _mimic(self, joint: str, node: etree._Element, couplings: list[Coupling]) -> None:
        leader = node.get("joint")
        ratio = number(self._report, node, "multiplier", 1.0)
        offset = number(self._report, node, "offset", 0.0)
        if not leader:
            self._report.error("missing-attribute", "<mimic> needs the attribute 'joint'", node)
        else:
            couplings.append(Coupling(joint, leader, ratio, offset, self._report.source(node)))

    def _children(self, parent: str, node: etree._Element) -> dict[str, etree._Element]:
        """First child of each tag."""
        parts: dict[str, etree._Element] = {}
        known = _KNOWN[parent]
        for child in node:
            tag = child.tag
            if tag not in known:
                self._check_spelling(parent, child)
            elif tag in parts:
                self._duplicate(child)
            else:
                parts[tag] = child
        return parts

    def _duplicate(self, node: etree._Element) -> None:
        message = f"a second <{tag_of(node)}> is ignored"
        self._report.warning("duplicate-element", message, node, tag_of(node))

    def _check_spelling(self, parent: str, node: etree._Element) -> None:
        """Warn of a tag that looks like a misspelled known one, once."""
        tag = tag_of(node)
        known = _KNOWN[parent]
        if not tag or tag in known or tag.startswith("{") or ":" in tag or len(tag) > 40:
            return
        if (parent, tag) in self._spelling or len(self._spelling) >= _MAX_SPELLING_CHECKS:
            return
        self._spelling[parent, tag] = None
        close = difflib.get_close_matches(tag, known, n=1, cutoff=0.75)
        if close:
            message = f"<{tag}> in <{parent}> is ignored; is <{close[0]}> meant?"
            self._report.warning("misspelled-element", message, node, tag)


def _name(node: etree._Element) -> str:
    name: str = node.get("name", "")
    return name if name.strip() else ""


def _limit(value: float) -> float:
    return value if abs(value) < UNLIMITED else math.copysign(math.inf, value)


def _unit_axis(x: float, y: float, z: float) -> tuple[float, float, float]:
    """Normalise (x, y, z); too short a vector is returned as it is, for validation to refuse."""
    largest = max(abs(x), abs(y), abs(z))
    if largest < MIN_AXIS_NORM:
        return x, y, z
    x, y, z = x / largest, y / largest, z / largest
    norm = math.sqrt(x * x + y * y + z * z)
    return x / norm, y / norm, z / norm
