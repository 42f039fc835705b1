"""The closed configuration from which the branch of a loop is followed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import LoopError
from tarsus.model.loops.conditions import rank
from tarsus.model.loops.solver import LoopSolver

RESTARTS = 30
RESTART_SEED = 20141
NEARBY = (0.05, 0.05, 0.01, 0.002)
"""Distances [rad or m] of configurations that tell whether the reference is singular."""
RETURN_STEPS = 16
"""Steps in which independent joints go back to where they were drawn."""


def close(solver: LoopSolver, q: FloatArray) -> FloatArray:
    """Configuration near q in which a subsystem is closed and put together the right way.

    Raises
    ------
    LoopError
        Where neither q nor random places near it lead to one.
    """
    dofs = solver.tree.dofs(solver.joints)
    closed = _closed_by_passive(solver, q)
    if closed is None:
        closed = solver.solve(q, dofs)
    if closed is None:
        closed = solver.project(q, dofs)
    if closed is None:  # perhaps it closes up to the digits of a file
        closed = solver.solve(q, dofs, max(loop.tolerance for loop in solver.subsystem.loops))
    rng = np.random.default_rng(RESTART_SEED)
    for restart in range(RESTARTS):
        if closed is not None and solver.assembled(closed):
            break
        step = rng.uniform(-1.0, 1.0, len(dofs)) * (1.5 if restart < RESTARTS // 2 else np.pi)
        closed = solver.solve(solver.moved(q, dofs, step), dofs)
    if closed is None or not solver.assembled(closed):
        names = solver.tree.names(solver.joints)
        raise LoopError(f"loop {solver.subsystem.name} cannot be closed by its joints {names}")
    return closed


def _closed_by_passive(solver: LoopSolver, q: FloatArray) -> FloatArray | None:
    """The closed configuration with all drives where they are, if the joints without a drive get there."""
    joints = solver.tree.joints
    passive = [j for j in solver.joints if not joints[j].actuated or joints[j].nq != joints[j].nv]
    if not passive or len(passive) == len(solver.joints):
        return None
    closed = solver.project(q, solver.tree.dofs(passive))
    return closed if closed is not None and solver.assembled(closed) else None


def refuse_singular(solver: LoopSolver, q: FloatArray, columns: IntArray, r: int) -> None:
    """A configuration in which branches meet, for instance a stretched parallelogram, does not tell which is meant.

    There the conditions have a lower rank than at closed configurations nearby.
    """
    _, A = solver.equations(q)
    _, _, directions = np.linalg.svd(A[:, columns])
    rng = np.random.default_rng(RESTART_SEED)
    moves = len(columns) == r
    for distance in NEARBY:
        direction = rng.normal(size=len(columns) - r) @ directions[r:]
        step = distance * direction / max(float(np.linalg.norm(direction)), 1e-300)
        near = solver.solve(solver.moved(q, columns, step), columns)
        if near is None:
            continue
        moves |= bool(np.abs(near - q).max() > 0.1 * distance)
        if rank(solver.equations(near)[1][:, columns]) > r:
            raise LoopError(
                f"{solver.name} is singular where it is drawn: several branches meet "
                "there; give a reference configuration on the one that is meant"
            )
    if not moves:
        raise LoopError(
            f"{solver.name} is singular where it is drawn: it is free to move by "
            "infinitesimal amounts only; give another reference configuration"
        )


def drawn(solver: LoopSolver, q: FloatArray, dependents: IntArray, free: Sequence[int]) -> FloatArray:
    """The closed configuration with the joints `free` where they were to start, if the loop follows there."""
    tree = solver.tree
    places = [k for j in free for k in range(tree.q_start[j], tree.q_start[j + 1])]
    goal, origin, moved = tree.start[places], q[places], q
    for k in range(1, RETURN_STEPS + 1):
        moved = moved.copy()
        moved[places] = origin + (goal - origin) * k / RETURN_STEPS
        solved = solver.solve(moved, dependents)
        if solved is None:
            return q
        moved = solved
    return moved
