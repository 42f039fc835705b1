"""How much of the box between the limits of leading joints a loop with several of them can reach.

Limits of several leaders are not narrowed to where their loop closes with all followers inside their limits. Of a box
that is hardly covered, few places can be used: a rod that could turn round leads badly where leaf springs hold it.
A walk through closed configurations inside all limits, in steps of parts of the joints' ranges, tells the covariance C
of the coordinates; evenly spread over the box of a choice I of leaders, det(12 C_I) would be one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.model.loops.solver import LoopSolver

TRIES, STRIDE, WALK_SEED = 150, 0.3, 20145
"""Steps of the walk, and their length as a part of the ranges."""
NARROWEST = 1e-3
"""Range between limits [rad, sizes of the loops] below which a joint counts as one that can still move."""


def covered_shares(
    solver: LoopSolver, reference: FloatArray, freedoms: int, choices: Collection[tuple[int, ...]]
) -> dict[tuple[int, ...], float]:
    """Share of the box between the limits of each choice of leaders that is reached, at most one.

    Parameters
    ----------
    solver : LoopSolver
    reference : ndarray, shape (nq_tree,)
        A closed configuration.
    freedoms : int
        More than one.
    choices : collection of tuple of int
        Joints whose coordinates are vectors.
    """
    tree = solver.tree
    joints = sorted({j for choice in choices for j in choice})
    places = [k for j in joints for k in range(tree.q_start[j], tree.q_start[j + 1])]
    owner = [j for j in joints for _ in range(tree.q_start[j], tree.q_start[j + 1])]
    ranges = _ranges(solver, solver.joints, reference)
    scale = _ranges(solver, joints, reference)
    found = np.array([q[places] / scale for q in _walk(solver, reference, freedoms, ranges)])
    C = 12.0 * np.atleast_2d(np.cov(found.T))
    shares = {}
    for choice in choices:
        rows = [k for k, j in enumerate(owner) if j in choice]
        shares[choice] = float(np.sqrt(np.clip(np.linalg.det(C[np.ix_(rows, rows)]), 0.0, 1.0)))
    return shares


def is_bounded(solver: LoopSolver) -> bool:
    """Whether some joint of a subsystem has limits."""
    joints = (solver.tree.joints[j] for j in solver.joints)
    return any(bool(np.isfinite(x).any()) for joint in joints for x in (joint.q_min, joint.q_max))


def _walk(solver: LoopSolver, reference: FloatArray, freedoms: int, ranges: FloatArray) -> list[FloatArray]:
    """Closed configurations; steps that leave the limits are not taken."""
    columns = solver.tree.dofs(solver.joints)
    rng = np.random.default_rng(WALK_SEED)
    here, beyond = reference, _beyond(solver, reference)
    found = []
    for _ in range(TRIES):
        A = solver.equations(here)[1][:, columns] * ranges
        basis = np.linalg.svd(A)[2][len(columns) - freedoms :].T
        step = STRIDE * ranges * (basis @ rng.normal(size=freedoms))
        near = solver.solve(solver.moved(here, columns, step), columns)
        if near is not None and _beyond(solver, near) <= max(beyond, 0.0):
            here, beyond = near, _beyond(solver, near)
        found.append(here)
    return found


def _ranges(solver: LoopSolver, joints: Sequence[int], reference: FloatArray) -> FloatArray:
    """Ranges of the velocities of some joints between their limits [rad or m], at most a turn or six loop sizes."""
    found = []
    size = solver.size(reference)
    for j in joints:
        joint = solver.tree.joints[j]
        units = [size if slide else 1.0 for slide in joint.traits.slides[: joint.nv]]
        own = joint.q_max - joint.q_min if joint.nq == joint.nv else np.full(joint.nv, np.inf)
        found += list(np.clip(own, NARROWEST * np.array(units), 2.0 * np.pi * np.array(units)))
    return np.array(found)


def _beyond(solver: LoopSolver, q: FloatArray) -> float:
    """How far a joint with vector coordinates is beyond its limits, at most; negative inside."""
    tree, most = solver.tree, -np.inf
    for j in solver.joints:
        joint = tree.joints[j]
        if joint.nq == joint.nv:
            own = q[tree.q_start[j] : tree.q_start[j + 1]]
            most = max(most, float(np.max(joint.q_min - own)), float(np.max(own - joint.q_max)))
    return most
