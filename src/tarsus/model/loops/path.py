"""Paths: a closure with one independent joint along its branch, as a line, a closed form, or a table to start from."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.loops.closure import Closure
from tarsus.model.loops.conditions import CLOSED, FOLLOWED
from tarsus.model.loops.four_bar import as_four_bar, find_pivots
from tarsus.model.loops.leader_limits import Interval, common_intervals, leader_intervals, nearest_interval
from tarsus.model.loops.path_table import PathTable, tabulate
from tarsus.model.loops.solver import LoopSolver, slopes


class Path(NamedTuple):
    """A closure in the best form there is.

    Attributes
    ----------
    closure : Closure
    reach : dict of int to (float, float)
        The interval of its independent coordinate, where that is bounded.
    dead : bool
        Whether a dead point of the independent joint bounds it, short of all limits.
    """

    closure: Closure
    reach: dict[int, Interval]
    dead: bool = False


def with_path(solver: LoopSolver, closure: Closure, reference: FloatArray) -> Path:
    """A closure along its branch from the reference."""
    nd = closure.dependents
    ball = any(closure.coordinates[k] == closure.coordinates[k + 1] for k in range(nd - 1))
    if len(closure.dofs) != nd + 1 or ball:
        return Path(closure, {})
    linear = _as_linear(solver, closure, reference)
    if linear is not None:
        return Path(linear, {})
    result = _tabulated(solver, closure, reference)
    if result is None:
        return Path(closure, {})
    bounds = _inside_limits(solver, closure, reference, result)
    reach = {} if bounds is None else {closure.coordinates[nd]: bounds}
    ends = zip(result.dead, bounds or (), result.bounds or (), strict=False)
    dead = any(is_dead and bound == end for is_dead, bound, end in ends)
    pivots = find_pivots(solver, closure, reference)
    four_bar = None if pivots is None else as_four_bar(closure, pivots, reference, result)
    if four_bar is not None:
        return Path(four_bar, reach, dead)
    table = np.stack([result.values, result.slopes], axis=-1)
    tabled = replace(closure, table=table, first=result.first, spacing=result.spacing, periodic=result.periodic)
    return Path(tabled, reach, dead)


def _tabulated(solver: LoopSolver, closure: Closure, reference: FloatArray) -> PathTable | None:
    """What the dependents do while the independent joint moves between its limits."""
    tree, nd = solver.tree, closure.dependents
    dofs, free = np.array(closure.dofs[:nd]), closure.coordinates[nd]
    joint = tree.joints[int(np.searchsorted(tree.q_start, free, side="right")) - 1]
    low, high = (float(x[free - tree.q_start[joint.index]]) for x in (joint.q_min, joint.q_max))

    def solve(q: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        closed = solver.solve(q, dofs, closed=FOLLOWED, near=True)
        if closed is None:
            return None
        _, A = solver.equations(closed)
        return closed, slopes(A[:, dofs], A[:, closure.dofs[nd]])

    places, turns = list(closure.coordinates), joint.traits.comes_round
    found = tabulate(solve, reference, places, low, high, turns)
    if found is not None and found.bounds is not None and (high < found.bounds[0] or low > found.bounds[1]):
        return tabulate(solve, reference, places, -np.inf, np.inf, turns)  # limits that cannot be reached
    return found


def _inside_limits(solver: LoopSolver, closure: Closure, reference: FloatArray, result: PathTable) -> Interval | None:
    """Where the loop closes and its dependent joints are inside their limits, around (or next to) the reference."""
    tree, nd = solver.tree, closure.dependents
    dofs, free = np.array(closure.dofs[:nd]), closure.coordinates[nd]
    places = list(closure.coordinates[:nd])
    span, values, steep = _samples(result)

    def relation(x: float, k: int) -> tuple[float, float] | None:
        q = reference.copy()
        q[free] = x
        q[places] = [np.interp(x, span, column) for column in values.T]
        closed = solver.solve(q, dofs, closed=FOLLOWED, near=True)
        if closed is None:
            return None
        _, A = solver.equations(closed)
        return float(closed[places[k]]), float(slopes(A[:, dofs], A[:, closure.dofs[nd]])[k])

    everything = [(-np.inf, np.inf) if result.bounds is None else result.bounds]
    found = everything
    for k, place in enumerate(places):
        joint = tree.joints[int(np.searchsorted(tree.q_start, place, side="right")) - 1]
        low, high = (float(x[place - tree.q_start[joint.index]]) for x in (joint.q_min, joint.q_max))
        between = np.abs(np.diff(values[:, k])).max()  # more than samples, the joint may do between them
        if low <= values[:, k].min() - between and values[:, k].max() + between <= high:
            continue
        inside = leader_intervals(partial(relation, k=k), span, values[:, k], steep[:, k], low, high)
        # Samples say nothing of what is beyond them.
        open_ended = [
            (-np.inf if a == span[0] else a, np.inf if b == span[-1] else b) if result.bounds is None else (a, b)
            for a, b in inside
        ]
        found = common_intervals(found, open_ended) or found  # limits that leave nothing are left out
    return None if found == everything and result.bounds is None else nearest_interval(found, float(reference[free]))


def _samples(result: PathTable) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The leading coordinate, the dependents and their slopes along a path, up to its ends or for three turns."""
    span = np.asarray(result.first + result.spacing * np.arange(len(result.values)), dtype=np.float64)
    values, steep = result.values, result.slopes
    if result.periodic:  # a turn before and a turn after
        turn, wound = span[-1] - span[0], values[-1] - values[0]
        span = np.concatenate([span[:-1] - turn, span, span[1:] + turn])
        values = np.concatenate([values[:-1] - wound, values, values[1:] + wound])
        steep = np.concatenate([steep[:-1], steep, steep[1:]])
    elif result.bounds is not None and result.ends is not None:  # knots stop short of the ends
        (low, high), (start, end) = result.bounds, result.ends
        inner = (span > low) & (span < high)
        span = np.concatenate([[low], span[inner], [high]])
        values = np.concatenate([[start], values[inner], [end]])
        steep = np.concatenate([[np.diff(values[:2], axis=0)[0]], steep[inner], [np.diff(values[-2:], axis=0)[0]]])
    return span, values, steep


def _as_linear(solver: LoopSolver, closure: Closure, reference: FloatArray) -> Closure | None:
    """Constant slopes: parallelograms and the like, which stay regular where the general solution is not."""
    slope = closure.slope[:, 0]
    rounded = np.where(np.abs(slope - np.round(slope)) < 1e-9, np.round(slope), slope)
    nd, free = closure.dependents, closure.coordinates[closure.dependents]
    places = list(closure.coordinates[:nd])
    offset = reference[places] - rounded * reference[free]
    for x in np.linspace(-3.0, 3.0, 13):
        q = reference.copy()
        q[free] = x
        q[places] = offset + rounded * x
        if np.abs(solver.equations(q)[0]).max() > 1e2 * CLOSED:
            return None
    return replace(closure, kind="linear", rows=(), slope=rounded[:, None], table=offset)
