"""Joints of SDF."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.errors import nearest
from tarsus.io.numbers import shown
from tarsus.io.sdf.elements import UNLIMITED, child_flag, child_number, child_numbers, child_text
from tarsus.io.sdf.scope import MODEL, WORLD, Place, Scope, full_name
from tarsus.io.sdf.version import version_of
from tarsus.io.xml import Report
from tarsus.model.coupling import Coupling
from tarsus.spatial.pose import inverse_pose

KINDS = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "ball": "spherical",
    "universal": "universal",
    "revolute2": "universal",
    "screw": "helical",
    "fixed": "fixed",
    "gearbox": "gearbox",
}
"""SDF joint types and the joint kinds they become."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An <axis>: direction in the joint frame, limits and passive forces."""

    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    q_min: float = -math.inf
    q_max: float = math.inf
    v_max: float = math.inf
    tau_max: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    initial: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RawJoint:
    """A joint before it is known whether it belongs to the tree.

    Attributes
    ----------
    name, kind : str
    parent, child : str
        Links; the parent may be "world".
    X_MJ : ndarray, shape (4, 4)
        Joint frame in the model as drawn.
    X_CJ : ndarray, shape (4, 4)
        Joint frame in the child link.
    axes : tuple of Axis
    pitch : float
        Of a screw [m/rad].
    ratio, reference_body : float, str
        Of a gearbox.
    """

    name: str
    kind: str
    parent: str
    child: str
    X_MJ: FloatArray
    X_CJ: FloatArray
    axes: tuple[Axis, ...]
    pitch: float
    ratio: float
    reference_body: str
    place: Place


class JointReader:
    """Reads the joints of one document."""

    def __init__(self, scope: Scope, report: Report) -> None:
        self._scope = scope
        self._report = report
        self.couplings: list[Coupling] = []

    def read(self, name: str, place: Place) -> RawJoint | None:
        """Return a joint, or None after an error."""
        node = place.node
        kind = self._kind(node)
        parent, child = self._end(place, "parent"), self._end(place, "child")
        if kind is None or parent is None or child is None:
            return None
        if child == WORLD:
            self._report.error("world-child", "the world cannot be the child of a joint", node, child)
            return None
        X_MJ = self._scope.pose(place)
        X_CJ = inverse_pose(self._scope.pose(self._scope.links[child])) @ X_MJ
        axes = tuple(
            self._axis(place, axis, X_MJ[:3, :3], kind)
            for tag in ("axis", "axis2")
            if (axis := node.find(tag)) is not None
        )
        reference = child_text(node, "gearbox_reference_body")
        body = "" if kind != "gearbox" else self._scope.link_of(full_name(reference, place.scope)) or ""
        self._read_mimic(name, place)
        ratio = child_number(self._report, node, "gearbox_ratio", 1.0)
        return RawJoint(name, kind, parent, child, X_MJ, X_CJ, axes, self._pitch(node, kind), ratio, body, place)

    def _kind(self, node: etree._Element) -> str | None:
        word = node.get("type", "").strip()
        kind = KINDS.get(word)
        if kind is None:
            message = f"unknown joint type {shown(word)!r}{nearest(word[:60], KINDS)}"
            self._report.error("joint-kind", message, node, shown(word))
        return kind

    def _end(self, place: Place, role: str) -> str | None:
        """Full name of the link at one end of a joint."""
        end = place.node.find(role)
        given = "" if end is None else (end.get("link") or end.text or "").strip()
        if not given:
            self._report.error(f"missing-{role}", f"the joint has no <{role}>", place.node)
            return None
        if given == WORLD:
            return WORLD
        link = self._scope.link_of(full_name(given, place.scope))
        if link is None:
            message = f"the {role} {shown(given)!r} is no link{nearest(given[:100], self._scope.links)}"
            self._report.error(f"unknown-{role}", message, place.node, shown(given))
        return link

    def _axis(self, place: Place, node: etree._Element, R_MJ: FloatArray, kind: str) -> Axis:
        report = self._report
        limit, dynamics = node.find("limit"), node.find("dynamics")
        effort, rate = (child_number(report, limit, tag, -1.0) for tag in ("effort", "velocity"))
        low, high = child_number(report, limit, "lower", -UNLIMITED), child_number(report, limit, "upper", UNLIMITED)
        unlimited = kind == "continuous"
        has_start = node.find("initial_position") is not None
        return Axis(
            direction=self._direction(place, node, R_MJ),
            q_min=-math.inf if low <= -UNLIMITED or unlimited else low,
            q_max=math.inf if high >= UNLIMITED or unlimited else high,
            v_max=math.inf if rate < 0.0 or rate >= UNLIMITED else rate,
            tau_max=math.inf if effort < 0.0 or effort >= UNLIMITED else effort,
            damping=child_number(report, dynamics, "damping", 0.0),
            friction=child_number(report, dynamics, "friction", 0.0),
            stiffness=child_number(report, dynamics, "spring_stiffness", 0.0),
            rest=child_number(report, dynamics, "spring_reference", 0.0),
            initial=child_number(report, node, "initial_position", 0.0) if has_start else None,
        )

    def _direction(self, place: Place, node: etree._Element, R_MJ: FloatArray) -> tuple[float, float, float]:
        """Axis in the joint frame; up to SDF 1.4 it is given in the model frame, from 1.7 on in a frame of choice."""
        xyz = np.array(child_numbers(self._report, node, "xyz", [0.0, 0.0, 1.0]))
        text = node.find("xyz")
        frame = "" if text is None else text.get("expressed_in", "").strip()
        if not frame and child_flag(self._report, node, "use_parent_model_frame", version_of(node) <= (1, 4)):
            frame = MODEL
        if frame:
            xyz = R_MJ.T @ self._scope.named_pose(frame, place.scope, node)[:3, :3] @ xyz
        x, y, z = xyz.tolist()
        return x, y, z

    def _pitch(self, node: etree._Element, kind: str) -> float:
        """Advance of a screw [m/rad].

        screw_thread_pitch is in metres per turn and positive for a right-handed thread; the older thread_pitch is in
        radians per metre and positive for a left-handed one.
        """
        if kind != "helical":
            return 0.0
        if node.find("screw_thread_pitch") is not None:
            return child_number(self._report, node, "screw_thread_pitch", 1.0) / (2.0 * math.pi)
        pitch = child_number(self._report, node, "thread_pitch", 1.0)
        if pitch == 0.0:
            self._report.error("zero-pitch", "thread_pitch is zero", node, "0")
            return 0.0
        return -1.0 / pitch

    def _read_mimic(self, name: str, place: Place) -> None:
        """Follow another joint: q = multiplier (q_leader - reference) + offset."""
        for mimic in place.node.iterfind("axis/mimic"):
            leader = mimic.get("joint", "").strip()
            if mimic.get("axis", "axis") != "axis" or not leader:
                self._report.error("mimic", "<mimic> needs a joint, and only first axes can be followed", mimic)
                continue
            ratio = child_number(self._report, mimic, "multiplier", 1.0)
            shift = child_number(self._report, mimic, "reference", 0.0)
            offset = child_number(self._report, mimic, "offset", 0.0) - ratio * shift
            source = self._report.source(mimic)
            self.couplings.append(Coupling(name, full_name(leader, place.scope), ratio, offset, source))
