"""Whether loops stay on their branches from one state to the next, as native/simulation/branches.hpp looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.arrays import FloatArray

if TYPE_CHECKING:
    from tarsus.model import Model

_JUMP = 0.5
"""Deviation of dependents from their mean slope, relative to the motion, that is another branch."""
_NOISE = 1e-6
"""Deviation [rad or m] that is none."""


def follows_from_reference(model: Model) -> bool:
    """Whether a model has loops with several independent joints, which are followed from the reference each time."""
    return any(_is_followed(model, i) for i in range(len(model.coordinates.closures)))


def other_branch(model: Model, q_old: FloatArray, q: FloatArray) -> int | None:
    """Number in the native core of a loop that is not where it was a step before, or None.

    Parameters
    ----------
    q_old, q : ndarray, shape (nq,)
        Configurations at the ends of a step.
    """
    both = np.stack([q_old, q])
    start, end = model.joint_positions(both)
    motion_of_tree = model.coupling_matrix(both).mean(axis=0) @ model.difference(q_old, q)
    for i, closure in enumerate(model.coordinates.closures):
        if not _is_followed(model, i):
            continue
        dofs, places = list(closure.dofs), list(closure.coordinates)
        flat = [k for k in range(closure.dependents) if places.count(places[k]) == 1]  # not of balls
        expected = motion_of_tree[dofs]
        deviation = [end[places[k]] - start[places[k]] - expected[k] for k in flat]
        if np.abs(deviation).max(initial=0.0) > _JUMP * np.abs(expected).max(initial=0.0) + _NOISE:
            return model.coordinates.followers + i
    return None


def _is_followed(model: Model, i: int) -> bool:
    closure = model.coordinates.closures[i]
    return closure.kind == "loop" and closure.table.size == 0
