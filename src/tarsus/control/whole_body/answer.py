"""What a whole-body controller found at a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tarsus.arrays import FloatArray

SOLVED = "solved"


@dataclass(frozen=True, slots=True, eq=False)
class Command:
    """Accelerations, torques and contact forces of one state.

    Attributes
    ----------
    tau : ndarray, shape (nv,)
        Zero where nothing drives; within the limits whatever the status.
    vdot : ndarray, shape (nv,)
        What the robot is expected to do.
    wrenches : mapping of str to ndarray, shape (6,)
        What each contact does to the robot, by its frame: at the origin of the frame, world axes [N, N m].
    status : str
        "solved", or why not: "infeasible", "iteration-limit", "inaccurate", "contradictory", "singular".
    reason : str
        In words, with the names of rows.
    errors : mapping of str to ndarray
        By how much each task misses the acceleration it asks for.
    multiplier : ndarray, shape (nc,)
        Of redundant parameters, by the method "multiplier"; it is zero in every motion.
    iterations : int
    """

    tau: FloatArray
    vdot: FloatArray
    wrenches: Mapping[str, FloatArray]
    status: str
    reason: str
    errors: Mapping[str, FloatArray] = field(default_factory=dict)
    multiplier: FloatArray | None = None
    iterations: int = 0

    @property
    def success(self) -> bool:
        """Whether everything that was asked for holds."""
        return self.status == SOLVED
