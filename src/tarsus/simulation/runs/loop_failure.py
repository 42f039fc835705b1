"""What is told of a kinematic loop that ends a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.simulation.runs.step_failure import STATUS, StepFailure

if TYPE_CHECKING:
    from tarsus.model import Model

_ENDS = {
    STATUS["loop-open"]: "cannot be closed any further: {leaders} went beyond what the others can follow",
    STATUS["loop-singular"]: "is at a dead point of {leaders}: the motion of the others does not follow from it there",
    STATUS["loop-jumped"]: "jumps to another branch: {leaders} went round a dead point, seen from where they are drawn",
}
"""How each status of the native core reads."""
_WAYS_ON = (
    "simulate(..., leaders='change') lets other joints lead from there on; another leading joint (independent= of load "
    "or Loop) may have no dead point, and multipliers need none: couplings='cut' with "
    "constraints=loop_constraints(model)"
)
"""What helps."""


def step_failure(model: Model, status: int, robot: int, time: float, closure: int) -> StepFailure:
    """The failure that the native core reported; that of a loop names it and the joints that lead it.

    Parameters
    ----------
    closure : int
        Number of the loop in the native core.
    """
    if status not in _ENDS:
        return StepFailure(status, robot, time)
    coordinates = model.coordinates
    loop = coordinates.closures[closure - coordinates.followers]
    joints = list(model.joints.values())
    owner = {int(k): j.name for j in joints for k in range(*coordinates.tree_v_start[j.index : j.index + 2])}
    names = list(dict.fromkeys(repr(owner[k]) for k in loop.dofs[loop.dependents :]))
    leaders = f"the joint{'s' if len(names) > 1 else ''} {', '.join(names)} that lead{'' if len(names) > 1 else 's'} it"
    failure = StepFailure(f"{loop.name} {_ENDS[status].format(leaders=leaders)}", robot, time)
    failure.ways_on = _WAYS_ON
    return failure
