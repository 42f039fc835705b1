"""Limits of joints and distances as rows of accelerations of whole-body control."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel
from tarsus.control.whole_body.terms import Terms
from tarsus.errors import ArgumentError
from tarsus.ik.acceleration.cost import Dynamics
from tarsus.ik.acceleration.limits import SecondOrderLimits
from tarsus.model import Model


class LimitRows(NamedTuple):
    """lower <= A vdot <= upper, each row of length one.

    Attributes
    ----------
    A : ndarray, shape (m, nv)
    lower, upper : ndarray, shape (m,)
        [rad/s^2, m/s^2].
    names : tuple of str
    """

    A: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]


def chosen_limits(
    limits: bool | SecondOrderLimits, collision: CollisionModel | None, margin: float
) -> SecondOrderLimits | None:
    """The law of all limits that were asked for; None where there are none.

    Parameters
    ----------
    limits : bool or SecondOrderLimits
        True is the law with its defaults.
    collision : CollisionModel, optional
    margin : float
        [m].
    """
    if isinstance(limits, bool):
        found = SecondOrderLimits(position=limits, velocity=limits)
    elif isinstance(limits, SecondOrderLimits):
        found = limits
    else:
        raise ArgumentError(f"limits is {limits!r}; expected True, False or tarsus.ik.SecondOrderLimits")
    if found.torque:
        raise ArgumentError("limits has torque=True; torques of whole-body control are limited by torque_limits")
    if not (isinstance(margin, float | int | np.number) and np.isfinite(margin)):
        raise ArgumentError(f"margin is {margin!r}; expected one number [m]")
    if collision is not None:
        if found.scene is not None:
            raise ArgumentError("limits has a scene; expected it there or as collision, not twice")
        found = replace(found, scene=collision, margin=margin)
    elif margin:
        raise ArgumentError(f"margin is {margin!r} without collision; expected a collision model that keeps it")
    any_limit = found.position or found.velocity or found.acceleration is not None or found.scene is not None
    return found if any_limit else None


def limit_rows(model: Model, limits: SecondOrderLimits | None, terms: Terms) -> LimitRows:
    """Rows at a state, by the law of `SecondOrderLimits`."""
    if limits is None:
        return LimitRows(np.zeros((0, model.nv)), np.zeros(0), np.zeros(0), ())
    rows = limits.rows(model, terms.q, terms.v, Dynamics(terms.M, terms.h))
    return LimitRows(rows.matrix(), np.array(rows.lower), np.array(rows.upper), tuple(rows.names))
