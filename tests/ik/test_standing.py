"""Legged robots stand: soles flat, centre of mass above the feet, and they stay there when simulated."""

import warnings

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.control.joint_law import JointLaw
from tarsus.errors import ArgumentError, KinematicsWarning, UnknownNameError
from tarsus.ik.feet import find_feet, foot_heights
from tarsus.model.shapes import Shape, Sphere

ROBOTS = {
    "hrp2": ts.robots.hrp2,
    "lola": ts.robots.lola,
    **{
        name: (lambda path=path: ts.load(robot_data_path(path), base="free"))
        for name, path in {
            "talos": "talos_data/robots/talos_reduced.urdf",
            "icub": "icub_description/robots/icub_reduced.urdf",
            "romeo": "romeo_description/urdf/romeo_small.urdf",
            "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
            "solo12": "solo_description/robots/solo12.urdf",
            "solo8": "solo_description/robots/solo.urdf",
            "go2": "go2_description/urdf/go2.urdf",
            "a1": "a1_description/urdf/a1.urdf",
            "anymal": "anymal_b_simple_description/robots/anymal.urdf",
            "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
        }.items()
    },
}
FEET = {name: 2 if name in ("hrp2", "lola", "talos", "icub", "romeo", "g1") else 4 for name in ROBOTS}


@pytest.mark.parametrize("name", list(ROBOTS))
def test_robots_stand_and_stay_where_they_are(name):
    model = ROBOTS[name]()
    q = ts.ik.standing(model)
    assert (q >= model.q_min - 1e-9).all()
    assert (q <= model.q_max + 1e-9).all()
    _, gaps = ts.contact.contact_gaps(model, q, ts.contact.flat())
    assert gaps.min() == pytest.approx(0.0, abs=1e-8)
    # Joints hold with the stiffness of an inverted pendulum times ten.
    kp = np.where(model.actuated, 10 * model.total_mass * 9.81 * q[2], 0.0)
    law = JointLaw(kp=kp, kd=kp / 47.0, q=q, gravity=True, limited=False)
    run = ts.simulate(model, start="standing", duration=1.0, ground=ts.contact.flat(), controller=law)
    assert np.allclose(run.q[0], q, atol=1e-12)
    assert abs(run.q[-1, 2] - q[2]) < 5e-3
    assert np.degrees(2 * np.arccos(min(1.0, abs(run.q[-1, 3:7] @ q[3:7])))) < 1.0


@pytest.mark.parametrize("name", ["hrp2", "g1", "go2", "solo8"])
def test_all_feet_touch_the_ground(name):
    model = ROBOTS[name]()
    q = ts.ik.standing(model)
    feet = find_feet(model, q)
    assert len(feet) == FEET[name]
    assert np.abs(foot_heights(model, q, feet)).max() < 1e-3


@pytest.mark.parametrize("name", ["hrp2", "talos", "g1"])
def test_soles_are_level_and_the_centre_of_mass_is_above_their_middle(name):
    model = ROBOTS[name]()
    q = ts.ik.standing(model)
    feet = find_feet(model, q)
    corners = [foot.points @ X[:3, :3].T + X[:3, 3] for foot in feet for X in [ts.frame_pose(model, q, foot.body)]]
    assert all(np.ptp(c[:, 2]) < 1e-2 * q[2] for foot, c in zip(feet, corners, strict=True) if foot.flat)
    middle = np.mean([(c.min(axis=0) + c.max(axis=0)) / 2 for c in corners], axis=0)
    assert np.abs(ts.center_of_mass(model, q) - middle)[:2].max() < 5e-3


def test_two_points_are_warned_of():
    model = ts.load(robot_data_path("bolt_description/robots/bolt.urdf"), base="free")
    with pytest.warns(KinematicsWarning, match="falls unless"):
        ts.ik.standing(model)


def test_feet_stand_on_the_ground_that_is_given():
    model = ROBOTS["hrp2"]()
    ground = ts.contact.Ground([ts.contact.Plane(point=[0, 0, -0.3])])
    run = ts.simulate(model, start="standing", duration=0.01, ground=ground)
    assert run.q[0, 2] == pytest.approx(ts.ik.standing(model)[2] - 0.3, abs=1e-6)


def test_robots_without_feet_are_refused_by_name():
    with pytest.raises(ArgumentError, match="free base"):
        ts.ik.standing(ts.robots.crops9())
    inertia = ts.Inertia(1.0, [0, 0, 0], 0.01 * np.eye(3))
    ball = ts.ModelBuilder("ball", base="free").add_link("ball", inertia, collisions=[Shape(Sphere(0.1))]).build()
    with pytest.raises(ArgumentError, match="needs two feet"):
        ts.ik.standing(ball)


def test_unknown_poses_name_standing_as_one_that_is_looked_for():
    with pytest.raises(UnknownNameError, match="standing"):
        ts.simulate(ts.robots.hrp2(), start="standng", duration=0.01)


def test_starts_beyond_limits_name_standing_as_help():
    model = ROBOTS["go2"]()
    with pytest.raises(ArgumentError, match="start='standing'"):
        ts.simulate(
            model,
            ts.contact.on_ground(model, model.neutral(), ts.contact.flat()),
            duration=0.01,
            ground=ts.contact.flat(),
        )


def test_nothing_is_warned_of_a_humanoid():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.ik.standing(ts.robots.hrp2())
