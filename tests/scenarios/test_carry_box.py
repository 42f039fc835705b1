"""A box is taken from a table with two hands, carried and put down (Bouyarmane and Kheddar 2012, VII)."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.scenarios.carry_box import SIZE, TABLE, carry_box
from tarsus.scenarios.carrying import CLEAR, DURATIONS, FRICTION, Carrying
from tarsus.scenarios.run import run


def test_it_begins_with_open_hands_beside_a_box_that_stands():
    scenario = carry_box(ts.robots.hrp2())
    model, q = scenario.model, scenario.q0
    box = ts.frame_pose(model, q, "box")[:3, 3]
    assert box[2] == pytest.approx(TABLE[1] + 0.5 * SIZE[2])
    for frame, side in (("l_grip", 1.0), ("r_grip", -1.0)):
        X = ts.frame_pose(model, q, frame)
        np.testing.assert_allclose(X[:3, 3], box + np.array([0.0, side * (0.5 * SIZE[1] + CLEAR), 0.0]), atol=1e-6)
        np.testing.assert_allclose(X[:3, 1], [0.0, 1.0, 0.0], atol=1e-6)
    control = scenario.control()
    command = control.command(0.0, q, np.zeros(model.nv), lambda frame: np.zeros(3))
    assert command.success and control.state == "reach"
    assert command.wrenches["box_bottom"][2] == pytest.approx(9.81 * 2.0, rel=1e-6)
    np.testing.assert_allclose(command.wrenches["box_bottom"][:2], 0.0, atol=1e-6)
    feet = [command.wrenches[contact.frame][2] for contact in control.supports]
    assert sum(feet) == pytest.approx(9.81 * ts.robots.hrp2().total_mass, rel=1e-3)  # nothing else holds the robot
    np.testing.assert_array_equal(command.tau[:6], 0.0)


@pytest.mark.parametrize("state", ["lift", "carry", "lower"])
def test_velocities_and_accelerations_of_the_box_are_those_of_its_path(state):
    scenario = carry_box(ts.robots.hrp2(), lift=0.1, turn=0.5)
    control = scenario.control()
    assert isinstance(control, Carrying)
    control.state, h = state, 1e-5
    for t in np.linspace(0.1, 0.9, 5) * DURATIONS[state]:
        (before, V0, _), (_, V, A), (after, V1, _) = (control._target(t + s * h) for s in (-1, 0, 1))
        turn = ts.spatial.rotation_vector_from_rotation_matrix(after[:3, :3] @ before[:3, :3].T)
        np.testing.assert_allclose(np.append(after[:3, 3] - before[:3, 3], turn) / (2 * h), V, atol=1e-7)
        np.testing.assert_allclose((V1 - V0) / (2 * h), A, atol=1e-6)


def test_hands_that_feel_nothing_are_a_failure_with_a_reason():
    scenario = carry_box(ts.robots.hrp2())
    control = scenario.control()
    rest = np.zeros(scenario.model.nv)
    control.command(0.0, scenario.q0, rest, lambda frame: np.zeros(3))
    control.command(2.5, scenario.q0, rest, lambda frame: np.zeros(3))
    assert control.state == "failed" and "do not feel the box" in control.reason


def test_other_robots_are_refused_by_name():
    with pytest.raises(ArgumentError, match="hrp2"):
        carry_box(ts.robots.lola())


@pytest.mark.long
@pytest.mark.parametrize("ground", ["compliant", "least-constraint"])
def test_a_heavier_robot_carries_a_heavier_box_with_late_torques(ground):
    outcome = run(carry_box(ts.robots.hrp2()), ground=ground, mass_error=0.1, delay=0.005, control_dt=5e-3)
    assert outcome.verdict.passed, outcome.verdict
    assert outcome.events[-1].state == "done"


def test_rigid_ground_refuses_bodies_that_touch_each_other():
    with pytest.raises(ArgumentError, match="bodies touch each other on ground of a law with forces.*not of Rigid"):
        run(carry_box(ts.robots.hrp2()), ground="rigid", duration=0.05)


@pytest.mark.long
def test_the_box_is_carried_and_grasps_stay_in_their_cones_in_every_sample():
    scenario = carry_box(ts.robots.hrp2(), turn=0.4)
    outcome = run(scenario)
    assert outcome.verdict.passed, outcome.verdict.reason
    assert list(dict.fromkeys(event.state for event in outcome.events)) == [*DURATIONS, "done"]
    found, model = outcome.trajectory, scenario.model
    box = ts.frame_pose(model, found.q, "box")
    assert box[:, 2, 3].max() > box[0, 2, 3] + 0.1  # lifted
    turned = ts.spatial.rotation_matrix_from_rotation_vector([0.0, 0.0, 0.4])
    np.testing.assert_allclose(box[-1, :3, 3], turned @ box[0, :3, 3], atol=5e-3)
    np.testing.assert_allclose(box[-1, :3, :3], turned, atol=0.02)
    assert np.abs(found.v[-1, -6:]).max() < 5e-3  # it rests
    assert found.wrench("box")[-1, 2] == pytest.approx(9.81 * 2.0, rel=0.02)
    assert not found.wrench("l_grip")[-1].any() and not found.wrench("r_grip")[-1].any()  # nobody holds it
    # What hands do to the box in the simulation is within the cone that the controller counts on, while they hold it.
    times = {event.state: event.time for event in outcome.events}
    held = (found.time > times["lift"]) & (found.time < times["put"])
    control = scenario.control()
    for grip in control._grips:
        X = ts.frame_pose(model, found.q, grip.frame)
        contact = grip.contact(np.eye(4), "box", FRICTION)
        for wrench, X_WF in zip(found.wrench(grip.frame)[held], X[held], strict=True):
            R = X_WF[:3, :3] @ contact.X_FC[:3, :3]
            arm = X_WF[:3, :3] @ contact.X_FC[:3, 3]
            y = np.append(R.T @ wrench[:3], R.T @ (wrench[3:] - np.cross(arm, wrench[:3])))
            assert y[2] > 20.0
            assert (contact.cone @ (contact.rows @ y)).min() > 0.0
