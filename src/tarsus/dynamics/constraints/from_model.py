"""Constraints that a model's own loops and couplings stand for."""

from __future__ import annotations

from tarsus.dynamics.constraints.constraint import Constraint
from tarsus.dynamics.constraints.joints import Gear, JointCoupling
from tarsus.dynamics.constraints.loop_joint import LOOP_JOINT_ROWS, LoopJoint
from tarsus.errors import LoopError
from tarsus.model.coupling import Coupling, Loop
from tarsus.model.model import Model


def loop_constraints(model: Model) -> tuple[Constraint, ...]:
    """Constraints that close what ``couplings="cut"`` opened.

    Parameters
    ----------
    model : Model
        With ``couplings="cut"``. In other models couplings and loops are in the coordinates already, and nothing is
        left to constrain.

    Returns
    -------
    tuple of Constraint
        First the linear couplings, then the loops, in the order of the description.

    Raises
    ------
    LoopError
        For a loop that no constraint can be made of; it is named.
    """
    if model.coupling_mode != "cut":
        return ()
    return (*(_of_coupling(c) for c in model.couplings), *(_of_loop(loop) for loop in model.loops))


def _of_coupling(coupling: Coupling) -> Gear:
    """Constraint q_joint - sum of ratio q_leader = offset."""
    coefficients = {coupling.joint: 1.0}
    for leader, ratio in coupling.terms:
        coefficients[leader] = coefficients.get(leader, 0.0) - ratio
    name = f"{coupling.joint} follows {', '.join(leader for leader, _ in coupling.terms)}"
    return Gear(coefficients, coupling.offset, name=name)


def _of_loop(loop: Loop) -> Constraint:
    if loop.kind == "polynomial":
        return JointCoupling(loop.link_a, loop.link_b, loop.coefficients, name=loop.name)
    if loop.kind not in LOOP_JOINT_ROWS:
        raise LoopError(f"loop {loop.name!r} is of kind {loop.kind!r}, which cannot be constrained")
    return LoopJoint(
        loop.link_a,
        loop.link_b,
        loop.kind,
        axis=loop.axis,
        axis2=loop.axis2,
        pitch=loop.pitch,
        pose_a=loop.pose_a,
        pose_b=loop.pose_b,
        name=loop.name,
    )
