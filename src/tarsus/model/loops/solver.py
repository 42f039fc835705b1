"""Equations of one subsystem of loops over all coordinates of the tree, and their solution by Newton's method."""

from __future__ import annotations

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray, IntArray
from tarsus.model.loops.conditions import CLOSED, LARGEST_STEP, NEWTON_STEPS, ConditionSystem, turned_over
from tarsus.model.loops.spanning_tree import SpanningTree
from tarsus.model.loops.subsystems import Subsystem

_integrate = _native.function("integrate")
_body_poses = _native.function("body_poses")


PROJECTION_STEPS, HALVINGS, DAMPING = 200, 12, 0.1
"""Of `LoopSolver.project`; the damping is relative to the largest singular value, for a residual of one."""
SHRINKING = 4
"""Steps of Newton's method after which one near its end is shorter, by half at least."""


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
    weights : ndarray, shape (kept, conditions), or None
        Combinations of the conditions that are closed, where the loops are not exact.
    """

    def __init__(self, tree: SpanningTree, subsystem: Subsystem) -> None:
        self.tree = tree
        self.subsystem = subsystem
        self.joints = sorted(subsystem.joints)
        self.name = f"loop {subsystem.name} with the joints {tree.names(self.joints)}"
        self.weights: FloatArray | None = None
        self._system = ConditionSystem(tree.core, subsystem.rows)

    def equations(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Residual and Jacobian (..., nv_tree) of what is closed: all conditions, or `weights` times them."""
        value, A = self.conditions(q)
        return (value, A) if self.weights is None else (self.weights @ value, self.weights @ A)

    def conditions(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
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

    def size(self, q: FloatArray) -> float:
        """Extent [m] of the points at which the loops are hinged."""
        tree = self.tree
        poses = _body_poses(tree.core, q)
        points = [poses[tree.parents[j]] @ tree.joints[j].pose[:, 3] for j in self.joints]
        points += [poses[row.a] @ np.append(row.point_a, 1.0) for row in self.subsystem.rows]
        size = float(np.linalg.norm(np.ptp(np.array(points)[:, :3], axis=0)))
        return size if size > 0.0 else 1.0

    def factors(self, q: FloatArray) -> FloatArray:
        """What makes the conditions dimensionless: lengths are seen as shares of the size of the loops."""
        size = self.size(q)
        loops = [1.0 / size if row.kind == "along" else 1.0 for row in self.subsystem.rows]
        return np.array([*loops, *(1.0 for _ in self.subsystem.relations)])

    def units(self, q: FloatArray) -> FloatArray:
        """A radian, or the size of the loops for sliders, of each velocity of the subsystem's joints [rad or m]."""
        size = self.size(q)
        slides = [slide for j in self.joints for slide in self.tree.joints[j].traits.slides[: self.tree.joints[j].nv]]
        return np.array([size if slide else 1.0 for slide in slides])

    def moved(self, q: FloatArray, dofs: IntArray, step: FloatArray) -> FloatArray:
        """The configuration after a step [rad or m] of some velocities."""
        move = np.zeros(int(self.tree.v_start[-1]))
        move[dofs] = step
        result: FloatArray = _integrate(self.tree.core, q, move)
        return result

    def solve(
        self,
        q: FloatArray,
        dofs: IntArray,
        tolerance: float = 0.0,
        closed: float = 1e3 * CLOSED,
        *,
        near: bool = False,
    ) -> FloatArray | None:
        """Newton's method over some joints; None where it does not close the loop, to the residual `closed`.

        With a tolerance the loop need not close better than this share of its size, and directions in which it closes
        or opens by less are left alone. From `near` a place in which it closes, steps shrink at least by halves, as
        they do at a dead point: where they do not, there is none.
        """
        factor = np.ones(1) if tolerance == 0.0 else self.factors(q)
        lengths: list[float] = []
        for _ in range(NEWTON_STEPS):
            value, A = self.equations(q)
            step = -np.linalg.lstsq(factor[:, None] * A[:, dofs], factor * value, rcond=max(tolerance, 1e-13))[0]
            largest = np.abs(step).max(initial=0.0)
            q = self.moved(q, dofs, step * min(1.0, LARGEST_STEP / max(largest, 1e-300)))
            if largest < 1e-9:
                residual = np.abs(factor * self.equations(q)[0]).max(initial=0.0)
                return q if residual < max(closed, tolerance) else None
            lengths.append(float(largest))
            if near and len(lengths) > SHRINKING and largest > 0.5 * lengths[-1 - SHRINKING]:
                return None
        return None

    def project(self, q: FloatArray, dofs: IntArray, closed: float = 1e3 * CLOSED) -> FloatArray | None:
        """The same by damped steps that never open the loop further: slower, and from places far from closed ones.

        Levenberg-Marquardt: the step s is that of least squares of [A; d] s = [-c; 0] with a damping d that fades with
        the residual c, halved until c becomes smaller.
        """
        value, A = self.equations(q)
        error = float(np.linalg.norm(value))
        for _ in range(PROJECTION_STEPS):
            if np.abs(value).max(initial=0.0) < closed:
                return self.solve(q, dofs, closed=closed)
            u, s, directions = np.linalg.svd(A[:, dofs], full_matrices=False)
            damping = DAMPING * s.max(initial=0.0) * min(error, 1.0)
            step = -directions.T @ (s / (s**2 + damping**2 + 1e-300) * (u.T @ value))
            step *= min(1.0, LARGEST_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))
            for _ in range(HALVINGS):
                trial = self.moved(q, dofs, step)
                value_there, A_there = self.equations(trial)
                if np.linalg.norm(value_there) < error:
                    break
                step = 0.5 * step
            else:
                return None
            q, value, A, error = trial, value_there, A_there, float(np.linalg.norm(value_there))
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
