"""The law as a digital controller, on rigid ground that can let go."""

from dataclasses import replace

import numpy as np
import pytest
from walking.path_following.walkers import BIPED, LAW, PATH, periodic, with_feedback

import tarsus as ts
from tarsus.contact import Block, Ground, Rigid, flat, points
from tarsus.errors import SimulationError
from tarsus.walking import PathController

CONTACTS = points(BIPED.model, ["r_heel", "r_toe", "l_heel", "l_toe"])

LEVEL = flat(Rigid(friction=0.7))


def simulated(law, off, duration, dt=1e-3, ground=LEVEL):
    """Run and controller of a start with `off` times the periodic speed."""
    start = PATH.at(0.0)
    q = BIPED.placed(start.theta)
    controller = PathController(law)
    run = ts.simulate(
        BIPED.model, q, BIPED.velocity(q, off * periodic().rate * start.slope), duration=duration, dt=dt, sample_dt=dt,
        controller=controller, ground=ground, contacts=CONTACTS, progress=False,
    )  # fmt: skip
    return run, controller


def pressure(run):
    """Measured by the contact forces along the sole that stands, from its frame [m]; and of which samples."""
    clear = (run.signals["s"] > 0.05) & (run.signals["s"] < 0.97)
    leg = run.signals["standing"].astype(int)[clear]
    rows = np.arange(len(leg))[:, None]
    pair = np.stack([2 * leg, 2 * leg + 1], axis=1)
    up, x = run.contact_force[clear][rows, pair, 2], run.contact_position[clear][rows, pair, 0]
    ankles = np.stack([ts.frame_pose(run.model, run.q[clear], sole)[:, 0, 3] for sole in BIPED.soles], axis=1)
    return (up * x).sum(axis=1) / up.sum(axis=1) - ankles[rows[:, 0], leg], clear


def test_pressure_of_the_contact_forces_is_the_wanted_one_to_first_order_in_the_time_between_calls():
    errors = []
    for dt in (2e-3, 1e-3):
        run, _ = simulated(LAW, 1.15, 0.4, dt)
        found, clear = pressure(run)
        errors.append(np.abs(found - run.signals["wanted_pressure"][clear]).max())
        assert np.abs(run.signals["wanted_pressure"] + 0.015 - 0.06 * run.signals["s"]).max() < 1e-10
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.4)


def test_walk_on_ground_that_can_let_go_finds_back_to_its_speed():
    run, controller = simulated(with_feedback(), 1.15, 1.6)
    rates = np.array(controller.rates) / periodic().rate
    assert run.finished
    assert run.reason == ""
    assert rates[0] == pytest.approx(1.15)
    assert len(rates) == 4
    assert np.abs(rates[2:] - 1.0).max() < 0.04  # heel and toe do not land at one instant, and rattle
    found, clear = pressure(run)
    assert np.abs(found - run.signals["wanted_pressure"][clear]).max() < 1e-3
    assert np.abs(found).max() < 0.075
    assert np.abs(np.degrees(run.q[:, 2])).max() < 1.5
    assert not run.signals["limited"].any()


@pytest.mark.parametrize(("off", "edge"), [(1.15, "r_toe"), (0.85, "r_heel")])
def test_clock_tips_the_foot_at_once_and_is_stopped(off, edge):
    run, _ = simulated(replace(LAW, timing=periodic().clock), off, 0.1)
    first = [event["contact"] for event in run.metadata["events"] if event["time"] == 0.0]
    assert first == [edge]  # the other end of the sole leaves the ground
    assert run.time[-1] < 0.01
    assert "the foot that stands tipped" in run.reason


def test_a_foot_that_finds_no_ground_ends_the_run():
    ledge = Ground(Block((1.0, 1.0, 0.1), ts.pose((-0.42, 0.0, -0.05)), Rigid(0.7)))  # ends at x = 0.08 m
    run, _ = simulated(LAW, 1.0, 1.0, ground=ledge)
    assert "the other foot did not land by s = 1.2" in run.reason
    assert run.time[-1] < 0.7


def test_a_controller_is_for_one_robot():
    start = PATH.at(0.0)
    q = np.stack([BIPED.placed(start.theta)] * 2)
    with pytest.raises(SimulationError, match="for one robot"):
        ts.simulate(BIPED.model, q, duration=0.01, controller=PathController(LAW), progress=False)


def test_a_robot_that_is_too_slow_is_told_to_have_stalled():
    run, _ = simulated(LAW, 0.6, 1.0)
    assert "s' came to zero at s = 0.35" in run.reason  # where the map says
    assert run.time[-1] < 0.8
