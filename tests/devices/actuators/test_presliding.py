"""Dry friction of a rigid gear as an element of its own."""

import numpy as np
import pytest

from tarsus.devices.actuators import Gear, GearFriction
from tarsus.devices.actuators.presliding import Presliding

LEVEL, WIDTH = 3.0, 1e-3
"""[N m], [rad]"""
ROUNDING = 1e-12
"""Relative; hundreds of additions."""


def element(**keywords):
    return Presliding.of(
        Gear(1.0, GearFriction(LEVEL, **keywords), presliding=WIDTH, presliding_damping=0.0), np.zeros(())
    )


def triangle(amplitude, steps=100):
    """Two periods of positions from 0, and the rate of each step of 1 ms."""
    corners = [0.0, amplitude, 0.0, -amplitude, 0.0, amplitude, 0.0, -amplitude, 0.0]
    way = np.interp(np.arange(8 * steps + 1) / steps, np.arange(9), corners)
    return way, np.diff(way) / 1e-3


@pytest.mark.parametrize("amplitude", [2e-3, 1e-2])
def test_loop_of_torque_over_angle_encloses_four_times_the_level_times_the_sliding(amplitude):
    friction, s, lost, zero = element(), np.zeros(()), [], np.zeros(())
    for v in triangle(amplitude)[1]:
        s, _, energy = friction.step(s, zero, v, 1e-3)
        lost.append(float(energy["friction"]))
    second = np.sum(lost[len(lost) // 2 :])
    assert second == pytest.approx(4.0 * LEVEL * (amplitude - WIDTH), rel=1e-9)


def test_below_its_level_it_is_a_spring_that_loses_nothing():
    friction, s, zero = element(), np.zeros(()), np.zeros(())
    way, rates = triangle(0.9 * WIDTH)
    for k, v in enumerate(rates):
        s, torque, energy = friction.step(s, zero, v, 1e-3)
        np.testing.assert_allclose(torque, LEVEL / WIDTH * 0.5 * (way[k] + way[k + 1]), atol=1e-9)
        assert abs(energy["friction"]) < ROUNDING
    np.testing.assert_allclose(s, 0.0, atol=1e-15)


def test_step_does_not_depend_on_how_it_is_divided():
    friction, v, zero = element(), 4.0, np.zeros(())
    once, torque, energy = friction.step(np.array(-0.5 * WIDTH), zero, v, 1e-3)
    s, mean, lost = np.array(-0.5 * WIDTH), 0.0, 0.0
    for _ in range(100):
        s, part, e = friction.step(s, zero, v, 1e-5)
        mean, lost = mean + part / 100, lost + e["friction"]
    np.testing.assert_allclose([s, mean, lost], [once, torque, energy["friction"]], rtol=1e-9)


def test_level_that_falls_lets_go_and_loses_what_was_stored():
    friction = element(static=4.0, stribeck_speed=0.1)
    held = np.array(4.0 / friction.stiffness)  # at the level of rest
    s, _, energy = friction.step(held, np.zeros(()), np.array(5.0), 1e-6)  # now at speed, where the level is 3 N m
    assert float(s * friction.stiffness) == pytest.approx(LEVEL, rel=1e-9)
    assert float(energy["friction"]) > 0.5 * (4.0**2 - LEVEL**2) / friction.stiffness * 0.999


def test_damper_and_spring_together_are_not_stronger_than_friction():
    gear = Gear(1.0, GearFriction(LEVEL), presliding=WIDTH, presliding_damping=1e3)
    friction = Presliding.of(gear, np.zeros(()))
    for v in (0.1, 1.0, 10.0):
        _, torque, _ = friction.step(np.zeros(()), np.zeros(()), np.array(v), 1e-4)
        assert abs(torque) <= LEVEL * (1.0 + 1e-12)
        assert abs(friction.derivative(np.zeros(()), np.zeros(()), np.array(v))[1]) <= LEVEL * (1.0 + 1e-12)


def test_gear_without_dry_friction_has_no_element():
    assert Presliding.of(Gear(10.0, GearFriction(viscous=1.0)), np.zeros(())) is None
