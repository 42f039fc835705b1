"""What objectives add to the cost of velocities: v^T W v / 2 + z . v, Buschmann 2014 (5.7) and (5.62)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError
from tarsus.ik.objectives import AngularMomentum, Objective
from tarsus.ik.objectives.objective import GradientOf
from tarsus.ik.velocity.weighting import Weights
from tarsus.model import Model

Objectives = Objective | AngularMomentum | Sequence[Objective | AngularMomentum]
"""One objective, or several."""


def as_objectives(objectives: Objectives) -> tuple[Objective | AngularMomentum, ...]:
    """One objective or several as a tuple; what is none is refused by name."""
    if isinstance(objectives, Objective | AngularMomentum):
        return (objectives,)
    if not isinstance(objectives, Sequence):
        raise ArgumentError(f"objectives is {objectives!r}; expected objectives of tarsus.ik.objectives")
    for one in objectives:
        if not isinstance(one, Objective | AngularMomentum):
            raise ArgumentError(f"objectives holds {one!r}; expected objectives of tarsus.ik.objectives")
    if sum(isinstance(one, AngularMomentum) for one in objectives) > 1:
        raise ArgumentError("objectives holds AngularMomentum more than once; expected one with all axes that count")
    return tuple(objectives)


def split_objectives(objectives: Objectives, dt: float) -> tuple[GradientOf | None, tuple[AngularMomentum, ...]]:
    """Gradient of the objectives of the configuration along a motion in steps of `dt` [s], and those of velocities."""
    given = as_objectives(objectives)
    gradients = [one.along(dt) for one in given if isinstance(one, Objective)]

    def gradient(model: Model, q: FloatArray) -> FloatArray:
        return np.asarray(sum((one(model, q) for one in gradients), np.zeros(model.nv)))

    return gradient if gradients else None, tuple(one for one in given if isinstance(one, AngularMomentum))


def weights_and_gradient(
    model: Model, q: npt.ArrayLike, objectives: Objectives, D: FloatArray, z: FloatArray
) -> tuple[Weights, FloatArray]:
    """W and z with all objectives.

    Parameters
    ----------
    q : array_like, shape (..., nq)
    D : ndarray, shape (nv,)
        Diagonal weights of velocities.
    z : ndarray, shape (..., nv)
        Gradient that was given beside the objectives.
    """
    W: Weights = D
    scale = 1.0
    for one in as_objectives(objectives):
        z = np.asarray(z + one.gradient(model, q))
        if isinstance(one, AngularMomentum):
            W, scale = one.weighting(model, q, D), one.scale
    return W, z / scale
