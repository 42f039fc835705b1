"""Static postures: contacts in place, balance, limits; what cannot be is named."""

import numpy as np
import pytest
from robot_data import robot_data_path
from tests.control.stances.stance_cases import CLASSES, IMPOSSIBLE, Robot, impossible
from tests.control.whole_body.stances import contacts_at

import tarsus as ts
from tarsus.control import Contact, static_equilibrium, static_posture
from tarsus.control.stances.conditions import Conditions
from tarsus.control.stances.impossibility import impossibility
from tarsus.control.whole_body.terms import slip
from tarsus.errors import TarsusError

TOLERANCE = 1e-6


def check(model, contacts, found, load=0.9):
    assert found.success, found.reason
    for contact in contacts:
        assert np.abs(slip(contact, ts.frame_pose(model, found.q, contact.frame))).max() < TOLERANCE
    joints = slice(7, None)
    assert (found.q[joints] >= model.q_min[joints]).all() and (found.q[joints] <= model.q_max[joints]).all()
    rest = static_equilibrium(model, found.q, contacts)
    assert rest.feasible and rest.load < load + 1e-6


ROBOTS = {"hrp2": 20, "talos": 15, "solo12": 15}
"""Robots, and how many stances of them are looked at."""


@pytest.mark.parametrize("name", ROBOTS)
def test_contacts_of_random_postures_are_found_again(name):
    robot = Robot(name)
    for number in range(ROBOTS[name]):
        contacts = robot.possible(number)
        check(robot.model, contacts, static_posture(robot.model, contacts, robot.reference))


@pytest.mark.long
@pytest.mark.parametrize("name", ROBOTS)
def test_contacts_of_many_random_postures_are_found_again(name):
    robot, count, solved = Robot(name), 20 * ROBOTS[name], 0
    for number in range(1000, 1000 + count):
        contacts = robot.possible(number)
        found = static_posture(robot.model, contacts, robot.reference)
        solved += found.success
        if found.success:
            check(robot.model, contacts, found)
    assert solved >= 0.99 * count


def test_what_is_certainly_impossible_is_told_at_once_and_nothing_else_is():
    robot = Robot("hrp2")
    for kind, expected in (("too far", "place"), ("not carried", "balance"), ("slippery", "friction")):
        for number in range(5):
            assert impossibility(robot.model, impossible(robot, kind, number)[0])[0] == expected
    for number in range(20):
        assert impossibility(robot.model, robot.possible(number)) is None


def check_impossible(robot, kind, number, starts):
    contacts, options = impossible(robot, kind, number)
    found = static_posture(robot.model, contacts, robot.reference, starts=starts, **options)
    assert not found.success and found.failed == IMPOSSIBLE[kind][1], (kind, number, found.reason)
    assert found.reason.startswith(found.failed)
    assert found.violation > TOLERANCE and np.isfinite(found.q).all()


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in CLASSES for kind in CLASSES[name]])
def test_stances_that_cannot_be_name_the_condition_that_fails(name, kind):
    robot = Robot(name)
    for number in range(2 if name == "hrp2" else 1):
        check_impossible(robot, kind, number, starts=2)


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name in CLASSES for kind in CLASSES[name]])
def test_many_stances_that_cannot_be_name_the_condition_that_fails(name, kind):
    robot = Robot(name)
    for number in range(1000, 1025):
        check_impossible(robot, kind, number, starts=3)


@pytest.mark.parametrize("name", ROBOTS)
def test_rows_are_derivatives_of_the_conditions(name):
    robot = Robot(name)
    model, rng = robot.model, np.random.default_rng(5)
    q, contacts = robot.stance(rng, least=2)
    conditions = Conditions(model, contacts, None, 0.0, 0.9)
    y = rng.normal(size=conditions.count)
    rows, step, z = conditions.at(q, y), 1e-6, np.append(np.zeros(model.nv), y)
    for _ in range(5):
        v = rng.normal(size=model.nv)

        def held(sign, v=v):
            """Values of the rows less their bounds; contacts stay where they shall be, so that forces do not turn."""
            there = conditions.at(model.integrate(q, sign * step * v, 1.0), y)
            value = there.A @ z
            return np.where(np.isfinite(there.lower), value - there.lower, value - there.upper)

        slope = (held(1.0) - held(-1.0)) / (2 * step)
        np.testing.assert_allclose(rows.A[:, : model.nv] @ v, slope, atol=2e-6 * (1 + np.abs(slope).max()))


def test_on_one_foot_the_centre_of_mass_is_above_it():
    model = ts.robots.hrp2()
    contacts = contacts_at(model, model.reference, ["r_sole"])
    found = static_posture(model, contacts)
    check(model, contacts, found)
    way = ts.center_of_mass(model, found.q)[:2] - np.asarray(contacts[0].pose)[:2, 3]
    assert abs(way[1]) <= 0.06 + TOLERANCE and -0.1 - TOLERANCE <= way[0] <= 0.12 + TOLERANCE
    assert abs(ts.center_of_mass(model, model.reference)[1] - np.asarray(contacts[0].pose)[1, 3]) > 0.06


def test_distances_are_kept():
    model = ts.robots.hrp2()
    every = ts.collision.CollisionModel(model)
    overlapping = [p for p, d in zip(every.pairs, every.distances(model.reference), strict=True) if d <= 0]
    scene = ts.collision.CollisionModel(model, exclude=overlapping)  # volumes of hips do at the reference
    contacts = contacts_at(model, model.reference, ["l_sole", "r_sole"])
    q = np.array(model.reference)
    q[model.joints["RARM_JOINT1"].q_index] = 0.17  # the arm in the trunk
    q[model.joints["RARM_JOINT2"].q_index] = 0.3
    assert scene.distances(q).min() < -0.005
    free, touching = static_posture(model, contacts, q, collision=scene), static_posture(model, contacts, q)
    check(model, contacts, free)
    assert scene.distances(free.q).min() > -TOLERANCE
    assert scene.distances(touching.q).min() < -0.005


def test_contacts_without_force_are_in_place_and_carry_nothing():
    model = ts.robots.hrp2()
    left, right = contacts_at(model, model.reference, ["l_sole", "r_sole"])
    found = static_posture(model, [left, right.with_force(0.0)])
    check(model, [left], found)
    assert np.abs(slip(right, ts.frame_pose(model, found.q, "r_sole"))).max() < TOLERANCE
    assert set(found.equilibrium.wrenches) == {"l_sole"}


def test_bad_input_is_named():
    model = ts.robots.hrp2()
    contacts = contacts_at(model, model.reference, ["l_sole"])
    for options, word in (({"load": 2.0}, "load"), ({"starts": 0}, "starts"), ({"collision": 3}, "scene")):
        with pytest.raises(TarsusError, match=word):
            static_posture(model, contacts, **options)
    with pytest.raises(TarsusError, match="contacts"):
        static_posture(model, [])
    with pytest.raises(TarsusError, match="pose"):
        static_posture(model, [Contact("l_sole")])
    with pytest.raises(TarsusError, match="contact 'l_sole' of a stance has no pose"):
        static_posture(model, [Contact("l_sole"), Contact("r_sole")])
    with pytest.raises(TarsusError, match="contact 'l_hand' of a stance is with 'r_hand'"):
        static_posture(model, [*contacts, Contact("l_hand", other="r_hand", pose=np.eye(4))])


def test_a_quadruped_rests_on_one_point_where_it_is_said_to():
    model = ts.load(robot_data_path("anymal_b_simple_description/robots/anymal.urdf"), base="free")
    stand = ts.ik.standing(model)
    contacts = [Contact("LF_FOOT", pose=ts.frame_pose(model, stand, "LF_FOOT"))]
    found = static_posture(model, contacts)
    assert found.success and found.equilibrium.feasible, (found.reason, found.equilibrium.reason)
