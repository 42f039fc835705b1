"""Choice of a subsystem's independent joints: asked for, driven, sprung, well-conditioned, near the root.

With a basis N of the motions that the closing conditions leave (velocities x freedoms), every choice I of independent
velocities has the slopes G = N N_I^-1. How well I determines the others is the largest of them, in radians or in sizes
of the loops: at a dead point of an independent joint it is infinite, and a joint that hardly moves while the others do
makes it large. It is averaged over the reference and places around it, because any one place may be near a dead point.
Where several joints lead, the share of the box between their limits that the loop covers counts as well (coverage.py).
Leaf springs lead before other joints without a drive: what they do is small, and their limits are narrow. Where the
best choice has a dead point on the loop's way, the next ones are tried (reduction.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import LoopError, Problem
from tarsus.model.loops.conditions import RANK_TOLERANCE, independent_columns, rank
from tarsus.model.loops.coverage import covered_shares, is_bounded
from tarsus.model.loops.reference import refuse_singular
from tarsus.model.loops.solver import LoopSolver

STEEPEST = 100.0
"""Mean largest slope above which a drive does not lead: it is at, or near, a dead point."""
AS_GOOD = 3.0
"""Choices whose slopes are within this factor of the best are equally good: nearness to the root decides."""
MOST_COVERED = 0.5
"""Choices that cover less of their box than this part of what the best choice covers of its own are worse."""
PLACES, DISTANCE, PLACE_SEED = 6, 0.2, 20144
"""Closed configurations around the reference in which slopes are looked at, and how far away they are [rad, sizes]."""
MOST_CHOICES = 20000
"""That are compared; beyond it joints are taken in their order."""


def choose_dependents(
    solver: LoopSolver, reference: FloatArray, leaders: Collection[int] | None = None
) -> tuple[IntArray, list[Problem]]:
    """Velocities of the tree that the others determine, and warnings about conditions that do not matter.

    Parameters
    ----------
    solver : LoopSolver
    reference : ndarray, shape (nq_tree,)
    leaders : collection of int, optional
        Joints that lead, of `ranked_leaders`; the best ones by default.

    Raises
    ------
    LoopError
        Where the reference is singular, no choice of whole joints is possible, or joints that shall lead cannot.
    """
    tree, s = solver.tree, solver.subsystem
    _, A = solver.equations(reference)
    columns = tree.dofs(solver.joints)
    r = rank(A[:, columns])
    refuse_singular(solver, reference, columns, r)
    order = _most_dependent_first(solver)
    if leaders is None:
        ranked = _ranked(solver, reference, order, len(columns) - r)
        leaders = ranked[0] if ranked else None
    if leaders is None:
        groups = independent_columns(A, [tree.dofs([j]) for j in order], r)
        dofs = np.concatenate(groups) if groups else np.zeros(0, dtype=int)
    else:
        dofs = tree.dofs(j for j in order if j not in leaders)
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


def ranked_leaders(solver: LoopSolver, reference: FloatArray) -> list[set[int]]:
    """Choices of joints that lead, the best first, of those with the same drives and springs."""
    columns = solver.tree.dofs(solver.joints)
    freedoms = len(columns) - rank(solver.equations(reference)[1][:, columns])
    return _ranked(solver, reference, _most_dependent_first(solver), freedoms) or []


def independent_joints(solver: LoopSolver, dependents: IntArray) -> list[int]:
    """Joints of a subsystem that are not among the dependents."""
    return [j for j in solver.joints if solver.tree.v_start[j] not in dependents]


def _ranked(solver: LoopSolver, reference: FloatArray, order: Sequence[int], freedoms: int) -> list[set[int]] | None:
    """Choices of joints that lead, the best first; None where there are too many to compare them all.

    Raises
    ------
    LoopError
        Where joints that were asked for do not determine the others.
    """
    asked = _asked(solver)
    able = [j for j in order if solver.tree.joints[j].nq == solver.tree.joints[j].nv]  # a ball has no minimal ones
    choices = list(_choices(solver, able, asked, freedoms))
    if len(choices) > MOST_CHOICES:
        if asked:
            raise LoopError(f"{solver.name} has too many joints to let {solver.tree.names(asked)} lead it")
        return None
    motions = _motions(solver, reference, freedoms)
    slopes = {choice: _slope(solver, motions, choice) for choice in choices}
    possible = {choice: slope for choice, slope in slopes.items() if np.isfinite(slope)}
    if not possible:
        if asked:
            raise LoopError(
                f"{solver.name} has {freedoms} degree{'s' if freedoms != 1 else ''} of freedom, and cannot be led by "
                f"{solver.tree.names(asked)}: they do not determine the others"
            )
        return [set()] if freedoms == 0 else None
    followers = {solver.tree.index[c.joint] for c in solver.subsystem.relations}

    def drives(choice: tuple[int, ...]) -> tuple[int, int, int]:
        driven = sum(_driven(solver, j) for j in choice if j not in followers)
        sprung = sum(bool(np.any(solver.tree.joints[j].stiffness)) and not _driven(solver, j) for j in choice)
        return -sum(j in followers for j in choice), driven, sprung

    regular = {choice: slope for choice, slope in possible.items() if slope < STEEPEST} or possible
    most = max(map(drives, regular))
    equal = _against_the_best({choice: slope for choice, slope in regular.items() if drives(choice) == most})
    if freedoms > 1 and len(equal) > 1 and is_bounded(solver):
        shares = covered_shares(solver, reference, freedoms, equal)
        covered = AS_GOOD * MOST_COVERED * max(shares.values())
        equal = {choice: max(slope, covered / max(shares[choice], 1e-9)) for choice, slope in equal.items()}
    place = {j: k for k, j in enumerate(order)}

    def merit(choice: tuple[int, ...]) -> tuple[float, list[int]]:
        left = sorted(place[j] for j in order if j not in choice)
        return max(equal[choice], AS_GOOD), left

    return [set(choice) for choice in sorted(equal, key=merit)]


def _against_the_best(slopes: Mapping[tuple[int, ...], float]) -> dict[tuple[int, ...], float]:
    """Slopes as multiples of the smallest one, or of one."""
    best = max(min(slopes.values()), 1.0)
    return {choice: slope / best for choice, slope in slopes.items()}


def _asked(solver: LoopSolver) -> list[int]:
    """Joints of the subsystem that its loops name as independent."""
    named = {name for loop in solver.subsystem.loops for name in loop.independent}
    return [j for j in solver.joints if solver.tree.joints[j].name in named]


def _choices(solver: LoopSolver, able: Sequence[int], asked: Sequence[int], freedoms: int) -> Iterator[tuple[int, ...]]:
    """Sets of whole joints, those that were asked for among them, with as many velocities as there are freedoms."""
    sizes = {j: solver.tree.joints[j].nv for j in able}
    rest = [j for j in able if j not in asked]
    left = freedoms - sum(sizes.get(j, freedoms + 1) for j in asked)
    count = 0

    def fill(first: int, left: int, taken: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        nonlocal count
        if left == 0:
            count += 1
            yield taken
            return
        for k in range(first, len(rest)):
            if sizes[rest[k]] <= left and count <= MOST_CHOICES:
                yield from fill(k + 1, left - sizes[rest[k]], (*taken, rest[k]))

    if left >= 0:
        yield from fill(0, left, tuple(asked))


def _motions(solver: LoopSolver, reference: FloatArray, freedoms: int) -> list[FloatArray]:
    """Bases of the motions without units that keep the loops closed, (velocities, freedoms), at and around a place."""
    columns, units = solver.tree.dofs(solver.joints), solver.units(reference)

    def basis(q: FloatArray) -> FloatArray | None:
        A = solver.equations(q)[1][:, columns] * units
        if len(columns) - rank(A) != freedoms:
            return None
        return np.asarray(np.linalg.svd(A)[2][len(columns) - freedoms :].T)

    found = [basis(reference)]
    rng = np.random.default_rng(PLACE_SEED)
    for _ in range(PLACES):
        if found[0] is None or freedoms == 0:
            break
        direction = found[0] @ rng.normal(size=freedoms)
        step = DISTANCE * units * direction / np.linalg.norm(direction)
        near = solver.solve(solver.moved(reference, columns, step), columns)
        found.append(None if near is None else basis(near))
    return [N for N in found if N is not None]


def _slope(solver: LoopSolver, motions: Sequence[FloatArray], choice: tuple[int, ...]) -> float:
    """Mean of the largest slopes of a choice of independent joints; infinite where it is singular at the reference."""
    columns = solver.tree.dofs(solver.joints)
    rows = np.flatnonzero(np.isin(columns, solver.tree.dofs(choice)))
    sizes = []
    for k, N in enumerate(motions):
        N_I = N[rows]
        smallest = float(np.linalg.svd(N_I, compute_uv=False)[-1]) if N_I.size else 1.0
        if smallest < RANK_TOLERANCE:
            if k == 0:
                return np.inf
            sizes.append(1.0 / RANK_TOLERANCE)
            continue
        sizes.append(float(np.abs(N @ np.linalg.inv(N_I)).max(initial=0.0)) if N_I.size else 1.0)
    return float(np.exp(np.mean(np.log(sizes)))) if sizes else np.inf


def _driven(solver: LoopSolver, j: int) -> bool:
    joint = solver.tree.joints[j]
    return joint.actuated and not joint.name.startswith("_")


def _most_dependent_first(solver: LoopSolver) -> list[int]:
    """Order in which joints become dependent: balls, followers, those without drive, far ones, sliders.

    A ball joint cannot be independent, so its three velocities are taken before others use up the conditions.
    """
    tree, s = solver.tree, solver.subsystem
    asked = set(_asked(solver))
    followers = {tree.index[c.joint] for c in s.relations}

    def reluctance(j: int) -> tuple[bool, bool, bool, bool, int, bool]:
        joint = tree.joints[j]
        return (
            joint.nq == joint.nv,
            j in asked,
            j not in followers,
            _driven(solver, j),
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
