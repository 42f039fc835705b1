"""Humanoid of Feng et al. 2015, table 1."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import UnknownNameError
from tarsus.viewer.drawing.scene import build_scene

ROUND_OFF = 1e-12

model = ts.robots.feng18()


def test_sizes():
    assert (model.nv, ts.robots.feng18("free").nv, model.nb) == (18, 24, 19)


def test_joints_are_in_the_order_of_the_paper():
    assert list(model.joints) == ["base"] + [f"joint{i}" for i in range(1, 19)]


def test_tree_is_that_of_the_paper():
    parents = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7, 9: 4, 10: 9, 11: 10}
    parents |= {12: 11, 13: 12, 14: 13, 15: 11, 16: 15, 17: 16, 18: 11}
    names = list(model.bodies)
    assert {i: names.index(model.joints[f"joint{i}"].parent) for i in range(1, 19)} == parents


def test_total_mass():
    assert model.total_mass == pytest.approx(63.8, abs=ROUND_OFF)


def test_foot_and_toe_together_have_the_mass_of_the_foot():
    for leg in ("support", "swing"):
        foot, toe = (model.bodies[f"{leg}_{part}"].inertia.mass for part in ("foot", "toe"))
        assert (foot + toe, toe) == (pytest.approx(1.1, abs=ROUND_OFF), 0.2)


def test_upright_robot_is_1_70_m_high():
    crown = ts.frame_pose(model, model.neutral(), "head")[2, 3] + 0.24
    assert crown == pytest.approx(1.70, abs=ROUND_OFF)
    points = build_scene(model, ts.body_poses(model, model.neutral())[None]).points
    assert np.ptp(points[..., 2]) == pytest.approx(1.70, abs=1e-9)


def test_hips_are_as_far_apart_as_the_waist_is_long():
    hips = [ts.frame_pose(model, model.neutral(), name)[:3, 3] for name in ("waist", "swing_thigh")]
    np.testing.assert_allclose(hips[1] - hips[0], [0.0, 0.27, 0.0], atol=ROUND_OFF)
    assert hips[0][2] == pytest.approx(0.85, abs=ROUND_OFF)


def test_both_soles_are_level_on_the_ground():
    for name in (name for name in model.frames if "_sole" in name):
        X = ts.frame_pose(model, model.reference, name)
        assert X[2, 3] == pytest.approx(0.0, abs=ROUND_OFF)
        np.testing.assert_allclose(X[:3, :3], np.eye(3), atol=ROUND_OFF)


def test_centre_of_mass_is_half_way_between_the_feet_and_above_them():
    com = ts.center_of_mass(model, model.neutral())
    right, left = (ts.frame_pose(model, model.neutral(), f"{side}_sole")[:3, 3] for side in "rl")
    assert com[1] == pytest.approx(0.5 * (right[1] + left[1]), abs=ROUND_OFF)
    assert abs(com[0] - right[0]) < 0.12
    assert 0.9 < com[2] < 1.0


def test_legs_move_in_the_sagittal_plane_and_joint_11_rolls():
    assert all(model.joints[f"joint{i}"].axis.tolist() == [0.0, 1.0, 0.0] for i in range(1, 9))
    assert model.joints["joint11"].axis.tolist() == [1.0, 0.0, 0.0]


def test_viscous_friction_of_table_1():
    damping = {2: 10.0, 4: 10.0, 5: 10.0, 11: 10.0, 12: 0.03, 13: 1.0, 14: 2.0, 15: 0.03, 18: 0.5}
    assert {i: model.joints[f"joint{i}"].damping[0] for i in damping} == damping


def test_heel_rises_when_the_toe_joint_turns():
    q = model.neutral()
    q[model.joints["joint1"].q_index] = 0.3
    heel = ts.frame_pose(model, q, "r_sole_rear_left")[2, 3]
    assert heel == pytest.approx(0.18 * np.sin(0.3), abs=ROUND_OFF)


def test_the_robot_on_its_left_leg_is_the_mirror_image():
    left = ts.robots.feng18(support="left")
    assert left.total_mass == pytest.approx(model.total_mass)
    q = np.zeros(18)
    for here, there in (("l_sole", "r_sole"), ("r_sole", "l_sole"), ("l_hand", "r_hand"), ("head", "head")):
        one, two = ts.frame_pose(model, q, here)[:3, 3], ts.frame_pose(left, q, there)[:3, 3]
        np.testing.assert_allclose(two, one * [1.0, -1.0, 1.0], atol=1e-12)
    with pytest.raises(UnknownNameError, match="expected right or left"):
        ts.robots.feng18(support="both")
    with pytest.raises(UnknownNameError, match="expected right or left"):
        ts.robots.feng18(support=["left"])
