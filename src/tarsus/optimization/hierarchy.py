"""Lexicographic hierarchies of linear tasks, equalities and inequalities on every level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.optimization.arguments import read_array, refuse_bad_bounds, refuse_non_finite
from tarsus.optimization.qp import QP
from tarsus.optimization.solution import ITERATION_LIMIT, OPTIMAL

RANK_TOLERANCE = 1e-11
"""Singular values of a level below this part of its largest row do not take freedom from later levels."""
UNMOVED = 1e-10
"""Part of a row within the freedom that is left, below which it is rounding."""
ROUNDING = 1e-10
"""By how much rows may differ from the program's after x has been refined, relative to them."""
MISSED = 1e-11
"""Slack of a row, relative to the sizes it is made of, above which a level cannot hold it."""


Rows = tuple[FloatArray, FloatArray, FloatArray]
"""Rows and their lower and upper bounds."""


class Level:
    """Rows lower <= A x <= upper of one priority, to be missed as little as possible.

    Parameters
    ----------
    A : array_like, shape (m, n)
    target : array_like, shape (m,), or a number, optional
        A x = target; instead of bounds.
    lower, upper : array_like, shape (m,), or a number, optional
        Infinite where there is none; equal for equalities.
    name : str
    damping : float
        Root of the weight of |x|^2 beside the squares of what the rows are missed by.
    near : float
        Where it is positive, only directions in which the equalities, as far as earlier levels leave them room, have a
        singular value s < near are damped, by damping^2 (1 - (s / near)^2) (after Maciejewski and Klein 1988); room
        ends at bounds, too. Levels below live in the nullspace of these rows all the same: damping says what a level
        gives up, never to whom.
    """

    def __init__(
        self,
        A: npt.ArrayLike,
        target: npt.ArrayLike | None = None,
        *,
        lower: npt.ArrayLike | None = None,
        upper: npt.ArrayLike | None = None,
        name: str = "",
        damping: float = 0.0,
        near: float = 0.0,
    ) -> None:
        self.A = read_array("A", A, (None, None))
        self.name, self.damping, self.near = name, damping, near
        for what, value in (("damping", damping), ("near", near)):
            if not 0.0 <= value < np.inf:
                raise ArgumentError(f"{what}: found {value}, expected a number from 0 on")
        refuse_non_finite("A", self.A)
        m = len(self.A)
        if target is not None:
            if lower is not None or upper is not None:
                raise ArgumentError("target, lower, upper: found a target and bounds, expected one of them")
            self.lower = self.upper = read_array("target", target, (m,))
            refuse_non_finite("target", self.lower)
        else:
            self.lower = np.full(m, -np.inf) if lower is None else read_array("lower", lower, (m,))
            self.upper = np.full(m, np.inf) if upper is None else read_array("upper", upper, (m,))
        refuse_bad_bounds("rows", self.lower, self.upper)

    def slack(self, x: FloatArray) -> FloatArray:
        """By how much rows are missed at x, shape (m,): positive above the upper bound, negative below the lower."""
        value = self.A @ x
        return np.asarray(value - np.clip(value, self.lower, self.upper))


@dataclass(frozen=True)
class HierarchySolution:
    """Result of `Hierarchy.solve`.

    Attributes
    ----------
    x : ndarray, shape (n,)
    status : str
        "optimal", or what became of the program of the level `failed`.
    slacks : tuple of ndarray
        By how much every level misses its rows at x.
    disturbance : float
        Largest change of a slack by levels below it: rounding.
    freedom : tuple of int
        Directions that are left to later levels by equalities and missed rows, level by level.
    iterations : int
        Changes of active sets, over all levels.
    failed : int or None
    """

    x: FloatArray
    status: str
    slacks: tuple[FloatArray, ...]
    disturbance: float
    freedom: tuple[int, ...]
    iterations: int
    failed: int | None = None

    @property
    def success(self) -> bool:
        """Whether all levels were solved."""
        return self.status == OPTIMAL


class _State:
    """The optimal set of the levels so far: x + Z z with rows that must stay within bounds."""

    def __init__(self, n: int) -> None:
        self.x, self.Z = np.zeros(n), np.eye(n)
        self.C, self.lower, self.upper = np.zeros((0, n)), np.zeros(0), np.zeros(0)
        self.iterations = 0

    def held_rows(self) -> Rows:
        """Rows C Z z and bounds seen from x, which is within them; without rows that z cannot move."""
        rows = self.C @ self.Z
        moves = np.linalg.norm(rows, axis=1) > UNMOVED * np.linalg.norm(self.C, axis=1)
        value = self.C[moves] @ self.x
        return rows[moves], np.minimum(self.lower[moves] - value, 0.0), np.maximum(self.upper[moves] - value, 0.0)

    def minimise(self, equalities: FloatArray, target: FloatArray, soft: Rows) -> tuple[str, FloatArray]:
        """Move x by Z z to the least squares of equalities z - target and of what soft rows are missed by.

        Returns the status of the program, and the rows that hold z back; x only moves where there is an optimum.
        """
        holding = np.zeros((0, self.Z.shape[1]))
        held = self.held_rows()
        rows, lower, upper = (np.concatenate([a, b]) for a, b in zip(held, soft, strict=True))
        hard = len(held[0])
        weights = np.concatenate([np.full(hard, np.inf), np.ones(len(rows) - hard)])
        H = equalities.T @ equalities
        program = QP(H, -equalities.T @ target, rows, lower, upper, weights=weights)
        solution = program.solve("native")
        self.iterations += solution.iterations
        if solution.status == ITERATION_LIMIT:  # few rows in H and many bounds: the steps of another solver are others
            solution = program.solve("daqp")
            self.iterations += solution.iterations
        if solution.success:
            sides = solution.active
            bounds = np.where(sides > 0, upper, lower)
            tight, missed = np.flatnonzero(sides[:hard]), hard + np.flatnonzero(sides[hard:])
            z = _exact(
                rows[tight], bounds[tight], np.vstack([equalities, rows[missed]]), np.append(target, bounds[missed])
            )
            value, given = rows @ z, rows @ solution.x
            room = ROUNDING * (1.0 + np.abs(given))
            fits = (value >= np.minimum(lower, given) - room) & (value <= np.maximum(upper, given) + room)

            def cost(z: FloatArray) -> float:
                missed = rows[hard:] @ z - np.clip(rows[hard:] @ z, lower[hard:], upper[hard:])
                return float(missed @ missed + ((equalities @ z - target) ** 2).sum())

            exact = fits.all() and cost(z) <= cost(solution.x) * (1.0 + ROUNDING) + ROUNDING**2
            self.x = self.x + self.Z @ (z if exact else solution.x)
            holding = rows[tight]
        return solution.status, holding


def _exact(tight: FloatArray, bound: FloatArray, rows: FloatArray, target: FloatArray) -> FloatArray:
    """The z of least norm in the least squares of rows z - target, with tight z = bound, by singular values.

    The program has the squares of these rows, and half their digits where they nearly depend on each other; what it
    is good for is which rows hold x back.
    """
    z = _least_squares(tight, tight, bound)
    N = nullspace(tight, tight)
    return np.asarray(z + N @ _least_squares(rows @ N, rows, target - rows @ z))


def _least_squares(projected: FloatArray, rows: FloatArray, target: FloatArray) -> FloatArray:
    """The z of least norm, without directions in which nothing but rounding is left of the rows."""
    size = float(np.linalg.norm(rows, axis=1).max(initial=0.0))
    left, s, right = np.linalg.svd(projected, full_matrices=False)
    kept = s > RANK_TOLERANCE * size
    return np.asarray(right[kept].T @ ((left[:, kept].T @ target) / s[kept]))


class Hierarchy:
    """Tasks of falling priority: level k is fulfilled as well as the levels before it allow, and never disturbs them.

    Every level minimises the sum of squares of its slacks over the optimal set of the levels before (Kanoun, Lamiraux
    and Wieber 2011). The optimal set is kept as in Escande, Mansard and Wieber 2014: equalities and missed inequalities
    are locked by restricting x to the nullspace of their rows, inequalities that hold stay inequalities. Of what is
    left in the end, the x nearest to `preferred` is taken. Levels may be of any rank, and contradict each other or
    themselves.

    Parameters
    ----------
    levels : sequence of Level
        The most important one first.

    Examples
    --------
    >>> levels = [Level([[1.0, 1.0]], upper=1.0), Level([[1.0, 0.0], [0.0, 1.0]], target=[2.0, 0.0])]
    >>> Hierarchy(levels).solve().x
    array([ 1.5, -0.5])
    """

    def __init__(self, levels: Sequence[Level]) -> None:
        if not isinstance(levels, Sequence) or not all(isinstance(level, Level) for level in levels):
            raise ArgumentError(f"levels: found {levels!r}, expected a sequence of Level")
        if not levels:
            raise ArgumentError("levels: found none, expected at least one")
        widths = [level.A.shape[1] for level in levels]
        if len(set(widths)) != 1 or widths[0] == 0:
            raise ShapeError(f"levels: found matrices with {widths} columns, expected the same number, at least 1")
        self.levels = tuple(levels)
        self.n = widths[0]

    def solve(self, preferred: npt.ArrayLike | None = None) -> HierarchySolution:
        """Solve all levels.

        Parameters
        ----------
        preferred : array_like, shape (n,), optional
            Where x should be as far as the levels leave it free; zero by default.
        """
        wish = np.zeros(self.n) if preferred is None else read_array("preferred", preferred, (self.n,))
        refuse_non_finite("preferred", wish)
        state, found, freedom = _State(self.n), [], []
        for number, level in enumerate(self.levels):
            status = self._solve_level(level, state)
            found.append(level.slack(state.x))
            freedom.append(state.Z.shape[1])
            if status != OPTIMAL:
                return self._solution(state, status, found, freedom, number)
        status = OPTIMAL
        if state.Z.shape[1] > 0:
            d = state.Z.shape[1]
            empty = (np.zeros((0, d)), np.zeros(0), np.zeros(0))
            status, _ = state.minimise(np.eye(d), state.Z.T @ (wish - state.x), empty)
        return self._solution(state, status, found, freedom, None if status == OPTIMAL else len(self.levels))

    def _solution(
        self, state: _State, status: str, found: list[FloatArray], freedom: list[int], failed: int | None
    ) -> HierarchySolution:
        slacks = tuple(level.slack(state.x) for level in self.levels)
        changes = [np.abs(a - b).max(initial=0.0) for a, b in zip(slacks, found, strict=False)]
        return HierarchySolution(state.x, status, slacks, float(max(changes)), tuple(freedom), state.iterations, failed)

    def _damped(self, level: Level, state: _State, rows: FloatArray, target: FloatArray, soft: Rows) -> str:
        """Minimise with damping; once more where bounds that hold x back leave the rows nearly singular."""
        begin, room = state.x, np.eye(state.Z.shape[1])
        damping = _damping_rows(level, rows, room)
        for again in (True, False):
            state.x = begin
            still = -damping @ (state.Z.T @ state.x)
            status, holding = state.minimise(np.vstack([rows, damping]), np.append(target, still), soft)
            if not again or len(holding) == 0 or level.near == 0.0 or status != OPTIMAL:
                break
            more = _damping_rows(level, rows, nullspace(holding, holding))
            if len(more) == 0:
                break
            damping = np.vstack([damping, more])
        return status

    def _solve_level(self, level: Level, state: _State) -> str:
        """Move x into the optimal set of the level, and restrict what follows to it."""
        status = OPTIMAL
        equal = level.lower == level.upper
        if state.Z.shape[1] > 0 and len(level.A) > 0:
            rows = _cleaned(level.A @ state.Z, level.A)
            value = level.A @ state.x
            soft = (rows[~equal], level.lower[~equal] - value[~equal], level.upper[~equal] - value[~equal])
            status = self._damped(level, state, rows[equal], level.lower[equal] - value[equal], soft)
        slack = level.slack(state.x)
        size = np.abs(level.A) @ np.abs(state.x) + np.abs(level.A).max(axis=1, initial=0.0)
        locked = equal | (np.abs(slack) > MISSED * np.maximum(size, 1.0))
        state.Z = state.Z @ nullspace(level.A[locked] @ state.Z, level.A[locked])
        state.C = np.vstack([state.C, level.A[~locked]])
        state.lower = np.append(state.lower, level.lower[~locked])
        state.upper = np.append(state.upper, level.upper[~locked])
        return status


def _damping_rows(level: Level, projected: FloatArray, room: FloatArray) -> FloatArray:
    """Rows of z whose squares damp a level: all directions, or those of small singular values that are not zero.

    `room` is a basis of the directions that are free, shape (d, k).
    """
    if level.damping == 0.0:
        return np.zeros((0, len(room)))
    if level.near == 0.0:
        return level.damping * np.eye(len(room))
    size = float(np.linalg.norm(level.A, axis=1).max(initial=0.0))
    _, s, right = np.linalg.svd(projected @ room, full_matrices=False)
    small = (s < level.near) & (s > RANK_TOLERANCE * size)
    factor = level.damping * np.sqrt(1.0 - (s[small] / level.near) ** 2)
    return np.asarray(factor[:, None] * (right[small] @ room.T))


def _cleaned(projected: FloatArray, rows: FloatArray) -> FloatArray:
    """Projected rows without what rounding left of directions that earlier levels have taken."""
    size = float(np.linalg.norm(rows, axis=1).max())
    left, s, right = np.linalg.svd(projected, full_matrices=False)
    cleaned = (left * np.where(s > RANK_TOLERANCE * size, s, 0.0)) @ right
    cleaned[np.linalg.norm(cleaned, axis=1) <= UNMOVED * np.linalg.norm(rows, axis=1)] = 0.0
    return np.asarray(cleaned)


def nullspace(projected: FloatArray, rows: FloatArray) -> FloatArray:
    """Orthonormal basis of what rows do not see, shape (d, d - rank); `rows` are those before they were projected."""
    d = projected.shape[1]
    if len(rows) == 0 or d == 0:
        return np.eye(d)
    size = float(np.linalg.norm(rows, axis=1).max())
    _, s, right = np.linalg.svd(projected)
    rank = int((s > RANK_TOLERANCE * size).sum())
    return np.asarray(right[rank:].T)
