"""Gradients of distances that do not jump: a temporal filter, Buschmann 2014 section 5.4.2."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel, DistanceJacobian, ObstaclePoses
from tarsus.errors import ArgumentError, ShapeError


class FilteredJacobian:
    """Distances of a collision model with Jacobians that follow the true ones with a delay.

    Swept spheres are not strictly convex: where nearest points jump, as between parallel faces, gradients jump, too,
    and so would what a controller makes of them. The filtered Jacobian J_f obeys T dJ_f/dt + J_f = J with the time
    constant T: behind a jump, 63 % of it is there after T and 95 % after 3 T. While gradients change slowly it lags
    behind them by T. Distances are not filtered.

    Parameters
    ----------
    scene : CollisionModel
    time_constant : float
        T [s]. A few cycles of the controller that uses it; 0 filters nothing.
    """

    __slots__ = ("_jacobian", "scene", "time_constant")

    def __init__(self, scene: CollisionModel, time_constant: float) -> None:
        if not (isinstance(time_constant, (int, float)) and math.isfinite(time_constant) and time_constant >= 0):
            raise ArgumentError(f"time_constant is {time_constant!r}, expected a finite number of at least 0 [s]")
        self.scene = scene
        self.time_constant = float(time_constant)
        self._jacobian: FloatArray | None = None

    def reset(self) -> None:
        """Forget the past: the next Jacobian is the true one."""
        self._jacobian = None

    def update(
        self, q: npt.ArrayLike, dt: float, *, obstacle_poses: ObstaclePoses | None = None, threads: int = 1
    ) -> DistanceJacobian:
        """Distances at q, and the filtered Jacobian `dt` after the last call.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Of one robot or a batch, always of the same shape until `reset`.
        dt : float
            [s]

        Returns
        -------
        DistanceJacobian
        """
        if not (np.isfinite(dt) and dt > 0):
            raise ArgumentError(f"dt is {dt!r}, expected a finite number above 0 [s]")
        now = self.scene.distance_jacobian(q, obstacle_poses=obstacle_poses, threads=threads)
        if self._jacobian is None or self.time_constant == 0:
            self._jacobian = np.array(now.jacobian)
        elif self._jacobian.shape != now.jacobian.shape:
            raise ShapeError(
                f"q has shape {np.shape(q)}, but the filter holds Jacobians of shape {self._jacobian.shape}; reset() "
                "begins anew"
            )
        else:
            self._jacobian += -math.expm1(-dt / self.time_constant) * (now.jacobian - self._jacobian)
        return DistanceJacobian(now.distance, self._jacobian.copy())
