"""Steps that fail."""

from __future__ import annotations

from typing import ClassVar, final

from tarsus import _native
from tarsus.recording.samples import Samples

STATUS = _native.enumeration("RunStatus")


@final
class StepFailure(ArithmeticError):
    """A step failed.

    Parameters
    ----------
    status : int or str
        Status of the native core, or what happened in words.
    robot : int
        Number of the robot in the batch.
    time : float
        [s].

    Attributes
    ----------
    samples : Samples or None
        What was computed until then in the same stretch.
    ways_on : str
        What may pass; empty where nobody knows.
    """

    REASONS: ClassVar[dict[int, str]] = {
        STATUS["non-finite"]: "the state is not finite any more: motion grew without bound; "
        "try a smaller dt or a stiff integrator",
        STATUS["step-too-small"]: "the step size fell to nothing: this integrator is not for ground so stiff; "
        "try 'semi-implicit-euler'",
        STATUS["out-of-memory"]: "not enough memory",
        STATUS["unsolved"]: "no motion was found whose forces fit to it, in steps of 1/64 of dt either; "
        "try a smaller dt or another integrator",
        STATUS["constraint-open"]: "a constraint cannot be closed any more",
    }

    def __init__(self, status: int | str, robot: int, time: float) -> None:
        super().__init__(self.REASONS.get(status, f"status {status}") if isinstance(status, int) else status)
        self.robot, self.time = robot, time
        self.samples: Samples | None = None
        self.ways_on = ""
