"""Torques where no command is found: they take energy out of a robot, and stay within limits."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.control.sequencing.pace import Pace
from tarsus.control.sequencing.stopgap import MISSES, Stopgap
from tarsus.control.whole_body.answer import Command

DT = 1e-3
"""Time between commands [s]."""


@pytest.fixture
def robot():
    model = ts.robots.hrp2()
    return model, Pace.of(model, model.reference)


def missed(tau):
    return Command(tau, np.zeros_like(tau), {}, "infeasible", "")


def torques(gap, model, times, q, v):
    return [gap.torques(t, q, v, missed(np.zeros(model.nv))) for t in times]


def test_last_torques_go_on_for_a_moment_and_then_damping_takes_energy_out(robot):
    model, pace = robot
    rng = np.random.default_rng(0)
    for _ in range(10):
        gap = Stopgap(model, pace)
        last = np.where(model.actuated, 0.1 * model.tau_max, 0.0)
        gap.answered(missed(last))
        q, v = model.random(rng), 10.0 * rng.normal(size=model.nv)
        found = np.array(torques(gap, model, DT * np.arange(2000), q, v))
        np.testing.assert_array_equal(found[: MISSES - 1], np.tile(last, (MISSES - 1, 1)))
        assert np.abs(np.diff(found, axis=0)).max() < 0.02 * model.tau_max[6:].max()
        assert (found[-1] * v <= 0.0).all() and found[-1] @ v < 0.0
        assert (np.abs(found) <= model.tau_max).all() and not found[:, :6].any()


def test_torques_go_away_where_the_state_is_not_told_and_come_back_with_commands(robot):
    model, pace = robot
    gap = Stopgap(model, pace)
    last = np.where(model.actuated, 0.1 * model.tau_max, 0.0)
    gap.answered(missed(last))
    unknown = np.full(model.nq, np.nan)
    found = torques(gap, model, DT * np.arange(1000), unknown, np.zeros(model.nv))
    assert gap.given_up and not found[-1].any()
    gap.answered(missed(last))
    assert not gap.given_up
    np.testing.assert_array_equal(gap.torques(2.0, unknown, unknown[1:], missed(last)), last)


def test_damping_brings_a_robot_that_floats_to_rest_between_its_bodies(robot):
    """Without gravity, friction and ground, joints come to rest, and kinetic energy never grows."""
    model, pace = robot
    gap = Stopgap(model, pace)
    rng = np.random.default_rng(1)
    q, v = np.array(model.reference), np.concatenate([np.zeros(6), rng.normal(size=model.nv - 6)])
    begin = float(ts.kinetic_energy(model, q, v))
    torques(gap, model, np.linspace(-10.0, -9.0, 50), q, v)
    energies = []
    for k in range(1500):
        tau = gap.torques(k * DT, q, v, missed(np.zeros(model.nv)))
        fall = ts.gravity_force(model, q)
        v = v + DT * ts.forward_dynamics(model, q, v, tau + fall)
        q = model.integrate(q, v, DT)
        energies.append(float(ts.kinetic_energy(model, q, v)))
    assert np.diff([begin, *energies]).max() < 1e-3 * begin  # what the step of 1 ms leaves over
    assert np.abs(v[6:]).max() < 0.05
