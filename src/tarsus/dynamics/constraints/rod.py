"""Two points at a constant distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.dynamics.constraints.pair import PairConstraint
from tarsus.dynamics.constraints.relative_motion import RelativeMotion, Scalar
from tarsus.errors import ArgumentError, SingularityError


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

    def scalars(self, motion: RelativeMotion) -> list[Scalar]:
        """|p| - length; its second derivative contains the velocity across the rod squared over the distance."""
        distance = np.linalg.norm(motion.p, axis=-1)
        if np.any(distance < 1e-9 * self.length):
            raise SingularityError(f"the ends of {self.label} coincide, so that it has no direction")
        direction = motion.p / distance[..., None]
        along = np.einsum("...i,...i->...", direction, motion.u)
        across = np.einsum("...i,...i->...", motion.u, motion.u) - along**2
        gradient = np.concatenate([direction, np.zeros(direction.shape)], axis=-1)
        return [Scalar(distance - self.length, gradient, across / distance)]
