"""The height of a centre of mass on stairs."""

import numpy as np
import pytest

from tarsus.walking import Gait, Stairs, StepLimits, footsteps
from tarsus.walking.reference.climb import climbs


def phases_of(feet):
    return Gait(0.8).phases(feet)


@pytest.mark.parametrize("rise", [0.1, -0.1])
def test_it_is_that_of_the_lower_foot_in_double_support_and_changes_smoothly_in_between(rise):
    phases = phases_of(Stairs(2, rise, 0.3).footsteps(0.2, (0.11, 0.06), StepLimits(0.3, 0.2, 0.5)))
    times = np.arange(0.0, phases[-1].end, 1e-3)
    height = climbs(phases, times)
    for phase in phases:
        if phase.swing is None:
            own = (times >= phase.start) & (times < phase.end)
            np.testing.assert_array_equal(height[own], min(foot.position[2] for foot in phase.standing))
    rate = np.gradient(height, 1e-3)
    single = 0.8 * 0.8
    assert np.abs(rate).max() == pytest.approx(1.875 * abs(rise) / single, rel=1e-3)  # of the least-jerk law
    assert np.abs(np.diff(rate)).max() < 6.0 * abs(rise) / single**2 * 1e-3  # it has no jumps
    assert height[-1] == pytest.approx(2 * rise)


def test_level_ground_has_none():
    phases = phases_of(footsteps([0.2, 0.0, 0.0], 0.5, 3, 0.2, StepLimits(0.3, 0.2, 0.5)))
    assert not climbs(phases, np.linspace(0.0, phases[-1].end, 100)).any()
