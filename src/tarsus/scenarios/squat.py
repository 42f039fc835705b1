"""Down and up again on all feet."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.control.sequencing.posture_path import root
from tarsus.dynamics import center_of_mass, frame_pose
from tarsus.errors import ArgumentError
from tarsus.ik.position.solve import solve
from tarsus.model import Model
from tarsus.scenarios.robot import Robot
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.staged import staged
from tarsus.scenarios.stance_list import StanceList
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Position, Task


def squat(model: Model, *, depth: float = 0.15, times: int = 2) -> Scenario:
    """The centre of mass goes down above the feet, and up again.

    Parameters
    ----------
    depth : float
        Part of its height by which the centre of mass goes down.
    times : int
    """
    if not (np.isfinite(depth) and 0.0 < depth < 1.0):
        raise ArgumentError(f"depth is {depth!r}; expected a part of the height between 0 and 1")
    robot = Robot.of(model)
    plan = StanceList(robot.known, robot.contacts(robot.q), robot.q)
    top, low = plan.q, _lowered(robot, plan, depth)
    for number in range(1, times + 1):
        plan.move(low, f"down {number}").move(top, f"up {number}")
    told = f"goes down by {depth:.0%} of its height {times} times"
    return staged("squat", told, robot, plan.stances)


def _lowered(robot: Robot, plan: StanceList, depth: float) -> FloatArray:
    """The first posture, with the centre of mass lower above the same place and the base turned as before."""
    model, q = robot.known, plan.q
    base, com = root(model), center_of_mass(model, q)
    assert base is not None
    tasks: list[Task] = [
        CenterOfMass(com * [1.0, 1.0, 1.0 - depth]),
        Orientation(base, frame_pose(model, q, base)[:3, :3]),
    ]
    for limb, contact in zip(robot.feet, plan.contacts, strict=True):
        X = np.asarray(contact.pose)
        tasks.append(FramePose(limb.frame, X) if limb.patch else Position(limb.frame, X[:3, 3]))
    found = solve(model, tasks, q)
    if not found.success:
        raise ArgumentError(
            f"{model.name!r} cannot lower its centre of mass by {depth:.0%} on its feet: {found.reason}"
        )
    return found.q
