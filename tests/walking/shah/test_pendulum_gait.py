"""The planned gait of Shah et al., section 4."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.walking import PendulumGait

ROUNDING = 1e-12
"""Of lengths around a metre and speeds around a metre per second."""
SLOPE = 1e-6
"""Central differences with the step 1e-5, for derivatives up to 1e2 and third derivatives up to 1e3."""
STEP = 1e-5
GAIT = PendulumGait()
INSIDE = np.array([0.05, 0.3, 0.5, 0.77, 1.2, 2.9, 3.5])
"""Times away from exchanges of legs [s]."""


@pytest.fixture(scope="module")
def model():
    return ts.robots.shah7()


@pytest.mark.parametrize("path", [GAIT.hip, GAIT.swinging_ankle, GAIT.standing_ankle, GAIT.motion])
def test_velocities_and_accelerations_are_derivatives(path):
    before, now, after = path(INSIDE - STEP), path(INSIDE), path(INSIDE + STEP)
    assert np.abs((after[0] - before[0]) / (2.0 * STEP) - now[1]).max() < SLOPE
    assert np.abs((after[1] - before[1]) / (2.0 * STEP) - now[2]).max() < SLOPE


def test_hip_is_a_linear_inverted_pendulum_about_the_standing_ankle():
    hip, ankle = GAIT.hip(INSIDE), GAIT.standing_ankle(INSIDE)
    along = hip.position[:, 0] - ankle.position[:, 0]
    assert np.abs(hip.acceleration[:, 0] - 9.81 / 1.23 * along).max() < ROUNDING
    assert np.abs(hip.position[:, 1] - 0.98).max() < ROUNDING


def test_hip_repeats_itself_in_every_step():
    # Repeatability of (23): x(T) = -x(0), x'(T) = x'(0).
    hip = GAIT.hip([0.0, 1.0], step=0)
    assert np.abs(hip.position[:, 0] - [-0.1, 0.1]).max() < ROUNDING
    assert abs(hip.velocity[1, 0] - hip.velocity[0, 0]) < ROUNDING
    assert abs(GAIT.start_velocity - hip.velocity[0, 0]) < ROUNDING


def test_swinging_foot_leaves_and_reaches_the_ground_at_rest():
    ankle = GAIT.swinging_ankle([0.0, 0.5, 1.0], step=0)
    assert np.abs(ankle.position - [[-0.2, 0.0], [0.0, 0.1], [0.2, 0.0]]).max() < ROUNDING
    assert np.abs(ankle.velocity[[0, 2]]).max() < ROUNDING


@pytest.mark.parametrize("step", [1, 2, 3])
def test_state_is_continuous_where_legs_change_their_roles(step):
    t = step * GAIT.period
    before, after = GAIT.motion(t, step - 1), GAIT.motion(t)
    assert np.abs(after.q - before.q).max() < ROUNDING
    assert np.abs(after.v - before.v).max() < ROUNDING
    assert np.abs(after.vdot - before.vdot).max() > 1.0  # accelerations do jump


def test_feet_of_the_robot_are_level_and_where_the_plan_says(model):
    motion = GAIT.motion(INSIDE)
    standing, swinging = GAIT.standing_ankle(INSIDE).position, GAIT.swinging_ankle(INSIDE).position
    right_stands = (GAIT.step(INSIDE) % 2 == 0)[:, None]
    for sole, planned in (
        ("r_sole", np.where(right_stands, standing, swinging)),
        ("l_sole", np.where(right_stands, swinging, standing)),
    ):
        X_WS = ts.frame_pose(model, motion.q, sole)
        assert np.abs(X_WS[:, [0, 2], 3] - planned).max() < ROUNDING
        assert np.abs(X_WS[:, :3, :3] - np.eye(3)).max() < ROUNDING
    for sole, path in (("r_sole", GAIT.standing_ankle(0.3)), ("l_sole", GAIT.swinging_ankle(0.3))):
        now = GAIT.motion(0.3)
        assert np.abs(ts.frame_velocity(model, now.q, now.v, sole)[[0, 2]] - path.velocity).max() < ROUNDING
        found = ts.frame_acceleration(model, now.q, now.v, now.vdot, sole)
        assert np.abs(found[[0, 2]] - path.acceleration).max() < ROUNDING


def test_times_of_any_shape_give_the_same_as_one_by_one():
    t = INSIDE[:6].reshape(2, 3)
    together = GAIT.motion(t)
    for i in np.ndindex(2, 3):
        for whole, one in zip(together, GAIT.motion(t[i]), strict=True):
            assert np.array_equal(whole[i], one)


def test_numbers_that_make_no_gait_are_refused():
    with pytest.raises(ArgumentError, match="period of PendulumGait is 0.0; expected a finite number above 0"):
        PendulumGait(period=0.0)
    with pytest.raises(ArgumentError, match="foot_height of PendulumGait is nan"):
        PendulumGait(foot_height=np.nan)
    with pytest.raises(
        ArgumentError, match="steps of 0.5 m need legs of more than 1.01139 m, but .* together have 1 m"
    ):
        PendulumGait(step_length=0.5)
