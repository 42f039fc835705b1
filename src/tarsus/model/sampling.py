"""Random configurations in which all loops are closed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import LoopError
from tarsus.model import lowering
from tarsus.model.loops.closure import Closure
from tarsus.spatial.quaternion import random_quaternion

if TYPE_CHECKING:
    from tarsus.model.model import Model

TRIES = 1000
"""Draws of one loop's independent joints for one configuration."""


def random_configurations(model: Model, rng: np.random.Generator, batch: tuple[int, ...]) -> FloatArray:
    """Configurations inside the limits, shape (*batch, nq); see `Model.random`.

    Where the limits of a loop with several independent joints enclose places that it cannot reach, these joints are
    drawn again until it closes, so that what it reaches inside the limits stays equally likely.
    """
    low, high = lowering.sampling_box(model)
    u = rng.random((*batch, low.size))
    q = low * (1.0 - u) + high * u
    for start in lowering.quaternion_starts(model):
        q[..., start : start + 4] = random_quaternion(rng, batch)
    q = lowering.to_user(model, q)
    numeric = any(closure.kind in ("loop", "four-bar") for closure in model.coordinates.closures)
    if numeric and q.size and _open_loop(model, q) is not None:
        rows = q.reshape(math.prod(q.shape[:-1]), model.nq).copy()
        for row in rows:
            _close(model, rng, row, low, high)
        q = rows.reshape(q.shape)
    return q


def _close(model: Model, rng: np.random.Generator, q: FloatArray, low: FloatArray, high: FloatArray) -> None:
    """Draw the independent joints of loops that are open at q, one configuration, until all are closed."""
    c, shift = model.coordinates, lowering.user_shift(model.description)
    tries = dict.fromkeys((closure.name for closure in c.closures), 0)
    while (closure := _open_loop(model, q)) is not None:
        tries[closure.name] += 1
        if tries[closure.name] > TRIES:
            raise LoopError(
                f"none of {TRIES} random configurations inside the limits closes {closure.name}; narrow the limits of "
                "its independent joints to where it closes"
            )
        places = np.array([c.own_q[k] for k in closure.coordinates[closure.dependents :]])
        u = rng.random(len(places))
        q[places + shift] = low[places] * (1.0 - u) + high[places] * u


def _open_loop(model: Model, q: FloatArray) -> Closure | None:
    """A closure that cannot be solved at q, None where all are closed."""
    try:
        model.joint_positions(q)
    except LoopError as error:
        for closure in model.coordinates.closures:
            if closure.name in str(error) and closure.dependents < len(closure.dofs):
                return closure
        raise
    return None
