"""Two points at a constant distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.dynamics.constraints.lowering import PairRow, RowKind
from tarsus.dynamics.constraints.pair import PairConstraint
from tarsus.errors import ArgumentError


@dataclass(frozen=True, slots=True, eq=False)
class Rod(PairConstraint):
    """A massless rod between the origins of two frames: |p_AB| = length.

    The multiplier is the force in the rod [N], positive under compression.

    Attributes
    ----------
    frame_a, frame_b, pose_a, pose_b
        See `PairConstraint`.
    length : float
        [m], positive.
    """

    length: float = 1.0

    def __post_init__(self) -> None:
        PairConstraint.__post_init__(self)
        if not (np.isfinite(self.length) and self.length > 0.0):
            raise ArgumentError(f"length of {self.label} is {self.length}, expected a positive number")

    def describe(self) -> str:
        """Kind and ends."""
        return f"rod between {self.frame_a!r} and {self.frame_b!r}"

    def rows(self) -> list[PairRow]:
        """|p| - length."""
        return [PairRow(RowKind.DISTANCE, value=float(self.length))]

    def failure(self) -> str:
        """Ends in one place."""
        return f"the ends of {self.label} coincide, so that it has no direction"
