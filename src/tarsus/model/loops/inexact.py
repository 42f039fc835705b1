"""Loops whose axes are not exact: combinations of their closing conditions that leave the mechanism its mobility.

A planar four-bar whose axes are parallel up to the digits of a file satisfies all conditions of its loop joint in one
position only. What its maker meant shows in the singular values of the conditions: some belong to the mechanism, the
others are as small as the rounding of the file wherever the mechanism goes. The left singular vectors U_r of the first
kind are the combinations U_r^T c(q) = 0 that are closed: at the reference this is the configuration of least squares.
They are as many as they have rank, so that positions, velocities and accelerations fit together exactly.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import LoopError, Problem
from tarsus.model.loops.closure import Closure
from tarsus.model.loops.conditions import CLOSED
from tarsus.model.loops.solver import LoopSolver

EXACT = 1e-9
"""Singular value up to which a condition is redundant: a unit of motion opens the loop by no more than rounding."""
MOVES = (0.05, 0.1, 0.2, 0.2)
"""Distances [rad, or loop sizes] at which it is looked whether small singular values stay small."""
MOVE_SEED = 20142


class _Spectrum(NamedTuple):
    """Left singular vectors (loop conditions, k) and singular values of dimensionless conditions."""

    vectors: FloatArray
    values: FloatArray


def keep_mobility(solver: LoopSolver, reference: FloatArray) -> bool:
    """Give a solver the combinations of conditions that an inexact loop keeps; False where it is exact or rigid.

    Raises
    ------
    LoopError
        Where the reference does not close the loop exactly, and no combination makes a mechanism of it.

    Notes
    -----
    A condition is ignored if its singular value, as a share of the size of the loops, is below their `tolerance` here
    and in configurations nearby. One that is small because the reference is near a singular position grows there.
    """
    tolerance = max(loop.tolerance for loop in solver.subsystem.loops)
    scale = _Scale(solver, reference)
    vectors, values = scale.spectrum(reference)
    exact = int(np.sum(values > EXACT * _largest(values)))
    relations = len(solver.subsystem.relations)
    for kept in range(scale.count(values, tolerance), exact):
        combinations = vectors[:, :kept].T * scale.rows
        solver.weights = np.zeros((kept + relations, len(scale.rows) + relations))
        solver.weights[:kept, : len(scale.rows)] = combinations
        solver.weights[kept:, len(scale.rows) :] = np.eye(relations)
        if _stays(solver, reference, scale, kept, tolerance):
            return True
    solver.weights = None
    if np.abs(solver.conditions(reference)[0]).max(initial=0.0) > 1e3 * CLOSED:
        names = solver.tree.names(solver.joints)
        raise LoopError(f"loop {solver.subsystem.name} cannot be closed by its joints {names}")
    return False


def misfit_warning(solver: LoopSolver, closure: Closure, reference: FloatArray) -> Problem:
    """What is to be known of a loop that is not exact: by how much its joints miss along the followed range."""
    misfits = np.abs([solver.conditions(q)[0] for q in _followed(solver, closure, reference)]).max(axis=0)
    rows = np.cumsum([0, *solver.subsystem.counts])
    per_loop = [float(misfits[a:b].max(initial=0.0)) for a, b in itertools.pairwise(rows)]
    worst = int(np.argmax(per_loop))
    name, free = f"loop {solver.subsystem.name}", len(closure.dofs) - closure.dependents
    message = (
        f"{name} is not exact: axes or lengths do not fit. Closed in the sense of least squares it leaves its "
        f"joints {free} degree{'s' if free != 1 else ''} of freedom; the joint "
        f"{solver.subsystem.loops[worst].name!r} that closes it misses by up to {per_loop[worst]:.1e} m or rad"
    )
    source = solver.subsystem.loops[0].source
    return Problem("warning", "inexact-loop", message, name, f"{per_loop[worst]:.1e}", *source)


def _largest(values: FloatArray) -> float:
    return max(float(values[0]) if values.size else 0.0, 1.0)


class _Scale:
    """Conditions without units: lengths as shares of the size of the loops.

    Attributes
    ----------
    rows : ndarray, shape (loop conditions,)
        Factors of the conditions.
    """

    def __init__(self, solver: LoopSolver, reference: FloatArray) -> None:
        tree = solver.tree
        self.rows = solver.factors(reference)[: len(solver.subsystem.rows)]
        self._columns = tree.dofs(solver.joints)
        self._motions = solver.units(reference)
        self._solver = solver

    def spectrum(self, q: FloatArray) -> _Spectrum:
        """Of the conditions of the loops, for motions that respect the relations between joints."""
        _, A = self._solver.conditions(q)
        A = A[:, self._columns] * self._motions
        loops, relations = A[: len(self.rows)] * self.rows[:, None], A[len(self.rows) :]
        _, s, directions = np.linalg.svd(relations)
        allowed = directions[len(s) :].T
        u, values, _ = np.linalg.svd(loops @ allowed, full_matrices=False)
        return _Spectrum(u, values)

    def misfit(self, q: FloatArray) -> float:
        """Largest residual of the loops."""
        value = self._solver.conditions(q)[0][: len(self.rows)] * self.rows
        return float(np.abs(value).max(initial=0.0))

    @staticmethod
    def count(values: FloatArray, tolerance: float) -> int:
        """Number of singular values that a tolerance does not explain."""
        return int(np.sum(values > tolerance * _largest(values)))

    def moved(self, q: FloatArray, direction: FloatArray) -> FloatArray:
        """The configuration after a motion without units."""
        return self._solver.moved(q, self._columns, direction * self._motions)

    def solve(self, q: FloatArray) -> FloatArray | None:
        """A closed configuration near q."""
        return self._solver.solve(q, self._columns)

    def free_directions(self, q: FloatArray) -> FloatArray:
        """Motions that keep the loops closed, (count, velocities)."""
        _, A = self._solver.equations(q)
        _, values, directions = np.linalg.svd(A[:, self._columns] * self._motions)
        return np.asarray(directions[int(np.sum(values > EXACT)) :])


def _stays(solver: LoopSolver, reference: FloatArray, scale: _Scale, kept: int, tolerance: float) -> bool:
    """Whether the mechanism moves with `kept` combinations closed, and the other conditions stay as good as closed."""
    directions = scale.free_directions(reference)
    rng = np.random.default_rng(MOVE_SEED)
    moved = 0
    for distance in MOVES:
        direction = rng.normal(size=len(directions)) @ directions
        length = float(np.linalg.norm(direction))
        if length == 0.0:
            return False
        near = scale.solve(scale.moved(reference, distance / length * direction))
        if near is None:
            continue
        if scale.count(scale.spectrum(near).values, tolerance) > kept or scale.misfit(near) > tolerance:
            return False
        moved += 1
    return moved > 0


def _followed(solver: LoopSolver, closure: Closure, reference: FloatArray) -> list[FloatArray]:
    """Closed configurations along the table of a closure; where it has none, near the reference."""
    if closure.table.ndim == 3:
        found = []
        for k, knot in enumerate(closure.table):
            q = reference.copy()
            q[closure.coordinates[closure.dependents]] = closure.first + k * closure.spacing
            q[list(closure.coordinates[: closure.dependents])] = knot[:, 0]
            found.append(q)
        return found
    scale = _Scale(solver, reference)
    directions = scale.free_directions(reference)
    both = [scale.solve(scale.moved(reference, sign * MOVES[-1] * d)) for d in directions for sign in (-1.0, 1.0)]
    return [reference, *(q for q in both if q is not None)]
