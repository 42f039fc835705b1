"""Joints of MJCF bodies."""

from __future__ import annotations

import math
from typing import Any

from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.io.mjcf.settings.compiler import Compiler
from tarsus.io.mjcf.settings.defaults import DefaultClass, Defaults, Element
from tarsus.io.mjcf.settings.orientation import pose_of, rotation_about, unit
from tarsus.io.numbers import shown
from tarsus.io.urdf.shapes import IDENTITY
from tarsus.io.xml import Report, tag_of
from tarsus.model.description import JointSpec

KINDS = {"free": "free", "ball": "spherical", "slide": "prismatic", "hinge": "revolute"}
"""MJCF joint types and the joint kinds they become; a hinge without limits becomes continuous."""


class JointReader:
    """Reads the joints of one document."""

    def __init__(self, compiler: Compiler, defaults: Defaults, report: Report) -> None:
        self._compiler = compiler
        self._defaults = defaults
        self._report = report
        self.reference: dict[str, float] = {}
        """Coordinates of the one-axis joints at which the robot stands as it was drawn."""
        self.spring_reference: dict[str, float] = {}
        """Coordinates of the one-axis joints at which springs are at rest, where they are not zero."""
        self.spring_dampers: dict[str, tuple[float, float]] = {}
        """Time constant [s] and damping ratio of joints whose springs and dampers are to be found."""

    def read(
        self,
        node: etree._Element,
        childclass: DefaultClass | None,
        name: str,
        parent: str,
        child: str,
        X_BF: FloatArray,
    ) -> JointSpec:
        """Return the joint of `node`, which stands in frame F of body B; `pose` is still relative to B.

        The transformation of a joint of MuJoCo is a motion of B relative to where B was: a screw through `pos` along
        `axis`, both given in B, by the coordinate less `ref`.
        """
        if tag_of(node) == "freejoint":
            return JointSpec(name, "free", parent, child, actuated=False, source=self._report.source(node))
        element = self._defaults.element(node, childclass)
        word = element.keyword("type", tuple(KINDS), "hinge", rule="joint-kind")
        axis, anchor = self._axis(element, X_BF), self._anchor(element, X_BF)
        low, high = self._range(element, word)
        reference = self._coordinate(element, "ref", word)
        kind = "continuous" if word == "hinge" and (low, high) == (-math.inf, math.inf) else KINDS[word]
        if word in ("slide", "hinge") and reference != 0.0:
            self.reference[name] = reference
        if word in ("slide", "hinge") and element.has("springref"):
            self.spring_reference[name] = self._coordinate(element, "springref", word)
        x, y, z = axis
        X_BJ = pose_of(anchor) if word in ("hinge", "ball") and any(anchor) else IDENTITY
        return JointSpec(
            name,
            kind,
            parent,
            child,
            pose=X_BJ,
            child_pose=self._child_pose(word, axis, anchor, reference),
            axis=(x, y, z),
            q_min=low,
            q_max=high,
            tau_max=self._force_limit(element, word),
            actuated=word != "free",
            source=self._report.source(node),
            **self._passive(element, word, name),
        )

    def _axis(self, element: Element, X_BF: FloatArray) -> list[float]:
        given = element.numbers("axis", 3)
        axis = [0.0, 0.0, 1.0] if given is None else given.tolist()
        direction = unit(axis) or axis
        return direction if X_BF is IDENTITY else (X_BF[:3, :3] @ direction).tolist()

    def _anchor(self, element: Element, X_BF: FloatArray) -> list[float]:
        given = element.numbers("pos", 3)
        point = [0.0, 0.0, 0.0] if given is None else given.tolist()
        return point if X_BF is IDENTITY else (X_BF[:3, :3] @ point + X_BF[:3, 3]).tolist()

    def _coordinate(self, element: Element, attribute: str, word: str) -> float:
        value = element.number(attribute, 0.0)
        return self._compiler.of(element.node).angle(value) if word in ("hinge", "ball") else value

    def _child_pose(self, word: str, axis: list[float], anchor: list[float], reference: float) -> FloatArray:
        """Pose of B in the joint frame at the coordinate zero, `reference` away from the pose as drawn."""
        if word == "slide":
            return pose_of([-reference * a for a in axis]) if reference != 0.0 else IDENTITY
        if word == "free" or (reference == 0.0 and not any(anchor)):
            return IDENTITY
        R = rotation_about(axis, -reference) if word == "hinge" else None
        X = pose_of([0.0, 0.0, 0.0], R)
        X[:3, 3] = -(X[:3, :3] @ anchor)
        return X

    def _range(self, element: Element, word: str) -> tuple[float, float]:
        given = element.numbers("range", 2, (0.0, 0.0))
        low, high = (0.0, 0.0) if given is None else given.tolist()
        is_given = (low, high) != (0.0, 0.0)
        limited = element.switch("limited", is_given, self._compiler.of(element.node).autolimits)
        if is_given and not limited and not self._compiler.of(element.node).autolimits and not element.has("limited"):
            message = "range is given without limited, and autolimits is off; the joint has no limits"
            self._report.warning("range-without-limit", message, element.node, element.text("range"))
        if not limited or word == "free":
            return -math.inf, math.inf
        if word == "ball":
            value = shown(element.text("range"))
            message = (
                f"the limit of the angle of a ball joint, range {value}, is not supported; the joint has no limits"
            )
            self._report.warning("not-supported", message, element.node, value)
            return -math.inf, math.inf
        if word == "slide":
            return low, high
        return self._compiler.of(element.node).angle(low), self._compiler.of(element.node).angle(high)

    def _force_limit(self, element: Element, word: str) -> float:
        given = element.numbers("actuatorfrcrange", 2, (0.0, 0.0))
        low, high = (0.0, 0.0) if given is None else given.tolist()
        limited = element.switch(
            "actuatorfrclimited", (low, high) != (0.0, 0.0), self._compiler.of(element.node).autolimits
        )
        return max(abs(low), abs(high)) if limited and word in ("slide", "hinge") else math.inf

    def _passive(self, element: Element, word: str, name: str) -> dict[str, Any]:
        """Damping, friction, armature and spring; what cannot be kept is told."""
        damping, stiffness = self._polynomial(element, "damping"), self._polynomial(element, "stiffness")
        springs = element.numbers("springdamper", 2, (0.0, 0.0))
        if springs is not None and (springs != 0.0).any() and not (springs > 0.0).all():
            message = "springdamper needs a time constant and a damping ratio above 0; it is left out"
            self._report.warning("left-out", message, element.node, element.text("springdamper"))
        if springs is not None and (springs > 0.0).all():
            stiffness = 0.0
            if word == "free":
                message = "springdamper of a free joint is not supported and left out"
                self._report.warning("not-supported", message, element.node, element.text("springdamper"))
            else:
                self.spring_dampers[name] = (float(springs[0]), float(springs[1]))
        one_axis = word in ("hinge", "slide")
        friction = element.number("frictionloss", 0.0)
        if friction != 0.0 and word == "free":  # along axes of the world there, of the body here
            value = shown(element.text("frictionloss"))
            self._report.warning("left-out", f"friction loss {value} of a free joint is left out", element.node, value)
            friction = 0.0
        return {
            "damping": damping,
            "friction": friction,
            "armature": element.number("armature", 0.0),
            "stiffness": stiffness,
            "rest": self._coordinate(element, "springref", word) if one_axis and stiffness != 0.0 else 0.0,
        }

    def _polynomial(self, element: Element, attribute: str) -> float:
        """First of up to three coefficients; the others stand for forces that are not linear."""
        values = element.partial(attribute, (0.0, 0.0, 0.0))
        if values[1:].any():
            message = f"only the linear part of {attribute} is supported"
            self._report.warning("not-supported", message, element.node, shown(element.text(attribute)))
        return float(values[0])
