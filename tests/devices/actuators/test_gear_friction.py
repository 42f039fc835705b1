"""The law of friction itself."""

import numpy as np
import pytest

from tarsus.devices.actuators import GearFriction
from tarsus.errors import ArgumentError

EXACT = 1e-14
"""One or two roundings."""


def test_dry_friction_falls_from_static_to_coulomb():
    friction = GearFriction(coulomb=2.0, static=3.0, stribeck_speed=0.1)
    np.testing.assert_allclose(friction.dry([0.0, 0.1, 10.0]), [3.0, 2.0 + np.exp(-1.0), 2.0], rtol=EXACT)
    assert np.all(np.diff(friction.dry(np.linspace(0.0, 0.5, 50))) < 0.0)


def test_static_friction_is_coulomb_friction_unless_given():
    np.testing.assert_allclose(GearFriction(coulomb=2.0).dry([0.0, 1.0]), 2.0)


@pytest.mark.parametrize("efficiency", [0.6, 0.8, 1.0])
def test_driving_gear_delivers_its_efficiency(efficiency):
    friction = GearFriction(efficiency=efficiency)
    lost = friction.level_of_motor_torque(1.0, 10.0, 1.0)
    np.testing.assert_allclose(10.0 - lost, 10.0 * efficiency, rtol=EXACT)


@pytest.mark.parametrize("efficiency", [0.6, 0.8, 1.0])
def test_driven_gear_passes_on_two_minus_the_inverse_efficiency(efficiency):
    friction = GearFriction(efficiency=efficiency)
    motor = 10.0  # it brakes: the joint moves against the motor's torque
    transmitted = motor + friction.level_of_motor_torque(-1.0, motor, -1.0)
    np.testing.assert_allclose(motor / transmitted, 2.0 - 1.0 / efficiency, rtol=1e-13)


def test_both_forms_of_load_dependence_are_the_same_law():
    friction = GearFriction(coulomb=2.0, efficiency=0.7)
    rng = np.random.default_rng(0)
    motor, direction = rng.normal(scale=10.0, size=100), np.sign(rng.normal(size=100))
    level = friction.level_of_motor_torque(direction, motor, direction)
    np.testing.assert_allclose(friction.level(direction, motor - level * direction), level, rtol=1e-13)


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        ({"coulomb": 2.0, "static": 1.0}, "static .* below coulomb"),
        ({"efficiency": 0.5}, "more than 0.5"),
        ({"efficiency": 1.1}, "at most 1"),
        ({"viscous": -1.0}, "viscous of GearFriction"),
        ({"stribeck_speed": 0.0}, "stribeck_speed"),
    ],
)
def test_bad_parameters_are_named(keywords, text):
    with pytest.raises(ArgumentError, match=text):
        GearFriction(**keywords)
