"""Feet lifted in turn: held in the air, or put down again at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.dynamics import center_of_mass
from tarsus.errors import ArgumentError
from tarsus.model import Model
from tarsus.scenarios.robot import Limb, Robot
from tarsus.scenarios.scenario import Scenario
from tarsus.scenarios.staged import staged
from tarsus.scenarios.stance_list import StanceList

HEIGHT = 0.06
"""By which a foot is lifted, as a part of the height of the centre of mass."""


def single_support(model: Model, *, hold: float = 2.0) -> Scenario:
    """Each foot is lifted and held in the air, one after the other; a robot with two legs stands on one then.

    Parameters
    ----------
    hold : float
        Time in the air [s].
    """
    robot = Robot.of(model)
    return _lifting("single-support", f"lifts each foot and holds it for {hold:g} s", robot, robot.feet, hold)


def step_in_place(model: Model, *, steps: int = 4) -> Scenario:
    """Feet are lifted and put down again in turn.

    Parameters
    ----------
    steps : int
    """
    if not (isinstance(steps, (int, np.integer)) and steps >= 1):
        raise ArgumentError(f"steps is {steps!r}; expected a whole number of at least 1")
    robot = Robot.of(model)
    order = [robot.feet[k % len(robot.feet)] for k in range(int(steps))]
    return _lifting("step-in-place", f"takes {steps} steps in place", robot, order, 0.0)


def _lifting(name: str, summary: str, robot: Robot, order: Sequence[Limb], hold: float) -> Scenario:
    model = robot.known
    plan = StanceList(model, robot.contacts(robot.q), robot.q)
    home, down = plan.q, {contact.frame: contact for contact in plan.contacts}
    height = HEIGHT * float(center_of_mass(model, home)[2])
    holds = {}
    for number, limb in enumerate(order, start=1):
        frame, told = limb.frame, f"{number}: {limb.frame}"
        up = np.array(down[frame].pose)
        up[2, 3] += height
        plan.release(frame, home, f"{told} released")
        plan.lift(limb.contact(up), home, f"{told} in the air")
        holds[plan.stances[-1].name] = hold
        plan.place(down[frame], home, f"{told} down")
    return staged(name, summary, robot, plan.move(home, "end").stances, holds)
