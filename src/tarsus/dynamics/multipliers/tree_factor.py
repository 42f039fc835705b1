"""Factorisation M = L^T L that keeps the sparsity of a tree, the reversed Cholesky of Buschmann 2014 section 3.2.2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.dynamics.mass_matrix import mass_matrix
from tarsus.errors import MasslessJointError
from tarsus.model.model import Model
from tarsus.spatial.pose import FloatArray


def is_tree(model: Model) -> bool:
    """Whether every joint has coordinates of its own."""
    return all(joint.v_index.stop - joint.v_index.start == joint.nv for joint in model.joints.values())


def joint_of(model: Model, k: int) -> str:
    """Name of the joint that a degree of freedom belongs to."""
    return next(j.name for j in model.joints.values() if j.v_index.start <= k < j.v_index.stop)


def ancestors(model: Model) -> list[list[int]]:
    """For each degree of freedom those between it and the root, itself left out.

    For a model with dependent joints the mass matrix has no tree's sparsity, and all earlier ones are taken.
    """
    if not is_tree(model):
        return [list(range(k)) for k in range(model.nv)]
    path: dict[str, list[int]] = {"world": []}
    result: list[list[int]] = [[] for _ in range(model.nv)]
    for joint in model.joints.values():
        above = list(path[joint.parent])
        for k in range(joint.v_index.start, joint.v_index.stop):
            result[k] = list(above)
            above.append(k)
        path[joint.child] = above
    return result


@dataclass(frozen=True, slots=True, eq=False)
class TreeFactor:
    """L, lower triangular, with entries only where column j is an ancestor of row k."""

    above: list[list[int]]
    L: FloatArray

    def solve_transposed(self, b: FloatArray) -> FloatArray:
        """L^-T b for b (..., nv, m): from the leaves to the root."""
        y = b.copy()
        for k in range(len(self.above) - 1, -1, -1):
            y[..., k, :] /= self.L[..., k, k, None]
            path = self.above[k]
            if path:
                y[..., path, :] -= self.L[..., k, path][..., None] * y[..., k, None, :]
        return y

    def solve(self, y: FloatArray) -> FloatArray:
        """L^-1 y for y (..., nv, m): from the root to the leaves."""
        x = y.copy()
        for k, path in enumerate(self.above):
            if path:
                x[..., k, :] -= np.einsum("...j,...jm->...m", self.L[..., k, path], x[..., path, :])
            x[..., k, :] /= self.L[..., k, k, None]
        return x


def tree_factor(model: Model, q: FloatArray) -> TreeFactor:
    """Factor the mass matrix from the last degree of freedom to the first; no entry off the tree's paths is filled.

    O(n d^2) for the depth d of the tree.
    """
    above = ancestors(model)
    A = np.array(mass_matrix(model, q))
    for k in range(model.nv - 1, -1, -1):
        pivot = A[..., k, k]
        if np.any(pivot <= 0.0):
            raise MasslessJointError(f"joint {joint_of(model, k)!r} moves no inertia")
        diagonal = np.sqrt(pivot)
        path = above[k]
        A[..., k, k] = diagonal
        A[..., :k, k] = 0.0
        if path:
            row = A[..., k, path] / diagonal[..., None]
            A[..., k, path] = row
            A[..., np.array(path)[:, None], path] -= row[..., :, None] * row[..., None, :]
    return TreeFactor(above, A)
