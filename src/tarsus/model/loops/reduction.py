"""Kinematic loops brought into minimal coordinates while a model is made.

The model is a graph: a spanning tree and the joints that close its loops. Joints of connected loops form one
subsystem (Buschmann 2014, sections 2.3.2 and 3.4.2); its independent joints are chosen on its primary branch, that is,
drives and joints near the root first. What a subsystem's joints look like as functions of the independent ones is
followed from a closed reference configuration, so that every configuration belongs to the branch that continues the
drawn one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import LoopError, Problem
from tarsus.model.coupling import Coupling, Loop
from tarsus.model.loops.closure import Closure
from tarsus.model.loops.conditions import Condition
from tarsus.model.loops.independents import choose_dependents, independent_joints, ranked_leaders
from tarsus.model.loops.inexact import keep_mobility, misfit_warning
from tarsus.model.loops.inside_limits import brought_inside, is_beyond, moved_warning, towards
from tarsus.model.loops.leader_limits import Interval, intersection, polynomial_interval
from tarsus.model.loops.path import Path, with_path
from tarsus.model.loops.reference import close, drawn
from tarsus.model.loops.solver import LoopSolver, slopes
from tarsus.model.loops.spanning_tree import SpanningTree
from tarsus.model.loops.subsystems import find_subsystems, join_couplings


class Reduction(NamedTuple):
    """Closures of a model's loops.

    Attributes
    ----------
    closures : tuple of Closure
    reference : ndarray, shape (nq_tree,)
        Closed configuration of the spanning tree.
    reach : dict of int to (float, float)
        Interval of an independent coordinate of the tree in which its loop closes, where it is bounded.
    joined : frozenset of str
        Joints of linear couplings that became part of a loop's closure.
    warnings : tuple of Problem
    """

    closures: tuple[Closure, ...]
    reference: FloatArray
    reach: dict[int, tuple[float, float]]
    joined: frozenset[str]
    warnings: tuple[Problem, ...]


def reduce_loops(tree: SpanningTree, loops: Sequence[Loop], couplings: Sequence[Coupling]) -> Reduction:
    """Closures of all loops; linear couplings of joints in a loop are taken into it."""
    reach: dict[int, tuple[float, float]] = {}
    closures = [_polynomial(tree, loop, reach) for loop in loops if loop.kind == "polynomial"]
    subsystems = find_subsystems(tree, [loop for loop in loops if loop.kind != "polynomial"])
    joined = join_couplings(tree, subsystems, couplings)
    taken = {k for c in closures for k in c.dofs}
    for s in subsystems:
        if any(tree.v_start[j] in taken for j in s.joints):
            raise LoopError(f"loop {s.name} contains a joint with a polynomial coupling; couplings='cut' opens it")
    solvers = [LoopSolver(tree, s) for s in subsystems]
    reference = tree.start
    for solver in solvers:
        reference = close(solver, reference)
    warnings: list[Problem] = []
    for solver in solvers:
        led = _led(solver, reference)
        if led.path.dead:
            led = _past_dead_points(solver, reference) or led
        reference = led.reference
        closures.append(led.path.closure)
        warnings += led.warnings
        warnings += [misfit_warning(solver, led.path.closure, reference)] if solver.weights is not None else []
        _narrow(reach, led.path.reach)
        warnings += _out_of_reach(solver, led.path.reach)
    return Reduction(tuple(closures), reference, reach, frozenset(joined), tuple(warnings))


class _Led(NamedTuple):
    """A subsystem with its leaders: where its branch starts, the way from there, and warnings."""

    reference: FloatArray
    path: Path
    warnings: list[Problem]


def _led(solver: LoopSolver, closed: FloatArray, leaders: Collection[int] | None = None) -> _Led:
    """A subsystem that is closed somewhere, led by the best joints or by those that are given."""
    reference, dependents, warnings = _reference(solver, closed, leaders)
    return _Led(reference, with_path(solver, _closure(solver, reference, dependents), reference), warnings)


def _past_dead_points(solver: LoopSolver, closed: FloatArray) -> _Led | None:
    """The subsystem led by the next best joint that has no dead point anywhere on the way, None where there is none.

    Coordinates that are led by a joint end at its dead points. The coupler of a double rocker goes round where crank
    and rocker turn back.
    """
    for leaders in ranked_leaders(solver, closed)[1:]:
        try:
            led = _led(solver, closed, leaders)
        except LoopError:
            continue
        if not led.path.dead:
            return led
    keep_mobility(solver, closed)
    return None


def _reference(
    solver: LoopSolver, closed: FloatArray, leaders: Collection[int] | None
) -> tuple[FloatArray, IntArray, list[Problem]]:
    """Where a subsystem's branch starts, its dependents, and warnings.

    That is where it is drawn, or, if limits of its joints forbid that and nobody asked for it, the place nearest to it
    inside of all limits.
    """
    tree = solver.tree
    asked = any(tree.joints[j].name in tree.given for j in solver.joints)
    inside = None if asked or not is_beyond(solver, closed) else brought_inside(solver, closed)
    if inside is not None:
        try:
            return _reference_inside(solver, inside, closed, leaders)
        except LoopError:
            pass  # closed up to digits only there, or singular: as drawn
    keep_mobility(solver, closed)
    dependents, warnings = choose_dependents(solver, closed, leaders)
    return drawn(solver, closed, dependents, independent_joints(solver, dependents)), dependents, warnings


def _reference_inside(
    solver: LoopSolver, inside: FloatArray, closed: FloatArray, leaders: Collection[int] | None
) -> tuple[FloatArray, IntArray, list[Problem]]:
    """The same from a configuration inside all limits, for a loop that is closed elsewhere."""
    keep_mobility(solver, inside)
    dependents, warnings = choose_dependents(solver, inside, leaders)
    exact = solver.solve(inside, dependents)  # with the conditions that are kept
    start = inside if exact is None else exact
    reference = towards(solver, start, solver.tree.start, dependents, independent_joints(solver, dependents))
    return reference, dependents, [*warnings, moved_warning(solver, closed, reference)]


def _closure(solver: LoopSolver, reference: FloatArray, dependents: IntArray) -> Closure:
    """The closure of a subsystem, solved numerically from its slope at the reference."""
    tree = solver.tree
    free = tree.dofs(independent_joints(solver, dependents))
    ordered = [*dependents.tolist(), *free.tolist()]
    _, A = solver.equations(reference)
    return Closure(
        "loop",
        solver.name,
        tuple(ordered),
        tuple(tree.coordinate(k) for k in ordered),
        len(dependents),
        (*solver.subsystem.rows, *(_relation(tree, c, ordered) for c in solver.subsystem.relations)),
        slopes(A[:, dependents], A[:, free]),
        weights=np.zeros((0, 0)) if solver.weights is None else solver.weights,
    )


def _relation(tree: SpanningTree, c: Coupling, dofs: Sequence[int]) -> Condition:
    """A linear coupling as a condition of the closure with the given velocities."""
    a, b = (dofs.index(int(tree.v_start[tree.index[name]])) for name in (c.joint, c.leader))
    zero = np.zeros(3)
    return Condition("relation", a, b, np.array([c.ratio, c.offset, 0.0]), zero, zero, zero)


def _out_of_reach(solver: LoopSolver, bounds: Mapping[int, Interval]) -> list[Problem]:
    """Warnings about limits of leading joints that lie wholly outside of where their loop closes."""
    tree, found = solver.tree, []
    for place, (first, last) in bounds.items():
        joint = tree.joints[int(np.searchsorted(tree.q_start, place, side="right")) - 1]
        low, high = float(joint.q_min[0]), float(joint.q_max[0])
        if low > last or high < first:
            name = f"loop {solver.subsystem.name}"
            message = (
                f"{name} closes for {joint.name!r} from {first:.6g} to {last:.6g} only, outside of that joint's limits "
                f"{low:.6g} to {high:.6g}, which are left out"
            )
            source = solver.subsystem.loops[0].source
            found.append(Problem("warning", "limits-out-of-reach", message, name, f"{low:.6g}", *source))
    return found


def _narrow(reach: dict[int, Interval], found: Mapping[int, Interval]) -> None:
    for place, interval in found.items():
        reach[place] = intersection(reach.get(place), interval) or interval


def _polynomial(tree: SpanningTree, loop: Loop, reach: dict[int, Interval]) -> Closure:
    """The closure of a nonlinear coupling of two joints; the limits of the follower narrow the reach of its leader."""
    follower, leader = (tree.joints[tree.index[name]] for name in (loop.link_a, loop.link_b))
    dofs = tuple(int(tree.v_start[j.index]) for j in (follower, leader))
    places = tuple(int(tree.q_start[j.index]) for j in (follower, leader))
    name = f"coupling {loop.name!r} of joint {follower.name!r} to {leader.name!r}"
    if follower.nq != 1 or leader.nq != 1:
        raise LoopError(f"{name} is between joints of kinds {follower.kind!r} and {leader.kind!r}, not of one axis")
    if not loop.coefficients or not np.isfinite(loop.coefficients).all():
        raise LoopError(f"{name} has the coefficients {loop.coefficients}; expected one or more finite numbers")
    inside = polynomial_interval(
        loop.coefficients,
        (leader.q_min[0], leader.q_max[0]),
        follower.q_min[0],
        follower.q_max[0],
        float(tree.start[places[1]]),
    )
    _narrow(reach, {} if inside is None else {places[1]: inside})
    slope = np.array([[loop.coefficients[1] if len(loop.coefficients) > 1 else 0.0]])
    return Closure("polynomial", name, dofs, places, 1, slope=slope, table=np.array(loop.coefficients))
