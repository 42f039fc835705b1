"""The law (25) of Shah et al."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.errors import ShapeError
from tarsus.simulation.simulate import simulate
from tarsus.walking import PendulumGait, feedforward_pd

ROUNDING = 1e-11
"""Of torques around 100 N m."""
GAIT = PendulumGait()
TIMES = 0.01 * np.arange(21)


def test_torque_is_feedforward_plus_gains_times_errors_and_nothing_acts_on_the_base():
    model = ts.robots.shah7()
    fed = np.random.default_rng(6).normal(size=(len(TIMES), 9))
    start = GAIT.motion(0.0)
    q0 = start.q + 0.02 * np.arange(9)
    walk = simulate(model, q0, start.v, duration=0.1, controller=feedforward_pd(GAIT, TIMES, fed, kp=170.0, kd=30.0),
                    integrator="dormand-prince", dt=1e-3, sample_dt=0.01)  # fmt: skip
    assert np.array_equal(walk.tau[:, :3], np.zeros((11, 3)))
    for k, t in enumerate(walk.time):
        desired = GAIT.motion(t)
        tau = fed[k, 3:] + 170.0 * (desired.q - walk.q[k])[3:] + 30.0 * (desired.v - walk.v[k])[3:]
        assert np.abs(walk.tau[k, 3:] - tau).max() < ROUNDING


def test_torques_for_other_times_are_refused():
    with pytest.raises(ShapeError, match=r"tau has shape \(5, 9\); expected \(21, 9\), one row for each of the times"):
        feedforward_pd(GAIT, TIMES, np.zeros((5, 9)))
