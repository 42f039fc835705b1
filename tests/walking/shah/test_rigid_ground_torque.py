"""Torques of the gait on ground that does not give way."""

import numpy as np

import tarsus as ts
from tarsus.walking import PendulumGait, rigid_ground_torque

GAIT = PendulumGait()
SOLVED = 1e-7
"""Accelerations around 100 rad/s^2 of equations that are solved directly."""


def test_torques_on_rigid_ground_hold_the_planned_motion():
    model = ts.robots.shah7()
    # With the ground's wrench on the standing sole the whole planned acceleration comes out of forward dynamics.
    for t, sole in ((0.3, "r_sole"), (1.6, "l_sole")):
        q, v, vdot = GAIT.motion(t)
        tau = rigid_ground_torque(model, GAIT, t)
        needed = ts.inverse_dynamics(model, q, v, vdot)
        J = ts.jacobian(model, q, sole)
        wrench = np.zeros(6)
        wrench[[0, 2, 4]] = np.linalg.solve(J[[0, 2, 4], :3].T, needed[:3])
        found = ts.forward_dynamics(model, q, v, tau, ts.body_wrenches(model, q, {sole: wrench}))
        assert np.abs(found - vdot).max() < SOLVED
        assert abs(wrench[2] / (9.81 * model.total_mass) - 1.0) < 0.2  # about the weight, while little accelerates


def test_many_times_give_the_same_as_one_by_one():
    model = ts.robots.shah7()
    times = np.array([0.2, 0.9, 1.3, 2.6])
    together = rigid_ground_torque(model, GAIT, times)
    for t, row in zip(times, together, strict=True):
        assert np.abs(rigid_ground_torque(model, GAIT, t) - row).max() < SOLVED
    assert np.array_equal(together[:, :3], np.zeros((4, 3)))
