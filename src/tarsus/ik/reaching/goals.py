"""Configurations at which tasks are met without collision, nearest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.ik.reaching.lever_arms import Scene
from tarsus.ik.reaching.moving_space import MovingSpace
from tarsus.ik.reaching.swept_clearance import SweptClearance
from tarsus.ik.reaching.task_solver import TaskSolver, task_name
from tarsus.tasks import Distance, Task

SAME = 0.05
"""Way between two goals [rad, m] below which they are one."""
PUSHED, TOGETHER = 32, 8
"""Goals in collision that are tried to be pushed out of it, at most, and at a time."""
FURTHER = 5e-4
"""Beyond what they need that pushed pairs shall have [m]."""
REACHED = 0.1
"""Distance [m] from which on pairs are left out while others are pushed apart; all are looked at in the end."""


@dataclass(frozen=True, slots=True, eq=False)
class Goals:
    """What was found.

    Attributes
    ----------
    q : ndarray, shape (k, nq)
        Free goals, the nearest first.
    reason : str
        Why there is none.
    """

    q: FloatArray
    reason: str = ""


def find_goals(
    space: MovingSpace,
    clearance: SweptClearance,
    tasks: Sequence[Task],
    weights: FloatArray,
    rng: np.random.Generator,
    wanted: int,
    starts: int,
) -> Goals:
    """Goals from many starts, in batches that go from near the start to random postures.

    Those in collision are pushed out of it (`Distance` as one more task) where no other is free.

    Parameters
    ----------
    tasks : sequence of Task
        Those to be met and those to be kept.
    weights : ndarray, shape (nv,)
        Of freedoms, for what is near.
    wanted : int
        Goals that are enough.
    starts : int
        To be tried at most.
    """
    solver = TaskSolver(space, tasks)
    free: list[FloatArray] = []
    hit: list[FloatArray] = []
    best, best_error, tried = space.q0, np.inf, 0
    while tried < starts and len(free) < wanted:
        count = min(32, starts - tried)
        found, solved = solver.solve(_starts(space, rng, count, tried))
        tried += count
        found = space.unwound(found)
        good = solved & space.inside(found)
        clear = np.zeros(len(found), dtype=bool)
        clear[good] = clearance.free(found[good])
        free.extend(_new(space, found[clear], free))
        hit.extend(_new(space, found[good & ~clear], hit))
        missed = solver.missed(found)
        k = int(np.argmin(missed))
        if missed[k] < best_error:
            best, best_error = found[k], float(missed[k])
    if not free and hit:
        free = _pushed_out(space, clearance, tasks, _sorted(space, weights, hit))
    if free:
        return Goals(_sorted(space, weights, free))
    if hit:
        near = max(((clearance.nearest(q)) for q in _sorted(space, weights, hit)[:TOGETHER]), key=lambda pair: pair[1])
        return Goals(
            np.zeros((0, space.model.nq)),
            f"all {len(hit)} configurations found that meet the tasks collide: at best {near[0][0]!r} and "
            f"{near[0][1]!r} are {near[1]:.3g} m apart, {clearance.margin:g} m are asked for",
        )
    task, error = solver.worst(best)
    return Goals(
        np.zeros((0, space.model.nq)),
        f"no configuration was found from {tried} starts: {task_name(task)} is {error:.3g} off",
    )


def _starts(space: MovingSpace, rng: np.random.Generator, count: int, before: int) -> FloatArray:
    """The start itself first, then further and further away from it."""
    q = space.random(rng, count)
    if before == 0:
        parts = np.linspace(0.0, 1.0, count)
        q = space.model.integrate(space.q0, parts[:, None] * space.way(np.broadcast_to(space.q0, q.shape), q))
        q[0] = space.q0
    return space.clipped(q)


def _new(space: MovingSpace, found: FloatArray, known: list[FloatArray]) -> list[FloatArray]:
    result: list[FloatArray] = []
    for q in found:
        others = np.array([*known, *result])
        if len(others) == 0 or np.abs(space.way(others, np.broadcast_to(q, others.shape))).max(axis=-1).min() > SAME:
            result.append(q)
    return result


def _sorted(space: MovingSpace, weights: FloatArray, found: Sequence[FloatArray]) -> FloatArray:
    q = np.array(found)
    way = weights * space.way(np.broadcast_to(space.q0, q.shape), q)
    return q[np.argsort(np.linalg.norm(way, axis=-1), kind="stable")]


def _pushed_out(
    space: MovingSpace, clearance: SweptClearance, tasks: Sequence[Task], hit: FloatArray
) -> list[FloatArray]:
    """The first of goals in collision that can be pushed out of it: by turns the nearest and the least deep of them."""
    depth = -np.min([scene.clearance(hit) for scene in clearance.scenes], axis=0)
    shallow = np.argsort(depth, kind="stable")
    order = list(dict.fromkeys(np.stack([np.arange(len(hit)), shallow], axis=-1).ravel().tolist()))[:PUSHED]
    for begin in range(0, len(order), TOGETHER):
        free = _pushed(space, clearance, tasks, hit[order[begin : begin + TOGETHER]])
        if free:
            return free
    return []


def _pushed(space: MovingSpace, clearance: SweptClearance, tasks: Sequence[Task], hit: FloatArray) -> list[FloatArray]:
    apart = [
        task
        for scene, rooms in zip(clearance.scenes, clearance.rooms, strict=True)
        for task in _apart(scene, rooms, hit)
    ]
    found, solved = TaskSolver(space, (*tasks, *apart)).solve(hit, 40)
    good = solved & space.inside(found)
    rows = found[good]
    return list(rows[clearance.free(rows)]) if len(rows) else []


def _apart(scene: Scene, rooms: FloatArray, q: FloatArray) -> Iterator[Task]:
    """Tasks that push pairs apart which may come near, each to the distance it needs (n_pairs,)."""
    least = scene.distances(q).min(axis=0)
    near = np.flatnonzero(least < max(REACHED, float(least.min()) + 1e-9))
    for room in np.unique(rooms[near]):
        chosen = [k for k in near if rooms[k] == room]
        if isinstance(scene, CollisionModel):
            yield Distance(scene.restricted(scene.pairs[k] for k in chosen), room + FURTHER)
        else:
            yield from (Distance(scene.fine[k], room + FURTHER) for k in chosen)
