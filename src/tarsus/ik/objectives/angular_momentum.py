"""Angular momentum as small as the tasks allow, Buschmann 2014 (5.62)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.dynamics import momentum_matrix
from tarsus.errors import ArgumentError
from tarsus.ik.velocity.weighting import LowRankWeights
from tarsus.model import Model
from tarsus.spatial._arrays import as_vector


@dataclass(frozen=True, eq=False)
class AngularMomentum:
    """Cost beta/2 (gamma v^T D v + |L - target|^2) of velocities, with L = A v about the centre of mass.

    It is no function of the configuration: it takes the place of the cost v^T D v / 2 of velocities, whose diagonal D
    is `weights` of `tarsus.ik.velocity`. The weighting matrix is beta (gamma D + A^T A) (5.62), of which nothing but A
    is kept. Where a momentum shall be followed exactly, it is a task: `tarsus.tasks.Momentum`.

    Attributes
    ----------
    axes : sequence of bool, shape (3,)
        Which components count, world axes; the vertical one by default.
    gamma : float
        Weight of the velocities beside the momentum, above 0 [kg^2 m^4 for rad/s]; that of figure 5.11 by default.
    weight : float
        beta, which says how much all of it counts beside other objectives, above 0.
    target : array_like, shape (3,)
        [kg m^2/s], world axes.
    """

    axes: Sequence[bool] = (False, False, True)
    gamma: float = 0.008
    weight: float = 1.0
    target: npt.ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        mask = np.asarray(self.axes)
        if mask.shape != (3,) or mask.dtype != bool or not mask.any():
            raise ArgumentError(
                f"axes of AngularMomentum is {self.axes!r}; expected 3 booleans, one of them True at least"
            )
        for name in ("gamma", "weight"):
            value = getattr(self, name)
            if not (isinstance(value, int | float) and np.isfinite(value) and value > 0):
                raise ArgumentError(f"{name} of AngularMomentum is {value!r}; expected a number above 0")
        object.__setattr__(self, "axes", tuple(bool(axis) for axis in mask))
        object.__setattr__(self, "target", read_only_copy(as_vector(self.target, "target of AngularMomentum", 3)))

    def rows(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Rows of A that count, shape (..., k, nv)."""
        A: FloatArray = momentum_matrix(model, q)[..., 3:, :][..., np.asarray(self.axes), :]
        return A

    def value(self, model: Model, q: npt.ArrayLike, v: npt.ArrayLike) -> FloatArray:
        """beta/2 (gamma v^T v + |L - target|^2), shape (...), for D = 1."""
        v = as_vector(v, "v", model.nv)
        L = (self.rows(model, q) @ v[..., None])[..., 0] - np.asarray(self.target)[..., np.asarray(self.axes)]
        return np.asarray(0.5 * self.weight * (self.gamma * (v * v).sum(axis=-1) + (L * L).sum(axis=-1)))

    @property
    def scale(self) -> float:
        """Beta gamma, by which the whole cost is divided, so that damping near singularities acts as without it."""
        return self.weight * self.gamma

    def weighting(self, model: Model, q: npt.ArrayLike, D: FloatArray) -> LowRankWeights:
        """W / scale = D + A^T A / gamma for D of shape (nv,)."""
        return LowRankWeights(D, self.rows(model, q) / np.sqrt(self.gamma))

    def gradient(self, model: Model, q: npt.ArrayLike) -> FloatArray:
        """Linear part of the cost, -beta A^T target, shape (..., nv)."""
        target = np.asarray(self.target)[..., np.asarray(self.axes)]
        return np.asarray(-self.weight * (target[..., None, :] @ self.rows(model, q))[..., 0, :])
