"""Bipeds that are found in models."""

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.walking import Biped
from tarsus.walking.biped.joint_gains import BANDWIDTH, SATURATING
from tarsus.walking.biped.joint_inertia import joint_inertias

SOLVED = 2e-6
"""Tolerance of the inverse kinematics of poses to stand in [m, rad]."""


@pytest.fixture(scope="module")
def hrp2():
    return Biped.of(ts.robots.hrp2())


def test_biped_stands_on_both_soles_below_its_centre_of_mass_with_bent_knees(hrp2):
    model = hrp2.model
    for leg, side in zip(hrp2.legs, (1.0, -1.0), strict=True):
        expected = ts.spatial.pose((0.0, side * hrp2.width / 2, 0.0))
        np.testing.assert_allclose(ts.frame_pose(model, hrp2.q, leg.sole), expected, atol=SOLVED)
    np.testing.assert_allclose(ts.center_of_mass(model, hrp2.q), [0.0, 0.0, hrp2.height], atol=SOLVED)
    assert (hrp2.q[7:] >= model.q_min[7:]).all() and (hrp2.q[7:] <= model.q_max[7:]).all()
    assert hrp2.legs[0].foot == "LLEG_LINK5" and hrp2.legs[1].foot == "RLEG_LINK5"


def test_soles_are_those_of_the_shapes(hrp2):
    """HRP-2's soles are boxes of 230 mm by 131 mm."""
    for leg in hrp2.legs:
        np.testing.assert_allclose(2 * leg.half, 0.98 * np.array([0.23, 0.131]), atol=1e-9)


def test_robot_looks_where_its_knees_point_and_toes_are_held():
    icub = Biped.of(ts.load(robot_data_path("icub_description/robots/icub_reduced.urdf"), base="free"))
    assert abs(icub.turned) == pytest.approx(np.pi)
    assert icub.legs[0].foot.startswith("l_")
    lola = Biped.of(ts.robots.lola())
    assert set(lola.locked) == {"tzfr", "tzfl"} and lola.turned == 0.0
    for biped in (icub, lola):
        for told in (biped.legs[0].foot, biped.legs[1].foot, "forward", "centre of mass"):
            assert told in str(biped)
    assert "tzfl" in str(lola)


def test_joints_of_legs_without_limits_of_speed_get_one_and_that_is_told(hrp2):
    lola = Biped.of(ts.robots.lola())
    legs = np.concatenate([leg.v for leg in lola.legs])
    assert np.isinf(lola.model.v_max).all()
    np.testing.assert_allclose(lola.v_max[legs], 3.0 * np.sqrt(lola.gravity / lola.leg))
    assert np.isinf(np.delete(lola.v_max, legs)).all()
    assert "joints of its legs that have no limit of speed turn by 10.2 rad/s at most" in str(lola)
    np.testing.assert_array_equal(hrp2.v_max, hrp2.model.v_max)
    assert "no limit of speed" not in str(hrp2)


def test_direction_can_be_given(hrp2):
    back = Biped.of(ts.robots.hrp2(), forward=(-1.0, 0.0))
    assert abs(back.turned) == pytest.approx(np.pi)
    assert back.legs[0].foot == hrp2.legs[1].foot


def test_joint_inertias_are_sums_over_bodies_on_both_sides(hrp2):
    model, q = hrp2.model, hrp2.q
    distal, proximal = joint_inertias(model, q)
    for name in hrp2.legs[0].joints:
        joint = model.joints[name]
        J = ts.jacobian(model, q, joint.child)
        axis = J[3:, joint.v_index.start]
        origin = ts.frame_pose(model, q, joint.child)[:3, 3]
        behind = {joint.child}
        for body in model.bodies.values():
            if body.parent in behind:
                behind.add(body.name)
        sums = {True: 0.0, False: 0.0}
        for body in model.bodies.values():
            X = ts.frame_pose(model, q, body.name)
            c = X[:3, :3] @ body.inertia.com + X[:3, 3] - origin
            own = axis @ X[:3, :3] @ body.inertia.moments @ X[:3, :3].T @ axis
            sums[body.name in behind] += own + body.inertia.mass * (c @ c - (axis @ c) ** 2)
        armature = float(np.atleast_1d(joint.armature)[0])
        assert distal[joint.v_index][0] == pytest.approx(sums[True] + armature, rel=1e-9)
        assert proximal[joint.v_index][0] == pytest.approx(sums[False] + armature, rel=1e-9)


def test_gains_use_no_more_than_the_torque_limit(hrp2):
    kp, kd = hrp2.gains
    assert (kp[:6] == 0.0).all() and (kp[6:] > 0.0).all()
    assert (SATURATING * kp[6:] <= hrp2.model.tau_max[6:] * (1 + 1e-12)).all()
    np.testing.assert_allclose(kd, 2.0 * kp / BANDWIDTH)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (lambda: ts.robots.quadruped(), "4 feet; a biped has two"),
        (lambda: ts.robots.rabbit(), "planar base"),
        (lambda: ts.robots.hrp2().locked(["LLEG_JOINT0"]), "has 5 joints .* takes 6"),
        (lambda: ts.load(robot_data_path("bolt_description/robots/bolt.urdf"), base="free"), "stands on a point"),
        (
            lambda: ts.load(
                robot_data_path("simple_humanoid_description/urdf/simple_humanoid_classical.urdf"), base="free"
            ),
            "neither collision shapes nor visual ones",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_model_that_is_no_biped_is_refused_with_the_reason(model, reason):
    with pytest.raises(ts.errors.ArgumentError, match=reason):
        Biped.of(model())


@pytest.mark.parametrize(
    ("hints", "named"),
    [
        ({"feet": ["LLEG_LINK5"]}, "two different bodies"),
        ({"feet": ["LLEG_LINK5", "LLEG_LINK5"]}, "two different bodies"),
        ({"feet": ["LLEG_LINK5", "nobody"]}, "nobody"),
        ({"forward": (0.0, 0.0)}, "forward"),
        ({"forward": (np.nan, 1.0)}, "forward"),
    ],
)
def test_hints_that_cannot_be_are_refused(hints, named):
    with pytest.raises(ts.errors.ArgumentError, match=named):
        Biped.of(ts.robots.hrp2(), **hints)


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_robot_without_collision_shapes_whose_file_does_not_say_how_it_stands_is_put_on_its_feet():
    human = Biped.of(ts.load(robot_data_path("human_description/robots/human.urdf"), base="free"))
    assert [leg.foot for leg in human.legs] == ["left_foot", "right_foot"]
    told = "\n".join(human.notes)
    assert "its y axis points upwards" in told and "it has no collision shapes" in told
    up = ts.frame_pose(human.model, human.q, human.pelvis)[2, :3]
    np.testing.assert_allclose(np.abs(up).max(), 1.0, atol=1e-6)


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
def test_joints_that_carry_no_mass_are_held_with_those_that_follow_them():
    romeo = ts.load(robot_data_path("romeo_description/urdf/romeo.urdf"), base="free")
    biped = Biped.of(romeo)
    assert "joints that carry no mass are held: LHand, RHand" in biped.notes
    assert "LHand" in romeo.joints and not {"LHand", "RHand"} & {
        joint.name for joint in biped.model.joints.values() if joint.v_index.stop > joint.v_index.start
    }
    assert biped.model.total_mass == pytest.approx(romeo.total_mass, rel=1e-12)
    assert (np.diag(ts.mass_matrix(biped.model, biped.q)) > 0.0).all()


@pytest.mark.parametrize("rotation", ["roll-pitch-yaw", "axis-angle", "rotation-matrix"])
def test_other_rotations_of_the_base_are_refused_by_name(rotation):
    with pytest.raises(ts.errors.ArgumentError, match=f"rotation of 'hrp2' is '{rotation}'.*'quaternion'"):
        Biped.of(ts.robots.hrp2(rotation=rotation))


@pytest.mark.parametrize("above", [-0.667, -0.4, 0.3])
def test_root_frames_on_the_ground_below_and_above_the_hips_stand_alike(tmp_path, above):
    """Files of robots often begin with a link on the ground: the heights that are tried are those of the hips."""
    plain = Biped.of(ts.robots.hrp2())
    path = tmp_path / "robot.urdf"
    ts.write_urdf(ts.robots.hrp2(), path)
    root = next(iter(ts.robots.hrp2().bodies))
    joint = (
        '<joint name="to_root" type="fixed"><parent link="foot_print"/>'
        f'<child link="{root}"/><origin xyz="0 0 {-above}"/></joint>'
    )
    path.write_text(path.read_text().replace("</robot>", f'<link name="foot_print"/>{joint}</robot>'))
    moved = Biped.of(ts.load(path, base="free"))
    assert moved.leg == pytest.approx(plain.leg, abs=5e-3)
    assert moved.height == pytest.approx(plain.height, abs=5e-3)
