"""The state machine over stances, on a robot that does what it is told."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.control import ContactSequence
from tarsus.errors import ArgumentError, UnknownNameError
from tarsus.scenarios.robot import Robot
from tarsus.scenarios.stance_list import StanceList

DT = 5e-3
"""Time between commands of these tests [s]."""


@pytest.fixture(scope="module")
def step():
    """Stances of one step of the left foot of HRP-2, on the spot."""
    robot = Robot.of(ts.robots.hrp2())
    plan = StanceList(robot.known, robot.contacts(robot.q), robot.q)
    foot = robot.feet[0]
    down = next(contact for contact in plan.contacts if contact.frame == foot.frame)
    up = np.array(down.pose)
    up[2, 3] += 0.05
    home = plan.q
    plan.release(foot.frame, home, "released").lift(foot.contact(up), home, "lifted").place(down, home, "down")
    return robot.known, plan.stances, foot.frame


def obey(model, machine, felt, most=8.0):
    """Integrate commanded accelerations until the machine is done or has failed; `felt(X)` is a normal force [N]."""
    q, v, commands = np.array(machine.steps[0].path.start), np.zeros(model.nv), []
    for t in np.arange(0.0, most, DT):
        command = machine.command(
            t, q, v, lambda frame, q=q: np.array([0.0, 0.0, felt(ts.frame_pose(model, q, frame))])
        )
        commands.append((t, command, machine.contacts))
        if machine.state in ("done", "failed"):
            break
        v = v + DT * command.vdot
        q = model.integrate(q, v, DT)
    return commands


def states(machine):
    return [event.state for event in machine.events]


def ground(height):
    return lambda X: 100.0 if X[2, 3] < height else 0.0


def height_at_touch(machine, commands, frame, when):
    """Where a contact is taken, when a touch is told as early, in time or late [m]."""
    touch = next(event.time for event in machine.events if event.text == f"{frame} touches {when}")
    contacts = next(contacts for t, _, contacts in commands if t == touch)
    return np.asarray(next(contact for contact in contacts if contact.frame == frame).pose)[2, 3]


def test_states_of_a_step_follow_each_other_to_the_end(step):
    model, stances, _ = step
    machine = ContactSequence(model, stances)
    commands = obey(model, machine, ground(1e-4))
    assert machine.state == "done" and machine.reason == ""
    order = [state for state in states(machine) if state != "seek"]
    assert order[:5] == ["hold", "shift", "unload", "shift", "swing"]
    assert order[-3:] == ["load", "hold", "done"]
    assert all(command.success for _, command, _ in commands)


def test_force_of_a_released_contact_fades_to_nothing_before_its_rows_go(step):
    model, stances, frame = step
    machine = ContactSequence(model, stances)
    commands = obey(model, machine, ground(1e-4))
    begin, end = (next(e.time for e in machine.events if e.state == state) for state in ("unload", "swing"))
    held = [(t, c.wrenches[frame][2]) for t, c, _ in commands if begin <= t < end and frame in c.wrenches]
    assert held[0][1] > 0.0 and held[-1][1] < 0.05 * max(held[0][1], 1.0)
    weight = model.total_mass * 9.81
    assert np.abs(np.diff([force for _, force in held])).max() < 0.1 * weight


def test_contact_that_is_felt_early_is_taken_where_it_is(step):
    model, stances, frame = step
    machine = ContactSequence(model, stances)
    commands = obey(model, machine, ground(0.02))
    assert machine.state == "done"
    assert height_at_touch(machine, commands, frame, "early") == pytest.approx(0.02, abs=4e-3)


def test_limb_that_is_late_goes_on_along_the_normal_until_it_touches(step):
    model, stances, frame = step
    machine = ContactSequence(model, stances)
    commands = obey(model, machine, ground(-0.015))
    assert machine.state == "done" and "seek" in states(machine)
    assert height_at_touch(machine, commands, frame, "late") == pytest.approx(-0.015, abs=4e-3)


def test_limb_that_meets_nothing_ends_in_a_failure_that_names_it(step):
    model, stances, frame = step
    machine = ContactSequence(model, stances)
    obey(model, machine, ground(-1.0))
    assert machine.state == "failed"
    assert frame in machine.reason and "has met nothing within" in machine.reason


def test_state_that_is_not_finite_fails_with_torques_that_are(step):
    model, stances, _ = step
    machine = ContactSequence(model, stances)
    q, v = np.array(stances[0].q), np.zeros(model.nv)
    machine.command(0.0, q, v, lambda frame: np.zeros(3))
    for k in range(1, 25):
        command = machine.command(k * DT, np.full(model.nq, np.nan), v, lambda frame: np.zeros(3))
        assert command.status == "not-finite" and np.isfinite(command.tau).all()
        assert (np.abs(command.tau) <= model.tau_max).all()
    assert machine.state == "failed" and "not finite" in machine.reason


def test_robot_that_does_not_move_fails_with_how_far_it_is_away(step):
    model, stances, _ = step
    machine = ContactSequence(model, stances)
    q, v = np.array(stances[0].q), np.zeros(model.nv)
    for t in np.arange(0.0, 6.0, 0.05):
        machine.command(t, q, v, lambda frame: np.zeros(3))
    assert machine.state == "failed" and "mm from its reference" in machine.reason


def test_contacts_that_move_or_change_in_both_directions_are_refused(step):
    model, stances, _ = step
    moved = np.array(stances[0].contacts[0].pose)
    moved[0, 3] += 0.1
    first = stances[0]
    other = type(first)("moved", (first.contacts[0].with_pose(moved), first.contacts[1]), first.q, first.equilibrium)
    with pytest.raises(ArgumentError, match="expected a stance without it in between"):
        ContactSequence(model, [first, other])
    left = type(first)("left", first.contacts[:1], first.q, first.equilibrium)
    right = type(first)("right", first.contacts[1:], first.q, first.equilibrium)
    with pytest.raises(ArgumentError, match="are released and .* made"):
        ContactSequence(model, [left, right])
    with pytest.raises(UnknownNameError, match="stance 'strat' of holds not found"):
        ContactSequence(model, stances, holds={"strat": 1.0})
