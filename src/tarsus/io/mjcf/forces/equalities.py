"""Equality constraints of MJCF: couplings of joints, and loops between bodies.

- <joint> with two joints and a linear polynomial is a `Coupling`; a higher polynomial is a `Loop` of kind "polynomial";
  with one joint, or a constant polynomial, it fixes the joint at that value.
- <connect> is a `Loop` of kind "spherical", <weld> one of kind "fixed". As in MuJoCo, the bodies are joined where they
  are in the model as drawn, unless sites or a relative pose say otherwise.
- <tendon> that holds the length of a tendon along joints, or ties two such lengths linearly, is a `Coupling` with
  several leaders: the last joint without a drive follows the others.
- Constraints that are not active are left out, those of other tendons and of flexible bodies are told as warnings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from lxml import etree
from numpy.polynomial import Polynomial

from tarsus.arrays import FloatArray
from tarsus.errors import nearest
from tarsus.io.mjcf.forces.tendons import fixed_tendons
from tarsus.io.mjcf.settings.defaults import Defaults, Element
from tarsus.io.mjcf.settings.orientation import pose_of, rotation_of_quaternion
from tarsus.io.mjcf.tree.bodies import WORLD, Tree
from tarsus.io.numbers import shown
from tarsus.io.xml import Report, tag_of
from tarsus.model.coupling import Coupling, Loop
from tarsus.model.joint import JOINT_TRAITS
from tarsus.spatial.pose import inverse_pose, pose


@dataclass(slots=True)
class Equalities:
    """What the equality constraints come to.

    Attributes
    ----------
    couplings, loops : list
    locked : dict of str to float
        Coordinates of joints that are held at a value.
    held : set of str
        Names of tendons along joints whose length cannot change.
    """

    couplings: list[Coupling] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    locked: dict[str, float] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)

    @property
    def touch_world(self) -> bool:
        """Whether a loop ends at the world."""
        return any(WORLD in (loop.link_a, loop.link_b) for loop in self.loops if loop.kind != "polynomial")


class EqualityReader:
    """Reads the <equality> sections of one document."""

    def __init__(self, tree: Tree, reference: dict[str, float], defaults: Defaults, report: Report) -> None:
        self._tree = tree
        self._reference = reference
        self._defaults = defaults
        self._report = report
        self._kinds = {joint.name: joint.kind for joint in tree.joints}
        self._driven = {joint.name for joint in tree.joints if joint.actuated}
        self._tendons: dict[str, dict[str, float]] = {}
        self._result = Equalities()

    def read(self, root: etree._Element) -> Equalities:
        """All constraints below `root`."""
        number = 0
        self._tendons = fixed_tendons(root, self._report)
        for section in root.iterchildren("equality"):
            for node in section:
                number += 1
                element = self._defaults.element(node, None, "equality")
                if not self._is_active(element):
                    continue
                tag = tag_of(node)
                name = node.get("name") or f"{tag}{number}"
                if tag == "joint":
                    self._read_joint(element, name)
                elif tag in ("connect", "weld"):
                    self._read_loop(element, name, tag)
                elif tag == "tendon" and self._ties_joints(element):
                    self._read_tendon(element)
                elif tag:
                    message = f"the equality constraint <{shown(tag)}> is not supported and left out"
                    self._report.warning("not-supported", message, node, shown(tag))
        return self._result

    def _is_active(self, element: Element) -> bool:
        return element.flag("active", True)

    def _read_joint(self, element: Element, name: str) -> None:
        follower, leader = element.text("joint1"), element.text("joint2")
        coefficients = element.partial("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0))
        known = [self._is_known_joint(element.node, "joint1", follower)]
        if leader:
            known.append(self._is_known_joint(element.node, "joint2", leader))
        if not all(known):
            return
        y0, x0 = self._reference.get(follower, 0.0), self._reference.get(leader, 0.0)
        if not leader or not coefficients[1:].any():
            value = y0 + float(coefficients[0])
            if math.isfinite(value):
                self._result.locked[follower] = value
            else:
                message = f"the value that joint {follower!r} is held at overflows a double"
                self._report.error("number-overflow", message, element.node, shown(element.text("polycoef")))
            return
        source = self._report.source(element.node)
        shifted = Polynomial(coefficients)(Polynomial([-x0, 1.0])) + y0
        values = tuple(float(c) for c in np.trim_zeros(shifted.coef, "b"))
        if len(values) == 2:
            self._result.couplings.append(Coupling(follower, leader, values[1], values[0], source))
        else:
            self._result.loops.append(Loop(name, "polynomial", follower, leader, coefficients=values, source=source))

    def _ties_joints(self, element: Element) -> bool:
        """Whether a constraint of tendons is linear in coordinates of hinges and slides."""
        named = [element.text(attribute) for attribute in ("tendon1", "tendon2") if element.has(attribute)]
        joints = [joint for name in named for joint in self._tendons.get(name, {"": 0.0})]
        known = all(joint in self._kinds and JOINT_TRAITS[self._kinds[joint]].one_axis for joint in joints)
        coefficients = element.partial("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0))
        return bool(joints) and known and (len(named) == 1 or not coefficients[2:].any())

    def _read_tendon(self, element: Element) -> None:
        """Lengths less those as drawn: l1 = c0, or l1 = c0 + c1 l2, where l = sum of a_j (q_j - reference of j)."""
        constant, slope = element.partial("polycoef", (0.0, 1.0, 0.0, 0.0, 0.0))[:2].tolist()
        terms = dict(self._tendons[element.text("tendon1")])
        for joint, share in self._tendons.get(element.text("tendon2"), {}).items():
            terms[joint] = terms.get(joint, 0.0) - slope * share
        terms = {joint: share for joint, share in terms.items() if share != 0.0}
        following = {coupling.joint for coupling in self._result.couplings} | set(self._result.locked)
        free = [joint for joint in terms if joint not in following]
        if not free:
            message = "all joints of the tendon are held or follow others already; the constraint is left out"
            self._report.warning("not-supported", message, element.node, shown(element.text("tendon1")))
            return
        follower = next((joint for joint in reversed(free) if joint not in self._driven), free[-1])
        share = terms.pop(follower)
        ratios = {joint: -other / share for joint, other in terms.items()}
        offset = constant / share + self._reference.get(follower, 0.0)
        offset -= sum(ratio * self._reference.get(joint, 0.0) for joint, ratio in ratios.items())
        if not all(map(math.isfinite, (offset, *ratios.values()))):
            message = f"the ratios by which joint {follower!r} follows overflow a double"
            self._report.error("number-overflow", message, element.node, shown(element.text("tendon1")))
            return
        if not element.has("tendon2"):
            self._result.held.add(element.text("tendon1"))
        if ratios:
            (leader, ratio), *further = ratios.items()
            source = self._report.source(element.node)
            self._result.couplings.append(Coupling(follower, leader, ratio, offset, source, tuple(further)))
        else:
            self._result.locked[follower] = offset

    def _is_known_joint(self, node: etree._Element, attribute: str, name: str) -> bool:
        if not name:
            self._report.error("missing-attribute", f"<joint> needs the attribute {attribute!r}", node)
        elif name not in self._kinds:
            message = f"{attribute}: there is no joint {shown(name)!r}{nearest(name[:100], self._tree.order)}"
            self._report.error("unknown-joint", message, node, shown(name))
        elif not JOINT_TRAITS[self._kinds[name]].one_axis:
            message = f"{attribute}: joint {name!r} is neither a hinge nor a slide"
            self._report.error("coupling-kind", message, node, self._kinds[name])
        else:
            return True
        return False

    def _read_loop(self, element: Element, name: str, tag: str) -> None:
        is_weld = tag == "weld" and element.number("torquescale", 1.0) != 0.0
        kind = "fixed" if is_weld else "spherical"
        by_sites = element.has("site1") or element.has("site2")
        ends = self._site_ends(element) if by_sites else self._body_ends(element, tag)
        if ends is not None:
            (link_a, X_a), (link_b, X_b) = ends
            held = self._tree.mocap & {link_a, link_b}
            if held:
                message = f"{name!r} holds on to the mocap body {min(held)!r}, which others move; it is left out"
                self._report.warning("mocap", message, element.node, shown(min(held)))
                return
            source = self._report.source(element.node)
            self._result.loops.append(Loop(name, kind, link_a, link_b, X_a, X_b, source=source))

    def _site_ends(self, element: Element) -> tuple[tuple[str, FloatArray], tuple[str, FloatArray]] | None:
        ends = []
        for attribute in ("site1", "site2"):
            site = element.text(attribute)
            if site not in self._tree.sites:
                message = f"{attribute}: there is no site {shown(site)!r}{nearest(site[:100], self._tree.sites)}"
                self._report.error("unknown-site", message, element.node, shown(site))
                return None
            ends.append(self._tree.sites[site])
        return ends[0], ends[1]

    def _body_ends(self, element: Element, tag: str) -> tuple[tuple[str, FloatArray], tuple[str, FloatArray]] | None:
        body1, body2 = element.text("body1"), element.text("body2", WORLD)
        for attribute, body in (("body1", body1), ("body2", body2)):
            part_of = next((name for name in self._tree.left_out if body.startswith(f"{name}_")), None)
            if body not in self._tree.X_W and part_of is not None:
                message = f"{attribute}: {shown(body)!r} is a part of {part_of!r}, which is left out; so is this"
                self._report.warning("left-out", message, element.node, shown(body))
                return None
            if body not in self._tree.X_W:
                message = f"{attribute}: there is no body {shown(body)!r}{nearest(body[:100], self._tree.X_W)}"
                self._report.error("unknown-body", message, element.node, shown(body))
                return None
        anchor = element.numbers("anchor", 3, (0.0, 0.0, 0.0))
        X_anchor = pose(np.zeros(3) if anchor is None else anchor)
        X_12 = inverse_pose(self._tree.X_W[body1]) @ self._tree.X_W[body2]
        if tag == "connect":
            if not element.has("anchor"):
                self._report.error("missing-attribute", "<connect> needs the attribute 'anchor'", element.node)
            return (body1, X_anchor), (body2, inverse_pose(X_12) @ X_anchor)
        relative = self._relative_pose(element)
        return (body1, X_12 @ X_anchor if relative is None else relative), (body2, X_anchor)

    def _relative_pose(self, element: Element) -> FloatArray | None:
        """Pose of the weld in body1; a quaternion of zeros stands for the pose as drawn."""
        values = element.numbers("relpose", 7) if element.has("relpose") else None
        if values is None:
            return None
        rotation = rotation_of_quaternion(values[3:].tolist())
        return None if rotation is None else pose_of(values[:3].tolist(), rotation)
