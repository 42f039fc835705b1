"""The state machine over stances, on a robot that does what it is told."""

from copy import deepcopy
from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np
import pytest
from tests.control.whole_body.stances import residual

import tarsus as ts
from tarsus.control import ContactSequence
from tarsus.control.sequencing.resizing import Resizing, lifted
from tarsus.control.sequencing.seat import is_seated, seat_of
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError
from tarsus.scenarios.robot import Robot
from tarsus.scenarios.stance_list import StanceList
from tarsus.spatial import rotation_matrix_from_rotation_vector

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


def test_exchanges_that_leave_nothing_to_stand_on_are_refused(step):
    model, stances, _ = step
    first = stances[0]
    left = replace(first, name="left", contacts=first.contacts[:1])
    right = replace(first, name="right", contacts=first.contacts[1:])
    with pytest.raises(ArgumentError, match=r"are released and .* made, and \[\] do not hold the robot meanwhile"):
        ContactSequence(model, [left, right])
    with pytest.raises(ArgumentError, match="'moved' .* do not hold the robot meanwhile"):
        ContactSequence(
            model, [first, replace(first, name="moved", contacts=(shifted(first.contacts[0]), right.contacts[0]))]
        )
    with pytest.raises(UnknownNameError, match="stance 'strat' of holds not found"):
        ContactSequence(model, stances, holds={"strat": 1.0})
    for time in (-1.0, np.nan):
        with pytest.raises(ArgumentError, match=r"holds\['start'\] is"):
            ContactSequence(model, stances, holds={"start": time})
    with pytest.raises(ArgumentError, match="stances is empty; expected at least one"):
        ContactSequence(model, [])


def shifted(contact, way=0.04):
    pose = np.array(contact.pose)
    pose[0, 3] += way
    return contact.with_pose(pose)


def test_a_foot_is_released_and_placed_elsewhere_between_two_stances(step):
    model, stances, frame = step
    first, released = stances[0], stances[1]
    plan = StanceList(model, released.contacts, released.q)
    there = shifted(first.contact(frame))
    plan.place(there, released.q, "elsewhere")
    machine = ContactSequence(
        model, [first, replace(first, name="over the other foot", q=released.q), plan.stances[-1]]
    )
    commands = obey(model, machine, ground(1e-4))
    assert machine.state == "done", machine.reason
    order = [state for state, _ in groupby(states(machine)) if state != "seek"]
    assert order == ["hold", "shift", "unload", "swing", "load", "hold", "done"]
    assert all(command.success for _, command, _ in commands)
    end = next(contact for contact in commands[-1][2] if contact.frame == frame)
    assert np.asarray(end.pose)[:2, 3] == pytest.approx(np.asarray(there.pose)[:2, 3], abs=3e-3)


def front_edge(contact):
    points = np.asarray(contact.points)
    return replace(contact, points=points[points[:, 0] > 0.0])


def test_a_sole_shrinks_to_its_front_edge_and_grows_again_without_jumps_of_force(step):
    model, stances, frame = step
    first = stances[0]
    edge = tuple(front_edge(c) if c.frame == frame else c for c in first.contacts)
    on_toes = replace(first, name="toes", contacts=edge)
    machine = ContactSequence(model, [first, on_toes, replace(first, name="sole")])
    commands = obey(model, machine, lambda X: 0.0)
    assert machine.state == "done", machine.reason
    assert states(machine) == ["hold", "shift", "unload", "shift", "load", "hold", "done"]
    assert all(command.success for _, command, _ in commands)
    freedoms = [next(c for c in contacts if c.frame == frame).freedoms for _, _, contacts in commands]
    assert freedoms[0] == freedoms[-1] == 0 and 1 in freedoms
    forces = np.array([command.wrenches[frame] for _, command, _ in commands])
    weight = 9.81 * model.total_mass
    assert np.abs(np.diff(forces[:, 2])).max() < 0.1 * weight


def test_height_of_the_heel_of_a_sole_on_its_toes_is_told(step):
    _, stances, frame = step
    first = stances[0]
    small = front_edge(first.contact(frame))
    tilt = rotation_matrix_from_rotation_vector([0.0, 0.2, 0.0])
    toes = np.asarray(small.pose)[:3, :3] @ small.X_FC[:3, 3] + np.asarray(small.pose)[:3, 3]
    X = np.array(small.pose)
    X[:3, :3] = tilt @ X[:3, :3]
    X[:3, 3] = toes - X[:3, :3] @ small.X_FC[:3, 3]
    assert lifted(first.contact(frame), X) == pytest.approx(0.2 * 0.85 * 0.23, rel=0.02)
    assert lifted(first.contact(frame), np.asarray(small.pose)) == 0.0


def test_sizes_of_a_contact_are_inside_of_those_that_are_larger(step):
    sole = step[1][0].contacts[0]
    growing = Resizing(front_edge(sole), sole)
    assert growing.at(0.0).freedoms == 1 and growing.at(1.0) is sole
    assert growing.at(0.41) is growing.at(0.39)  # one of ten sizes
    for small, large in pairwise([growing.at(share) for share in (0.2, 0.5, 0.8, 1.0)]):
        wrenches = small.edges() @ np.eye(6)
        arm = (small.X_FC - large.X_FC)[:3, 3]
        moved = np.hstack([wrenches[:, :3], wrenches[:, 3:] + np.cross(arm, wrenches[:, :3])])
        assert (large.cone @ moved.T).min() > -1e-9


def test_an_edge_that_rolls_keeps_its_place_and_the_normal_of_its_ground(step):
    edge = front_edge(step[1][0].contacts[0])
    planned = np.asarray(edge.pose)
    toes = planned[:3, :3] @ edge.X_FC[:3, 3] + planned[:3, 3]
    X = np.array(planned)
    X[:3, :3] = rotation_matrix_from_rotation_vector([0.0, 0.7, 0.0]) @ X[:3, :3]
    X[:3, 3] = toes + np.array([3e-3, 0.0, -1e-3]) - X[:3, :3] @ edge.X_FC[:3, 3]  # slid forward, sunk in
    seat = seat_of(edge, X)
    assert seat[:3, :3] == pytest.approx(planned[:3, :3], abs=1e-12)
    assert seat[:3, :3] @ edge.X_FC[:3, 3] + seat[:3, 3] == pytest.approx(toes - [0.0, 0.0, 1e-3], abs=1e-12)
    assert is_seated(edge, seat, X)
    X[2, 3] -= 1e-3
    assert not is_seated(edge, seat, X)


def fast_ankle(model, stances):
    """A state in which limits of velocity cannot hold: an ankle that stands turns at six times its limit."""
    q, v = np.array(stances[0].q), np.zeros(model.nv)
    ankle = model.joints["LLEG_JOINT4"].v_index
    v[ankle] = 6.0 * model.v_max[ankle]
    return q, v


def test_commands_that_miss_limits_are_given_and_told(step):
    """They hold cones and torque limits; the torques of the last command that missed none were given instead."""
    model, stances, _ = step
    machine = ContactSequence(model, stances)
    q, v = fast_ankle(model, stances)
    machine.command(0.0, q, np.zeros(model.nv), lambda frame: np.zeros(3))
    taus = []
    for k in range(1, 60):
        command = machine.command(k * 1e-3, q, v * (1.0 - 1e-3 * k), lambda frame: np.zeros(3))
        assert command.status == "limits-missed" and command.answered and not command.success
        assert residual(model, q, v * (1.0 - 1e-3 * k), command) < 1e-8
        assert (np.abs(command.tau) <= model.tau_max).all()
        taus.append(command.tau)
    assert np.abs(np.diff(taus, axis=0)).max(axis=1).min() > 0.0
    told = [event for event in machine.events if "limits of accelerations are missed" in event.text]
    assert len(told) == 1 and machine.state != "failed"


def test_limits_that_stay_missed_are_a_failure(step):
    model, stances, _ = step
    machine = ContactSequence(model, stances, holds={"start": 60.0})
    q, v = fast_ankle(model, stances)
    for t in np.arange(0.0, machine.pace.patience + 0.1, 0.02):
        machine.command(t, q, v, lambda frame: np.zeros(3))
    assert machine.state == "failed" and "limits of accelerations are missed" in machine.reason


def test_robot_that_is_dropped_lands_on_its_feet():
    """From 40 cm, with its knees at their limits of velocity on the way down: it fell, and lay."""
    scenario = ts.scenarios.stand(ts.robots.hrp2(), pushes=[], duration=1.0)
    q0 = np.array(scenario.q0)
    q0[2] += 0.4
    run = ts.simulate(
        scenario.model,
        q0,
        duration=0.9,
        controller=scenario.control(),
        ground=ts.contact.flat(),
        contacts=scenario.contacts,
        dt=1e-3,
        control_dt=1e-3,
    )
    assert run.q[-1, 2] > 0.75 * scenario.q0[2]
    assert ts.kinetic_energy(scenario.model, run.q[-1], run.v[-1]) < 10.0


def test_forces_and_times_that_are_none_are_named(step):
    model, stances, _ = step
    machine = ContactSequence(model, stances, weigh=True)
    q, v = np.array(stances[0].q), np.zeros(model.nv)
    frame = stances[0].contacts[0].frame
    with pytest.raises(ShapeError, match=rf"force\('{frame}'\): found shape \(6,\), expected \(3,\)"):
        machine.command(0.0, q, v, lambda frame: np.zeros(6))
    with pytest.raises(ArgumentError, match="t of ContactSequence.command is nan"):
        machine.command(np.nan, q, v, lambda frame: np.zeros(3))
    assert machine.command(0.0, q, v, lambda frame: [0.0, 0.0, 100.0]).success


def test_a_copy_of_a_sequence_goes_its_own_way(step):
    model, stances, _ = step
    machine = ContactSequence(model, stances, weigh=True)
    q, v = np.array(stances[0].q), np.zeros(model.nv)
    machine.command(0.0, q, v, lambda frame: np.zeros(3))
    twin = deepcopy(machine)
    found = [each.command(1e-3, q, v, lambda frame: np.zeros(3)).tau for each in (machine, twin)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)
    twin.command(2e-3, np.full(model.nq, np.nan), v, lambda frame: np.zeros(3))
    assert machine.command(2e-3, q, v, lambda frame: np.zeros(3)).success
