"""Torque limits over speed."""

import numpy as np
import pytest
from devices.actuators.devices import KT, RATIO, R, motor

from tarsus.devices.actuators import Drive, Gear, TorqueSource, TorqueSpeedCurve
from tarsus.errors import ArgumentError

EXACT = 1e-12
"""A few roundings."""


def test_straight_line_from_stall_to_no_load_speed():
    curve = TorqueSpeedCurve(10.0, 5.0)
    low, high = curve.bounds(np.array([0.0, 2.5, 5.0, 10.0, 20.0, -2.5]))
    np.testing.assert_allclose(high, [10.0, 5.0, 0.0, -10.0, -10.0, 10.0], atol=EXACT)
    np.testing.assert_allclose(low, [-10.0, -10.0, -10.0, -10.0, -10.0, -5.0], atol=EXACT)


def test_torque_is_constant_up_to_the_knee():
    curve = TorqueSpeedCurve(10.0, 6.0, knee=4.0)
    np.testing.assert_allclose(curve.bounds([3.9, 4.0, 5.0, 6.0])[1], [10.0, 10.0, 5.0, 0.0], atol=EXACT)


def test_without_speed_limit_the_torque_limit_is_constant():
    np.testing.assert_allclose(TorqueSpeedCurve(10.0).limited([-30.0, 3.0, 30.0], 1e3), [-10.0, 3.0, 10.0])


def test_line_is_the_one_of_a_motor_at_its_greatest_voltage():
    top, speeds = 24.0, np.array([0.0, 1.0, 4.0])
    driven = Drive(motor(voltage_max=top), Gear(RATIO))
    x = driven.initial(np.zeros(3))
    for _ in range(3):
        x, tau = driven.advance(x, 1e4, 0.0, speeds, 0.1)
    curve = TorqueSpeedCurve(RATIO * KT * top / R, top / (KT * RATIO))
    np.testing.assert_allclose(tau, curve.bounds(speeds)[1], rtol=1e-9)


def test_source_and_drive_keep_the_limits():
    curve = TorqueSpeedCurve(10.0, 5.0)
    source = TorqueSource(curve)
    _, tau = source.advance(source.initial(0.0), 100.0, 0.0, 2.5, 1e-3)
    np.testing.assert_allclose(tau, 5.0, rtol=EXACT)
    drive = Drive(motor(), Gear(RATIO), curve)
    x, _ = drive.advance(drive.initial(0.0), 100.0, 0.0, 2.5, 1.0)
    np.testing.assert_allclose(x[..., 0] * RATIO * KT, 5.0, rtol=1e-9)


def test_joint_that_is_torqued_for_ever_does_not_exceed_its_speed():
    source, v, dt = TorqueSource(TorqueSpeedCurve(10.0, 5.0)), 0.0, 1e-3
    for _ in range(5000):
        v += float(source.advance(np.zeros(0), 100.0, 0.0, v, dt)[1]) * dt
    assert v == pytest.approx(5.0, rel=1e-4)  # time constant 0.5 s: exp(-10) is left


@pytest.mark.parametrize(
    ("arguments", "text"),
    [((-1.0,), "torque_max"), ((1.0, 0.0), "speed_max"), ((1.0, 2.0, 2.0), "knee .* not below speed_max")],
)
def test_bad_parameters_are_named(arguments, text):
    with pytest.raises(ArgumentError, match=text):
        TorqueSpeedCurve(*arguments)
