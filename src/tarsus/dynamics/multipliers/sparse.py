"""The index-1 system by a factorisation that exploits the tree, Buschmann 2014 (3.58), (3.61)."""

from __future__ import annotations

import numpy as np

from tarsus.dynamics.constraints.state_kinematics import times, transposed
from tarsus.dynamics.multipliers.problem import ConstrainedProblem, Solution
from tarsus.dynamics.multipliers.tree_factor import tree_factor


def solve_sparse(problem: ConstrainedProblem) -> Solution:
    """Eliminate vdot first: M = L^T L along the tree, Y = L^-T J^T, and the Schur complement G = Y^T Y.

    The paths of the tree are all that is visited of M, so that the cost is O(n d^2 + n d m + m^3) for depth d.
    """
    factor = tree_factor(problem.model, problem.q)
    J = problem.J
    b = np.concatenate([problem.force[..., None], transposed(J)], axis=-1)
    y = factor.solve_transposed(b)
    free, Y = y[..., 0], y[..., 1:]
    Y_T = transposed(Y)
    multipliers = problem.independent.solve(Y_T @ Y, problem.target - times(Y_T, free))
    vdot = factor.solve((free + times(Y, multipliers))[..., None])[..., 0]
    return Solution(vdot, multipliers)
