"""What became of a problem on the acceleration level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tarsus.arrays import FloatArray

SOLVED = "solved"
DAMPED = "damped"
BLOCKED = "limits in the way"
CONTRADICTION = "limits contradict each other"
TASKS = "tasks contradict each other"


@dataclass(frozen=True, slots=True, eq=False)
class AccelerationAnswer:
    """Accelerations that follow tasks.

    Attributes
    ----------
    vdot : ndarray, shape (..., nv)
    tau : ndarray, shape (..., nv)
        Torques that make it, by the inverse model: M vdot + bias, friction and springs of the joints included. Entries
        of coordinates without drive are what something else must do, such as the ground.
    wanted : ndarray, shape (..., m)
        Accelerations of the tasks that are asked for, feedback included (5.19), in the order of the levels.
    missed : float, or ndarray, shape (...)
        Largest part of them that vdot does not give.
    status : str, or ndarray of str, shape (...)
        "solved", "damped" (tasks are missed near a singularity), "limits in the way" (of tasks), "limits contradict
        each other" (they are missed as little as possible, and all tasks come after them), "tasks contradict each
        other" (of different levels, or of one), "not solved: ..." (rounding kept a hierarchy from its optimum).
    conflict : tuple of str, or ndarray of tuples, shape (...)
        Names of rows of limits and tasks that cannot hold together; without any one of them the others could.
    """

    vdot: FloatArray
    tau: FloatArray
    wanted: FloatArray
    missed: Any
    status: Any
    conflict: Any
