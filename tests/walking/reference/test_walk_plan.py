"""Plans from footsteps to joints."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking import Biped, Gait, StepLimits, footsteps
from tarsus.walking.reference.moment import MomentTable
from tarsus.walking.reference.walk_plan import walk_plan

SOLVED = 2e-6
"""Tolerance of inverse kinematics [m, rad]."""

ACCELERATED = 1e-3
"""[m/s^2, rad/s^2]: the weight acts on a foot of 0.01 kg m^2 with a lever that is off by SOLVED."""


@pytest.fixture(scope="module")
def biped():
    return Biped.of(ts.robots.hrp2())


def make(biped, **options):
    feet = footsteps([0.3, 0.0, 0.1], 0.6, 3, biped.width, StepLimits(0.24, 0.2, 0.5))
    return walk_plan(biped, feet, Gait(0.6, settling=0.6), 0.03, **options)


@pytest.fixture(scope="module")
def plan(biped):
    return make(biped)


def test_postures_meet_soles_and_centre_of_mass_within_joint_limits(biped, plan):
    model = biped.model
    for k, leg in enumerate(biped.legs):
        X = ts.frame_pose(model, plan.q, leg.sole)
        np.testing.assert_allclose(X[:, :3, 3], plan.feet.place[:, k, :3], atol=SOLVED)
        standing = plan.feet.standing[:, k]
        yaw = np.arctan2(X[standing, 1, 0], X[standing, 0, 0])
        np.testing.assert_allclose(yaw, plan.feet.place[standing, k, 3], atol=SOLVED)
    np.testing.assert_allclose(ts.center_of_mass(model, plan.q), plan.com, atol=SOLVED)
    assert (plan.q[:, 7:] >= model.q_min[7:] - 1e-12).all() and (plan.q[:, 7:] <= model.q_max[7:] + 1e-12).all()


def test_moment_filter_brings_the_pressure_of_the_robot_to_where_it_shall_be(biped, plan):
    without = make(biped, passes=0)
    before, after = (np.abs(p.pressure_error).max(axis=0) for p in (without, plan))
    assert before[0] > 0.03  # legs have masses: x is off by centimetres
    assert after[0] < 0.1 * before[0] and (after < 0.03).all()


def test_feed_forward_and_forces_on_the_soles_make_the_planned_motion(biped, plan):
    """Forward dynamics with these torques, and the wrench that is left for one sole, accelerates as planned."""
    model, dt = biped.model, plan.dt
    single = np.flatnonzero(~plan.feet.standing[:, 0])
    k = int(single[len(single) // 4])
    vdot = (plan.v[k + 1] - plan.v[k - 1]) / (2 * dt)
    J = ts.jacobian(model, plan.q[k], biped.legs[1].sole)
    on_base = ts.inverse_dynamics(model, plan.q[k], plan.v[k], vdot)[:6]
    wrench = np.linalg.solve(J[:, :6].T, on_base)  # the right sole alone carries
    external = ts.body_wrenches(model, plan.q[k], {biped.legs[1].sole: wrench})
    found = ts.forward_dynamics(model, plan.q[k], plan.v[k], plan.tau[k], external)
    np.testing.assert_allclose(found, vdot, atol=ACCELERATED)


def test_robot_stands_still_at_both_ends(plan):
    for end in (0, -1):
        np.testing.assert_allclose(plan.v[end], 0.0, atol=1e-12)
        np.testing.assert_allclose(plan.com[end, :2], plan.pressure[end], atol=5e-3)


def test_lead_of_a_foot_is_its_load_ahead(plan):
    """A load that rises from 0 to 1 in a time D: w int_0^D e^(-w s) s / D ds + e^(-w D) = (1 - e^(-w D)) / (w D)."""
    phase = next(p for p in plan.phases[1:] if p.swing is None)
    k = int(np.searchsorted(plan.times, phase.start - 1e-9))
    new = 0 if phase.standing[-1].left else 1
    x = plan.omega * (phase.end - phase.start)
    assert plan.lead[k, new] == pytest.approx((1 - np.exp(-x)) / x, abs=0.02)
    np.testing.assert_allclose(plan.lead.sum(axis=1), 1.0, atol=1e-12)


def test_moments_between_knots_are_between_them_and_ends_are_held(plan):
    table = MomentTable(plan)
    k = len(plan.times) // 2
    middle = table.at((plan.times[k] + plan.times[k + 1]) / 2)
    np.testing.assert_allclose(middle.com, (plan.com[k] + plan.com[k + 1]) / 2, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(middle.q[3:7]), 1.0, atol=1e-12)
    np.testing.assert_array_equal(table.at(-1.0).q, plan.q[0])
    np.testing.assert_allclose(table.at(plan.duration + 1.0).q, plan.q[-1], atol=1e-12)


def test_steps_out_of_reach_are_refused_with_time_and_joints(biped):
    feet = footsteps([0.9, 0.0, 0.0], 0.9, 3, biped.width, StepLimits(2.0, 0.2, 0.5))
    with pytest.raises(ts.errors.PlanningError, match=r"cannot take these steps: at .* s .* is out of reach"):
        walk_plan(biped, feet, Gait(0.9), 0.03)


def test_pendulum_above_the_pivot_moves_as_the_centre_of_mass(plan):
    x, p = plan.com[:, :2], plan.pivot
    acceleration = np.diff(x, 2, axis=0) / plan.dt**2
    off = np.abs(acceleration - plan.omega**2 * (x - p)[1:-1])[3:-3]
    assert np.median(off) < 1e-3  # [m/s^2], where phases change knots are 5 ms apart
    assert off.max() < 0.1 * np.abs(acceleration).max()
