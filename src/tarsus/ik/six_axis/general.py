"""All solutions of loops of any geometry: elimination where its count proves itself, continuation elsewhere."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import AnyArray, BoolArray, FloatArray
from tarsus.ik.six_axis.closure import close_loop, closure
from tarsus.ik.six_axis.continuation import NEAR_THE_ARM, continue_to
from tarsus.ik.six_axis.distinct import SAME, distinct, wrapped
from tarsus.ik.six_axis.elimination import eliminate
from tarsus.ik.six_axis.loop import Loop

CLOSED = 1e-11
"""What may be left of the displacement, as a share of the arm's size and in radians."""
PERHAPS_REAL = 0.1
"""Distance from the unit circle up to which a root is tried as real."""
REAL = 1e-5
"""Distance from the unit circle up to which a root must be explained by a solution."""
DOUBLE = 1e-3
"""Distance from the unit circle up to which roots may be what is left of a double real one; and share of the largest
singular value below which a Jacobian may be that of one."""
MET, MEETING = 1e-3, 0.1
"""Distance [rad] between the end of a path and its solution, after tracking, and where solutions coincide."""
SEARCHES = 20
"""Random angles from which solutions are looked for beside the paths."""


def solve_general(loop: Loop) -> tuple[list[FloatArray], list[str]]:
    """For each of n loops its solutions (k, 6), and the method that proves them all there are, "" where none does."""
    found: list[FloatArray] = []
    methods: list[str] = []
    for k in range(len(loop)):
        own = loop.rows(np.array([k]))
        t = _by_elimination(own)
        method = "elimination"
        if t is None:
            t, complete = _by_continuation(own)
            method = "continuation" if complete else ""
        found.append(t)
        methods.append(method)
    return found, methods


def _by_elimination(loop: Loop) -> FloatArray | None:
    """Solutions of one loop; None where they are not as many as the real roots, whichever axis is the first."""
    for first in range(6):
        begun = loop.beginning_with(first)
        roots = eliminate(begun.w[0], begun.o[0], begun.G[0])
        if roots is None:
            continue
        with np.errstate(all="ignore"):
            near = (np.abs(np.abs(roots.z) - 1) < PERHAPS_REAL).all(axis=-1)
        t = _closed(begun, np.angle(roots.z[near]))
        every = begun.rows(np.zeros(len(t), dtype=np.intp))
        sizes = np.linalg.svd(closure(every.w, every.o, every.G, t)[1], compute_uv=False)
        if _explained(roots.z3, t[:, 2], sizes[:, -1] < DOUBLE * sizes[:, 0]):
            return np.roll(t, first, axis=-1)
    return None


def _explained(z3: AnyArray, t3: FloatArray, singular: BoolArray) -> bool:
    """Whether roots on the unit circle and solutions belong to each other, one to one.

    A solution with a singular Jacobian is a double root, which rounding moves further: it takes two, also such that
    have left the circle a little. A root near the circle that belongs to none may have been real: then nothing is
    proven.
    """
    off = np.abs(np.abs(z3) - 1)
    distance = np.abs(np.exp(1j * t3)[:, None] - z3[None])
    room, taken = np.where(singular, 2, 1), np.zeros(len(t3), dtype=int)
    for root in np.flatnonzero(off < DOUBLE)[np.argsort(off[off < DOUBLE])]:
        within = distance[:, root] < np.where(singular, 3 * DOUBLE, 10 * REAL)
        free = np.flatnonzero(within & (taken < room) & (singular | (off[root] < REAL)))
        if free.size == 0:
            return False
        taken[free[np.argmin(distance[free, root])]] += 1
    return bool((taken >= 1).all())


def _closed(loop: Loop, t: FloatArray) -> FloatArray:
    """Distinct solutions (k, 6) of one loop near given angles."""
    if len(t) == 0:
        return np.zeros((0, 6))
    t, error = close_loop(loop.rows(np.zeros(len(t), dtype=np.intp)), t)
    t = t[error < CLOSED]
    return t[distinct(t)]


def _by_continuation(loop: Loop) -> tuple[FloatArray, bool]:
    """Solutions of one loop from two starts, and whether the paths of one of them account for all.

    Ends of paths, also of those that stopped, and random angles are tried: they may meet one of infinitely many
    solutions, on which no path needs to end at real angles.
    """
    drawn = np.random.default_rng(0).uniform(-np.pi, np.pi, (SEARCHES, 6))
    every = _closed(loop, drawn)
    for seed in (0, 1):
        ends = continue_to(loop, seed)
        t, away = ends.t[0], ends.away[0]
        every = np.concatenate([every, _closed(loop, t.real[~away])])
        every = every[distinct(every)]
        if (ends.stopped_at[0] >= NEAR_THE_ARM).all() and _accounted_for(t, ends.arrived[0], away, every, loop):
            return every, True
    return every, False


def _accounted_for(t: AnyArray, arrived: BoolArray, away: BoolArray, every: FloatArray, loop: Loop) -> bool:
    """Whether each path has an end of its own: at the arm, at infinity, or at a solution with a singular Jacobian.

    All solutions with a regular one have to be ends of paths.
    """
    ends = t[arrived]
    if (_apart(ends[:, None], ends[None]) + 10 * np.eye(len(ends)) <= SAME).any():
        return False
    same = loop.rows(np.zeros(len(every), dtype=np.intp))
    sizes = np.linalg.svd(closure(same.w, same.o, same.G, every)[1], compute_uv=False)
    singular = sizes[:, -1] < DOUBLE * sizes[:, 0]
    reached = (_apart(every[~singular][:, None], ends[None]) < MET).any(axis=1)
    stopped = t[~arrived & ~away]
    explained = (_apart(stopped[:, None], every[singular][None]) < MEETING).any(axis=1)
    return bool(reached.all() and explained.all())


def _apart(a: AnyArray, b: AnyArray) -> FloatArray:
    """Largest difference of complex angles (..., 6) without whole turns."""
    difference = np.asarray(a - b)
    largest = np.maximum(np.abs(wrapped(difference.real)), np.abs(difference.imag)).max(axis=-1)
    return np.asarray(largest)
