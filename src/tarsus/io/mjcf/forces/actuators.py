"""Actuators of MJCF: which joints have a drive, how strong it is, and what its rotor adds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from lxml import etree

from tarsus.errors import nearest
from tarsus.io.mjcf.settings.compiler import Compiler
from tarsus.io.mjcf.settings.defaults import ACTUATORS, Defaults, Element
from tarsus.io.mjcf.tree.bodies import Tree
from tarsus.io.numbers import shown
from tarsus.io.xml import Report, tag_of
from tarsus.model.description import JointSpec
from tarsus.model.joint import JOINT_TRAITS

_PLAIN_GAIN = {"gaintype": "fixed", "biastype": "none", "dyntype": "none"}
"""Settings of <general> with which the force is a constant times the control."""


@dataclass(slots=True)
class _Drive:
    """Sum of the actuators of a joint."""

    effort: float = 0.0
    armature: float = 0.0
    damping: float = 0.0


def driven_joints(
    root: etree._Element, tree: Tree, compiler: Compiler, defaults: Defaults, report: Report
) -> list[JointSpec]:
    """Return the joints of the tree with their drives.

    A joint is actuated if an actuator acts on it, directly or through a fixed tendon; without any actuators in the
    file all joints are. Its effort limit is the larger magnitude of forcerange (for a motor also of ctrlrange) times
    the gear, summed over its actuators and bounded by actuatorfrcrange. Armature and damping of actuators are seen
    through the square of the gear.
    """
    nodes = [node for section in root.iterchildren("actuator") for node in section if tag_of(node)]
    if not nodes:
        return tree.joints
    kinds = {joint.name: joint.kind for joint in tree.joints}
    tendons = _fixed_tendons(root, kinds, report)
    drives: dict[str, _Drive] = {}
    for node in nodes:
        if tag_of(node) not in ACTUATORS:
            report.warning("unknown-element", f"<{shown(tag_of(node))}> is ignored", node, shown(tag_of(node)))
            continue
        element = defaults.element(node, None)
        for joint, arm in _targets(element, kinds, tendons, report):
            _add(drives.setdefault(joint, _Drive()), element, arm, kinds[joint], compiler)
    return [_driven(joint, drives.get(joint.name)) for joint in tree.joints]


def _driven(joint: JointSpec, drive: _Drive | None) -> JointSpec:
    if joint.kind == "fixed" or drive is None:
        return replace(joint, actuated=False)
    effort = min(drive.effort, float(np.max(joint.tau_max)))
    armature, damping = np.add(joint.armature, drive.armature), np.add(joint.damping, drive.damping)
    return replace(joint, actuated=True, tau_max=effort, armature=float(armature), damping=float(damping))


def _targets(
    element: Element, kinds: dict[str, str], tendons: dict[str, dict[str, float]], report: Report
) -> Iterator[tuple[str, float]]:
    """Joints an actuator acts on, each with its lever arm before the gear."""
    for attribute in ("joint", "jointinparent"):
        name = element.text(attribute)
        if name in kinds:
            yield name, 1.0
        elif name:
            message = f"{attribute}: there is no joint {shown(name)!r}{nearest(name[:100], kinds)}"
            report.error("unknown-joint", message, element.node, shown(name))
    yield from tendons.get(element.text("tendon"), {}).items()


def _fixed_tendons(root: etree._Element, kinds: dict[str, str], report: Report) -> dict[str, dict[str, float]]:
    """Joints and coefficients of the named fixed tendons."""
    tendons: dict[str, dict[str, float]] = {}
    for section in root.iterchildren("tendon"):
        for node in section.iterchildren("fixed"):
            arms: dict[str, float] = {}
            for part in node.iterchildren("joint"):
                name = part.get("joint", "")
                if name in kinds:
                    arms[name] = Element(part, report, None).number("coef", 0.0)
            tendons[node.get("name", "")] = arms
    return tendons


def _add(drive: _Drive, element: Element, arm: float, kind: str, compiler: Compiler) -> None:
    gear = element.partial("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    one_axis = JOINT_TRAITS[kind].one_axis
    ratio = arm * (float(gear[0]) if one_axis else float(np.linalg.norm(gear)))
    drive.effort += abs(ratio) * _force_limit(element, compiler) if ratio != 0.0 else 0.0
    if one_axis:
        drive.armature += ratio * ratio * element.number("armature", 0.0)
        drive.damping += ratio * ratio * float(element.partial("damping", (0.0, 0.0, 0.0))[0])


def _force_limit(element: Element, compiler: Compiler) -> float:
    limits = [_magnitude(element, "force", compiler)]
    tag = tag_of(element.node)
    if tag == "motor":
        limits.append(_magnitude(element, "ctrl", compiler))
    elif tag == "general" and all(element.text(key, word) == word for key, word in _PLAIN_GAIN.items()):
        gain = float(element.partial("gainprm", (1.0, *[0.0] * 9))[0])
        limits.append(abs(gain) * _magnitude(element, "ctrl", compiler) if gain != 0.0 else 0.0)
    return min(limits)


def _magnitude(element: Element, what: str, compiler: Compiler) -> float:
    """Larger magnitude of a range such as ctrlrange, infinite where it does not limit."""
    values = element.numbers(f"{what}range", 2, (0.0, 0.0))
    low, high = (0.0, 0.0) if values is None else values.tolist()
    limited = element.switch(f"{what}limited", (low, high) != (0.0, 0.0), compiler.of(element.node).autolimits)
    return max(abs(low), abs(high)) if limited else math.inf
