"""Robots at rest: forces and torques belong together, and no others need less of the drives."""

import numpy as np
from tests.control.whole_body.stances import contacts_at, random_state, standing_tasks

import tarsus as ts
from tarsus.control import Contact, WholeBody, static_equilibrium


def test_forces_and_torques_hold_the_robot():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    found = static_equilibrium(model, q, contacts_at(model, q, ["l_sole", "r_sole"]))
    assert found.feasible and 0.0 < found.load < 1.0
    rest = np.zeros(model.nv)
    needed = ts.inverse_dynamics(model, q, rest, rest, external=ts.body_wrenches(model, q, found.wrenches))
    np.testing.assert_allclose(needed, found.tau, atol=1e-11 * 9.81 * model.total_mass)
    assert np.isclose((np.abs(found.tau) / model.tau_max).max(), found.load, rtol=1e-6)


def test_no_controller_at_rest_needs_less():
    model = ts.robots.hrp2()
    q, contacts = np.array(model.reference), contacts_at(model, model.reference, ["l_sole", "r_sole"])
    command = WholeBody(model, standing_tasks(model, q), contacts).solve(q, np.zeros(model.nv))
    least = static_equilibrium(model, q, contacts).load
    assert least <= (np.abs(command.tau) / model.tau_max).max() + 1e-9


def test_a_pendulum_needs_its_weight_times_its_arm():
    builder = ts.ModelBuilder("arm").add_link("ground").add_link("bob", ts.Inertia.of_sphere(2.0, 0.1, com=(0.5, 0, 0)))
    builder.add_joint("hinge", "revolute", "ground", "bob", axis=(0, 1, 0), tau_max=20.0, v_max=1.0)
    found = static_equilibrium(builder.build(), [0.0], [])
    assert np.isclose(found.load, 2.0 * 9.81 * 0.5 / 20.0)
    assert "hinge" in found.reason


def test_a_robot_that_leans_too_far_cannot_rest():
    model = ts.robots.hrp2()
    q, _ = random_state(model, np.random.default_rng(1))
    q = np.array(q)
    q[3:7] = ts.spatial.quaternion_from_rotation_vector([0.0, 0.4, 0.0])
    free = [Contact(contact.frame, contact.points) for contact in contacts_at(model, q, ["l_sole"])]
    found = static_equilibrium(model, q, free)
    assert not found.feasible and found.load == np.inf
    assert "cones" in found.reason


def test_contacts_that_are_not_where_their_poses_are_are_told():
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    contacts = contacts_at(model, q, ["l_sole", "r_sole"])
    q[2] += 0.1
    found = static_equilibrium(model, q, contacts)
    assert not found.feasible and found.load == np.inf
    assert "'l_sole' is 0.1 m and 0 rad from its pose" in found.reason


def test_a_robot_on_a_point_rests_but_for_rounding():
    builder = ts.ModelBuilder("ball", base="free").add_link(
        "ball", ts.Inertia.of_sphere(2.0, 0.1, com=(0.1 + 1e-9, 0, 0))
    )
    model = builder.build()
    foot = Contact("ball", [[0.1, 0.0, -0.1]])
    found = static_equilibrium(model, model.neutral(), [foot])
    assert found.feasible and np.isclose(found.wrenches["ball"][2], 2.0 * 9.81)
