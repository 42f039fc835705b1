"""Which joints of an SDF model make the tree, and which ones are left over as loops or gears."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tarsus.io.sdf.joints import RawJoint
from tarsus.model.coupling import Coupling, Source
from tarsus.model.joint import HINGES

_PARALLEL = 1e-6
"""Largest deviation of a cosine from 1 at which two axes count as parallel."""


class SpanningTree:
    """The tree of a model: a joint belongs to it if its child has no parent yet and no cycle results.

    Joints are taken in the order of the file.

    Attributes
    ----------
    carrier : dict of str to RawJoint
        Joint that carries a link, by the name of the link.
    loops : list of RawJoint
        The other joints.
    """

    def __init__(self, joints: Iterable[RawJoint]) -> None:
        self.carrier: dict[str, RawJoint] = {}
        self.loops: list[RawJoint] = []
        self._leader: dict[str, str] = {}
        for joint in joints:
            if joint.child in self.carrier or self._component(joint.parent) == self._component(joint.child):
                self.loops.append(joint)
            else:
                self.carrier[joint.child] = joint
                self._leader[self._component(joint.child)] = self._component(joint.parent)

    def _component(self, link: str) -> str:
        """Name that stands for all links joined to a link so far."""
        path = []
        while (above := self._leader.get(link, link)) != link:
            path.append(link)
            link = above
        for step in path:
            self._leader[step] = link
        return link

    def between(self, reference: str, link: str) -> tuple[RawJoint, float] | None:
        """Return the joint of the tree between two links, and 1 if `link` is its child, else -1."""
        down, up = self.carrier.get(link), self.carrier.get(reference)
        if down is not None and down.parent == reference:
            return down, 1.0
        if up is not None and up.parent == link:
            return up, -1.0
        return None


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
