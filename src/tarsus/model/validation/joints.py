"""What must hold for joints: kinds, axes, poses, limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.description import Description, JointSpec
from tarsus.model.joint import BASE_KINDS, JOINT_TRAITS
from tarsus.model.validation.findings import Findings, all_finite, duplicates
from tarsus.model.validation.poses import check_poses

MIN_AXIS_NORM = 1e-12
"""Axes shorter than this have no direction."""


def check_joints(d: Description, found: Findings) -> None:
    """Names, kinds, poses, axes and limits."""
    twice = duplicates(joint.name for joint in d.joints)
    for joint in d.joints:
        element = f"joint {joint.name!r}"
        found.name("joint", joint.name, joint.source, twice)
        if joint.kind not in JOINT_TRAITS:
            hint = found.hint(joint.kind, JOINT_TRAITS)
            message = f"{element} has the unknown kind {joint.kind!r}{hint}"
            found.error("joint-kind", message, element, joint.source, joint.kind)
            continue
        _check_joint_geometry(joint, element, found)
        _check_joint_limits(joint, element, found)
    check_poses([(f"joint {joint.name!r}", joint.pose, joint.source) for joint in d.joints], found)
    check_poses([(f"joint {joint.name!r}", joint.child_pose, joint.source) for joint in d.joints], found)


def _check_joint_geometry(joint: JointSpec, element: str, found: Findings) -> None:
    geometry = (*joint.pose.ravel().tolist(), *joint.child_pose.ravel().tolist(), joint.pitch)
    if not all_finite((*geometry, *joint.axis, *joint.axis2)):
        found.error("non-finite", f"pose or axis of {element} is not finite", element, joint.source)
        return
    axes = JOINT_TRAITS[joint.kind].axes
    if axes and math.hypot(*joint.axis) < MIN_AXIS_NORM:
        found.error("zero-axis", f"axis of {element} has no direction", element, joint.source, joint.axis)
    if axes == 2:
        if np.linalg.norm(np.cross(_scaled(joint.axis), _scaled(joint.axis2))) < 1e-9:
            message = f"the two axes of {element} are parallel or have no direction"
            found.error("zero-axis", message, element, joint.source, joint.axis2)


def _scaled(axis: tuple[float, float, float]) -> FloatArray:
    """Axis whose largest entry is one, which keeps the squares of extreme numbers in range; zero for a zero axis."""
    largest = max(map(abs, axis))
    return np.array(axis) / largest if largest >= MIN_AXIS_NORM else np.zeros(3)


def _check_joint_limits(joint: JointSpec, element: str, found: Findings) -> None:
    size = JOINT_TRAITS[joint.kind]
    values: dict[str, list[float]] = {}
    for name in ("q_min", "q_max", "v_max", "tau_max", "damping", "friction", "armature", "stiffness", "rest"):
        count = size.nq if name in ("q_min", "q_max") else size.nv
        entries = _per_dof(joint, name, count)
        if entries is None:
            message = f"{name} of {element} has {len(getattr(joint, name))} values, expected {count}"
            found.error("limit-count", message, element, joint.source, getattr(joint, name))
            return
        if any(map(math.isnan, entries)) or (
            name not in ("q_min", "q_max", "v_max", "tau_max") and not all_finite(entries)
        ):
            found.error("non-finite", f"{name} of {element} is not finite", element, joint.source, entries)
            return
        values[name] = entries
    for low, high in zip(values["q_min"], values["q_max"], strict=True):
        if low > high:
            message = f"limits of {element} are swapped: lower {low:g} > upper {high:g}"
            found.error("swapped-limits", message, element, joint.source, f"{low:g} > {high:g}")
    for name, rule in (("tau_max", "negative-effort"), ("v_max", "negative-velocity")):
        if min(values[name], default=0.0) < 0.0:
            found.error(
                rule, f"{name} of {element} is negative: {min(values[name]):g}", element, joint.source, values[name]
            )
    for name in ("damping", "friction", "armature", "stiffness"):
        if min(values[name], default=0.0) < 0.0:
            message = f"{name} of {element} is negative: {min(values[name]):g}"
            found.error(f"negative-{name}", message, element, joint.source, values[name])
    _check_spring(joint, element, values["stiffness"], found)
    _check_sliding_armature(joint, element, values["armature"], found)


def _check_sliding_armature(joint: JointSpec, element: str, armature: list[float], found: Findings) -> None:
    """Armature along slides whose axes turn with the body is the same along all of them."""
    traits = JOINT_TRAITS[joint.kind]
    if not traits.flat and len(set(armature[: traits.translations])) > 1:
        message = f"armature of {element} differs between its slides; expected the same along all of them"
        found.error("armature-kind", message, element, joint.source, armature)


def _check_spring(joint: JointSpec, element: str, stiffness: list[float], found: Findings) -> None:
    """Springs that turn a joint or draw it to a place pull alike in all directions."""
    traits = JOINT_TRAITS[joint.kind]
    if traits.flat or not any(stiffness):
        return
    if traits.quaternion is None:
        found.error(
            "spring-kind", f"{element} is {joint.kind} and cannot have a spring", element, joint.source, stiffness
        )
    elif any(len(set(part)) > 1 for part in (stiffness[: traits.translations], stiffness[traits.translations :])):
        message = f"stiffness of {element} differs between directions; expected one of turns, and one of slides"
        found.error("spring-kind", message, element, joint.source, stiffness)


def check_base(d: Description, found: Findings) -> None:
    """Passive forces on the joint of the base."""
    element, known = "joint 'base'", ("damping", "friction", "armature", "stiffness", "rest")
    unknown = set(d.base_forces) - set(known)
    if unknown:
        name = min(unknown)
        found.error("base-forces", f"base_forces has no {name!r}{found.hint(name, known)}", element, d.source, name)
    elif d.base != "fixed" and d.base in BASE_KINDS:
        forces: dict[str, Any] = dict(d.base_forces)
        _check_joint_limits(
            JointSpec("base", BASE_KINDS[d.base], "world", "", source=d.source, **forces), element, found
        )


def _per_dof(joint: JointSpec, name: str, count: int) -> list[float] | None:
    value = getattr(joint, name)
    values = [float(value)] * count if np.ndim(value) == 0 else [float(x) for x in value]
    return values if len(values) == count else None
