"""Tendons of MJCF: those along one joint are folded into it, those along several are kept, others are told."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.io.mjcf.settings.compiler import Compiler
from tarsus.io.mjcf.settings.defaults import Defaults, Element
from tarsus.io.mjcf.tree.bodies import Tree
from tarsus.io.numbers import shown
from tarsus.io.xml import Report, tag_of
from tarsus.model.description import JointSpec
from tarsus.model.joint import JOINT_TRAITS
from tarsus.model.tendons import Tendon

if TYPE_CHECKING:
    from tarsus.io.mjcf.forces.equalities import Equalities

_FORCES = ("stiffness", "damping", "frictionloss", "armature")
"""What a tendon does without an actuator."""


def with_tendons(
    root: etree._Element,
    joints: list[JointSpec],
    reference: Mapping[str, float],
    compiler: Compiler,
    defaults: Defaults,
    report: Report,
    held: Collection[str] = (),
) -> list[JointSpec]:
    """Return the joints with the springs, dampers, friction and armature of tendons that run along one of them.

    A fixed tendon of the length L = c q along a single joint q acts on it like a spring of the stiffness c^2 k at rest
    where L is the spring length, a damper c^2 d, an armature c^2 a and friction |c| f; limits of L are limits of q.
    `reference` holds `springref` of the joints, where it is not zero: there a spring without a length is at rest;
    `held` are names of tendons whose length cannot change.
    """
    known = {joint.name: joint for joint in joints}
    folded: dict[str, JointSpec] = {}
    for section in root.iterchildren("tendon"):
        for node in section:
            if not tag_of(node):
                continue
            element = defaults.element(node, None)
            limits = _limits(element, compiler)
            if limits is None and not any(_coefficients(element, attribute).any() for attribute in _FORCES):
                continue
            if node.get("name", "") in held:  # what a length does that cannot change is not felt
                continue
            along = _single_joint(node, {**known, **folded}, report)
            if along is not None:
                joint, coefficient = along
                rest = coefficient * reference.get(joint.name, 0.0)
                joint = _folded(joint, element, coefficient, rest, report)
                folded[joint.name] = _limited(joint, coefficient, limits)
    return [folded.get(joint.name, joint) for joint in joints]


def joint_tendons(
    root: etree._Element,
    tree: Tree,
    reference: Mapping[str, float],
    equalities: Equalities,
    compiler: Compiler,
    defaults: Defaults,
    report: Report,
) -> tuple[Tendon, ...]:
    """Tendons along several joints with what they do by themselves; what tendons through space do is told.

    Joints that close loops may depend on others, and then no tendon can run along them: in documents with loops
    tendons along several joints are told, too.
    """
    known = {joint.name: joint for joint in tree.joints}
    taken = {*known, *(link.name for link in tree.links), *tree.sites}
    found: list[Tendon] = []
    for section in root.iterchildren("tendon"):
        for number, node in enumerate(part for part in section if tag_of(part)):
            element = defaults.element(node, None)
            limits = _limits(element, compiler)
            acts = limits is not None or any(_coefficients(element, attribute).any() for attribute in _FORCES)
            if not acts or node.get("name", "") in equalities.held or _single_joint(node, known, report) is not None:
                continue
            terms = {name: share for name, share in _shares(node, report).items() if share != 0.0}
            flat = all(name in known and JOINT_TRAITS[known[name].kind].one_axis for name in terms)
            if tag_of(node) != "fixed" or not terms or not flat or equalities.loops:
                _tell(element, limits, report)
                continue
            name = node.get("name") or f"tendon{number}"
            while name in taken:
                name += "_tendon"
            taken.add(name)
            found.append(_tendon(name, terms, element, limits, reference, report))
    return tuple(found)


def _tendon(
    name: str,
    terms: Mapping[str, float],
    element: Element,
    limits: tuple[float, float] | None,
    reference: Mapping[str, float],
    report: Report,
) -> Tendon:
    stiffness, rest = _spring(element, sum(share * reference.get(j, 0.0) for j, share in terms.items()), report)
    low, high = (-np.inf, np.inf) if limits is None else limits
    damping, friction, armature = (_value(element, attribute, report) for attribute in _FORCES[1:])
    source = report.source(element.node)
    return Tendon(name, tuple(terms.items()), 0.0, low, high, stiffness, rest, damping, friction, armature, source)


def fixed_tendons(root: etree._Element, report: Report) -> dict[str, dict[str, float]]:
    """Tendons along joints by name: coefficients of the joints, in the order of the file."""
    found: dict[str, dict[str, float]] = {}
    for section in root.iterchildren("tendon"):
        for node in section.iterchildren("fixed"):
            found.setdefault(node.get("name", ""), {}).update(_shares(node, report))
    return found


def _shares(node: etree._Element, report: Report) -> dict[str, float]:
    """Coefficients of the joints of a fixed tendon."""
    shares: dict[str, float] = {}
    for part in node.iterchildren("joint"):
        joint = part.get("joint", "")
        shares[joint] = shares.get(joint, 0.0) + Element(part, report, None).number("coef", 0.0)
    return shares


def _coefficients(element: Element, attribute: str) -> FloatArray:
    """Up to three of a force, shape (3,); those after the first stand for forces that are not linear."""
    return element.partial(attribute, (0.0, 0.0, 0.0))


def _value(element: Element, attribute: str, report: Report) -> float:
    """The linear part of a force, with a warning where there is another."""
    values = _coefficients(element, attribute)
    if values[1:].any():
        message = f"only the linear part of {attribute} is supported"
        report.warning("not-supported", message, element.node, shown(element.text(attribute)))
    return float(values[0])


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


def _limits(element: Element, compiler: Compiler) -> tuple[float, float] | None:
    """Least and largest length of a tendon; None where it has no limits."""
    given = element.numbers("range", 2, (0.0, 0.0))
    low, high = (0.0, 0.0) if given is None else given.tolist()
    limited = element.switch("limited", (low, high) != (0.0, 0.0), compiler.of(element.node).autolimits)
    return (low, high) if limited else None


def _limited(joint: JointSpec, coefficient: float, limits: tuple[float, float] | None) -> JointSpec:
    """Return the joint within the limits of the length of a tendon, too."""
    if limits is None:
        return joint
    low, high = sorted(length / coefficient for length in limits)
    kind = "revolute" if joint.kind == "continuous" else joint.kind
    q_min, q_max = max(np.max(joint.q_min).item(), low), min(np.min(joint.q_max).item(), high)
    return replace(joint, kind=kind, q_min=q_min, q_max=q_max)


def _tell(element: Element, limits: tuple[float, float] | None, report: Report) -> None:
    if limits is not None:
        low, high = limits
        message = f"limits {low:g} to {high:g} of a tendon through space or in loops are left out"
        report.warning("not-supported", message, element.node, f"{low:g} {high:g}")
    for attribute in _FORCES:
        if _coefficients(element, attribute).any():
            value = shown(element.text(attribute))
            message = f"{attribute} {value} of a tendon through space or in loops is not supported and left out"
            report.warning("not-supported", message, element.node, value)


def _spring(element: Element, rest: float, report: Report) -> tuple[float, float]:
    """Stiffness of a tendon, and the length at which it is at rest: `rest` where the file tells none."""
    stiffness = _value(element, "stiffness", report)
    lengths = element.numbers("springlength", (1, 2), (-1.0,))
    low, high = (-1.0, -1.0) if lengths is None else (float(lengths[0]), float(lengths[-1]))
    if stiffness and low != high:
        message = "a tendon that is slack between two spring lengths is not supported; its spring is left out"
        report.warning("not-supported", message, element.node, shown(element.text("springlength")))
        stiffness = 0.0
    return stiffness, rest if low == -1.0 else low


def _folded(joint: JointSpec, element: Element, coefficient: float, rest: float, report: Report) -> JointSpec:
    """Return the joint with what a tendon adds to it; `rest` is its length where joint springs are at rest."""
    square = coefficient * coefficient
    damping, friction, armature = (_value(element, attribute, report) for attribute in _FORCES[1:])
    stiffness, length = _spring(element, rest, report)
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
