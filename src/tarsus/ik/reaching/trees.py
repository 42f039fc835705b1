"""Two random trees that grow towards each other: RRT-Connect, Kuffner and LaValle 2000."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.reaching.extension import Extension

STRIDE = 2.0
"""Largest motion of a freedom by which a tree grows towards a random posture [rad, m]."""
CLOSE = 0.5
"""Share of random postures that are taken near the trees: drawn towards one of their nodes by a random part."""


class Tree:
    """Configurations, each with the one it was reached from.

    Attributes
    ----------
    count : int
    """

    def __init__(self, roots: FloatArray) -> None:
        self._q = np.empty((max(64, 2 * len(roots)), roots.shape[1]))
        self._parent = np.full(len(self._q), -1)
        self.count = len(roots)
        self._q[: self.count] = roots

    @property
    def q(self) -> FloatArray:
        """All configurations, shape (count, nq)."""
        return self._q[: self.count]

    def add(self, parent: int, nodes: FloatArray) -> int:
        """Add nodes one after the other; the number of the last."""
        while self.count + len(nodes) > len(self._q):
            self._q = np.concatenate([self._q, np.empty_like(self._q)])
            self._parent = np.concatenate([self._parent, np.full(len(self._parent), -1)])
        for node in nodes:
            self._q[self.count], self._parent[self.count] = node, parent
            parent = self.count
            self.count += 1
        return parent

    def way_to(self, node: int) -> FloatArray:
        """Configurations from a root to a node, shape (k, nq)."""
        numbers = []
        while node >= 0:
            numbers.append(node)
            node = int(self._parent[node])
        return self._q[numbers[::-1]]


def connect(
    extension: Extension,
    weights: FloatArray,
    start: FloatArray,
    goals: FloatArray,
    rng: np.random.Generator,
    max_iterations: int,
    ended: Callable[[], bool],
) -> tuple[FloatArray | None, int]:
    """A way from the start to one of the goals.

    Parameters
    ----------
    weights : ndarray, shape (nv,)
        How much each freedom counts in the distance of configurations.
    start : ndarray, shape (nq,)
    goals : ndarray, shape (k, nq)
    max_iterations : int
    ended : callable
        Whether time is over.

    Returns
    -------
    way : ndarray, shape (n, nq), or None
    iterations : int
    """
    trees = [Tree(start[None]), Tree(goals)]
    space, most = extension.space, max(1, round(STRIDE / extension.step))
    for iteration in range(1, max_iterations + 1):
        if ended():
            return None, iteration
        grown, other = trees[iteration % 2], trees[1 - iteration % 2]
        target = _target(extension, rng, grown)
        near = _nearest(extension, weights, grown, target)
        nodes, _ = extension.towards(grown.q[near], target, most)
        if len(nodes) == 0:
            continue
        last = grown.add(near, nodes)
        meet = _nearest(extension, weights, other, grown.q[last])
        nodes, arrived = extension.towards(other.q[meet], grown.q[last])
        there = other.add(meet, nodes) if len(nodes) else meet
        if arrived:
            ways = [grown.way_to(last), other.way_to(there)]
            first, second = ways if grown is trees[0] else ways[::-1]
            way = np.concatenate([first, second[::-1]])
            apart = np.abs(space.way(way[:-1], way[1:])).max(axis=-1) > 0
            return way[np.concatenate([[True], apart])], iteration
    return None, max_iterations


def _target(extension: Extension, rng: np.random.Generator, tree: Tree) -> FloatArray:
    """A random posture, often one near the tree."""
    space = extension.space
    target = space.random(rng, 1)[0]
    if rng.random() < CLOSE:
        node = tree.q[rng.integers(tree.count)]
        return space.model.integrate(node, rng.random() * space.way(node, target))
    return np.asarray(target)


def _nearest(extension: Extension, weights: FloatArray, tree: Tree, q: FloatArray) -> int:
    way = extension.space.way(tree.q, np.broadcast_to(q, tree.q.shape))
    return int(np.argmin(np.sum((weights * way) ** 2, axis=-1)))
