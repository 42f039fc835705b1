"""Names and poses in an SDF model: links, joints, frames and nested models, each relative to another one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.errors import nearest
from tarsus.io.numbers import shown
from tarsus.io.sdf.elements import name_of, read_pose, relative_to
from tarsus.io.xml import Report, tag_of
from tarsus.spatial.pose import inverse_pose

MODEL = "__model__"
"""Name of the frame of a model inside it; the outermost one is the origin of all poses here."""
WORLD = "world"


@dataclass(slots=True, eq=False)
class Place:
    """Something with a pose.

    Attributes
    ----------
    node : element
    scope : str
        Prefix of the names around it, such as ``"arm::"``.
    anchor : str
        Full name of what its pose is relative to.
    X : ndarray, shape (4, 4)
        Its pose relative to the anchor.
    link : str
        Full name of what it is attached to: itself for a link.
    """

    node: etree._Element
    scope: str
    anchor: str
    X: FloatArray
    link: str


@dataclass(slots=True)
class Scope:
    """Everything with a name, by full name; nested names are joined by ``::``.

    Attributes
    ----------
    links, joints, frames, models : dict of str to Place
    """

    report: Report
    links: dict[str, Place] = field(default_factory=dict)
    joints: dict[str, Place] = field(default_factory=dict)
    frames: dict[str, Place] = field(default_factory=dict)
    models: dict[str, Place] = field(default_factory=dict)
    _poses: dict[int, FloatArray] = field(default_factory=dict)

    def find(self, name: str) -> Place | None:
        """Return the link, frame, nested model or joint with a full name, in this order."""
        for places in (self.links, self.frames, self.models, self.joints):
            if name in places:
                return places[name]
        return None

    def pose(self, place: Place) -> FloatArray:
        """Pose of a place in the outermost model (4, 4); chains may be long and must not be circular."""
        chain: list[Place] = []
        seen: set[int] = set()
        current: Place | None = place
        X = np.eye(4)
        while current is not None:
            if id(current) in self._poses:
                X = self._poses[id(current)]
                break
            if id(current) in seen:
                self.report.error("pose-cycle", "the pose is relative to itself", current.node, current.anchor)
                break
            seen.add(id(current))
            chain.append(current)
            current = self._anchor(current)
        for step in reversed(chain):
            X = X @ step.X
            self._poses[id(step)] = X
        return X

    def _anchor(self, place: Place) -> Place | None:
        if place.anchor == MODEL:
            return None
        found = self.find(place.anchor)
        if found is None:
            known = (*self.links, *self.frames, *self.models, *self.joints)
            hint = nearest(place.anchor[:100], known)
            message = f"pose is relative to the unknown frame {shown(place.anchor)!r}{hint}"
            self.report.error("unknown-frame", message, place.node, shown(place.anchor))
        return found

    def rotation(self, name: str, scope: str, node: etree._Element) -> FloatArray:
        """Rotation matrix (3, 3) of a named frame in the outermost model."""
        full = full_name(name, scope)
        if full == MODEL:
            return np.eye(3)
        found = self.find(full)
        if found is None:
            self.report.error("unknown-frame", f"there is no frame {shown(name)!r}", node, shown(name))
            return np.eye(3)
        return self.pose(found)[:3, :3]

    def link_of(self, name: str) -> str | None:
        """Full name of the link that a link, frame or nested model is attached to; None if there is none."""
        seen: set[str] = set()
        while name not in self.links:
            if name in seen:
                return None
            seen.add(name)
            if name == MODEL:
                return next(iter(self.links), None)
            place = self.frames.get(name) or self.models.get(name)
            if place is None:
                return None
            name = place.link
        return name

    def pose_on_link(self, place: Place, link: str) -> FloatArray:
        """Pose of a place in the frame of a link (4, 4)."""
        return inverse_pose(self.pose(self.links[link])) @ self.pose(place)


def full_name(name: str, scope: str) -> str:
    """Full name of a name that is used in a scope."""
    if name == MODEL:
        return scope.removesuffix("::") or MODEL
    return scope + name.removesuffix("::" + MODEL)


def collect(model: etree._Element, report: Report) -> Scope:
    """Everything with a name in a model and the models nested in it."""
    scope = Scope(report)
    stack = [(model, "")]
    while stack:
        node, prefix = stack.pop()
        own = full_name(MODEL, prefix)
        for child in node:
            tag = tag_of(child)
            if tag == "link":
                _add(scope.links, child, prefix, own, report)
            elif tag == "frame":
                attached = child.get("attached_to", "").strip()
                place = _add(scope.frames, child, prefix, full_name(attached, prefix) if attached else own, report)
                if place is not None:
                    place.link = full_name(attached, prefix) if attached else own
            elif tag == "joint":
                reference = child.find("child")
                target = "" if reference is None else (reference.get("link") or reference.text or "").strip()
                _add(scope.joints, child, prefix, full_name(target, prefix) if target else own, report)
        nested = list(node.iterchildren("model"))
        for child in nested:
            place = _add(scope.models, child, prefix, own, report)
            if place is not None:
                place.link = _canonical(child, prefix + child.get("name", "").strip() + "::")
        stack += [(child, f"{prefix}{child.get('name', '').strip()}::") for child in reversed(nested)]
    return scope


def _canonical(model: etree._Element, prefix: str) -> str:
    """Full name of the link (or nested model) that stands for a model."""
    given: str = model.get("canonical_link", "").strip()
    if not given:
        first = next((child for child in model if tag_of(child) in ("link", "model")), None)
        given = "" if first is None else first.get("name", "").strip()
    return prefix + given


def _add(places: dict[str, Place], node: etree._Element, scope: str, usual: str, report: Report) -> Place | None:
    """Note a place whose pose is relative to `usual` unless it says otherwise."""
    name = name_of(report, node)
    if not name:
        return None
    full = scope + name
    if full in places:
        message = f"{tag_of(node)} {shown(full)!r} is there more than once"
        report.error("duplicate-name", message, node, shown(full))
        return None
    given = relative_to(node)
    anchor = full_name(given, scope) if given else usual
    place = Place(node, scope, anchor, read_pose(report, node.find("pose")), full)
    places[full] = place
    return place
