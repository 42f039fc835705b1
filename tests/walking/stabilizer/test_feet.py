"""Feet that stand and swing, and what is done with them."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking import Biped
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.stabilizer.joint_setpoints import JointSetpoints
from tarsus.walking.stabilizer.pressure_feedback import PressureFeedback
from tarsus.walking.stabilizer.swing.swing_leg import SwingAim, SwingLeg, ground_normal, height_on


def test_error_of_the_divergent_component_falls_with_the_gain():
    """e' = -w (k - 1) e under a pendulum that is stepped in closed form."""
    pendulum, dt = LinearInvertedPendulum(0.8), 1e-4
    feedback = PressureFeedback((np.ones(2), np.ones(2)), 1.0, gain=3.0)
    state, xi0 = MassState(np.array([0.02, -0.01]), np.zeros(2)), np.array([0.02, -0.01])
    for _ in range(2000):
        xi = pendulum.divergent(*state)
        state = pendulum.moved(state, dt, feedback.wanted(xi, np.zeros(2)))
    np.testing.assert_allclose(pendulum.divergent(*state), xi0 * np.exp(-2.0 * pendulum.omega * 0.2), rtol=1e-3)


def test_moment_on_a_foot_moves_its_pressure_and_ends_at_its_edge():
    feedback, yaw = PressureFeedback((np.array([0.1, 0.05]), np.array([0.1, 0.05])), 500.0), 0.4
    R = ts.spatial.rotation_z(yaw)
    X = ts.spatial.pose((0.3, 0.2, 0.0), R)
    for way, reached in (((0.03, 0.02), (0.03, 0.02)), ((0.5, -0.3), (0.1, -0.05))):
        wanted = X[:2, 3] + R[:2, :2] @ way
        mx, my = feedback.moment(0, X, yaw, wanted, X[:2, 3], 0.6)
        moved = np.array([-my, mx]) / (0.6 * 500.0)
        np.testing.assert_allclose(R[:2, :2].T @ moved, reached, atol=1e-12)


def swung(swing, end, times, duration):
    """Places of a foot at times of a swing, shape (n, 2); its landing may be a function of time."""
    found = []
    for t in times:
        found.append(np.array(swing.place))
        swing.go_on(end(t), duration - t, times[1] - times[0])
    return np.array(found)


def test_swing_goes_from_lift_off_over_the_clearance_to_landing_and_below_it_where_ground_is_missing():
    start = ts.spatial.pose((0.1, 0.1, 0.02), ts.spatial.rotation_z(0.2))
    normal = np.array([np.sin(0.05), 0.0, np.cos(0.05)])
    swing, end = SwingLeg(start, 0.05, 0.8), np.array([0.4, 0.12, 0.0])
    np.testing.assert_allclose(swing.pose(SwingAim(end, 0.3, normal, 0.0, 0.0)), start, atol=1e-12)
    landed = swing.pose(SwingAim(end, 0.3, normal, 1.0, 0.0))
    np.testing.assert_array_equal(swing.landed(end, 0.3, normal), landed)
    np.testing.assert_allclose(landed[:3, 3], end, atol=1e-12)
    np.testing.assert_allclose(landed[:3, 2], normal, atol=1e-12)
    assert np.arctan2(landed[1, 0], landed[0, 0]) == pytest.approx(0.3)
    heights = [swing.pose(SwingAim(end, 0.3, normal, u, 0.0))[2, 3] for u in np.linspace(0, 1, 101)]
    assert 0.05 < max(heights) < 0.08
    lower = [swing.pose(SwingAim(end, 0.3, normal, 1.0, t))[2, 3] for t in (0.05, 0.1, 10.0)]
    assert 0.0 > lower[0] > lower[1] > lower[2] >= -0.1 * 0.8 - 1e-12


def test_swing_follows_the_least_jerk_law_where_nothing_changes():
    times, end = np.arange(0, 0.4, 0.005), np.array([0.4, 0.12])
    found = swung(SwingLeg(np.eye(4), 0.05, 0.8), lambda t: end, times, 0.4)
    u = times[:, None] / 0.4
    np.testing.assert_allclose(found, end * u**3 * (10 - 15 * u + 6 * u**2), atol=1e-9)


def test_swing_that_begins_in_a_hurry_goes_on_where_there_is_more_time_later():
    """The clock of a plan may be hurried when a foot is lifted, and not a moment later."""
    swing, end = SwingLeg(np.eye(4), 0.05, 0.8), np.array([0.4, 0.12])
    swing.go_on(end, 0.2, 0.005)
    for _ in range(40):
        swing.go_on(end, 0.3, 0.005)
    assert swing.place[0] > 0.1


def test_swing_to_a_landing_that_moves_is_smooth_and_ends_there():
    times = np.arange(0, 0.4, 0.005)
    swing = SwingLeg(np.eye(4), 0.05, 0.8)
    found = swung(swing, lambda t: np.array([0.3, 0.1 if t < 0.15 else 0.25]), times, 0.4)
    np.testing.assert_allclose(swing.place, [0.3, 0.25], atol=1e-9)
    rate = np.diff(found, axis=0) / 0.005
    assert np.abs(np.diff(rate, axis=0)).max() < 0.2  # below 40 m/s^2: no jumps of the velocity
    np.testing.assert_allclose(rate[-1], 0.0, atol=0.02)


def test_motion_of_a_swing_is_the_derivative_of_its_pose():
    T, dt, start = 0.6, 1e-4, ts.spatial.pose((0.1, 0.2, 0.01))
    swing = SwingLeg(start, 0.05, 0.7)
    end, normal = np.array([0.4, 0.25, 0.03]), np.array([0.1, 0.0, 1.0])
    poses, motions = [], []
    for k in range(round(0.7 * T / dt)):
        aim = SwingAim(end, 0.3, normal, (k + 1) * dt / T, 0.0)
        swing.go_on(end, T - k * dt, dt)
        poses.append(swing.pose(aim))
        motions.append(swing.motion(aim, 1.0 / T))
    for k in (500, 2000, 4000):
        before, now, after = poses[k - 5], poses[k], poses[k + 5]
        R = after[:3, :3] @ before[:3, :3].T
        twist = [*(after - before)[:3, 3], *ts.spatial.rotation_vector_from_rotation_matrix(R)]
        np.testing.assert_allclose(motions[k][0], np.array(twist) / (10 * dt), atol=1e-3)
        change = (after - 2.0 * now + before)[:3, 3] / (5 * dt) ** 2
        np.testing.assert_allclose(motions[k][1][:3], change, atol=0.02)
        spin = (motions[k + 5][0] - motions[k - 5][0])[3:] / (10 * dt)
        np.testing.assert_allclose(motions[k][1][3:], spin, atol=0.02)


def test_pressure_that_feet_can_give_is_the_wanted_one_or_in_the_hull_of_what_they_may_carry():
    half = np.array([0.1, 0.05])
    feedback = PressureFeedback((half, half), 500.0)
    X = [ts.spatial.pose((0.3, 0.1, 0.0)), ts.spatial.pose((0.0, -0.1, 0.0))]
    yaw, both = [0.0, 0.0], (1.0, 1.0)
    between = np.array([0.16, 0.01])
    np.testing.assert_allclose(feedback.possible(X, yaw, both, between), between, atol=1e-12)
    np.testing.assert_allclose(feedback.possible(X, yaw, (1.0, 0.0), between), [0.2, 0.05], atol=1e-12)
    np.testing.assert_allclose(feedback.possible(X, yaw, both, np.array([9.0, 0.1])), [0.4, 0.1], atol=1e-12)
    # A left foot that may carry a fifth: its middle and a fifth of both soles are as far as the pressure gets.
    far = feedback.possible(X, yaw, (0.2, 1.0), np.array([0.06, 9.0]))
    assert far[1] == pytest.approx(0.2 * 0.15 - 0.8 * 0.05)


def test_ground_ahead_is_the_plane_of_the_foot_that_stands_up_to_a_steepest_one():
    angle = 0.08
    X = ts.spatial.pose((0.2, 0.1, 0.05), ts.spatial.rotation_y(-angle))
    normal = ground_normal(X)
    assert height_on(X, normal, np.array([0.5, 0.3])) == pytest.approx(0.05 + 0.3 * np.tan(angle))
    steep = ground_normal(ts.spatial.pose((0, 0, 0), ts.spatial.rotation_y(-1.0)))
    assert np.arccos(steep[2]) == pytest.approx(0.2)


def test_setpoints_put_soles_below_the_base():
    biped = Biped.of(ts.robots.hrp2())
    model, lower = biped.model, biped.lower
    setpoints = JointSetpoints(biped, 0.005)
    soles = [ts.frame_pose(model, biped.q, leg.sole) for leg in biped.legs]
    soles[0][:3, 3] += [0.004, 0.002, 0.006]
    base = np.array(biped.q[:7])
    X = ts.frame_pose(model, biped.q, next(iter(model.bodies)))
    first = ts.frame_pose(model, lower.whole(setpoints.solve(soles[0], soles[1], X, base)), biped.legs[0].sole)
    assert np.linalg.norm(first[:3, 3] - soles[0][:3, 3]) < 0.3 * np.linalg.norm([0.004, 0.002, 0.006])
    for _ in range(30):  # jumps come through within some cycles
        q = lower.whole(setpoints.solve(soles[0], soles[1], X, base))
    for leg, sole in zip(biped.legs, soles, strict=True):
        np.testing.assert_allclose(ts.frame_pose(model, q, leg.sole), sole, atol=1e-6)
    np.testing.assert_allclose(q[:7], base, atol=1e-6)
