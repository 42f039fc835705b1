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
    canonical : str
        Full name of what stands for the outermost model: a link, a nested model, or "world".
    """

    report: Report
    canonical: str = ""
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

    def named_pose(self, name: str, scope: str, node: etree._Element) -> FloatArray:
        """Pose (4, 4) of a frame, named in a scope, in the outermost model; the identity after an error."""
        full = full_name(name, scope)
        if full == MODEL:
            return np.eye(4)
        found = self.find(full)
        if found is None:
            hint = nearest(full[:100], (*self.links, *self.frames, *self.models, *self.joints))
            self.report.error("unknown-frame", f"there is no frame {shown(name)!r}{hint}", node, shown(name))
            return np.eye(4)
        return self.pose(found)

    def link_of(self, name: str) -> str | None:
        """Full name of the link that something is attached to, a joint to its child; None if there is none."""
        seen: set[str] = set()
        while name not in self.links:
            if name in seen or name == WORLD:
                return WORLD if name == self.canonical == WORLD else None
            seen.add(name)
            place = self.frames.get(name) or self.models.get(name) or self.joints.get(name)
            if place is None and name != MODEL:
                return None
            name = self.canonical if place is None else place.link
        return name

    def pose_on_link(self, place: Place, link: str) -> FloatArray:
        """Pose of a place in the frame of a link (4, 4)."""
        X_ML = np.eye(4) if link == WORLD else self.pose(self.links[link])
        return inverse_pose(X_ML) @ self.pose(place)


def full_name(name: str, scope: str) -> str:
    """Full name of a name that is used in a scope."""
    if name == MODEL:
        return scope.removesuffix("::") or MODEL
    return scope + name.removesuffix("::" + MODEL)


def collect(model: etree._Element, report: Report, *, is_world: bool = False) -> Scope:
    """Everything with a name in a model, or in a world, and the models nested in it."""
    scope = Scope(report, WORLD if is_world else canonical_name(model, ""))
    stack = [(model, "")]
    while stack:
        node, prefix = stack.pop()
        for child in node:
            _collect_part(scope, child, prefix)
        nested = list(node.iterchildren("model"))
        for child in nested:
            place = _add(scope.models, child, prefix, full_name(MODEL, prefix), report)
            if place is not None:
                place.link = canonical_name(child, prefix + child.get("name", "").strip() + "::")
        stack += [(child, f"{prefix}{child.get('name', '').strip()}::") for child in reversed(nested)]
    if is_world:
        for place in (*scope.frames.values(), *scope.models.values()):
            place.anchor = MODEL if place.scope == "" and place.anchor == WORLD else place.anchor
    for name, place in reversed(scope.models.items()):  # inner ones first
        _place_by_frame(scope, name, f"{name}::", place)
    for name, place in scope.frames.items():
        _place_by_frame(scope, name, place.scope, place)
    return scope


def _collect_part(scope: Scope, node: etree._Element, prefix: str) -> None:
    """Note a link, frame or joint."""
    tag, own = tag_of(node), full_name(MODEL, prefix)
    if tag == "link" and node.get("name", "").strip() == WORLD:
        _refuse_world(scope.report, node)
    elif tag == "link":
        _add(scope.links, node, prefix, own, scope.report)
    elif tag == "frame":
        attached = node.get("attached_to", "").strip()
        holder = full_name(attached, prefix) if attached else own
        place = _add(scope.frames, node, prefix, holder, scope.report)
        if place is not None:
            place.link = holder
    elif tag == "joint":
        reference = node.find("child")
        target = "" if reference is None else (reference.get("link") or reference.text or "").strip()
        holder = full_name(target, prefix) if target else own
        place = _add(scope.joints, node, prefix, holder, scope.report)
        if place is not None:
            place.link = holder


def _refuse_world(report: Report, node: etree._Element) -> None:
    """Tell that no link may be called "world"; one that is nothing is the world itself."""
    if any(tag_of(child) in ("inertial", "visual", "collision") for child in node):
        report.error("reserved-name", "no link may be called 'world': joints with the world name it", node, WORLD)
    else:
        message = "a link must not be called 'world'; it is empty and taken for the world"
        report.warning("reserved-name", message, node, WORLD)


def _place_by_frame(scope: Scope, name: str, inside: str, place: Place) -> None:
    """Move a model so that its placement_frame, not its own frame, stands where its pose says.

    `inside` is the prefix of what it holds; a frame that stands for a merged model holds its neighbours.
    """
    frame = place.node.get("placement_frame", "").strip()
    if frame:
        place.X = place.X @ inverse_pose(_pose_inside(scope, inside + frame, name, place.node))


def outer_pose(model: etree._Element, scope: Scope) -> FloatArray:
    """Pose (4, 4) that the <pose> of the outermost model says, its placement_frame considered."""
    X = read_pose(scope.report, model.find("pose"))
    frame = model.get("placement_frame", "").strip()
    return X @ inverse_pose(scope.named_pose(frame, "", model)) if frame else X


def _pose_inside(scope: Scope, name: str, model: str, node: etree._Element) -> FloatArray:
    """Pose (4, 4) of a named frame in the nested model that holds it."""
    X, seen = np.eye(4), set()
    while name != model:
        found = scope.find(name)
        if found is None or name in seen:
            message = f"placement_frame: there is no frame {shown(name)!r} that stands in its model"
            scope.report.error("unknown-frame", message, node, shown(name))
            return np.eye(4)
        seen.add(name)
        X, name = found.X @ X, found.anchor
    return X


def canonical_name(model: etree._Element, prefix: str) -> str:
    """Full name of the link that stands for a model, or of the nested model whose link does."""
    given: str = model.get("canonical_link", "").strip()
    for tag in ("link", "model"):
        first = model.find(tag)
        given = given or ("" if first is None else first.get("name", "").strip())
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
