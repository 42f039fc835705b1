"""Loops that are drawn where the limits of their joints forbid them to be.

Files draw robots with all joints at zero, whether limits allow that or not. A parallelogram that is drawn stretched,
and nearly so, does not tell on which of its branches it is to go on; limits of its joints do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from tarsus.arrays import FloatArray, IntArray
from tarsus.errors import Problem
from tarsus.model.loops.solver import LoopSolver

BEYOND = 1e-6
"""Distance [rad or m] beyond a limit that is rounding."""
INSET = 0.05
"""Share of a joint's range by which positions that are tried first are inside of it."""
STEPS = 64
"""In which joints are moved into their limits."""
TRIES = 40
"""From other places, where the drawn branch does not get into the limits."""
TRY_SEED = 20143
LEAST_SQUARES_STEPS, CLOSED_COST = 100, 1e-8
"""Of a search between the limits, and what it may leave open before Newton's method takes over [m^2 or rad^2]."""
REGULAR = 0.3
"""Share of how well dependents are determined that is left on the way back to the drawing."""
HALVINGS = 50
"""Of the way back to where a loop is drawn, until limits end it."""


def beyond_limits(solver: LoopSolver, q: FloatArray) -> FloatArray:
    """How far each coordinate of a subsystem is beyond its limits [rad or m], shape (coordinates,), 0 inside."""
    places, low, high = _limits(solver)
    return np.asarray(np.maximum(np.maximum(low - q[places], q[places] - high), 0.0))


def is_beyond(solver: LoopSolver, q: FloatArray) -> bool:
    """Whether any joint of a subsystem is beyond its limits by more than rounding."""
    return bool(beyond_limits(solver, q).max(initial=0.0) > BEYOND)


def brought_inside(solver: LoopSolver, q: FloatArray) -> FloatArray | None:
    """A closed configuration in which all joints of a subsystem are inside their limits, None where none is found.

    The branch of q is tried first: joints with limits go into them in small steps while the others follow. Then the
    loop is closed between the limits, from where it is drawn and from q. Then the others, and at last all joints, start
    from anywhere.
    """
    tree, drawn = solver.tree, q.copy()
    for j in solver.joints:  # other loops stay where they are closed
        drawn[tree.q_start[j] : tree.q_start[j + 1]] = tree.start[tree.q_start[j] : tree.q_start[j + 1]]
    for search, start in ((_followed, q), (_between_limits, drawn), (_between_limits, q)):
        found = search(solver, start)
        if found is not None and solver.assembled(found) and not is_beyond(solver, found):
            return found
    places, low, high = _limits(solver)
    bounded = np.isfinite(low) & np.isfinite(high)
    inset = INSET * np.where(bounded, high - low, 0.0)
    nearest = np.clip(q[places], low + inset, high - inset)
    limited = np.isfinite(low) | np.isfinite(high)
    rng = np.random.default_rng(TRY_SEED)
    for k in range(TRIES):
        anywhere = nearest + rng.uniform(-np.pi, np.pi, len(places))
        inside = np.where(bounded, low + rng.uniform(size=len(places)) * np.where(bounded, high - low, 0.0), nearest)
        start = q.copy()
        start[places] = np.where(limited, nearest if k < TRIES // 2 else inside, anywhere)
        closed = _closed(solver, start)
        if closed is None or not solver.assembled(closed):
            continue
        closed = _unwound(solver, closed, q)
        if not is_beyond(solver, closed):
            return closed
    return None


def towards(
    solver: LoopSolver, q: FloatArray, goal: FloatArray, dependents: IntArray, free: Sequence[int]
) -> FloatArray:
    """The last closed configuration inside all limits on the straight way of the joints `free` to those of `goal`.

    The way of several joints ends short of places in which they do not determine the others.
    """
    tree = solver.tree
    places = [k for j in free for k in range(tree.q_start[j], tree.q_start[j + 1])]
    reached, part, step = q, 0.0, 1.0 / STEPS
    determined = partial(_determined, solver, dependents)
    least = REGULAR * determined(q) if len(places) > 1 else 0.0
    way = goal[places] - q[places]
    for _ in range(STEPS + HALVINGS):
        ahead = reached.copy()
        ahead[places] = q[places] + min(part + step, 1.0) * way
        solved = solver.solve(ahead, dependents)
        if solved is not None and not beyond_limits(solver, solved).any() and determined(solved) >= least:
            reached, part = solved, min(part + step, 1.0)
        else:
            step *= 0.5
        if part >= 1.0:
            break
    return reached


def _determined(solver: LoopSolver, dependents: IntArray, q: FloatArray) -> float:
    """How well the dependents are determined: the smallest singular value of their conditions."""
    _, A = solver.equations(q)
    return float(np.linalg.svd(A[:, dependents], compute_uv=False)[-1]) if len(dependents) else 1.0


def moved_warning(solver: LoopSolver, drawn: FloatArray, reference: FloatArray) -> Problem:
    """What is to be known of a loop that starts elsewhere than it is drawn."""
    tree, distances = solver.tree, beyond_limits(solver, drawn)
    places = _limits(solver)[0]
    worst = int(np.argmax(distances))
    joint = tree.joints[int(np.searchsorted(tree.q_start, places[worst], side="right")) - 1]
    name = f"loop {solver.subsystem.name}"
    before, now = (_shown(q[places[worst]]) for q in (drawn, reference))
    message = (
        f"{name} is drawn with {joint.name!r} at {before}, {distances[worst]:.3g} beyond its limits; the reference is "
        f"where all joints of the loop are inside theirs, {joint.name!r} at {now}"
    )
    source = solver.subsystem.loops[0].source
    return Problem("warning", "drawn-beyond-limits", message, name, f"{distances[worst]:.3g}", *source)


def _shown(x: float) -> str:
    return f"{round(float(x), 9) + 0.0:.6g}"


def _followed(solver: LoopSolver, q: FloatArray) -> FloatArray | None:
    """What becomes of q when joints with limits are drawn into them step by step, and all joints close the loop."""
    places, low, high = _limits(solver)
    bounded = np.isfinite(low) & np.isfinite(high)
    inset = INSET * np.where(bounded, high - low, 0.0)
    for k in range(STEPS):
        target = np.clip(q[places], low + inset, high - inset)
        moved = q.copy()
        moved[places] += (target - q[places]) / (STEPS - k)
        solved = _closed(solver, moved)
        if solved is None:
            return None
        q = solved
    return q if solver.assembled(q) else None


def _between_limits(solver: LoopSolver, q: FloatArray) -> FloatArray | None:
    """Least squares of the closing conditions between the limits, from the place in them that is nearest to q."""
    from scipy.optimize import least_squares

    tree, dofs = solver.tree, solver.tree.dofs(solver.joints)
    places, low, high = _limits(solver)
    bounds = np.full((2, len(dofs)), [[-np.inf], [np.inf]])
    flat = np.isin(dofs, tree.dofs(j for j in solver.joints if tree.joints[j].nq == tree.joints[j].nv))
    with np.errstate(invalid="ignore"):
        inset = np.where(np.isfinite(high - low), INSET * (high - low), 0.0)
    bounds[:, flat] = low + inset - q[places], high - inset - q[places]
    bounds[1] = np.maximum(bounds[1], bounds[0] + 1e-9)  # limits that leave nothing
    units = solver.units(q)

    def residual(x: FloatArray) -> FloatArray:
        return solver.equations(solver.moved(q, dofs, x))[0]

    found = least_squares(
        residual,
        np.clip(np.zeros(len(dofs)), bounds[0] + 1e-10, bounds[1] - 1e-10),
        bounds=(bounds[0], bounds[1]),
        x_scale=units,
        max_nfev=LEAST_SQUARES_STEPS,
    )
    if found.cost > CLOSED_COST:
        return None
    return _closed(solver, solver.moved(q, dofs, found.x))


def _closed(solver: LoopSolver, q: FloatArray) -> FloatArray | None:
    """The closed configuration near q, up to the digits of a file where it is not exact."""
    dofs = solver.tree.dofs(solver.joints)
    solved = solver.solve(q, dofs)
    return solver.solve(q, dofs, max(loop.tolerance for loop in solver.subsystem.loops)) if solved is None else solved


def _unwound(solver: LoopSolver, q: FloatArray, near: FloatArray) -> FloatArray:
    """The same configuration with whole turns of joints without limits taken away."""
    places, low, high = _limits(solver)
    tree = solver.tree
    q = q.copy()
    for place, lowest, highest in zip(places, low, high, strict=True):
        joint = tree.joints[int(np.searchsorted(tree.q_start, place, side="right")) - 1]
        if joint.traits.comes_round and joint.nq == 1 and not np.isfinite(lowest) and not np.isfinite(highest):
            q[place] -= 2.0 * np.pi * np.round((q[place] - near[place]) / (2.0 * np.pi))
    return q


def _limits(solver: LoopSolver) -> tuple[IntArray, FloatArray, FloatArray]:
    """Coordinates of a subsystem's joints of which each has a velocity, and their limits."""
    tree = solver.tree
    flat = [j for j in solver.joints if tree.joints[j].nq == tree.joints[j].nv]
    places = np.array([k for j in flat for k in range(tree.q_start[j], tree.q_start[j + 1])], dtype=int)
    low, high = (
        np.concatenate([getattr(tree.joints[j], name) for j in flat] or [np.zeros(0)]) for name in ("q_min", "q_max")
    )
    return places, np.asarray(low, dtype=float), np.asarray(high, dtype=float)
