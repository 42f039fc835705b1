"""A robot weighs itself by the forces that it stands on."""

from dataclasses import replace

import numpy as np
import pytest

import tarsus as ts
from tarsus.control import ContactSequence, first_stance
from tarsus.control.sequencing.weighing import Weighing
from tarsus.control.whole_body.answer import Command
from tarsus.scenarios.run import run
from tarsus.scenarios.stand import stand

SAMPLED = 2e-3
"""Miss of an integral over 0.2 s by the rule of trapezes, with 1 kHz and jumps of the force at its ends."""
FELT = 0.02
"""Miss of the weight where forces of the first touch, at 1 kHz, are a part of it."""


def at_height(model, z, speed):
    q, v = np.array(model.reference), np.zeros(model.nv)
    q[2] += z
    v[2] = speed
    return q, v


@pytest.mark.parametrize("weight", [0.8, 1.0, 1.1])
def test_weight_follows_from_impulse_and_change_of_momentum_while_the_robot_bounces(weight):
    model = ts.robots.hrp2()
    g, mass = 9.81, weight * model.total_mass
    weighing = Weighing(model, ["l_sole", "r_sole"], 0.2)
    known = False
    for t in np.arange(0.0, 0.2015, 1e-3):  # a bounce of 1 cm at 3 Hz
        rate = 2.0 * np.pi * 3.0
        q, v = at_height(model, 0.01 * np.sin(rate * t), 0.01 * rate * np.cos(rate * t))
        push = mass * (g - 0.01 * rate**2 * np.sin(rate * t))
        known |= weighing.feel(t, q, v, lambda frame, half=0.5 * push: np.array([3.0, -2.0, half]))
    assert known and not weighing.reason
    assert weighing.found == pytest.approx(weight, abs=SAMPLED)


def test_commands_come_to_the_weight_without_a_jump_and_keep_their_accelerations():
    model = ts.robots.quadruped()
    q, v = np.array(model.reference), np.zeros(model.nv)
    weighing = Weighing(model, ["fl_foot"], 0.1)
    for t in (0.0, 0.1):
        weighing.feel(t, q, v, lambda frame: np.array([0.0, 0.0, 1.2 * 9.81 * model.total_mass]))
    ones = np.ones(model.nv)
    given = Command(ones, 2.0 * ones, {"fl_foot": np.ones(6)}, "solved", "")
    times = np.linspace(0.1, 0.2, 101)
    shares = np.array([weighing.share(t) for t in times])
    assert shares[0] == 1.0 and shares[-1] == pytest.approx(1.2) and np.abs(np.diff(shares)).max() < 5e-3
    assert not weighing.over(0.19) and weighing.over(0.2)
    scaled = weighing.scaled(0.3, given)
    np.testing.assert_allclose(scaled.tau, 1.2)
    np.testing.assert_allclose(scaled.wrenches["fl_foot"], 1.2)
    np.testing.assert_array_equal(scaled.vdot, given.vdot)


@pytest.mark.parametrize("felt", [0.0, np.nan, 10.0])
def test_a_weight_that_cannot_be_is_not_believed_and_told(felt):
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    weighing = Weighing(model, ["l_sole"], 0.1)
    for t in (0.0, 0.1):
        weighing.feel(t, q, v, lambda frame: np.array([0.0, 0.0, felt * 9.81 * model.total_mass]))
    assert weighing.found == 1.0 and "expected 0.5 to 2" in weighing.reason


@pytest.mark.parametrize("left", [0.0, 0.05])
def test_a_foot_that_is_not_felt_makes_no_robot_of_half_the_weight(left):
    """A robot 10 % heavier with a dead sensor in one foot was believed to weigh 0.55, and sank."""
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    half = 0.5 * 9.81 * model.total_mass
    up = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    for dead in (True, False):
        weighing = Weighing(model, ["l_sole", "r_sole"], 0.1)
        felt = {"l_sole": (left if dead else 1.1) * half * up[:3], "r_sole": 1.1 * half * up[:3]}
        given = Command(v, v, {frame: half * up for frame in felt}, "solved", "")
        for t in np.linspace(0.0, 0.1, 11):
            weighing.feel(t, q, v, felt.__getitem__)
            weighing.scaled(t, given)
        assert weighing.found == pytest.approx(1.0 if dead else 1.1)
        assert weighing.reason == ("nothing is felt at ['l_sole'], which carry the robot: the model is believed" * dead)


def test_a_frame_with_two_contacts_is_weighed_once():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    weighing = Weighing(model, ["l_sole", "l_sole"], 0.1)
    for t in (0.0, 0.1):
        weighing.feel(t, q, v, lambda frame: np.array([0.0, 0.0, 9.81 * model.total_mass]))
    assert weighing.found == pytest.approx(1.0) and not weighing.reason


def test_torques_for_a_heavier_robot_stay_within_limits():
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    body = ts.control.WholeBody(model, [ts.tasks.Posture(q)], [])
    weaker = body.weaker(1.25)
    far = v.copy()
    far[6:] = 3.0  # dampers of tasks ask for much
    assert np.abs(body.solve(q, far).tau / model.tau_max)[6:].max() == pytest.approx(1.0, abs=1e-6)
    assert np.abs(weaker.solve(q, far).tau / model.tau_max)[6:].max() == pytest.approx(0.8, abs=1e-6)


def test_a_heavier_robot_knows_its_weight_and_stands_at_its_height():
    scenario = stand(ts.robots.hrp2(), pushes=[], duration=1.5)
    low = {}
    for weigh in (True, False):
        stance = first_stance(scenario.known, scenario.q0, scenario.control().supports, "stand")
        control = ContactSequence(scenario.known, [stance], holds={"stand": 3.0}, weigh=weigh)
        found = run(replace(scenario, control=lambda told=control: told), mass_error=0.1, control_dt=2e-3)
        assert found.verdict.passed, found.verdict
        com = ts.center_of_mass(scenario.known, found.trajectory.q[[0, -1]])[:, 2]
        low[weigh] = com[0] - com[1]
        assert control.heaviness == pytest.approx(1.1 if weigh else 1.0, abs=FELT)
    assert low[True] < 5e-3 < low[False]
