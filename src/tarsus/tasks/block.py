"""Tasks as the native core knows them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Rows of one kind (`native/model/tasks.hpp`).

    Attributes
    ----------
    kind : {"position", "orientation", "center", "sight", "momentum", "spin", "posture"}
    components : ndarray of int, shape (rows,)
        Entries of the block's error that count; of postures, places in v.
    target : ndarray, shape (..., numbers)
        The point, the matrix by rows, or the coordinates that are wanted. Momenta have none: their targets are
        velocities.
    frame, reference : str, optional
    coordinates : ndarray of int, shape (rows,), optional
        Of postures: places in q.
    axis : ndarray, shape (9,)
        Of sights: the axis and the two across it.
    """

    kind: str
    components: IndexArray
    target: FloatArray
    frame: str | None = None
    reference: str | None = None
    coordinates: IndexArray | None = None
    axis: FloatArray = field(default_factory=lambda: np.zeros(9))


def components(chosen: BoolArray) -> IndexArray:
    """Places of the entries that count."""
    return np.flatnonzero(chosen)
