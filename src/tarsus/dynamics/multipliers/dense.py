"""The index-1 system as it stands, Buschmann 2014 (3.58) and (3.61), by one dense factorisation."""

from __future__ import annotations

import numpy as np

from tarsus.dynamics.constraints.state_kinematics import transposed
from tarsus.dynamics.mass_matrix import mass_matrix
from tarsus.dynamics.multipliers.independent_rows import regular
from tarsus.dynamics.multipliers.problem import ConstrainedProblem, Solution
from tarsus.errors import MasslessJointError


def solve_dense(problem: ConstrainedProblem) -> Solution:
    """Solve (M, -J^T; -J, 0) (vdot; lambda) = (-h*; d/dt(J) v + 2 alpha dPhi/dt + alpha^2 Phi) for independent rows.

    In (3.58) the lower left block is printed with a transpose that does not belong there, and in both equations
    d/dt(dPhi/dqdot) stands for d/dt(dPhi/dq). O((n + m)^3).
    """
    rows = problem.independent
    J = transposed(rows.basis) @ problem.J
    nv, k = J.shape[-1], J.shape[-2]
    K = np.zeros((*J.shape[:-2], nv + k, nv + k))
    K[..., :nv, :nv] = mass_matrix(problem.model, problem.q)
    K[..., :nv, nv:] = -transposed(J)
    K[..., nv:, :nv] = -J
    K[..., nv:, nv:] = regular(K[..., nv:, nv:], rows.kept)
    rhs = np.concatenate([problem.force, -rows.compress(problem.target)], axis=-1)
    try:
        x = np.linalg.solve(K, rhs[..., None])[..., 0]
    except np.linalg.LinAlgError:
        raise MasslessJointError("a joint moves no inertia, and no constraint fixes its acceleration") from None
    return Solution(x[..., :nv], rows.expand(x[..., nv:]))
