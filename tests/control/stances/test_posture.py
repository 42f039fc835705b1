"""Static postures: contacts in place, balance, limits; what cannot be is named."""

import numpy as np
import pytest
from robot_data import robot_data_path
from tests.control.whole_body.stances import PLACES, contacts_at

import tarsus as ts
from tarsus.control import Contact, static_equilibrium, static_posture
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


def random_stances(model, count, seed):
    """Contacts taken from random postures in which the robot can rest."""
    rng = np.random.default_rng(seed)
    while count > 0:
        q = np.array(model.integrate(model.reference, 0.4 * rng.normal(size=model.nv), 1.0))
        q[7:] = np.clip(q[7:], model.q_min[7:], model.q_max[7:])
        contacts = contacts_at(model, q, [name for name in PLACES if rng.random() < 0.7])
        if contacts and static_equilibrium(model, q, contacts).load < 0.9:
            yield contacts
            count -= 1


def test_contacts_of_random_postures_are_found_again():
    model = ts.robots.hrp2()
    for contacts in random_stances(model, 12, 0):
        check(model, contacts, static_posture(model, contacts))


@pytest.mark.long
def test_contacts_of_many_random_postures_are_found_again():
    model = ts.robots.hrp2()
    solved = 0
    for contacts in random_stances(model, 400, 1):
        found = static_posture(model, contacts)
        solved += found.success
        if found.success:
            check(model, contacts, found)
    assert solved >= 0.99 * 400


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


def moved(contact, way):
    X = np.array(contact.pose)
    X[:3, 3] += way
    return Contact(contact.frame, contact.points, pose=X, friction=contact.friction)


def test_what_cannot_be_is_named():
    model = ts.robots.hrp2()
    left, right = contacts_at(model, model.reference, ["l_sole", "r_sole"])
    apart = static_posture(model, [left, moved(right, [0.0, -3.0, 0.0])], starts=2)
    assert not apart.success and "place of" in apart.reason
    slippery = np.array(left.pose)
    slippery[:3, :3] = ts.spatial.rotation_matrix_from_rotation_vector([0.5, 0.0, 0.0])
    slides = static_posture(model, [Contact("l_sole", left.points, pose=slippery, friction=0.05)], starts=2)
    assert not slides.success and ("balance" in slides.reason or "cone of l_sole" in slides.reason)
    weak = static_posture(model, [left, right], load=0.001, starts=2)
    assert not weak.success and "torque of" in weak.reason
    for found in (apart, slides, weak):
        assert np.isfinite(found.q).all() and np.isfinite(found.violation)


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


def test_a_quadruped_rests_on_one_point_where_it_is_said_to():
    model = ts.load(robot_data_path("anymal_b_simple_description/robots/anymal.urdf"), base="free")
    stand = ts.ik.standing(model)
    contacts = [Contact("LF_FOOT", pose=ts.frame_pose(model, stand, "LF_FOOT"))]
    found = static_posture(model, contacts)
    assert found.success and found.equilibrium.feasible, (found.reason, found.equilibrium.reason)
