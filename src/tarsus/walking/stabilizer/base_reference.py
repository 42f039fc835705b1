"""What finds the base above feet that are not where they were planned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from tarsus.arrays import FloatArray


class CycleGoal(NamedTuple):
    """What a cycle knows before its base: the plan on the feet as they are.

    Attributes
    ----------
    base : ndarray, shape (7,)
        Planned place and quaternion of the base, on these feet.
    q, v : ndarray
        Set-points of the last cycle, and planned velocity, of the whole robot.
    soles : sequence of two ndarrays, shape (4, 4)
        Where the soles shall be.
    landed : sequence of two bool
        Which of them stand.
    pressure : ndarray, shape (2,)
        Planned, on these feet [m].
    com, com_rate : ndarray, shape (2,)
        Centre of mass that leads to the step as it is taken [m], [m/s].
    height : float
        Of the centre of mass [m].
    catching : bool
        Whether steps are taken otherwise than planned, to catch the robot.
    """

    base: FloatArray
    q: FloatArray
    v: FloatArray
    soles: Sequence[FloatArray]
    landed: Sequence[bool]
    pressure: FloatArray
    com: FloatArray
    com_rate: FloatArray
    height: float
    catching: bool


class BaseReference(Protocol):
    """Asked once a cycle, in place of the planned base.

    Attributes
    ----------
    restarts : int
        How often it could not go on from where it was; recorded as the signal `reference_restarts`.
    """

    restarts: int

    def base(self, goal: CycleGoal) -> FloatArray:
        """Place and quaternion of the base, shape (7,)."""
