"""Which joints of an SDF model make the tree, and which ones are left over as loops or gears.

SDF calls the ends of a joint parent and child to say which motion is positive. It asks for no tree: a link may be the
child of several joints. What closes no cycle is a joint of the tree all the same, if need be from child to parent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from tarsus.io.sdf.joints import RawJoint
from tarsus.io.sdf.scope import WORLD
from tarsus.model.coupling import Coupling, Source
from tarsus.model.description import JointSpec
from tarsus.model.joint import HINGES
from tarsus.spatial.pose import inverse_pose

_PARALLEL = 1e-6
"""Largest deviation of a cosine from 1 at which two axes count as parallel."""


class SpanningTree:
    """The tree of a model.

    Joints are taken in the order of the file: first those whose child has no parent yet, then those of the others that
    join what is still apart. A tree grows from the world where it is tied to it, else from the first of its links that
    is nobody's child; joints that point towards that root are turned round.

    Parameters
    ----------
    links : iterable of str
        In the order of the file.
    joints : iterable of RawJoint

    Attributes
    ----------
    carrier : dict of str to RawJoint
        Joint that carries a link, by the name of the link.
    loops : list of RawJoint
        The other joints.
    """

    def __init__(self, links: Iterable[str], joints: Iterable[RawJoint]) -> None:
        self.carrier: dict[str, RawJoint] = {}
        self._leader: dict[str, str] = {}
        left = []
        for joint in joints:
            if joint.child in self.carrier or not self._joined(joint):
                left.append(joint)
            else:
                self.carrier[joint.child] = joint
        turning: list[RawJoint] = []
        self.loops: list[RawJoint] = []
        for joint in left:
            (turning if self._joined(joint) else self.loops).append(joint)
        if turning:
            self._grow([WORLD, *links], [*self.carrier.values(), *turning])

    def is_reversed(self, joint: RawJoint) -> bool:
        """Whether a joint of the tree leads from its child to its parent."""
        return self.carrier.get(joint.parent) is joint

    def holds(self, joint: RawJoint) -> bool:
        """Whether a joint belongs to the tree."""
        return joint in (self.carrier.get(joint.child), self.carrier.get(joint.parent))

    def _joined(self, joint: RawJoint) -> bool:
        """Join the ends of a joint, or tell that they were together already."""
        parent, child = self._component(joint.parent), self._component(joint.child)
        self._leader[child] = parent
        return parent != child

    def _component(self, link: str) -> str:
        """Name that stands for all links joined to a link so far."""
        path = []
        while (above := self._leader.get(link, link)) != link:
            path.append(link)
            link = above
        for step in path:
            self._leader[step] = link
        return link

    def _grow(self, links: list[str], joints: list[RawJoint]) -> None:
        """Set who carries whom anew, from the roots outwards."""
        beside: dict[str, list[RawJoint]] = {name: [] for name in links}
        for joint in joints:
            beside[joint.parent].append(joint)
            beside[joint.child].append(joint)
        children = {joint.child for joint in joints}
        self.carrier = {}
        seen: set[str] = set()
        for root in sorted(links, key=lambda name: name in children):  # stable: the world, nobody's children, the rest
            stack = [root] if root not in seen else []
            seen.add(root)
            while stack:
                link = stack.pop()
                for joint in beside[link]:
                    other = joint.child if joint.parent == link else joint.parent
                    if other not in seen:
                        seen.add(other)
                        self.carrier[other] = joint
                        stack.append(other)

    def between(self, reference: str, link: str) -> tuple[RawJoint, float] | None:
        """Return the joint of the tree between two links, and 1 if `link` is its child, else -1."""
        for joint in (self.carrier.get(link), self.carrier.get(reference)):
            if joint is not None and {joint.parent, joint.child} == {reference, link}:
                return joint, 1.0 if joint.child == link else -1.0
        return None


def reversed_joint(spec: JointSpec) -> JointSpec:
    """Return the same joint from child to parent; coordinates keep their meaning.

    The motion exp(a q) of the child seen from the parent is exp(-a q) of the parent seen from the child. Of a universal
    joint the second angle comes first; the quaternion of a ball joint is that of the inverse rotation.
    """
    first, second = (tuple(-x for x in axis) for axis in (spec.axis, spec.axis2))
    turned: dict[str, Any] = {"axis": first, "axis2": second}
    if spec.kind == "universal":
        turned = {"axis": second, "axis2": first}
        for name in ("q_min", "q_max", "v_max", "tau_max", "damping", "friction"):
            value = getattr(spec, name)
            turned[name] = value[::-1] if isinstance(value, tuple) else value
    pose, child_pose = inverse_pose(spec.child_pose), inverse_pose(spec.pose)
    return replace(spec, parent=spec.child, child=spec.parent, pose=pose, child_pose=child_pose, **turned)


def gear_coupling(gear: RawJoint, tree: SpanningTree, source: Source) -> Coupling | None:
    """Return the coupling that a gearbox stands for, or None if it is not between two hinges of the reference body.

    theta_2 = -ratio theta_1, where theta_1 turns the parent and theta_2 the child of the gearbox about its first and
    second axis, both seen from the reference body.
    """
    ends = [_signed_hinge(gear, tree, link, i) for i, link in enumerate((gear.parent, gear.child))]
    if gear.ratio == 0.0 or ends[0] is None or ends[1] is None:
        return None
    (leader, s1), (follower, s2) = ends[0], ends[1]
    return Coupling(follower, leader, -gear.ratio * s1 * s2, 0.0, source)


def _signed_hinge(gear: RawJoint, tree: SpanningTree, link: str, i: int) -> tuple[str, float] | None:
    """Name of the hinge between the reference body and a link, and its sense about axis number i of the gear."""
    found = tree.between(gear.reference_body, link)
    if found is None or found[0].kind not in HINGES or len(gear.axes) <= i or not found[0].axes:
        return None
    joint, sense = found
    a = gear.X_MJ[:3, :3] @ gear.axes[i].direction
    b = joint.X_MJ[:3, :3] @ joint.axes[0].direction
    norms = float(np.linalg.norm(a) * np.linalg.norm(b))
    cosine = float(a @ b) / norms if norms > 0.0 else 0.0
    if abs(cosine) < 1.0 - _PARALLEL:
        return None
    return joint.name, sense * float(np.sign(cosine))
