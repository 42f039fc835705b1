"""The spanning tree of a model with loops, as far as closing the loops needs it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray, IntArray
from tarsus.model.joint import Joint


class SpanningTree:
    """Joints, bodies and coordinates of a spanning tree.

    Attributes
    ----------
    core : ModelCore
        The spanning tree, all joints independent.
    joints : sequence of Joint
        One for each body.
    parents : sequence of int
        Parent body of each body, -1 for the root.
    home : mapping of str to (int, ndarray)
        Body and pose X_BL of every link.
    start : ndarray, shape (nq_tree,)
        Configuration near which the loops are closed.
    given : frozenset of str
        Joints whose place in `start` was asked for; the others are where they are drawn.
    q_start, v_start : ndarray, shape (nb + 1,)
        Place of each joint's coordinates and velocities.
    index : dict of str to int
        Number of the joint of a name.
    """

    def __init__(
        self,
        core: _native.ModelCore,
        joints: Sequence[Joint],
        parents: Sequence[int],
        home: Mapping[str, tuple[int, FloatArray]],
        start: FloatArray,
        given: frozenset[str] = frozenset(),
    ) -> None:
        self.core = core
        self.joints = joints
        self.parents = parents
        self.home = home
        self.start = start
        self.given = given
        self.q_start = np.concatenate([[0], np.cumsum([joint.nq for joint in joints])])
        self.v_start = np.concatenate([[0], np.cumsum([joint.nv for joint in joints])])
        self.index = {joint.name: joint.index for joint in joints}

    def way(self, body: int) -> set[int]:
        """Joints between the world and a body."""
        way = set()
        while body >= 0:
            way.add(body)
            body = self.parents[body]
        return way

    def dofs(self, joints: Iterable[int]) -> IntArray:
        """Velocities of some joints, in their order."""
        return np.array([k for j in joints for k in range(self.v_start[j], self.v_start[j + 1])], dtype=int)

    def coordinate(self, dof: int) -> int:
        """Coordinate that belongs to a velocity; the first one of its joint where they do not correspond."""
        j = int(np.searchsorted(self.v_start, dof, side="right")) - 1
        inside = dof - self.v_start[j]
        return int(self.q_start[j] + (inside if self.joints[j].nq == self.joints[j].nv else 0))

    def names(self, joints: Iterable[int]) -> str:
        """Names of joints for messages, in the order of the tree."""
        return ", ".join(repr(self.joints[j].name) for j in sorted(joints))
