"""Closed forms of contact and friction: `Compliant` follows its own, and those of rigid ground as it stiffens."""

from itertools import pairwise

import numpy as np
import pytest
from simulation.bodies import GRAVITY, about_y, ball, particle, rod

import tarsus as ts
from tarsus.contact import Compliant, ContactPoint, Ground, HeightField, flat, slope

TIP = [ContactPoint("tip", "point")]
ADAPTIVE = {"integrator": "dormand-prince", "relative": 1e-10, "absolute": 1e-12}
STIFFNESSES = (1e4, 4e4, 1.6e5)
FIRST_ORDER = 0.3
"""Stiffness grows by 4: errors that go with 1/sqrt(k) fall to a half, with 1/k to a quarter; this much slack on top."""


def falls(errors, least):
    """Every error is at most `least` of the one before."""
    return all(b < least * (1 + FIRST_ORDER) * a for a, b in pairwise(errors))


def damped(k, friction, mass=1.0):
    """Critically damped ground for a mass."""
    c = 2.0 * np.sqrt(k * mass)
    return Compliant(k, c, friction, k, c)


def test_an_undamped_ball_bounces_with_the_period_of_flight_and_half_oscillation():
    """Flight 2 v / g, contact (2 / w) (pi - atan(v w / g)) with w = sqrt(k / m): ten bounces of one height."""
    k, height = 2e4, 1.0

    def landing(t, q, v):
        return q[2]

    landing.direction = -1
    ground = flat(Compliant(stiffness=k, damping=0.0, friction=0.0))
    run = ts.simulate(particle(), np.array([0.0, 0.0, height]), ground=ground, contacts=TIP, duration=10.0,
                      events=[landing], sample_dt=0.1, **ADAPTIVE)  # fmt: skip
    speed, w = np.sqrt(2 * GRAVITY * height), np.sqrt(k)
    period = 2 * speed / GRAVITY + 2 / w * (np.pi - np.arctan(speed * w / GRAVITY))
    times = np.array([one["time"] for one in run.metadata["events"]])
    assert len(times) == 11
    np.testing.assert_allclose(times, speed / GRAVITY + period * np.arange(11), atol=2e-7)
    at_landing = run.v[run.signals["event"] == 1, 2]
    np.testing.assert_allclose(at_landing, -speed, atol=2e-6)


def test_the_bouncing_period_tends_to_that_of_rigid_ground():
    errors = []
    for k in STIFFNESSES:

        def landing(t, q, v):
            return q[2]

        landing.direction = -1
        ground = flat(Compliant(stiffness=k, damping=0.0, friction=0.0))
        run = ts.simulate(particle(), np.array([0.0, 0.0, 1.0]), ground=ground, contacts=TIP, duration=1.5,
                          events=[landing], **ADAPTIVE)  # fmt: skip
        first, second = (one["time"] for one in run.metadata["events"])
        errors.append(abs(second - first - 2 * 0.451523640985730904))
    assert falls(errors, 0.5)
    assert errors[-1] < 0.01


def test_a_sliding_block_stops_where_coulomb_friction_says_and_stays():
    """mu = 0.5, 3 m/s: 0.6116 s and 0.9174 m."""
    errors = []
    for k in STIFFNESSES:
        run = ts.simulate(particle(), np.array([0.0, 0.0, -GRAVITY / k]), np.array([3.0, 0.0, 0.0]),
                          ground=flat(damped(k, 0.5)), contacts=TIP, duration=1.2, **ADAPTIVE)  # fmt: skip
        errors.append(abs(run.q[-1, 0] - 0.917431192660550459))
        assert np.abs(run.v[-1]).max() < 1e-9
        moving = run.time < 0.6
        np.testing.assert_allclose(run.v[moving, 0], 3.0 - 0.5 * GRAVITY * run.time[moving], atol=30.0 / np.sqrt(k))
    assert falls(errors, 0.25)
    assert errors[-1] < 1e-4


def on_slope(angle, k):
    """A particle at its static depth on a slope, world coordinates."""
    n = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    return -GRAVITY * np.cos(angle) / k * n, np.array([np.cos(angle), 0.0, np.sin(angle)])


@pytest.mark.parametrize(("friction", "slides"), [(0.5, True), (0.585, False)])
def test_a_block_sticks_on_a_slope_from_the_angle_of_friction_on(friction, slides):
    """30 degrees: sticks where mu >= 0.5774."""
    k, angle = 1e5, np.pi / 6
    place, _ = on_slope(angle, k)
    run = ts.simulate(
        particle(), place, ground=slope(angle, damped(k, friction)), contacts=TIP, duration=1.0, **ADAPTIVE
    )
    moved = np.linalg.norm(run.q[-1] - run.q[50])
    if slides:
        acceleration = GRAVITY * (np.sin(angle) - friction * np.cos(angle))
        np.testing.assert_allclose(moved, 0.5 * acceleration * (1.0 - 0.25), rtol=0.02)
    else:
        assert moved < 1e-9


def test_a_block_launched_up_a_slope_turns_and_returns_when_it_should():
    """30 degrees, mu = 0.3, 4 m/s: turns after 1.0733 m, is back after 1.4911 s with 2.2490 m/s."""
    k, angle = 1e6, np.pi / 6
    place, along = on_slope(angle, k)

    def turns(t, q, v):
        return v @ along

    def returns(t, q, v):
        return q @ along

    turns.direction = returns.direction = -1
    returns.terminal = True
    run = ts.simulate(particle(), place + 1e-12 * along, 4.0 * along, ground=slope(angle, damped(k, 0.3)), contacts=TIP,
                      duration=2.0, events=[turns, returns], **ADAPTIVE)  # fmt: skip
    compliance = 1e-3  # the stick spring gives k_t / load, and damping delays friction by a millisecond
    (up, back) = (run.signals["event"] == 1), (run.signals["event"] == 2)
    np.testing.assert_allclose(run.time[up], 0.53664531046523599, atol=compliance)
    np.testing.assert_allclose(run.q[up] @ along, 1.07329062093047198, atol=compliance)
    np.testing.assert_allclose(run.time[back], 1.49110930390972581, atol=2 * compliance)
    np.testing.assert_allclose(run.v[back] @ along, -2.24899132560707318, atol=2 * compliance)


def test_a_skidding_sphere_begins_to_roll():
    """Solid, 5 m/s, mu = 0.2: rolls at 25/7 m/s from 0.7281 s on, at 3.1205 m, with 5/7 of its energy."""
    k, radius = 1e5, 0.1
    errors = []
    for k in STIFFNESSES:
        q = np.array([0.0, 0.0, radius - GRAVITY / k, 1, 0, 0, 0])
        run = ts.simulate(ball(radius), q, np.array([5.0, 0, 0, 0, 0, 0]), ground=flat(damped(k, 0.2)), duration=1.5,
                          sample_dt=0.05, **ADAPTIVE)  # fmt: skip
        world = np.einsum("nij,nj->ni", ts.frame_pose(run.model, run.q, "ball")[:, :3, :3], run.v[:, :3])
        rolling = world[run.time > 0.8, 0]
        rolled_to = 3.12051426075017163 + 25 / 7 * (1.5 - 0.728119994175040047)
        errors.append(abs(run.q[-1, 0] - rolled_to))
        np.testing.assert_allclose(rolling, 25 / 7, rtol=2e3 / k)
    assert falls(errors, 0.25)
    assert errors[-1] < 1e-3
    np.testing.assert_allclose(run.energy["kinetic"][-1] / run.energy["kinetic"][0], 5 / 7, rtol=1e-3)


def test_a_sphere_rolls_down_a_slope_with_5_7_of_the_sliding_acceleration():
    """30 degrees: a = 3.5036 m/s^2, and friction is 0.16496 of the normal force."""
    k, radius, angle = 1e6, 0.1, np.pi / 6
    n = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    q = np.r_[(radius - GRAVITY * np.cos(angle) / k) * n, about_y(0.0)]
    run = ts.simulate(ball(radius), q, ground=slope(angle, damped(k, 0.3)), duration=1.0, sample_dt=0.05, **ADAPTIVE)
    downhill = -np.array([np.cos(angle), 0.0, np.sin(angle)])
    np.testing.assert_allclose((run.q[-1, :3] - run.q[0, :3]) @ downhill, 0.5 * 3.50357142857142857, rtol=1e-4)
    force = run.contact_force[-1, 0]
    ratio = np.linalg.norm(force - (force @ n) * n) / (force @ n)
    np.testing.assert_allclose(ratio, 0.164957219768464504, rtol=1e-3)


def test_a_rod_that_slips_from_under_itself_hits_the_floor_with_its_energy():
    """Frictionless floor: at the floor omega^2 = 3 g cos(start) / l, from rest at a small angle."""
    errors = []
    for k in STIFFNESSES:
        model, start = rod(), 0.2

        def flat_down(t, q, v):
            return np.pi / 2 - q[2]

        flat_down.terminal = True
        q = np.array([0.0, 0.5 * np.cos(start) - 0.5 * GRAVITY / k, start])
        tip = [ContactPoint("low", "low")]
        run = ts.simulate(model, q, ground=flat(Compliant(k, 2.0 * np.sqrt(k), 0.0)), contacts=tip, duration=3.0,
                          events=[flat_down], **ADAPTIVE)  # fmt: skip
        errors.append(abs(run.v[-1, 2] - np.sqrt(3.0 * GRAVITY * np.cos(start))))
    assert falls(errors, 0.5)
    assert errors[-1] < 1e-2


def test_a_sphere_rolls_down_an_inclined_height_field_as_down_a_slope():
    """With 5/7 g sin(angle), over the edges of ten cells."""
    angle, radius = 0.3, 0.1
    x = 0.1 * np.arange(61) - 3.0
    field = Ground(HeightField(np.tile(np.tan(angle) * x, (61, 1)), 0.1, origin=(-3.0, -3.0)))
    start = np.r_[radius * np.array([-np.sin(angle), 0.0, np.cos(angle)]), 1.0, 0.0, 0.0, 0.0]
    one, two = (ts.simulate(ball(radius), start, ground=g, duration=1.0) for g in (field, slope(angle)))
    np.testing.assert_allclose(one.q, two.q, atol=1e-9)
    way = (one.q[-1, :3] - one.q[50, :3]) @ np.array([-np.cos(angle), 0.0, -np.sin(angle)])
    assert way == pytest.approx(0.5 * 5.0 / 7.0 * GRAVITY * np.sin(angle) * (1.0 - 0.25), rel=2e-3)


def test_a_sphere_swings_in_a_bowl_with_its_period():
    """Rolling in a trough of radius a, 2 pi sqrt(7 (a - r) / (5 g)) (1 + A^2 / 16) for the angle A, for any mass."""
    a, r, angle = 1.0, 0.1, 0.2
    x = 0.02 * np.arange(101) - 1.0
    bowl = Ground(HeightField(np.tile(a - np.sqrt(a**2 - 0.999 * x**2), (3, 1)), 0.02, origin=(-1.0, -0.02)))
    place = [(a - r) * np.sin(angle), 0.0, a - (a - r) * np.cos(angle), 1.0, 0.0, 0.0, 0.0]
    period = 2.0 * np.pi * np.sqrt(1.4 * (a - r) / GRAVITY) * (1.0 + angle**2 / 16.0)
    for mass in (0.1, 10.0):
        run = ts.simulate(ball(r, mass), place, ground=bowl, duration=6.0, sample_dt=1e-3)
        crossing = np.flatnonzero((run.q[:-1, 0] > 0.0) & (run.q[1:, 0] <= 0.0))
        assert len(crossing) == 3
        np.testing.assert_allclose(np.diff(run.time[crossing]), period, rtol=0.01)
        assert np.ptp(run.q[:, 1]) < 1e-6
        assert run.energy["integration"].max() < 0.01 * run.energy["kinetic"].max()
