"""Velocities by a hierarchy: inequalities that must hold, then tasks of falling priority."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.ik.velocity.damped import MOST, NEAR
from tarsus.ik.velocity.inequality import Inequality, Moment, VelocityRows, stacked_rows
from tarsus.ik.velocity.levels import Item
from tarsus.model import Model
from tarsus.optimization.conflict import Rows, irreducible_rows
from tarsus.optimization.hierarchy import Hierarchy, Level
from tarsus.tasks import Task

FOLLOWED, HELD_BACK, INFEASIBLE, FAILED = "followed", "held back", "infeasible", "failed"

AT_BOUND = 1e-9
"""Distance from a bound, relative to the sizes it is made of, at which a row counts as active, or as missed."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedVelocity:
    """What a hierarchy gives at one configuration.

    Attributes
    ----------
    v : ndarray, shape (nv,)
    wanted : ndarray, shape (m,)
        Velocities that the tasks of all levels ask for.
    residuals : tuple of float
        Largest miss of each task or inequality, in the order in which they were given, level by level.
    status : {"followed", "held back", "infeasible", "failed"}
        Whether the tasks of the first level move as they ask, or less; whether rows that must hold cannot; whether a
        program could not be solved, where v is zero.
    active : tuple of str
        Rows that must hold and are at a bound.
    conflict : tuple of str
        Rows that cannot hold together.
    disturbance : float
        Largest change of what a level reaches by those below it: rounding.
    """

    v: FloatArray
    wanted: FloatArray
    residuals: tuple[float, ...]
    status: str
    active: tuple[str, ...]
    conflict: tuple[str, ...]
    disturbance: float


@dataclass(frozen=True, slots=True, eq=False)
class RankedProblem:
    """Rows of one configuration.

    Attributes
    ----------
    bounds, held : VelocityRows
        Limits of joints, which hold first, and the other inequalities that must hold.
    levels : tuple of tuple of VelocityRows
        Of the tasks and inequalities of every level; tasks have equal bounds.
    weights : tuple of tuple of ndarray
        Of the rows.
    """

    bounds: VelocityRows
    held: VelocityRows
    levels: tuple[tuple[VelocityRows, ...], ...]
    weights: tuple[tuple[FloatArray, ...], ...]


def ranked_problem(
    model: Model,
    levels: Sequence[Sequence[Item]],
    moment: Moment,
    limits: Inequality | None,
    inequalities: Sequence[Inequality],
) -> RankedProblem:
    """Rows of everything that was asked for."""
    nothing = stacked_rows((), model.nv)
    bounds = nothing if limits is None else limits.rows(model, moment)
    held = stacked_rows([part.rows(model, moment) for part in inequalities], model.nv)
    rows = tuple(tuple(_rows(model, item, moment) for item in level) for level in levels)
    weights = tuple(
        tuple(
            item.weights(model) if isinstance(item, Task) else np.ones(len(own.lower))
            for item, own in zip(level, parts, strict=True)
        )
        for level, parts in zip(levels, rows, strict=True)
    )
    if not any((weight > 0).any() for level in weights for weight in level):
        raise ArgumentError("nothing is asked for: the tasks have no rows, or all of their weights are zero")
    return RankedProblem(bounds, held, rows, weights)


def _rows(model: Model, item: Item, moment: Moment) -> VelocityRows:
    if isinstance(item, Inequality):
        return item.rows(model, moment)
    wanted = np.asarray(item.target_velocity(model) + item.gain * item.error(model, moment.q), dtype=float)
    name = type(item).__name__
    return VelocityRows(
        item.jacobian(model, moment.q), wanted, wanted, tuple(f"{name} row {k}" for k in range(len(wanted)))
    )


def ranked_velocity(problem: RankedProblem, W: FloatArray, z: FloatArray, damped: bool = True) -> RankedVelocity:
    """Solve all levels, in coordinates sqrt(W) v.

    Levels are damped near their own singularities, along the directions that they lose (`Level`). Levels below are
    confined to the nullspace of what a level moves, whether it was damped or not: damping takes from the level itself
    and gives to none.

    Parameters
    ----------
    W : ndarray, shape (nv,)
        Weights of v^2.
    z : ndarray, shape (nv,)
        Gradient of an objective that shall fall where the levels leave room.
    """
    root = np.sqrt(W)
    levels = [Level(rows.A / root, lower=rows.lower, upper=rows.upper) for rows in (problem.bounds, problem.held)]
    damping, near = (MOST, NEAR) if damped else (0.0, 0.0)
    for parts, weights in zip(problem.levels, problem.weights, strict=True):
        rows, weight = stacked_rows(parts, len(W)), np.concatenate(weights)
        kept = weight > 0
        A, scale = rows.A[kept] * weight[kept, None] / root, weight[kept]
        lower, upper = rows.lower[kept] * scale, rows.upper[kept] * scale
        levels.append(Level(A, lower=lower, upper=upper, damping=damping, near=near))
    solution = Hierarchy(levels).solve(-z / root)
    v = solution.x / root if solution.success else np.zeros(len(W))
    return _answer(problem, v, solution.success, solution.disturbance)


def _answer(problem: RankedProblem, v: FloatArray, solved: bool, disturbance: float) -> RankedVelocity:
    residuals = tuple(
        float(np.abs(_slack(rows, v) * (weight > 0)).max(initial=0.0))
        for level, weights in zip(problem.levels, problem.weights, strict=True)
        for rows, weight in zip(level, weights, strict=True)
    )
    wanted = [rows.lower for level in problem.levels for rows in level if np.array_equal(rows.lower, rows.upper)]
    hard = stacked_rows((problem.bounds, problem.held), len(v))
    conflict = _conflict(hard, v)
    status = INFEASIBLE if conflict else FOLLOWED
    first = problem.levels[0]
    size = max((float(np.abs(rows.lower[np.isfinite(rows.lower)]).max(initial=0.0)) for rows in first), default=0.0)
    if status == FOLLOWED and max(residuals[: len(first)], default=0.0) > AT_BOUND * (1.0 + size):
        status = HELD_BACK
    return RankedVelocity(
        v=v,
        wanted=np.concatenate(wanted) if wanted else np.zeros(0),
        residuals=residuals,
        status=status if solved else FAILED,
        active=_active(hard, v),
        conflict=conflict,
        disturbance=disturbance,
    )


def _slack(rows: VelocityRows, v: FloatArray) -> FloatArray:
    value = rows.A @ v
    return np.asarray(value - np.clip(value, rows.lower, rows.upper))


def _active(rows: VelocityRows, v: FloatArray) -> tuple[str, ...]:
    value = rows.A @ v
    room = AT_BOUND * (1.0 + np.abs(rows.A) @ np.abs(v))
    at = (value >= rows.upper - room) | (value <= rows.lower + room)
    return tuple(rows.names[k] for k in np.flatnonzero(at))


def _conflict(rows: VelocityRows, v: FloatArray) -> tuple[str, ...]:
    """Rows that cannot hold together; those that are missed where no such set is told."""
    missed = np.abs(_slack(rows, v)) > AT_BOUND * (1.0 + np.abs(rows.A) @ np.abs(v))
    if not missed.any():
        return ()
    finite = np.isfinite(rows.lower) | np.isfinite(rows.upper)
    numbers = tuple(int(k) for k in np.flatnonzero(finite))
    chosen = irreducible_rows(Rows(numbers, rows.A[finite], rows.lower[finite], rows.upper[finite]))
    return tuple(rows.names[k] for k in (chosen or np.flatnonzero(missed)))
