"""CROPS manipulator: the estimated table."""

import numpy as np
import pytest

import tarsus as ts

ROUND_OFF = 1e-12

model = ts.robots.crops9()


def test_sizes_and_joint_kinds():
    assert (model.nq, model.nv, model.total_mass) == (9, 9, pytest.approx(36.5, abs=ROUND_OFF))
    kinds = [joint.kind for name, joint in model.joints.items() if name != "base"]
    assert kinds == ["prismatic"] + ["revolute"] * 8


def test_stretched_arm_reaches_along_x():
    X = ts.frame_pose(model, model.neutral(), "tool")
    np.testing.assert_allclose(X[:3, :3], np.eye(3), atol=ROUND_OFF)
    np.testing.assert_allclose(X[:3, 3], [0.15 + 1.51, 0.0, 0.60], atol=ROUND_OFF)


def test_limits():
    q1, q9 = model.joints["q1"], model.joints["q9"]
    assert (q1.q_min[0], q1.q_max[0], q1.v_max[0]) == (0.0, 0.8, 0.25)
    assert np.degrees([q9.q_min[0], q9.q_max[0], q9.v_max[0]]) == pytest.approx([-170.0, 170.0, 180.0])


def test_carriage_moves_vertically():
    q = model.neutral()
    q[0] = 0.8
    np.testing.assert_allclose(ts.frame_pose(model, q, "carriage")[:3, 3], [0.0, 0.0, 1.4], atol=ROUND_OFF)


def test_inertia_of_a_link_is_that_of_its_box():
    m, (x, y, z) = 5.0, (0.30, 0.12, 0.12)
    expected = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * m / 12.0
    np.testing.assert_allclose(model.bodies["link3"].inertia.moments, expected, atol=ROUND_OFF)
