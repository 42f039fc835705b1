"""Lola: published joint list and limits, estimated masses and lengths."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.viewer.drawing.scene import build_scene

ROUND_OFF = 1e-12
MIRROR = np.diag([1.0, -1.0, 1.0])

model = ts.robots.lola()


def test_sizes():
    assert (model.nq, model.nv, model.nb) == (31, 30, 25)


def test_joints_have_the_published_order():
    names = (
        "base tbr tba thrr thar thfr tkfr tsar tsfr tzfr thrl thal thfl tkfl tsal tsfl tzfl "
        "tafr taar tefr tafl taal tefl tvp tvt"
    )
    assert list(model.joints) == names.split()


def test_total_mass():
    assert model.total_mass == pytest.approx(60.0, abs=ROUND_OFF)


def test_upright_robot_is_1_80_m_high():
    points = build_scene(model, ts.body_poses(model, model.neutral())[None]).points
    assert np.ptp(points[..., 2]) == pytest.approx(1.80, abs=1e-9)


def test_reference_pose_stands_on_level_soles():
    for name in (name for name in model.frames if "_sole" in name):
        X = ts.frame_pose(model, model.reference, name)
        assert X[2, 3] == pytest.approx(0.0, abs=ROUND_OFF)
        np.testing.assert_allclose(X[:3, :3], np.eye(3), atol=ROUND_OFF)


def test_soles_are_below_the_hips_and_hold_the_centre_of_mass():
    com = ts.center_of_mass(model, model.reference)
    assert com[1] == pytest.approx(0.0, abs=ROUND_OFF)
    assert 0.8 < com[2] < 1.0
    for side, y in (("r", -0.12), ("l", 0.12)):
        assert ts.frame_pose(model, model.reference, f"{side}_sole")[1, 3] == pytest.approx(y, abs=ROUND_OFF)
        rear, front = (ts.frame_pose(model, model.reference, f"{side}_sole_{e}_left")[0, 3] for e in ("rear", "front"))
        assert front - rear == pytest.approx(0.26, abs=ROUND_OFF)
        assert rear < com[0] < front


@pytest.mark.parametrize(
    ("joint", "low_deg", "high_deg", "torque"),
    [
        ("tbr", -19.4, 19.4, 180.0),
        ("thfr", -92.0, 44.9, 300.0),
        ("thfl", -44.0, 91.3, 300.0),
        ("tkfr", -4.5, 120.0, 300.0),
        ("tkfl", -119.5, 4.4, 300.0),
        ("tzfl", -15.8, 48.8, 30.0),
        ("taal", -120.0, 1.5, 60.0),
        ("tvt", -51.0, 11.0, 10.0),
    ],
)
def test_limits(joint, low_deg, high_deg, torque):
    found = model.joints[joint]
    np.testing.assert_allclose(np.degrees([found.q_min[0], found.q_max[0]]), [low_deg, high_deg], atol=1e-12)
    assert found.tau_max[0] == torque


def test_flexion_bends_the_knees_backwards_on_both_sides():
    for side in "rl":
        q = model.neutral()
        straight = ts.frame_pose(model, q, f"{side}_foot")[0, 3]
        joint = model.joints[f"tkf{side}"]
        limit = max(joint.q_min[0], joint.q_max[0], key=abs)
        q[joint.q_index] = 0.5 * limit
        assert ts.frame_pose(model, q, f"{side}_foot")[0, 3] < straight - 0.1


def test_positive_hip_and_negative_shoulder_adduction_move_outwards():
    for joint, frame, sign in (("tha", "sole", 1.0), ("taa", "hand", -1.0)):
        for side, outwards in (("r", -1.0), ("l", 1.0)):
            q = model.neutral()
            before = ts.frame_pose(model, q, f"{side}_{frame}")[1, 3]
            q[model.joints[joint + side].q_index] = 0.3 * sign
            assert outwards * (ts.frame_pose(model, q, f"{side}_{frame}")[1, 3] - before) > 0.1


def test_left_bodies_are_the_mirror_image_of_the_right_bodies():
    pairs = [(body, model.bodies["l" + name[1:]]) for name, body in model.bodies.items() if name.startswith("r_")]
    assert len(pairs) == 10
    for right, left in pairs:
        assert left.inertia.mass == right.inertia.mass
        np.testing.assert_array_equal(left.inertia.com, MIRROR @ right.inertia.com)
        np.testing.assert_array_equal(left.inertia.moments, right.inertia.moments)
        a, b = (ts.frame_pose(model, model.reference, body.name)[:3, 3] for body in (right, left))
        np.testing.assert_allclose(b, MIRROR @ a, atol=ROUND_OFF)


def test_armature_is_reflected_rotor_inertia():
    assert model.joints["tkfr"].armature[0] == pytest.approx(100.0**2 * 5e-5)
    assert model.joints["tvp"].armature[0] == pytest.approx(100.0**2 * 5e-6)
    assert all(np.all(j.armature == 0.0) for j in ts.robots.lola(armature=False).joints.values())
