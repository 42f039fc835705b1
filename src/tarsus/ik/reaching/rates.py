"""Limits of velocities and accelerations of a motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.errors import ArgumentError, ShapeError
from tarsus.model import Model
from tarsus.spatial._arrays import as_array

TURNING, SLIDING = 1.0, 0.25
"""Velocities of joints without a limit [rad/s], [m/s]."""
SPEED_UP = 0.25
"""Time in which a joint reaches its velocity, where no acceleration is given [s]."""


class Rates(NamedTuple):
    """Limits that a motion keeps.

    Attributes
    ----------
    v, vdot : ndarray, shape (nv,)
    assumed : tuple of str
        Joints whose velocity was assumed.
    """

    v: FloatArray
    vdot: FloatArray
    assumed: tuple[str, ...]


def rate_limits(model: Model, v_max: npt.ArrayLike | None, vdot_max: npt.ArrayLike | None) -> Rates:
    """Limits that were given, those of the model, or assumed ones."""
    assumed: list[str] = []
    v = np.array(model.v_max if v_max is None else _limits(model, "v_max", v_max), dtype=float)
    for joint in model.joints.values():
        own = v[joint.v_index]
        without = ~np.isfinite(own) | (own <= 0) if v_max is None else np.zeros(len(own), dtype=bool)
        if without.any():
            assumed.append(joint.name)
            v[joint.v_index] = np.where(without, np.where(joint.traits.slides, SLIDING, TURNING), own)
    vdot = v / SPEED_UP if vdot_max is None else _limits(model, "vdot_max", vdot_max)
    return Rates(v, vdot, tuple(assumed))


def _limits(model: Model, name: str, value: npt.ArrayLike) -> FloatArray:
    given = as_array(value, name)
    if given.shape not in ((), (model.nv,)):
        raise ShapeError(f"{name}: found shape {given.shape}, expected a number or ({model.nv},)")
    if (given <= 0).any():
        raise ArgumentError(f"{name}: found {given.min():g}, expected numbers above 0")
    return np.broadcast_to(given, (model.nv,)).copy()
