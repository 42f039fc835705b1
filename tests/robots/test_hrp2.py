"""HRP-2 against the published numbers."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.viewer.drawing.scene import build_scene

MASS_DIGITS = 1e-5  # the published masses sum to 56.03716 kg to five digits
HALF_SITTING_DIGITS = 1e-6  # published angles and base height have six digits
COM_DIGITS = 5e-5  # published height of the centre of mass has four digits
ROUND_OFF = 1e-12
MIRROR = np.diag([1.0, -1.0, 1.0])

model = ts.robots.hrp2()


def test_sizes():
    assert (model.nq, model.nv, model.nb, len(model.joints)) == (37, 36, 31, 31)


def test_joints_have_the_published_names_and_order():
    limbs = [("RLEG", 6), ("LLEG", 6), ("CHEST", 2), ("HEAD", 2), ("RARM", 7), ("LARM", 7)]
    expected = {f"{limb}_JOINT{i}" for limb, count in limbs for i in range(count)}
    assert set(model.joints) == expected | {"base"}
    legs = [name for name in model.joints if "LEG" in name]
    assert legs == [f"{side}LEG_JOINT{i}" for side in "RL" for i in range(6)]


def test_total_mass():
    assert model.total_mass == pytest.approx(56.03716, abs=MASS_DIGITS)


def test_half_sitting_puts_ankles_at_the_height_of_the_sole_and_feet_level():
    for side in "RL":
        X = ts.frame_pose(model, model.reference, f"{side}LEG_LINK5")
        assert X[2, 3] == pytest.approx(0.105, abs=HALF_SITTING_DIGITS)
        np.testing.assert_allclose(X[:3, :3], np.eye(3), atol=HALF_SITTING_DIGITS)


def test_half_sitting_puts_all_sole_frames_on_the_ground():
    soles = [name for name in model.frames if "_sole" in name]
    assert len(soles) == 10
    heights = [ts.frame_pose(model, model.reference, name)[2, 3] for name in soles]
    np.testing.assert_allclose(heights, 0.0, atol=HALF_SITTING_DIGITS)


def test_base_height_in_half_sitting():
    assert model.reference[2] == 0.648702


def test_centre_of_mass_height_in_half_sitting():
    assert ts.center_of_mass(model, model.reference)[2] == pytest.approx(0.8085, abs=COM_DIGITS)


def test_sole_corners_span_the_published_rectangle():
    ankle = ts.frame_pose(model, model.reference, "RLEG_LINK5")[:3, 3]
    corners = {
        (end, edge): ts.frame_pose(model, model.reference, f"r_sole_{end}_{edge}")[:3, 3] - ankle
        for end in ("rear", "front")
        for edge in ("left", "right")
    }
    for (end, edge), p in corners.items():
        x, y = {"rear": -0.1, "front": 0.13}[end], {"left": 0.056, "right": -0.075}[edge]
        np.testing.assert_allclose(p, [x, y, -0.105], atol=HALF_SITTING_DIGITS)
    centre = ts.frame_pose(model, model.reference, "r_sole")[:3, 3] - ankle
    np.testing.assert_allclose(centre, np.mean(list(corners.values()), axis=0), atol=ROUND_OFF)


def test_upright_robot_is_1_54_m_high():
    q = model.neutral()
    points = build_scene(model, ts.body_poses(model, q)[None]).points
    assert np.ptp(points[..., 2]) == pytest.approx(1.54, abs=1e-3)


@pytest.mark.parametrize(
    ("joint", "low_deg", "high_deg", "rate", "torque"),
    [
        ("RLEG_JOINT0", -45.0, 30.0, 3.54108, 86.0),
        ("LLEG_JOINT0", -30.0, 45.0, 3.54108, 86.0),
        ("RLEG_JOINT3", -2.0, 150.0, 3.9801, 168.0),
        ("LLEG_JOINT5", -35.0, 20.0, 9.14286, 73.0),
        ("CHEST_JOINT1", -5.0, 60.0, 2.3963, 278.0),
        ("RARM_JOINT1", -95.0, 10.0, 2.4192, 100.0),
        ("LARM_JOINT1", -10.0, 95.0, 2.4192, 100.0),
        ("LARM_JOINT6", -60.0, 16.0, 5.68126, 3.0),
    ],
)
def test_limits(joint, low_deg, high_deg, rate, torque):
    found = model.joints[joint]
    np.testing.assert_allclose(np.degrees([found.q_min[0], found.q_max[0]]), [low_deg, high_deg], atol=1e-12)
    assert (found.v_max[0], found.tau_max[0]) == (rate, torque)


def test_left_side_is_the_mirror_image_of_the_right_side():
    for name, right in model.bodies.items():
        if not name.startswith(("RLEG", "RARM")):
            continue
        left = model.bodies["L" + name[1:]]
        assert left.inertia.mass == right.inertia.mass
        np.testing.assert_array_equal(left.inertia.com, MIRROR @ right.inertia.com)
        np.testing.assert_array_equal(left.inertia.moments, MIRROR @ right.inertia.moments @ MIRROR)
        # Rolls and yaws change sign under the reflection, pitches do not.
        a, b = model.joints[right.joint], model.joints[left.joint]
        sign = 1.0 if a.axis[1] == 1.0 else -1.0
        assert sorted(sign * np.array([a.q_min[0], a.q_max[0]])) == [b.q_min[0], b.q_max[0]]
        assert model.reference[b.q_index][0] == sign * model.reference[a.q_index][0]


def test_mirrored_configurations_give_mirrored_positions():
    q = model.random(np.random.default_rng(1))
    q[:7] = model.neutral()[:7]
    for name, joint in model.joints.items():
        if name.startswith("R"):
            sign = 1.0 if joint.axis[1] == 1.0 else -1.0
            q[model.joints["L" + name[1:]].q_index] = sign * q[joint.q_index]
    for limb in ("LEG_LINK5", "LEG_LINK2"):
        right, left = (ts.frame_pose(model, q, side + limb)[:3, 3] for side in "RL")
        np.testing.assert_allclose(left, MIRROR @ right, atol=ROUND_OFF)


def test_armature_is_gear_ratio_squared_times_rotor_inertia():
    expected = {
        "RLEG_JOINT0": 384.0**2 * 1.01e-5,
        "LLEG_JOINT2": 180.0**2 * 1.34e-5,
        "RLEG_JOINT3": 200.0**2 * 1.34e-5,
        "RLEG_JOINT1": 240.0**2 * 6.96e-6,
        "HEAD_JOINT0": 100.0**2 * 1.1e-6,
    }
    for joint, value in expected.items():
        assert model.joints[joint].armature[0] == pytest.approx(value, rel=1e-14)


def test_armature_is_all_that_its_option_changes():
    bare = ts.robots.hrp2(armature=False)
    assert all(np.all(joint.armature == 0.0) for joint in bare.joints.values())
    q = model.random(np.random.default_rng(2))
    rotors = np.concatenate([np.zeros(6), *[j.armature for n, j in model.joints.items() if n != "base"]])
    difference = ts.mass_matrix(model, q) - ts.mass_matrix(bare, q)
    np.testing.assert_allclose(difference, np.diag(rotors), atol=1e-10)


def test_palms_are_at_the_tips_of_the_fingers_and_knees_on_the_plate_of_the_shin():
    robot = ts.robots.hrp2()
    for side in "lr":
        S = side.upper()
        tips = [s for s in robot.bodies[f"{S}ARM_LINK5"].visuals if isinstance(s.geometry, ts.geometry.shapes.Capsule)]
        lowest = min(s.pose[2, 3] - s.geometry.length / 2 - s.geometry.radius for s in tips)
        assert np.isclose(robot.frames[f"{side}_palm"].pose[2, 3], lowest)
        plate = max(s.pose[0, 3] + s.geometry.size[0] / 2 for s in robot.bodies[f"{S}LEG_LINK3"].visuals[1:])
        knee = robot.frames[f"{side}_knee"].pose
        assert np.isclose(knee[0, 3], plate)
        np.testing.assert_allclose(knee[:3, 2], [-1.0, 0.0, 0.0])
        np.testing.assert_allclose(knee[:3, 0], [0.0, 0.0, 1.0])
    y = [robot.frames[f"{side}_knee"].pose[1, 3] for side in "lr"]
    assert np.isclose(y[0], -y[1]) and y[0] > 0
