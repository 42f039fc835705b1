"""Which directions are moved along and which are pressed along."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray, read_only_copy
from tarsus.errors import ArgumentError
from tarsus.spatial._arrays import as_matrix


@dataclass(frozen=True, eq=False)
class Selection:
    """Directions of a frame in which forces are controlled, in axes of a surface (Raibert and Craig 1981).

    Attributes
    ----------
    force : sequence of bool, shape (6,)
        True where the force along an axis, or the moment about it, is controlled: linear first.
    axes : array_like, shape (3, 3)
        R_WS, columns are the axes of the surface in the world; those of the world by default.
    """

    force: Sequence[bool]
    axes: npt.ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        mask = np.asarray(self.force)
        if mask.shape != (6,) or mask.dtype != bool or not mask.any():
            raise ArgumentError(f"force of Selection is {self.force!r}; expected 6 booleans, one of them True at least")
        R = read_only_copy(as_matrix(self.axes, "axes of Selection"))
        if R.shape != (3, 3) or np.abs(R @ R.T - np.eye(3)).max() > 1e-6:
            raise ArgumentError(f"axes of Selection is {self.axes!r}; expected orthonormal columns, shape (3, 3)")
        object.__setattr__(self, "force", tuple(bool(on) for on in mask))
        object.__setattr__(self, "axes", R)

    def turned(self, rows: FloatArray) -> FloatArray:
        """Linear and angular components (..., 6) or (..., 6, n) of the world in the axes of the surface."""
        R_t = np.asarray(self.axes).T
        both = np.zeros((6, 6))
        both[:3, :3] = both[3:, 3:] = R_t
        return np.asarray(both @ rows)

    def components(self, vector: FloatArray) -> FloatArray:
        """A vector (..., 6) of the world in the axes of the surface."""
        return self.turned(vector[..., None])[..., 0]
