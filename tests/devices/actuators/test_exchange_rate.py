"""The rate at which held forces must be exchanged: eigenvalues, and what happens below it."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.devices.actuators import ActuatedController, AntagonisticSprings, QuadraticSpring
from tarsus.devices.actuators.exchange_rate import needed_rate
from tarsus.errors import ArgumentError


def test_one_spring_and_one_damper_are_the_closed_form():
    M = np.array([[2.0]])
    assert needed_rate(M, np.array([50.0]), np.zeros(1)) == (pytest.approx(5.0), 0)
    assert needed_rate(M, np.zeros(1), np.array([8.0])) == (pytest.approx(4.0), 0)
    rate, _ = needed_rate(M, np.array([50.0]), np.array([8.0]))
    assert (50.0 + 8.0 * rate) / 2.0 == pytest.approx(rate**2)


def test_springs_on_several_joints_swing_faster_together():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(5, 4, 4))
    M, K, D = A @ np.swapaxes(A, -1, -2) + np.eye(4), rng.uniform(0.0, 9.0, (5, 4)), rng.uniform(0.0, 3.0, (5, 4))
    rate, worst = needed_rate(M, K, D)
    assert 0 <= worst < 4
    for m, k, d in zip(M, K, D, strict=True):
        assert np.linalg.eigvals(np.linalg.solve(m, np.diag(k + rate * d))).real.max() <= rate**2 * (1.0 + 1e-12)
    alone = max(
        np.sqrt(np.linalg.eigvals(np.linalg.solve(m, np.diag(k))).real.max()) for m, k in zip(M, K, strict=True)
    )
    assert needed_rate(M, K, np.zeros((5, 4)))[0] == pytest.approx(alone)


def light_arm():
    b = ts.ModelBuilder("arm").add_link("ground")
    b.add_link("upper", ts.Inertia.of_box(0.01, (0.1, 0.02, 0.02), com=(0.05, 0.0, 0.0)))
    b.add_joint("shoulder", "revolute", "ground", "upper", axis=(0, 0, 1))
    return b.build()


def test_brake_too_strong_for_a_light_joint_is_refused():
    # J = 3.4e-5 kg m^2: 0.5 N m s/rad would throw it to the other side in every step of 1 ms
    model, springs = light_arm(), AntagonisticSprings(0.01, QuadraticSpring(1e4), 0.1, damping=0.5)
    controller = ActuatedController(lambda t, q, v: np.zeros(1), {"shoulder": springs}, model=model, rate=1e3)
    with pytest.raises(ArgumentError, match="shoulder .* braked by it.* rate is 1000 Hz"):
        controller(0.0, np.zeros(1), np.ones(1))


def test_actuator_that_becomes_stiffer_is_noticed():
    model, springs = light_arm(), AntagonisticSprings(0.01, QuadraticSpring(1e7), 0.01)

    def stiffen(t, q, v):
        springs.cocontraction = 0.01 if t < 2e-3 else 5.0
        return np.zeros(1)

    controller = ActuatedController(stiffen, {"shoulder": springs}, model=model, rate=1e3)
    for k in range(3):
        controller(1e-3 * k, np.zeros(1), np.zeros(1))
    with pytest.raises(ArgumentError, match="shoulder swings"):
        controller(3e-3, np.zeros(1), np.zeros(1))
