"""Electric motors and their current loops against closed forms."""

import numpy as np
import pytest
from devices.actuators.devices import BANDWIDTH, KT, RATIO, ROTOR, L, R, motor

from tarsus.devices.actuators import CurrentLoop, Drive, Gear, Motor
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError

ROUNDING = 1e-11
"""Relative; the step is exact, tens of steps add up their rounding."""


@pytest.mark.parametrize("dt", [1e-4, 1e-3, 7e-3])
def test_current_after_a_voltage_step_is_the_closed_form_whatever_the_step(dt):
    drive = Drive(motor(loop=None), Gear(RATIO))
    speed, voltage = 0.8, 12.0
    x, q = drive.initial(0.0), 0.0
    for k in range(1, 20):
        x, _ = drive.advance(x, voltage, q, speed, dt)
        q += speed * dt
        expected = (voltage - KT * RATIO * speed) / R * (1.0 - np.exp(-R / L * k * dt))
        np.testing.assert_allclose(x[..., 0], expected, rtol=ROUNDING)


def test_torque_is_the_mean_over_the_step():
    drive, dt, voltage = Drive(motor(loop=None), Gear(RATIO)), 2e-3, 10.0
    _, tau = drive.advance(drive.initial(0.0), voltage, 0.0, 0.0, dt)
    mean = voltage / R * (1.0 - L / (R * dt) * (1.0 - np.exp(-R / L * dt)))
    np.testing.assert_allclose(tau, RATIO * KT * mean, rtol=ROUNDING)


@pytest.mark.parametrize("speed", [0.0, 2.0])
def test_current_loop_with_cancelled_pole_follows_as_first_order_lag(speed):
    drive, dt, torque = Drive(motor(), Gear(RATIO)), 1e-4, 20.0
    x, q = drive.initial(0.0), 0.0
    for k in range(1, 30):
        x, _ = drive.advance(x, torque, q, speed, dt)
        q += speed * dt
        expected = torque / (RATIO * KT) * (1.0 - np.exp(-BANDWIDTH * k * dt))
        np.testing.assert_allclose(x[..., 0], expected, rtol=1e-9)  # cancelled pole: difference of larger terms


def test_without_feedforward_the_integral_takes_the_electromotive_force():
    drive = Drive(motor(loop=CurrentLoop.of_bandwidth(R, L, BANDWIDTH, 0.0)), Gear(RATIO))
    x, _ = drive.advance(drive.initial(0.0), 20.0, 0.0, 3.0, 1.0)
    np.testing.assert_allclose(x, [20.0 / (RATIO * KT), R * 20.0 / (RATIO * KT) + KT * RATIO * 3.0], rtol=1e-9)


def test_voltage_limit_makes_the_current_rise_with_that_voltage_and_then_settles_without_chatter():
    top, dt, torque = 10.0, 1e-4, 60.0
    drive = Drive(motor(voltage_max=top), Gear(RATIO))
    x, currents = drive.initial(0.0), [0.0]
    for _ in range(400):
        x, _ = drive.advance(x, torque, 0.0, 0.0, dt)
        currents.append(float(x[..., 0]))
    currents = np.array(currents)
    target = torque / (RATIO * KT)
    time = dt * np.arange(currents.size)
    limited = BANDWIDTH * L * (target - currents) > top  # what the loop asks for
    assert limited.sum() > 5
    np.testing.assert_allclose(currents[limited], top / R * (1.0 - np.exp(-R / L * time[limited])), rtol=ROUNDING)
    assert currents.max() < 1.02 * target  # the integral is held while the limit is active
    np.testing.assert_allclose(currents[-50:], target, rtol=1e-8)  # exp(-R / L 40 ms) is left


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_long_steps_at_the_voltage_limit_do_not_chatter(dt):
    drive = Drive(motor(voltage_max=10.0), Gear(RATIO))
    x = drive.initial(0.0)
    currents = []
    for _ in range(60):
        x, _ = drive.advance(x, 60.0, 0.0, 0.0, dt)
        currents.append(float(x[..., 0]))
    assert np.all(np.diff(currents) > -1e-9)
    np.testing.assert_allclose(currents[-1], 60.0 / (RATIO * KT), rtol=1e-9)


def test_voltage_that_cannot_reach_the_current_gives_the_line_of_the_motor():
    top, speed = 24.0, 4.0
    drive = Drive(motor(voltage_max=top), Gear(RATIO))
    _, tau = drive.advance(drive.advance(drive.initial(0.0), 1e3, 0.0, speed, 1.0)[0], 1e3, 0.0, speed, 1.0)
    np.testing.assert_allclose(tau, RATIO * KT * (top - KT * RATIO * speed) / R, rtol=ROUNDING)


def test_current_limit_bounds_the_torque():
    drive = Drive(motor(current_max=3.0), Gear(RATIO))
    x, _ = drive.advance(drive.initial(0.0), 1e4, 0.0, 0.0, 0.1)
    np.testing.assert_allclose(x[..., 0], 3.0, rtol=ROUNDING)


def test_synchronous_motor_has_three_halves_of_torque_for_its_electromotive_force():
    synchronous = Motor.pmsm(R, L, 0.01, 5, ROTOR)
    np.testing.assert_allclose(synchronous.emf_constant, 0.05)
    np.testing.assert_allclose(synchronous.torque_constant, 0.075)
    # mechanical power at the shaft equals the electrical power that is neither lost nor stored
    drive, speed, voltage = Drive(synchronous, Gear(1.0)), 100.0, 10.0
    x, _ = drive.advance(drive.initial(0.0), voltage, 0.0, speed, 1.0)
    step = drive.step(x, voltage, 0.0, speed, 1e-3)
    np.testing.assert_allclose(step.energy["supply"] - step.energy["copper"], step.energy["output"], rtol=1e-9)
    three_phases = 1.5 * voltage * float(x[..., 0]) * 1e-3
    np.testing.assert_allclose(step.energy["supply"], three_phases, rtol=1e-9)


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"resistance": 0.0}, ArgumentError, "resistance of Motor is 0.0, expected positive"),
        ({"inductance": -1.0}, ArgumentError, "inductance of Motor"),
        ({"torque_constant": np.nan}, NonFiniteError, "torque_constant of Motor"),
        ({"rotor_inertia": "heavy"}, DtypeError, "rotor_inertia of Motor is 'heavy'"),
        ({"loop": 3.0}, ArgumentError, "expected a CurrentLoop"),
        ({"resistance": np.ones((2, 2))}, ArgumentError, r"shape \(2, 2\)"),
    ],
)
def test_bad_parameters_are_named(keywords, error, text):
    with pytest.raises(error, match=text):
        Motor(**{"resistance": R, "inductance": L, "torque_constant": KT, **keywords})
    with pytest.raises(ArgumentError, match="pole_pairs"):
        Motor.pmsm(R, L, 0.01, 0)
