"""Walks whose joints have drives."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking import Walker
from tarsus.walking.walker.drive_loop import steps_of


@pytest.mark.parametrize(("cycle", "steps"), [(5e-3, 5), (1.5e-3, 2), (1e-3, 1), (4e-4, 1), (2.2e-3, 3)])
def test_cycles_are_whole_steps_of_at_most_a_millisecond(cycle, steps):
    assert steps_of(cycle) == steps


def test_hrp2_walks_with_motors_gears_and_friction_in_its_joints_and_a_cycle_of_1_5_ms():
    walker = Walker(ts.robots.hrp2(), control_dt=1.5e-3)
    plain = walker.walk(0.3, steps=2)
    done = walker.walk(0.3, steps=2, drives=ts.actuators.servo_drives(walker.biped.model))
    assert plain.passed and done.passed, str(done)
    np.testing.assert_allclose(done.way, plain.way, atol=0.03)
    assert np.abs(done.trajectory.q - plain.trajectory.q).max() > 1e-4  # friction is felt
