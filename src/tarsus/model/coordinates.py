"""Coordinates of the spanning tree and the independent ones among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.spatial.pose import FloatArray

IntArray = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class TreeCoordinates:
    """How all joint coordinates follow from the independent ones.

    q_tree[k] = ratio_q[k] q[leader_q[k]] + offset_q[k], v_tree[k] = ratio_v[k] v[leader_v[k]]; rotations are
    quaternions here, whatever the model shows its user.

    Attributes
    ----------
    nq, nv : int
        Number of independent coordinates and velocities.
    q_start, v_start : ndarray, shape (nb + 1,)
        Where each joint starts among the independent coordinates.
    tree_q_start, tree_v_start : ndarray, shape (nb + 1,)
        The same among all coordinates of the tree.
    leader_q, ratio_q, offset_q : ndarray, shape (nq_tree,)
    leader_v, ratio_v : ndarray, shape (nv_tree,)
    independent : ndarray of bool, shape (nb,)
        Joints with coordinates of their own.
    """

    nq: int
    nv: int
    q_start: IntArray
    v_start: IntArray
    tree_q_start: IntArray
    tree_v_start: IntArray
    leader_q: IntArray
    ratio_q: FloatArray
    offset_q: FloatArray
    leader_v: IntArray
    ratio_v: FloatArray
    independent: npt.NDArray[np.bool_]
