"""Writing URDF."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.errors import ModelError, ModelWarning, Problem
from tarsus.files import write_whole
from tarsus.geometry.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from tarsus.io.urdf.shapes import DEFAULT_COLOR, UNLIMITED
from tarsus.model.coupling import Coupling
from tarsus.model.description import Description, JointSpec, LinkSpec

if TYPE_CHECKING:
    from tarsus.model.model import Model

_TYPES = {
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "planar": "planar",
    "free": "floating",
}


def write_urdf(model: Model | Description, path: str | os.PathLike[str] | None = None) -> str:
    """Write a model as URDF.

    What URDF has no word for:

    - Universal, cylindrical and helical joints become two joints with a massless link between them: the joint's own
      name stays with the first of them, the second is called ``<name>_2`` and the link ``<name>_link``. The second
      half of a helical joint is a prismatic mimic joint.
    - A joint whose child frame is not the joint frame (`child_pose`) gets a massless link, ``<name>_frame``, with a
      fixed joint to the child.
    - Named frames become massless links behind fixed joints.
    - Spherical joints and loops cannot be expressed: `ModelError` names them.
    - Ellipsoids, planes, armatures, springs, the limits of planar and floating joints and drives that are missing are
      left out with a `ModelWarning`; the kind of base, gravity and the reference pose are the reader's business.
    - Limits that are infinite are written as 1e300, which the reader takes for infinite.

    Parameters
    ----------
    model : Model or Description
    path : path-like, optional
        File to write. It appears complete or not at all.

    Returns
    -------
    text : str
        The URDF.
    """
    description: Description = model if isinstance(model, Description) else model.description
    _refuse_inexpressible(description)
    description = _in_words_of_urdf(description)
    lost = [f"tendon {tendon.name!r}" for tendon in description.tendons]
    lost += [f"{name} of the base" for name, value in description.base_forces.items() if np.any(value)]
    lost += [f"carried weight of link {link.name!r}" for link in description.links if link.carried]
    root = etree.Element("robot", name=description.name)
    try:
        for link in description.links:
            _write_link(root, link, lost)
        followed = {coupling.joint: coupling for coupling in description.couplings}
        for joint in description.joints:
            _write_joint(root, joint, followed.get(joint.name), lost)
    except ValueError as error:  # lxml: control characters are not XML, however they are written
        raise ModelError(f"a name cannot be written in XML: {error}") from None
    etree.indent(root)
    text: str = '<?xml version="1.0" encoding="utf-8"?>\n' + etree.tostring(root, encoding="unicode") + "\n"
    if lost:
        warnings.warn(ModelWarning("URDF has no word for, and lacks: " + ", ".join(lost)), stacklevel=2)
    if path is not None:
        write_whole(path, text.encode("utf-8"))
    return text


def _refuse_inexpressible(description: Description) -> None:
    problems = []
    for joint in description.joints:
        if joint.kind not in (*_TYPES, "universal", "cylindrical", "helical"):
            message = f"joint {joint.name!r} is {joint.kind}, which URDF cannot express"
            element = f"joint {joint.name!r}"
            problems.append(Problem("error", "not-expressible", message, element, joint.kind, *joint.source))
    for coupling in description.couplings:
        if coupling.further:
            message = f"joint {coupling.joint!r} follows several joints, which URDF cannot express"
            element = f"coupling of joint {coupling.joint!r}"
            problems.append(Problem("error", "not-expressible", message, element, coupling.joint, *coupling.source))
    for loop in description.loops:
        message = f"loop {loop.name!r} cannot be expressed in URDF"
        problems.append(Problem("error", "not-expressible", message, f"loop {loop.name!r}", loop.kind, *loop.source))
    if problems:
        raise ModelError(problems)


def _in_words_of_urdf(description: Description) -> Description:
    """Rewrite the mechanism with URDF's joint types, massless links between the halves of a joint, no frames."""
    links = list(description.links)
    joints: list[JointSpec] = []
    couplings = list(description.couplings)
    taken = {link.name for link in links} | {joint.name for joint in description.joints}
    for joint in description.joints:
        parts = [joint]
        if joint.kind in ("universal", "cylindrical", "helical"):
            middle = _free_name(f"{joint.name}_link", taken)
            links.append(LinkSpec(middle, virtual=True))
            parts = _halves(joint, middle, _free_name(f"{joint.name}_2", taken))
            if joint.kind == "helical":
                couplings.append(Coupling(parts[1].name, joint.name, joint.pitch))
        if not np.array_equal(joint.child_pose, np.eye(4)):
            frame = _free_name(f"{joint.name}_frame", taken)
            links.append(LinkSpec(frame, virtual=True))
            parts[-1] = replace(parts[-1], child=frame, child_pose=np.eye(4))
            fixed = _free_name(f"{joint.name}_fixed", taken)
            parts.append(JointSpec(fixed, "fixed", frame, joint.child, pose=joint.child_pose))
        joints += parts
    for spec in description.frames:
        links.append(LinkSpec(spec.name, virtual=True))
        name = _free_name(f"{spec.name}_fixed", taken)
        joints.append(JointSpec(name, "fixed", spec.link, spec.name, pose=spec.pose))
    return replace(description, links=tuple(links), joints=tuple(joints), couplings=tuple(couplings), frames=())


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _halves(joint: JointSpec, middle: str, second_name: str) -> list[JointSpec]:
    """Two one-axis joints that move like a universal, cylindrical or helical one."""
    kinds = {"universal": ("revolute", "revolute"), "cylindrical": ("prismatic", "revolute")}
    first_kind, second_kind = kinds.get(joint.kind, ("revolute", "prismatic"))
    axes = (joint.axis, joint.axis2 if joint.kind == "universal" else joint.axis)
    first = replace(_component(joint, 0), kind=first_kind, axis=axes[0], child=middle, child_pose=np.eye(4))
    second = _component(joint, 1) if joint.kind != "helical" else JointSpec("", "", "", joint.child)
    second = replace(second, name=second_name, kind=second_kind, axis=axes[1], parent=middle)
    return [first, replace(second, pose=np.eye(4), child_pose=np.eye(4))]


def _component(joint: JointSpec, index: int) -> JointSpec:
    """Take the limits and constants of one degree of freedom."""
    return replace(
        joint,
        q_min=_entry(joint.q_min, index),
        q_max=_entry(joint.q_max, index),
        v_max=_entry(joint.v_max, index),
        tau_max=_entry(joint.tau_max, index),
        damping=_entry(joint.damping, index),
        friction=_entry(joint.friction, index),
        armature=_entry(joint.armature, index),
        stiffness=_entry(joint.stiffness, index),
        rest=_entry(joint.rest, index),
    )


def _entry(value: float | Sequence[float], index: int) -> float:
    return float(value[index]) if isinstance(value, Sequence) else float(value)


def _write_link(root: etree._Element, link: LinkSpec, lost: list[str]) -> None:
    node = etree.SubElement(root, "link", name=link.name)
    if link.inertia is not None:
        inertial = etree.SubElement(node, "inertial")
        if link.inertia.com.any():
            etree.SubElement(inertial, "origin", xyz=_text(link.inertia.com), rpy="0 0 0")
        etree.SubElement(inertial, "mass", value=_text([link.inertia.mass]))
        J = 0.5 * (link.inertia.moments + link.inertia.moments.T)
        pairs = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        etree.SubElement(inertial, "inertia", {name: _text([J[ij]]) for name, ij in pairs.items()})
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for shape in shapes:
            _write_shape(node, tag, shape, link.name, lost)


def _write_shape(link: etree._Element, tag: str, shape: Shape, link_name: str, lost: list[str]) -> None:
    solid = shape.geometry
    if isinstance(solid, Box):
        geometry = etree.Element("box", size=_text(solid.size))
    elif isinstance(solid, Sphere):
        geometry = etree.Element("sphere", radius=_text([solid.radius]))
    elif isinstance(solid, Cylinder | Capsule):
        name = "cylinder" if isinstance(solid, Cylinder) else "capsule"
        geometry = etree.Element(name, radius=_text([solid.radius]), length=_text([solid.length]))
    elif isinstance(solid, Mesh) and solid.part is None:
        geometry = etree.Element("mesh", filename=solid.uri)
        if solid.scale != (1.0, 1.0, 1.0):
            geometry.set("scale", _text(solid.scale))
    else:
        what = f"part {solid.part!r} of a mesh" if isinstance(solid, Mesh) else type(solid).__name__.lower()
        lost.append(f"{what} of link {link_name!r}")
        return
    node = etree.SubElement(link, tag, {"name": shape.name} if shape.name else {})
    _write_origin(node, shape.pose)
    etree.SubElement(node, "geometry").append(geometry)
    if tag == "visual" and shape.color != DEFAULT_COLOR:
        material = etree.SubElement(node, "material", name="rgba " + _text(shape.color))
        etree.SubElement(material, "color", rgba=_text(shape.color))


def _write_joint(root: etree._Element, joint: JointSpec, coupling: Coupling | None, lost: list[str]) -> None:
    kind = _TYPES[joint.kind]
    one_axis = kind in ("revolute", "continuous", "prismatic")
    single = _component(joint, 0) if one_axis else joint
    if kind == "revolute" and single.q_min == -math.inf and single.q_max == math.inf:
        kind = "continuous"
    node = etree.SubElement(root, "joint", name=joint.name, type=kind)
    _write_origin(node, joint.pose)
    etree.SubElement(node, "parent", link=joint.parent)
    etree.SubElement(node, "child", link=joint.child)
    if kind not in ("fixed", "floating"):
        etree.SubElement(node, "axis", xyz=_text(joint.axis))
    if one_axis:
        _write_limit(node, kind, single)
        if single.damping or single.friction:
            etree.SubElement(
                node,
                "dynamics",
                damping=_text([_entry(single.damping, 0)]),
                friction=_text([_entry(single.friction, 0)]),
            )
    if coupling is not None:
        ratio, offset = _text([coupling.ratio]), _text([coupling.offset])
        etree.SubElement(node, "mimic", joint=coupling.leader, multiplier=ratio, offset=offset)
    lost += [f"{what} of joint {joint.name!r}" for what in _lost_properties(joint, one_axis)]


def _lost_properties(joint: JointSpec, one_axis: bool) -> list[str]:
    lost = [name for name in ("armature", "stiffness") if np.any(getattr(joint, name))]
    if joint.kind != "fixed":
        lost += [] if joint.actuated else ["missing drive"]
        if not one_axis:
            limits = ("q_min", "q_max", "v_max", "tau_max")
            lost += [name for name in limits if np.isfinite(getattr(joint, name)).any()]
            lost += [name for name in ("damping", "friction") if np.any(getattr(joint, name))]
    return lost


def _write_limit(node: etree._Element, kind: str, joint: JointSpec) -> None:
    values = {"effort": joint.tau_max, "velocity": joint.v_max}
    if kind != "continuous":
        values = {"lower": joint.q_min, "upper": joint.q_max, **values}
    elif values["effort"] == values["velocity"] == math.inf:
        return
    etree.SubElement(node, "limit", {name: _text([_entry(value, 0)]) for name, value in values.items()})


def _write_origin(node: etree._Element, X: FloatArray) -> None:
    if not np.array_equal(X, np.eye(4)):
        etree.SubElement(node, "origin", xyz=_text(X[:3, 3]), rpy=_text(_roll_pitch_yaw(X[:3, :3])))


def _roll_pitch_yaw(R: FloatArray) -> tuple[float, float, float]:
    """Angles of R = Rz(yaw) Ry(pitch) Rx(roll), exact at pitch = +-pi/2, too, where yaw is set to what is left."""
    horizontal = math.hypot(R[0, 0], R[1, 0])
    yaw = math.atan2(R[1, 0], R[0, 0]) if horizontal > 1e-12 else 0.0
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw


def _text(values: Iterable[float]) -> str:
    """Shortest decimal text that reads back as the same numbers."""
    return " ".join(_number(float(value)) for value in values)


def _number(value: float) -> str:
    if math.isinf(value):
        value = math.copysign(UNLIMITED, value)
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
