"""The coordinates of a model that have position limits."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, IndexArray, read_only
from tarsus.model import Model
from tarsus.model.joint import JOINT_TRAITS
from tarsus.spatial._arrays import as_vector


@dataclass(frozen=True, eq=False)
class LimitedCoordinates:
    """Independent coordinates that are plain numbers, and their limits, infinite where there is none.

    Attributes
    ----------
    q_index, v_index : ndarray of int, shape (n,)
        Where they are in q and in v.
    lower, upper : ndarray, shape (n,)
        [rad, m].
    names : tuple of str
        Of their joints.
    """

    q_index: IndexArray
    v_index: IndexArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]

    def of(self, q: npt.ArrayLike, model: Model) -> FloatArray:
        """Their values, shape (..., n)."""
        return as_vector(q, "q", model.nq)[..., self.q_index]

    def spread(self, slopes: FloatArray, model: Model) -> FloatArray:
        """Derivatives by them, shape (..., n), as a gradient of shape (..., nv)."""
        gradient = np.zeros((*slopes.shape[:-1], model.nv))
        gradient[..., self.v_index] = slopes
        return gradient


def limited_coordinates(model: Model) -> LimitedCoordinates:
    """Coordinates with a limit on one side at least; joints that follow others have none of their own."""
    found = _FOUND.get(model)
    if found is None:
        found = _FOUND[model] = _limited_coordinates(model)
    return found


_FOUND: WeakKeyDictionary[Model, LimitedCoordinates] = WeakKeyDictionary()
"""What was found for models: controllers ask a thousand times a second."""


def _limited_coordinates(model: Model) -> LimitedCoordinates:
    places = [
        (q, v, name)
        for name, joint in model.joints.items()
        if JOINT_TRAITS[joint.kind].flat
        for q, v in zip(range(*joint.q_index.indices(model.nq)), range(*joint.v_index.indices(model.nv)), strict=True)
        if np.isfinite(model.q_min[q]) or np.isfinite(model.q_max[q])
    ]
    q_index, v_index = (np.array([place[i] for place in places], dtype=np.intp) for i in (0, 1))
    names = tuple(name for _, _, name in places)
    lower, upper = model.q_min[q_index], model.q_max[q_index]
    return LimitedCoordinates(read_only(q_index), read_only(v_index), read_only(lower), read_only(upper), names)
