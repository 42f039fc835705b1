"""Rotational Jacobians of all bodies by the recursion of Buschmann 2014, on all columns or on those of predecessors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from benchmarks.papers.mechanisms import depths, parents
from tarsus.arrays import FloatArray, IndexArray
from tarsus.dynamics.kinematics import body_poses
from tarsus.model.model import Model


@dataclass(frozen=True)
class Levels:
    """The bodies of a tree of one-axis joints by their number of predecessors.

    Attributes
    ----------
    bodies : list of ndarray of int
        Numbers of the bodies of each level.
    within : list of ndarray of int
        Place of each body's parent in the level before.
    columns : list of ndarray of int, shape (bodies, predecessors)
        Columns of the Jacobian of the parent that are not zero.
    """

    bodies: list[IndexArray] = field(default_factory=list)
    within: list[IndexArray] = field(default_factory=list)
    columns: list[IndexArray] = field(default_factory=list)

    @classmethod
    def of(cls, model: Model) -> Levels:
        """From the tree of a model."""
        parent = parents(model)
        depth = depths(parent)
        levels, place = cls(), np.zeros(len(parent), dtype=np.intp)
        for d in range(int(depth.max()) + 1):
            bodies = np.flatnonzero(depth == d)
            place[bodies] = np.arange(len(bodies))
            levels.within.append(place[parent[bodies]] if d else np.zeros(len(bodies), dtype=np.intp))
            if d:
                before = levels.columns[-1][levels.within[-1]]
                levels.columns.append(np.hstack([before, parent[bodies][:, None]]))
            else:
                levels.columns.append(np.zeros((len(bodies), 0), dtype=np.intp))
            levels.bodies.append(bodies)
        return levels


def dense_jacobians(levels: Levels, A: FloatArray) -> list[FloatArray]:
    """Rotational Jacobians (states, bodies, 3, n) of each level by (2.83) over all n columns.

    Parameters
    ----------
    A : ndarray, shape (states, n, 3, 3)
        A_ip, from the axes of the parent to those of the body; every joint turns about z.
    """
    states, n = A.shape[:2]
    result: list[FloatArray] = []
    for d, bodies in enumerate(levels.bodies):
        if d:
            J = _rotated(A[:, bodies], result[-1][:, levels.within[d]])
        else:
            J = np.zeros((states, len(bodies), 3, n))
        J[:, np.arange(len(bodies)), 2, bodies] = 1.0
        result.append(J)
    return result


def sparse_jacobians(levels: Levels, A: FloatArray) -> list[FloatArray]:
    """The same Jacobians, the columns of predecessors and the own one only: (states, bodies, 3, d + 1), by (2.87)."""
    result: list[FloatArray] = []
    for d, bodies in enumerate(levels.bodies):
        J = np.empty((len(A), len(bodies), 3, d + 1))
        if d:
            J[..., :d] = _rotated(A[:, bodies], result[-1][:, levels.within[d]])
        J[..., d] = (0.0, 0.0, 1.0)
        result.append(J)
    return result


def _rotated(A: FloatArray, J: FloatArray) -> FloatArray:
    """A J by its nine multiplications for every column, each for all states and all bodies of a level at once."""
    product = A[..., 0, None] * J[..., None, 0, :]
    product += A[..., 1, None] * J[..., None, 1, :]
    product += A[..., 2, None] * J[..., None, 2, :]
    return product


def relative_rotations(model: Model, q: FloatArray) -> FloatArray:
    """A_ip of all moving bodies, shape (..., n, 3, 3)."""
    R = body_poses(model, q)[..., :3, :3]
    parent = parents(model) + 1
    return np.ascontiguousarray(np.swapaxes(R[..., 1:, :, :], -1, -2) @ R[..., parent, :, :])
