"""The constrained equations of motion at a state, as every method of solving them reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tarsus.dynamics.constraints.constraint import ConstraintRows, EvaluatedConstraint
from tarsus.dynamics.multipliers.independent_rows import IndependentRows
from tarsus.model.model import Model
from tarsus.spatial.pose import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedProblem:
    """M vdot = force + J^T lambda and J vdot = target, Buschmann 2014 (3.58) and (3.61).

    Attributes
    ----------
    model : Model
    q, v : ndarray, shapes (..., nq), (..., nv)
    force : ndarray, shape (..., nv)
        -h*: applied forces less Coriolis, centrifugal and gravity terms.
    parts : sequence of EvaluatedConstraint
    rows : ConstraintRows
        All of them, stacked.
    target : ndarray, shape (..., m)
        -(d/dt(J) v + 2 alpha dPhi/dt + beta^2 Phi).
    independent : IndependentRows
    """

    model: Model
    q: FloatArray
    v: FloatArray
    force: FloatArray
    parts: Sequence[EvaluatedConstraint]
    rows: ConstraintRows
    target: FloatArray
    independent: IndependentRows

    @property
    def J(self) -> FloatArray:
        """Stacked Jacobian, shape (..., m, nv)."""
        return self.rows.jacobian


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Accelerations and multipliers of a `ConstrainedProblem`; shapes (..., nv), (..., m)."""

    vdot: FloatArray
    multipliers: FloatArray


def symmetric(A: npt.NDArray[Any]) -> FloatArray:
    """The symmetric part, which rounding has left only nearly so."""
    result: FloatArray = 0.5 * (A + np.swapaxes(A, -1, -2))
    return result
