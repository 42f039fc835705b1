"""Whole-body control in simulations: torque and position drives, states that are estimated, what is told."""

import warnings

import numpy as np
import pytest
from tests.control.whole_body.stances import CORNERS, contacts_at, standing_tasks

import tarsus as ts
from tarsus.control import Contact, Fading, PositionDrives, WholeBody, WholeBodyController
from tarsus.control.whole_body.answer import Command
from tarsus.control.whole_body.position_drives import DesiredMotion
from tarsus.errors import ArgumentError, ControlWarning

GROUND = ts.contact.flat(law=ts.contact.Compliant(friction=0.8))
PUSH = ts.simulation.Push("CHEST_LINK1", (100.0, 0.0, 0.0), start=0.1, duration=0.1)
"""10 N s from behind."""
DRIVES = PositionDrives(kp=300.0, kd=15.0)


def standing(**options):
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    com = ts.center_of_mass(model, q)
    tasks = [
        ts.tasks.CenterOfMass(com, weight=10.0, gain=6.0),
        ts.tasks.Orientation("BODY", np.eye(3), gain=6.0),
        ts.tasks.Posture(q, weight=0.3, gain=6.0),
    ]
    body = WholeBody(model, tasks, contacts_at(model, q, ["l_sole", "r_sole"], pressure_margin=0.01), **options)
    return model, q, body


def pushed(model, q, controller, duration=0.5, **options):
    return ts.simulate(
        model, q, duration=duration, ground=GROUND, controller=controller, dt=1e-3, pushes=[PUSH], **options
    )


@pytest.mark.long
@pytest.mark.parametrize("drives", [None, DRIVES, PositionDrives(kp=1500.0, kd=50.0, leak=1.0, feed_forward=False)])
def test_hrp2_stands_under_a_push_of_10_newton_seconds_with_both_kinds_of_drives(drives):
    model, q, body = standing()
    controller = WholeBodyController(body, drives=drives)
    run = pushed(model, q, controller, duration=3.0)
    com = ts.center_of_mass(model, run.q)
    away = np.abs(com - com[0])
    assert away.max() > 0.01  # it was pushed
    assert away[-1, :2].max() < 5e-3
    assert (
        np.abs(ts.frame_pose(model, run.q[-1], "l_sole")[:2, 3] - ts.frame_pose(model, q, "l_sole")[:2, 3]).max() < 1e-3
    )
    assert (np.abs(run.tau)[:, 6:] <= model.tau_max[6:] * (1 + 1e-9)).all()


@pytest.mark.parametrize("drives", [None, DRIVES])
def test_a_robot_that_is_pushed_is_held_and_signals_are_kept(drives):
    model, q, body = standing()
    controller = WholeBodyController(body, drives=drives)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ControlWarning)
        run = pushed(model, q, controller)
    assert controller.counts == {"solved": 500} and controller.unsolved == 0
    assert controller.summary() == "0 of 500 commands were not solved"
    com = ts.center_of_mass(model, run.q)
    speed = np.gradient(com[:, 0], run.time)
    assert speed.max() > 0.05 and abs(speed[-1]) < 0.5 * speed.max()  # 10 N s on 56 kg, and braked
    signals = run.signals
    assert set(signals) == {
        "whole_body/status", "whole_body/iterations", "error/CenterOfMass", "error/Orientation BODY", "error/Posture",
        "wrench/l_sole", "wrench/r_sole",
    }  # fmt: skip
    assert np.all(signals["whole_body/status"] == 0.0)
    expected = signals["wrench/l_sole"] + signals["wrench/r_sole"]
    assert expected[0, 2] == pytest.approx(9.81 * model.total_mass, rel=0.01)


def test_desired_motion_is_the_integral_of_accelerations_that_leaks_to_the_measured_one():
    """With a state that stays and a constant acceleration a, v_d tends to a / leak and q_d - q to a / leak^2."""
    model = ts.robots.hrp2()
    q, v = np.array(model.reference), np.zeros(model.nv)
    a = np.where(np.arange(model.nv) >= 6, 0.3, 5.0)
    command = Command(np.arange(model.nv) * 0.1, a, {}, "solved", "")
    motion = DesiredMotion(model, PositionDrives(kp=1.0, kd=1.0, leak=10.0))
    for k in range(3001):
        law = motion.law(1e-3 * k, q, v, command)
    np.testing.assert_allclose(np.asarray(law.v)[6:], 0.3 / 10.0, rtol=1e-6)
    np.testing.assert_allclose((np.asarray(law.q) - q)[7:], 0.3 / 100.0, rtol=1e-6)
    np.testing.assert_array_equal(np.asarray(law.q)[:7], q[:7])  # nothing drives the base
    np.testing.assert_array_equal(law.tau, command.tau)
    quick = DesiredMotion(model, PositionDrives(kp=1.0, kd=1.0, leak=0.0, feed_forward=False))
    for k in range(101):
        law = quick.law(1e-3 * k, q, v, command)
    np.testing.assert_allclose(np.asarray(law.v)[6:], 0.3 * 0.1, rtol=1e-9)
    np.testing.assert_allclose((np.asarray(law.q) - q)[7:], 0.5 * 0.3 * 0.1**2, rtol=0.02)
    assert law.tau is None


def test_what_is_not_solved_is_counted_warned_of_once_and_told():
    model, q, _ = standing()
    sole = [Contact("l_sole", CORNERS, min_force=5000.0, max_force=6000.0)]
    body = WholeBody(model, standing_tasks(model, q), sole, torque_limits=np.where(model.actuated, 20.0, np.inf))
    controller = WholeBodyController(body)
    with pytest.warns(ControlWarning, match="whole-body control at 0 s: infeasible, .*l_sole") as told:
        run = ts.simulate(model, q, duration=0.01, ground=GROUND, controller=controller, dt=1e-3)
    assert sum(issubclass(w.category, ControlWarning) for w in told) == 1
    assert controller.unsolved == 10
    assert "10 of 10 commands were not solved; 10 infeasible, first at 0 s: " in controller.summary()
    assert (run.signals["whole_body/status"] == 2.0).all()
    assert np.isfinite(run.tau).all() and np.abs(run.tau[:, 6:]).max() <= 20.0


def test_estimates_are_taken_for_the_state_and_references_move():
    model, q, body = standing()
    seen, asked = [], []

    class Shifted:
        def update(self, observation):
            seen.append(observation.t)
            return np.add(observation.q, np.eye(model.nq)[0] * 0.01), observation.v

    def tasks(t):
        asked.append(t)
        return body.tasks

    controller = WholeBodyController(Fading(body), tasks=tasks, estimator=Shifted(), frames=["l_sole"])
    run = ts.simulate(model, q, duration=0.005, ground=GROUND, controller=controller, dt=1e-3)
    assert seen == asked == pytest.approx([0.0, 1e-3, 2e-3, 3e-3, 4e-3])
    assert "wrench/r_sole" not in run.signals
    where = model.integrate(q, np.eye(model.nv)[0] * 0.01)
    np.testing.assert_allclose(run.tau[0], body.alike().solve(where, np.zeros(model.nv)).tau, atol=1e-9)


def test_bad_arguments_of_the_controller_are_named():
    model, _, body = standing()
    for options, word in (
        ({"body": model}, "body is"),
        ({"tasks": []}, "tasks is"),
        ({"contacts": []}, "contacts is"),
        ({"estimator": 3}, "estimator is 3"),
        ({"drives": 300.0}, "drives is 300.0"),
    ):
        with pytest.raises(ArgumentError, match=word):
            WholeBodyController(**{"body": body, **options})
    with pytest.raises(ArgumentError, match="leak"):
        PositionDrives(1.0, 1.0, leak=-1.0)
