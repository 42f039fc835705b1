"""Coordinates of the spanning tree and the independent ones among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, IntArray
from tarsus.model.loops.closure import Closure
from tarsus.model.loops.leader_limits import intersection


@dataclass(frozen=True, slots=True, eq=False)
class TreeCoordinates:
    """How all joint coordinates follow from the independent ones.

    q_tree[k] = ratio_q[k] q[leader_q[k]] + offset_q[k] and v_tree[k] = ratio_v[k] v[leader_v[k]], where leaders are not
    -1; the others are what `closures` say. Rotations are quaternions here, whatever the model shows its user.

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
    closures : tuple of Closure
        Joints that depend on others in a less simple way.
    reference : ndarray, shape (nq_tree,)
        Configuration of the tree in which all loops are closed.
    reach : dict of int to (float, float)
        Interval of a coordinate of the tree in which the loop it leads can be closed.
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
    closures: tuple[Closure, ...]
    reference: FloatArray
    reach: dict[int, tuple[float, float]]

    @property
    def own_q(self) -> list[int]:
        """Place of every coordinate of the tree among the independent ones, -1 for dependent ones."""
        return self._own(self.q_start, self.tree_q_start)

    @property
    def own_v(self) -> list[int]:
        """Place of every velocity of the tree among the independent ones, -1 for dependent ones."""
        return self._own(self.v_start, self.tree_v_start)

    def within_reach(self, place: int, low: float, high: float) -> tuple[float, float]:
        """Limits of a coordinate of the tree as far as the loop it leads closes; limits beyond that say nothing."""
        return intersection(self.reach.get(place), (low, high)) or (low, high)

    @property
    def followers(self) -> int:
        """Number of joints that follow one other by a constant ratio: the native core counts them before `closures`."""
        first = self.tree_q_start[:-1][~self.independent]
        return int(np.sum(self.leader_q[first] >= 0))

    def _own(self, start: IntArray, tree_start: IntArray) -> list[int]:
        places = np.full(int(tree_start[-1]), -1)
        for joint in np.flatnonzero(self.independent):
            count = tree_start[joint + 1] - tree_start[joint]
            places[tree_start[joint] : tree_start[joint + 1]] = start[joint] + np.arange(count)
        return [int(x) for x in places]
