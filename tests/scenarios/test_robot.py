"""What robots stand on, found from their models."""

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.control import static_equilibrium
from tarsus.control.dry_friction import without_dry_friction
from tarsus.errors import ArgumentError
from tarsus.scenarios.model_errors import heavier
from tarsus.scenarios.robot import Robot


def test_soles_of_hrp2_are_its_contact_rectangles_and_its_reference_pose_stands():
    robot = Robot.of(ts.robots.hrp2())
    assert [limb.frame for limb in robot.feet] == ["LLEG_LINK5/sole", "RLEG_LINK5/sole"]
    for limb, sole in zip(robot.feet, ("l_sole", "r_sole"), strict=True):
        X, told = (ts.frame_pose(robot.model, robot.q, frame) for frame in (limb.frame, sole))
        assert np.allclose(X, told, atol=1e-6)
        assert np.allclose(np.ptp(limb.corners, axis=0), [0.23, 0.131, 0.0], atol=1e-9)
    assert np.allclose(robot.q[7:], robot.model.reference[7:])
    assert robot.model.frames[Robot.CHEST].body == "CHEST_LINK1"


@pytest.mark.parametrize(
    ("file", "count", "patch"),
    [("talos_data/robots/talos_reduced.urdf", 2, True), ("go2_description/urdf/go2.urdf", 4, False)],
)
def test_feet_of_model_files_are_on_the_ground_and_carry_the_robot(file, count, patch):
    robot = Robot.of(ts.load(robot_data_path(file), base="free"))
    assert len(robot.feet) == count and all(limb.patch == patch for limb in robot.feet)
    for limb in robot.feet:
        X = ts.frame_pose(robot.model, robot.q, limb.frame)
        assert abs(X[2, 3]) < 5e-3 and X[2, 2] > 0.999
    if patch:
        assert static_equilibrium(robot.known, robot.q, robot.contacts(robot.q)).feasible


@pytest.mark.parametrize(
    "file", ["solo_description/robots/solo12.urdf", "anymal_c_simple_description/urdf/anymal.urdf"]
)
def test_robots_whose_reference_pose_has_straight_legs_start_on_bent_ones(file):
    model = ts.load(robot_data_path(file), base="free")
    assert np.all(model.reference[7:] == 0.0)
    robot = Robot.of(model)
    for limb in robot.feet:
        J = ts.jacobian(robot.model, robot.q, limb.frame)[:3, 6:]
        assert np.linalg.svd(J, compute_uv=False)[-1] > 0.05  # [m]: it can be moved in every direction


def test_a_shin_that_ends_in_a_ball_is_no_sole_and_legs_bend_about_the_centre_of_mass():
    robot = Robot.of(ts.load(robot_data_path("anymal_b_simple_description/robots/anymal.urdf"), base="free"))
    assert len(robot.feet) == 4 and not any(limb.patch for limb in robot.feet)
    feet = np.array([ts.frame_pose(robot.model, robot.q, limb.frame)[:3, 3] for limb in robot.feet])
    center = ts.center_of_mass(robot.model, robot.q)
    assert np.linalg.norm(center[:2] - feet[:, :2].mean(axis=0)) < 0.02  # [m]: on both diagonals


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        ("romeo_description/urdf/romeo.urdf", r"joints \['LHand'.* of 'romeo' move no mass"),
        ("simple_humanoid_description/urdf/simple_humanoid.urdf", "has no feet: .* 'base_link' alone reach lowest"),
    ],
)
def test_robots_that_cannot_stand_as_they_are_written_are_refused_with_a_reason(file, reason):
    with pytest.warns(UserWarning):  # of the files
        model = ts.load(robot_data_path(file), base="free")
    with pytest.raises(ArgumentError, match=reason):
        Robot.of(model)


@pytest.mark.parametrize(
    ("file", "free"),
    [("solo_description/robots/solo.urdf", 10), ("quadruped_description/urdf/quadruped.urdf", 9)],
)
def test_legs_of_two_joints_are_told_to_hold_their_feet_too_firmly(file, free):
    """They were told to be none: "it has no legs to stand on"."""
    model = ts.load(robot_data_path(file), base="free")
    with pytest.raises(ArgumentError, match=rf"legs of .* cannot move its feet in all directions: .* {free} of 12"):
        Robot.of(model)


def test_heavier_robot_has_heavier_bodies_with_the_same_centres():
    model = ts.robots.hrp2()
    other = heavier(model, 0.1)
    assert other.total_mass == pytest.approx(1.1 * model.total_mass)
    assert np.allclose(ts.center_of_mass(other, other.reference), ts.center_of_mass(model, model.reference))
    assert heavier(model, 0.0) is model


def test_controllers_are_not_told_of_dry_friction():
    talos = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free")
    known = without_dry_friction(talos)
    v = np.full(talos.nv, 1e-3)
    assert np.abs(ts.passive_force(talos, talos.reference, v)).max() >= 1.0
    assert np.abs(ts.passive_force(known, known.reference, v)).max() < 0.1
    assert np.allclose(ts.mass_matrix(known, known.reference), ts.mass_matrix(talos, talos.reference))
