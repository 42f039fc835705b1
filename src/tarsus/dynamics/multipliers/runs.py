"""Multipliers by runs of the O(n) algorithm, after Gattringer and Bremer (2005), Buschmann 2014 section 3.4.2."""

from __future__ import annotations

import numpy as np

from tarsus.dynamics.constraints.state_kinematics import times, transposed
from tarsus.dynamics.forward import solve_mass
from tarsus.dynamics.multipliers.problem import ConstrainedProblem, Solution, symmetric


def solve_runs(problem: ConstrainedProblem) -> Solution:
    """Take m + 2 runs of the articulated-body recursion for m constraints.

    One run without multipliers gives the free acceleration, one for each multiplier the response to a unit of it (the
    columns of M^-1 J^T), which are runs of a batch; then G = J M^-1 J^T gives the multipliers, and a last run the
    accelerations. O(m n + m^3).
    """
    J = problem.J
    rhs = np.concatenate([problem.force[..., None, :], J], axis=-2)
    responses = solve_mass(problem.model, problem.q[..., None, :], rhs)
    free, unit = responses[..., 0, :], responses[..., 1:, :]
    G = symmetric(J @ transposed(unit))
    multipliers = problem.independent.solve(G, problem.target - times(J, free))
    total = problem.force + times(transposed(J), multipliers)
    return Solution(solve_mass(problem.model, problem.q, total), multipliers)
