"""Equations of one subsystem of loops over all coordinates of the tree, and their solution by Newton's method."""

from __future__ import annotations

import numpy as np

from tarsus import _native
from tarsus.model.closing import CLOSED, LARGEST_STEP, NEWTON_STEPS, ClosingSystem, turned_over
from tarsus.model.spanning_tree import IntArray, SpanningTree
from tarsus.model.subsystems import Subsystem
from tarsus.spatial.pose import FloatArray

_integrate = _native.function("integrate")
_body_poses = _native.function("body_poses")


def slopes(A_D: FloatArray, A_I: FloatArray) -> FloatArray:
    """G of A_D G + A_I = 0."""
    return np.asarray(-np.linalg.lstsq(A_D, A_I, rcond=None)[0], dtype=float)


class LoopSolver:
    """Closes one subsystem on a spanning tree.

    Attributes
    ----------
    tree : SpanningTree
    subsystem : Subsystem
    joints : list of int
        Its joints in the order of the tree.
    name : str
        What it is called in messages, with its joints.
    """

    def __init__(self, tree: SpanningTree, subsystem: Subsystem) -> None:
        self.tree = tree
        self.subsystem = subsystem
        self.joints = sorted(subsystem.joints)
        self.name = f"loop {subsystem.name} with the joints {tree.names(self.joints)}"
        self._system = ClosingSystem(tree.core, subsystem.rows)

    def equations(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Residual (conditions,) and Jacobian (conditions, nv_tree) of loops and relations."""
        tree, relations = self.tree, self.subsystem.relations
        value, A = self._system.equations(q)
        extra = np.zeros((len(relations), A.shape[1]))
        rest = np.zeros(len(relations))
        for r, c in enumerate(relations):
            j, k = tree.index[c.joint], tree.index[c.leader]
            extra[r, tree.v_start[j]], extra[r, tree.v_start[k]] = 1.0, -c.ratio
            rest[r] = q[tree.q_start[j]] - c.ratio * q[tree.q_start[k]] - c.offset
        return np.concatenate([value, rest]), np.concatenate([A, extra])

    def moved(self, q: FloatArray, dofs: IntArray, step: FloatArray) -> FloatArray:
        """The configuration after a step [rad or m] of some velocities."""
        move = np.zeros(int(self.tree.v_start[-1]))
        move[dofs] = step
        result: FloatArray = _integrate(self.tree.core, q, move)
        return result

    def solve(self, q: FloatArray, dofs: IntArray) -> FloatArray | None:
        """Newton's method over some joints; None where it does not close the loop."""
        for _ in range(NEWTON_STEPS):
            value, A = self.equations(q)
            step = -np.linalg.lstsq(A[:, dofs], value, rcond=1e-13)[0]
            largest = np.abs(step).max(initial=0.0)
            q = self.moved(q, dofs, step * min(1.0, LARGEST_STEP / max(largest, 1e-300)))
            if largest < 1e-9:
                residual = np.abs(self.equations(q)[0]).max(initial=0.0)
                return q if residual < 1e3 * CLOSED else None
        return None

    def assembled(self, q: FloatArray) -> bool:
        """Whether all loop joints of a closed configuration are put together the right way."""
        poses, home = _body_poses(self.tree.core, q), self.tree.home
        for loop in self.subsystem.loops:
            (a, X_AL), (b, X_BL) = home[loop.link_a], home[loop.link_b]
            X_A, X_B = poses[a] @ X_AL @ loop.pose_a, poses[b] @ X_BL @ loop.pose_b
            if turned_over(loop, X_A[:3, :3].T @ X_B[:3, :3]):
                return False
        return True
