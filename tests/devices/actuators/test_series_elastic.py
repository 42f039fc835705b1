"""Series elastic actuators: force bandwidth, step response, limits."""

import numpy as np
import pytest
from devices.actuators.devices import RATIO, ROTOR, motor

from tarsus.devices.actuators import ElasticGear, ForceLoop, GearFriction, IdealMotor, SeriesElasticActuator
from tarsus.errors import ArgumentError

SPRING = 300.0
"""[N m/rad]"""
J = RATIO**2 * ROTOR
EXACT = 1e-9
"""Relative; hundreds of exact steps."""


def actuator(**gains):
    return SeriesElasticActuator(IdealMotor(ROTOR), ElasticGear(RATIO, SPRING), force_loop=ForceLoop(**gains))


@pytest.mark.parametrize(("kp", "kd"), [(0.0, 0.02), (4.0, 0.03), (20.0, 0.05)])
def test_step_response_of_the_force_is_that_of_a_second_order_system(kp, kd):
    w0 = np.sqrt(SPRING * (1.0 + kp) / J)
    damping = 0.5 * kd * np.sqrt(SPRING / (J * (1.0 + kp)))
    assert damping < 1.0
    drive, dt = actuator(kp=kp, kd=kd), 1e-3
    x = drive.initial(0.0)
    wd = w0 * np.sqrt(1.0 - damping**2)
    for k in range(1, 300):
        x, _ = drive.advance(x, 10.0, 0.0, 0.0, dt)
        t = k * dt
        expected = 1.0 - np.exp(-damping * w0 * t) * (np.cos(wd * t) + damping * w0 / wd * np.sin(wd * t))
        np.testing.assert_allclose(SPRING * x[..., 0], 10.0 * expected, rtol=EXACT, atol=EXACT)


def response(drive, frequency):
    """Torque on a locked joint for a unit sine of the command, from the linear continuous form."""
    n = drive.nx
    A = np.array([drive.derivative(e, 0.0, 0.0, 0.0)[0] for e in np.eye(n)]).T
    B = drive.derivative(np.zeros(n), 1.0, 0.0, 0.0)[0]
    C = np.array([drive.derivative(e, 0.0, 0.0, 0.0)[1] for e in np.eye(n)])
    return C @ np.linalg.solve(1j * frequency * np.eye(n) - A, B)


def test_force_bandwidth_is_the_closed_form():
    kp, kd = 4.0, 0.06
    w0 = np.sqrt(SPRING * (1.0 + kp) / J)
    z = 0.5 * kd * np.sqrt(SPRING / (J * (1.0 + kp)))
    # |1 / (1 - r^2 + 2 i z r)|^2 = 1/2 with r = w / w0
    r = np.sqrt(1.0 - 2.0 * z**2 + np.sqrt((1.0 - 2.0 * z**2) ** 2 + 1.0))
    np.testing.assert_allclose(np.abs(response(actuator(kp=kp, kd=kd), r * w0)), np.sqrt(0.5), rtol=EXACT)


def test_sine_through_steps_has_the_amplitude_of_the_frequency_response():
    drive, w, dt = actuator(kp=4.0, kd=0.03), 60.0, 1e-3
    x, torques = drive.initial(0.0), []
    times = dt * np.arange(1200)
    for t in times:
        x, tau = drive.advance(x, np.sin(w * (t + 0.5 * dt)), 0.0, 0.0, dt)
        torques.append(float(tau))
    late = times > 0.6
    fit = np.column_stack([np.sin(w * (times + 0.5 * dt)), np.cos(w * (times + 0.5 * dt))])[late]
    found = np.linalg.lstsq(fit, np.array(torques)[late], rcond=None)[0]
    held = np.sinc(w * dt / (2.0 * np.pi)) ** 2  # a held command, and the mean over a step
    assert np.hypot(*found) == pytest.approx(np.abs(response(drive, w)) * held, rel=1e-5)


def test_integral_removes_what_friction_leaves():
    gear = ElasticGear(RATIO, SPRING, 1.0, GearFriction(coulomb=2.0))
    without = SeriesElasticActuator(motor(), gear, force_loop=ForceLoop(2.0, 0.0, 0.02))
    with_it = SeriesElasticActuator(motor(), gear, force_loop=ForceLoop(2.0, 10.0, 0.02))
    torques = []
    for drive in (without, with_it):
        x = drive.initial(0.0)
        for _ in range(600):
            x, tau = drive.advance(x, 10.0, 0.0, 0.0, 5e-3)
        torques.append(float(tau))
    assert 0.1 < abs(torques[0] - 10.0) <= 2.0 / 3.0 + 1e-9  # friction over 1 + kp
    assert abs(torques[1] - 10.0) < 0.01


def test_soft_spring_hides_the_rotor_from_an_impact():
    # a joint that jumps by 0.01 rad feels the spring at once and no more: k 0.01, not the inertia of the rotor
    drive = actuator(kp=4.0, kd=0.03)
    _, tau = drive.derivative(drive.initial(0.0), 0.0, 0.01, 0.0)
    np.testing.assert_allclose(tau, -SPRING * 0.01)


def test_current_limit_bounds_the_force_and_the_integral_does_not_wind_up():
    limited = SeriesElasticActuator(
        motor(current_max=2.0), ElasticGear(RATIO, SPRING, 1.0), force_loop=ForceLoop(2.0, 10.0, 0.02)
    )
    x = limited.initial(0.0)
    for _ in range(500):
        x, tau = limited.advance(x, 100.0, 0.0, 0.0, 5e-3)
    assert float(tau) == pytest.approx(2.0 * RATIO * 0.05, rel=1e-3)
    for _ in range(300):
        x, tau = limited.advance(x, 5.0, 0.0, 0.0, 1e-3)
    assert float(tau) == pytest.approx(5.0, rel=0.1)


def test_without_force_loop_it_is_refused():
    with pytest.raises(ArgumentError, match="needs a force_loop"):
        SeriesElasticActuator(IdealMotor(ROTOR), ElasticGear(RATIO, SPRING))
