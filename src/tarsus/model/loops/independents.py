"""Choice of a subsystem's independent joints: drives and joints near the root first (Buschmann 2014, section 3.4.2)."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import LoopError, Problem
from tarsus.model.loops.conditions import independent_columns, rank
from tarsus.model.loops.reference import refuse_singular
from tarsus.model.loops.solver import LoopSolver


def choose_dependents(solver: LoopSolver, reference: FloatArray) -> tuple[IntArray, list[Problem]]:
    """Velocities of the tree that the others determine, and warnings about conditions that do not matter.

    Raises
    ------
    LoopError
        Where the reference is singular, or no choice of whole joints is possible.
    """
    tree, s = solver.tree, solver.subsystem
    _, A = solver.equations(reference)
    columns = tree.dofs(solver.joints)
    r = rank(A[:, columns])
    refuse_singular(solver, reference, columns, r)
    order = [tree.dofs([j]) for j in _most_dependent_first(solver)]
    dependent = independent_columns(A, order, r)
    dofs = np.concatenate(dependent) if dependent else np.zeros(0, dtype=int)
    if len(dofs) != r or r == 0:
        raise LoopError(
            f"loop {s.name} has no minimal coordinates: no choice of whole joints is determined by the others "
            f"(rank {r}); couplings='cut' opens it"
        )
    for j in independent_joints(solver, dofs):
        if tree.joints[j].nq != tree.joints[j].nv:
            raise LoopError(
                f"loop {s.name} leaves the spherical joint {tree.joints[j].name!r} independent, for which there "
                "are no minimal coordinates; use a universal joint, or couplings='cut'"
            )
    return dofs, _findings(solver, dofs, len(solver.conditions(reference)[0]), r)


def independent_joints(solver: LoopSolver, dependents: IntArray) -> list[int]:
    """Joints of a subsystem that are not among the dependents."""
    return [j for j in solver.joints if solver.tree.v_start[j] not in dependents]


def _most_dependent_first(solver: LoopSolver) -> list[int]:
    """Order in which joints become dependent: balls, followers, those without drive, far ones, sliders.

    A ball joint cannot be independent, so its three velocities are taken before others use up the conditions.
    """
    tree, s = solver.tree, solver.subsystem
    hinted = {name for loop in s.loops for name in loop.independent}
    followers = {tree.index[c.joint] for c in s.relations}

    def reluctance(j: int) -> tuple[bool, bool, bool, bool, int, bool]:
        joint = tree.joints[j]
        driven = joint.actuated and not joint.name.startswith("_")
        return (
            joint.nq == joint.nv,
            joint.name in hinted,
            j not in followers,
            driven,
            -len(tree.way(j)),
            joint.traits.comes_round,
        )

    by_name = sorted(solver.joints, key=lambda j: tree.joints[j].name, reverse=True)  # not by the order of their making
    return sorted(by_name, key=reluctance)


def _findings(solver: LoopSolver, dependents: IntArray, conditions: int, r: int) -> list[Problem]:
    """Warnings about redundant conditions and loops that cannot move."""
    name, source = f"loop {solver.subsystem.name}", solver.subsystem.loops[0].source
    found = []
    if conditions > r:
        message = f"{name} has {conditions} closing conditions of rank {r}: {conditions - r} are redundant"
        found.append(Problem("warning", "redundant-loop", message, name, str(r), *source))
    if not independent_joints(solver, dependents):
        message = f"{name} leaves its joints no freedom; if it should move, its axes are not exact"
        found.append(Problem("warning", "rigid-loop", message, name, "0", *source))
    return found
