"""Robots of example-robot-data, with fixed and with free base, in tarsus and in Pinocchio."""

import numpy as np
import pytest
from parity.agreement import FRAME_FUNCTIONS, FUNCTIONS, check_frame_function, check_function
from parity.pinocchio_models import COUPLED_ROBOTS, ROBOTS, robot_pair
from parity.pinocchio_quantities import AXES

CASES = {f"{robot}-{base}": (robot, base) for robot in ROBOTS for base in ("fixed", "free")}
NOT_FOR_COUPLED = {"forward_dynamics", "forward_dynamics_with_wrenches", "composite_body", "solve_mass"}
NOT_FOR_COUPLED |= {"gauss"}
"""Pinocchio does not know the couplings; inertia and forces can be folded, accelerations cannot."""


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("case", CASES)
def test_function_agrees_on_robot(function: str, case: str) -> None:
    robot, base = CASES[case]
    check_function(robot_pair(ROBOTS[robot], base), function)


@pytest.mark.parametrize("expressed_in", AXES)
@pytest.mark.parametrize("function", FRAME_FUNCTIONS)
@pytest.mark.parametrize("case", CASES)
def test_function_of_frame_agrees_on_robot(function: str, expressed_in: str, case: str) -> None:
    robot, base = CASES[case]
    check_frame_function(robot_pair(ROBOTS[robot], base), function, expressed_in)


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name not in NOT_FOR_COUPLED])
@pytest.mark.parametrize("robot", COUPLED_ROBOTS)
def test_mimic_joints_are_folded_into_their_leaders(function: str, robot: str) -> None:
    pair = robot_pair(COUPLED_ROBOTS[robot], "free", "reduce")
    assert pair.model.nv < pair.pin_model.nv
    check_function(pair, function)


def test_robots_cover_arms_hands_and_legs_with_all_kinds_of_urdf_joints() -> None:
    kinds = {joint.kind for path in ROBOTS.values() for joint in robot_pair(path, "fixed").model.joints.values()}
    sizes = [robot_pair(path, "free").model.nv for path in ROBOTS.values()]
    assert kinds == {"fixed", "revolute", "continuous", "prismatic"}
    assert len(ROBOTS) >= 12
    assert np.ptp(sizes) > 40
