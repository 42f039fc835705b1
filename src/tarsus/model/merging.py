"""Merging links behind fixed joints into the bodies that carry them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.shapes import Shape
from tarsus.model.coupling import Source
from tarsus.model.description import Description, JointSpec, LinkSpec
from tarsus.model.tree import depth_first, root_links
from tarsus.spatial.inertia import Inertia


@dataclass(slots=True, eq=False)
class MergedBody:
    """A body in the making: its first link, the joint that carries it, and what was merged into it.

    Attributes
    ----------
    name : str
    parent : int
        Index of the parent body, -1 for the root.
    joint : JointSpec or None
        None for the root.
    joint_pose : ndarray, shape (4, 4)
        X_PJ in the frame of the parent *body*.
    links : dict of str to ndarray
        Pose X_BL of every link that belongs to the body.
    fixed_joints : dict of str to ndarray
        Pose X_BJ of the fixed joints inside the body.
    carried : ndarray, shape (4,)
        Mass [kg] and first moment [kg m] of the weight that is carried, body frame.
    moving : bool
        False for a root that is fixed to the world.
    """

    name: str
    parent: int
    joint: JointSpec | None
    joint_pose: FloatArray
    moving: bool
    virtual: bool
    source: Source
    inertia: Inertia = field(default_factory=Inertia)
    carried: FloatArray = field(default_factory=lambda: np.zeros(4))
    links: dict[str, FloatArray] = field(default_factory=dict)
    fixed_joints: dict[str, FloatArray] = field(default_factory=dict)
    visuals: list[Shape] = field(default_factory=list)
    collisions: list[Shape] = field(default_factory=list)

    def absorb(self, link: LinkSpec, X_BL: FloatArray) -> None:
        """Add a link with pose X_BL to this body."""
        own = not self.links
        self.links[link.name] = X_BL
        if link.inertia is not None:
            self.inertia = link.inertia if own else self.inertia + link.inertia.in_frame(X_BL)
            mass = link.carried * link.inertia.mass
            com = X_BL[:3, :3] @ link.inertia.com + X_BL[:3, 3]
            self.carried = self.carried + np.concatenate([[mass], mass * com])
        self.visuals += link.visuals if own else [replace(s, pose=X_BL @ s.pose) for s in link.visuals]
        self.collisions += link.collisions if own else [replace(s, pose=X_BL @ s.pose) for s in link.collisions]


def merge_fixed(description: Description) -> list[MergedBody]:
    """Bodies of a description whose tree is sound, parents first, depth-first in the order of the description."""
    links = {link.name: link for link in description.links}
    root = root_links(description)[0]
    base = MergedBody(root, -1, None, np.eye(4), description.base != "fixed", links[root].virtual, links[root].source)
    base.absorb(links[root], np.eye(4))
    bodies = [base]
    home: dict[str, tuple[int, FloatArray]] = {root: (0, np.eye(4))}
    for joint in depth_first(description, root):
        parent, X_BL = home[joint.parent]
        X_BJ = X_BL @ joint.pose
        link = links[joint.child]
        if joint.kind == "fixed":
            X_BC = X_BJ @ joint.child_pose
            bodies[parent].fixed_joints[joint.name] = X_BJ
            bodies[parent].absorb(link, X_BC)
            home[joint.child] = (parent, X_BC)
        else:
            body = MergedBody(link.name, parent, joint, X_BJ, True, link.virtual, link.source)
            body.absorb(link, np.eye(4))
            home[joint.child] = (len(bodies), np.eye(4))
            bodies.append(body)
    return bodies
