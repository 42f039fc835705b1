"""How many random reachable poses one call with default settings reaches."""

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts

TARGETS = 200
SHARE = 0.995


def panda():
    return ts.load(robot_data_path("panda_description/urdf/panda.urdf")), "panda_hand"


def ur5():
    return ts.load(robot_data_path("ur_description/urdf/ur5_robot.urdf")), "ee_link"


def hrp2_left():
    return ts.robots.hrp2(base="fixed"), "l_hand"


def hrp2_right():
    return ts.robots.hrp2(base="fixed"), "r_hand"


@pytest.mark.parametrize("robot", [panda, ur5, hrp2_left, hrp2_right])
def test_random_reachable_poses_are_reached(robot):
    model, frame = robot()
    X = ts.frame_pose(model, model.random(np.random.default_rng(5), (TARGETS,)), frame)
    answer = ts.ik.solve(model, ts.tasks.FramePose(frame, X))
    assert np.mean(answer.success) >= SHARE
    reached = ts.frame_pose(model, answer.q[answer.success], frame)
    assert np.abs(reached - X[answer.success]).max() < 1e-7
    assert (answer.q >= model.q_min).all()
    assert (answer.q <= model.q_max).all()
