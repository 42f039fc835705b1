"""Steps from one configuration towards another, kept on tasks, as far as they are free."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.reaching.moving_space import MovingSpace
from tarsus.ik.reaching.swept_clearance import SweptClearance
from tarsus.ik.reaching.task_solver import TaskSolver

KEPT_STEP = 0.1
"""Largest motion of a freedom between configurations that keep tasks [rad, m]."""
PLAIN_STEP = 0.5
"""The same without tasks to keep."""
ON_TASKS = 1e-6
"""Largest error of tasks that are kept with which the end of a way is taken as it is [m, rad, ...]."""
STRAYED = 3.0
"""Times a step that a projected one may be long; longer ones have jumped to another part of the solutions."""


class Extension:
    """Ways between configurations: straight, or straight and brought back to the tasks that are kept.

    Attributes
    ----------
    space : MovingSpace
    clearance : SweptClearance
    keep : TaskSolver or None
    """

    def __init__(self, space: MovingSpace, clearance: SweptClearance, keep: TaskSolver | None) -> None:
        self.space, self.clearance, self.keep = space, clearance, keep
        self.step = PLAIN_STEP if keep is None else KEPT_STEP

    def towards(self, start: FloatArray, end: FloatArray, most: int | None = None) -> tuple[FloatArray, bool]:
        """Configurations after `start` (nq,) on the way to `end`, as far as the way is free.

        Parameters
        ----------
        most : int, optional
            Steps to be taken at most, one or more.

        Returns
        -------
        nodes : ndarray, shape (k, nq)
        arrived : bool
            Whether the last of them is `end`; never where that does not keep the tasks.
        """
        way = self.space.way(start, end)
        count = max(1, int(np.ceil(np.abs(way).max() / self.step)))
        taken = count if most is None else min(count, most)
        shares = np.arange(1, taken + 1) / count
        nodes = self.space.model.integrate(start, way, shares)
        ends = taken == count and (self.keep is None or self.keep.missed(end[None])[0] <= ON_TASKS)
        if ends:
            nodes[-1] = end
        nodes = self._kept(start, nodes, ends)
        good = self._free_prefix(start, nodes)
        return nodes[:good], ends and good == count

    def _kept(self, start: FloatArray, nodes: FloatArray, ends: bool) -> FloatArray:
        """As many of the nodes as can be brought to the tasks without jumping, within limits."""
        if self.keep is not None:
            end = nodes[-1].copy()
            nodes, solved = self.keep.solve(nodes)
            if ends:  # it stays as it is
                nodes[-1], solved[-1] = end, True
            before = np.concatenate([start[None], nodes[:-1]])
            near = np.abs(self.space.way(before, nodes)).max(axis=-1) <= STRAYED * self.step
            nodes = nodes[: _prefix(solved & near)]
        return nodes[: _prefix(self.space.inside(nodes))]

    def _free_prefix(self, start: FloatArray, nodes: FloatArray) -> int:
        if len(nodes) == 0:
            return 0
        # Ends of steps are quickly looked at; the proofs between them take longer.
        nodes = nodes[: _prefix(self.clearance.free(nodes))]
        before = np.concatenate([start[None], nodes[:-1]])
        return _prefix(self.clearance.ways_free(before, self.space.way(before, nodes))) if len(nodes) else 0


def _prefix(good: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    """How many are good before the first that is not."""
    bad = np.flatnonzero(~good)
    return int(bad[0]) if bad.size else len(good)
