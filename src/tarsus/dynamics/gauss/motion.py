"""Several models, and what is grasped among them, at one state: the matrices of the whole system."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.dynamics.gauss import equations
from tarsus.dynamics.gauss.blocks import block_diagonal, in_columns
from tarsus.dynamics.gauss.coordinates import ParameterCoordinates
from tarsus.dynamics.gauss.equations import BodyJacobians, PartMotion
from tarsus.dynamics.gauss.forms import times
from tarsus.dynamics.gauss.grasp import Grasp, grasp_drift, grasp_error, grasp_jacobian
from tarsus.errors import SingularityError

RANK_TOLERANCE = 1e-10
"""Singular values of C_x below this share of the largest one count as zero."""


@final
class SystemMotion:
    """A system at parameters x and rates xdot; each quantity is computed once.

    Vectors of the models stand one after the other, matrices along the diagonal; constraints of the parameters come
    before those of the grasps.

    Parameters
    ----------
    models : sequence of ParameterCoordinates
    grasps : sequence of Grasp
    x, xdot : ndarray, shape (..., nx)
    """

    def __init__(
        self, models: Sequence[ParameterCoordinates], grasps: Sequence[Grasp], x: FloatArray, xdot: FloatArray
    ) -> None:
        ends = np.cumsum([model.nx for model in models]).tolist()
        self.columns = [slice(end - model.nx, end) for model, end in zip(models, ends, strict=True)]
        self.parts = [PartMotion(m, x[..., at], xdot[..., at]) for m, at in zip(models, self.columns, strict=True)]
        self.grasps = grasps
        self.x, self.xdot = x, xdot

    @cached_property
    def G(self) -> FloatArray:
        """Map (..., nv, nx) from rates to velocities."""
        return block_diagonal([part.G for part in self.parts])

    @cached_property
    def G_dot(self) -> FloatArray:
        """Its time derivative."""
        return block_diagonal([part.G_dot for part in self.parts])

    @cached_property
    def v(self) -> FloatArray:
        """Velocity (..., nv)."""
        return np.concatenate([part.v for part in self.parts], axis=-1)

    @cached_property
    def v_drift(self) -> FloatArray:
        """What vdot is at xddot = 0, (..., nv)."""
        return np.concatenate([part.v_drift for part in self.parts], axis=-1)

    @cached_property
    def M(self) -> FloatArray:
        """Mass matrix (..., nx, nx), (25)."""
        return block_diagonal([equations.mass_matrix(part) for part in self.parts])

    @cached_property
    def N(self) -> FloatArray:
        """Velocity matrix (..., nx, nx), (26)."""
        return block_diagonal([equations.velocity_matrix(part) for part in self.parts])

    @cached_property
    def gravity(self) -> FloatArray:
        """Forces of gravity on the parameters, (..., nx)."""
        return np.concatenate([equations.gravity_force(part) for part in self.parts], axis=-1)

    @cached_property
    def bias(self) -> FloatArray:
        """N xdot less gravity, (..., nx)."""
        each = [times(equations.velocity_matrix(part), part.xdot) for part in self.parts]
        return np.concatenate(each, axis=-1) - self.gravity

    @cached_property
    def constraint(self) -> FloatArray:
        """C (..., nc), (27)."""
        own = [part.coordinates.constraint(part.x) for part in self.parts]
        return np.concatenate([*own, *(grasp_error(grasp, self.parts) for grasp in self.grasps)], axis=-1)

    @cached_property
    def constraint_jacobian(self) -> FloatArray:
        """C_x (..., nc, nx)."""
        own = block_diagonal([part.coordinates.constraint_jacobian(part.x) for part in self.parts])
        nx = self.x.shape[-1]
        return np.concatenate([own, *(grasp_jacobian(g, self.parts, self.columns, nx) for g in self.grasps)], axis=-2)

    @cached_property
    def constraint_drift(self) -> FloatArray:
        """(dC_x/dt) xdot (..., nc), (30)."""
        own = [times(p.coordinates.constraint_jacobian_dot(p.x, p.xdot), p.xdot) for p in self.parts]
        return np.concatenate([*own, *(grasp_drift(grasp, self.parts) for grasp in self.grasps)], axis=-1)

    def external(self, wrenches: FloatArray) -> FloatArray:
        """Forces on the parameters (..., nx) of wrenches (..., nb, 6) on the bodies at their origins, world axes."""
        pieces = np.split(wrenches, self._body_splits, axis=-2)
        each = zip(self.parts, pieces, strict=True)
        return np.concatenate([equations.external_force(part, piece) for part, piece in each], axis=-1)

    def jacobians(self, points: FloatArray) -> BodyJacobians:
        """J_t of points (nb, 3) of all bodies and J_r, (..., nb, 3, nx)."""
        each = zip(self.parts, np.split(points, self._body_splits), strict=True)
        return self._stacked([part.jacobians(piece) for part, piece in each])

    def jacobian_rates(self, points: FloatArray) -> BodyJacobians:
        """Time derivatives of `jacobians`."""
        each = zip(self.parts, np.split(points, self._body_splits), strict=True)
        return self._stacked([part.jacobian_rates(piece) for part, piece in each])

    def refuse_singular(self) -> None:
        """Raise `SingularityError` at a singularity of a parametrisation, or where grasps depend on each other."""
        for part in self.parts:
            part.coordinates.refuse_singular(part.x)
        if self.grasps:
            rank, rows = np.min(np.linalg.matrix_rank(self.constraint_jacobian, rtol=RANK_TOLERANCE)), self.rows
            if rank < rows:
                names = ", ".join(f"{grasp.hand!r} at {grasp.held!r}" for grasp in self.grasps)
                raise SingularityError(f"the grasps {names} depend on each other: rank {rank} of {rows} constraints")

    @property
    def rows(self) -> int:
        """Number of constraints."""
        return int(self.constraint_jacobian.shape[-2])

    @property
    def _body_splits(self) -> list[int]:
        """Where the bodies of the second model start, of the third one, ..."""
        counts: list[int] = np.cumsum([part.model.nb for part in self.parts]).tolist()
        return counts[:-1]

    def _stacked(self, parts: list[BodyJacobians]) -> BodyJacobians:
        """Jacobians of several models as one array, zero for the parameters of the others."""
        places, nx = list(zip(parts, self.columns, strict=True)), self.x.shape[-1]
        translational = [in_columns(J.translational, at, nx) for J, at in places]
        rotational = [in_columns(J.rotational, at, nx) for J, at in places]
        return BodyJacobians(np.concatenate(translational, -3), np.concatenate(rotational, -3))
