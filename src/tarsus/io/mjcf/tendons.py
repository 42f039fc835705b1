"""Tendons of MJCF: those along one joint are folded into it, what others do by themselves is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from lxml import etree

from tarsus.io.mjcf.defaults import Defaults, Element
from tarsus.io.numbers import shown
from tarsus.io.xml import Report, tag_of
from tarsus.model.description import JointSpec
from tarsus.model.joint import JOINT_TRAITS

_FORCES = ("stiffness", "damping", "frictionloss", "armature")
"""What a tendon does without an actuator."""


def with_tendons(
    root: etree._Element,
    joints: list[JointSpec],
    reference: Mapping[str, float],
    defaults: Defaults,
    report: Report,
) -> list[JointSpec]:
    """Return the joints with the springs, dampers, friction and armature of tendons that run along one of them.

    A fixed tendon of the length L = c q along a single joint q acts on it like a spring of the stiffness c^2 k at rest
    where L is the spring length, a damper c^2 d, an armature c^2 a and friction |c| f. `reference` holds `springref` of
    the joints, where it is not zero: there a spring without a length is at rest.
    """
    known = {joint.name: joint for joint in joints}
    folded: dict[str, JointSpec] = {}
    for section in root.iterchildren("tendon"):
        for node in section:
            if not tag_of(node):
                continue
            element = defaults.element(node, None)
            if not any(_value(element, attribute) for attribute in _FORCES):
                continue
            along = _single_joint(node, {**known, **folded}, report)
            if along is None:
                _tell(element, report)
            else:
                joint, coefficient = along
                rest = coefficient * reference.get(joint.name, 0.0)
                folded[joint.name] = _folded(joint, element, coefficient, rest, report)
    return [folded.get(joint.name, joint) for joint in joints]


def _value(element: Element, attribute: str) -> float:
    return float(element.partial(attribute, (0.0, 0.0, 0.0))[0])


def _single_joint(
    node: etree._Element, joints: Mapping[str, JointSpec], report: Report
) -> tuple[JointSpec, float] | None:
    """Joint and coefficient of a fixed tendon along a single joint that moves along one axis."""
    parts = [part for part in node if tag_of(part)]
    joint = joints.get(parts[0].get("joint", "")) if tag_of(node) == "fixed" and len(parts) == 1 else None
    if joint is None or not JOINT_TRAITS[joint.kind].one_axis:
        return None
    coefficient = Element(parts[0], report, None).number("coef", 0.0)
    return None if coefficient == 0.0 else (joint, coefficient)


def _tell(element: Element, report: Report) -> None:
    for attribute in _FORCES:
        if _value(element, attribute):
            message = f"{attribute} of a tendon along several joints or through space is not supported and left out"
            report.warning("not-supported", message, element.node, shown(element.text(attribute)))


def _folded(joint: JointSpec, element: Element, coefficient: float, rest: float, report: Report) -> JointSpec:
    """Return the joint with what a tendon adds to it; `rest` is its length where joint springs are at rest."""
    square = coefficient * coefficient
    stiffness, damping, friction, armature = (_value(element, attribute) for attribute in _FORCES)
    lengths = element.numbers("springlength", (1, 2), (-1.0,))
    low, high = (-1.0, -1.0) if lengths is None else (float(lengths[0]), float(lengths[-1]))
    if stiffness and low != high:
        message = "a tendon that is slack between two spring lengths is not supported; its spring is left out"
        report.warning("not-supported", message, element.node, shown(element.text("springlength")))
        stiffness = 0.0
    length = rest if low == -1.0 else low
    own, at = np.sum(joint.stiffness).item(), np.sum(joint.rest).item()
    both = own + square * stiffness
    pull = own * at + coefficient * stiffness * length
    return replace(
        joint,
        stiffness=both,
        rest=pull / both if both else joint.rest,
        damping=np.add(joint.damping, square * damping).item(),
        friction=np.add(joint.friction, abs(coefficient) * friction).item(),
        armature=np.add(joint.armature, square * armature).item(),
    )
