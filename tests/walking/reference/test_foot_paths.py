"""Paths of feet along footsteps."""

import numpy as np
import pytest

from tarsus.walking import Gait, StepLimits, footsteps
from tarsus.walking.reference.foot_paths import APEX, LATE_APEX, apex_of, plain_swing

LEG, CLEARANCE = 1.0, 0.05


def swing_phase(length, climb=0.0):
    """The third swing of a walk with steps of a length [m], which lands higher by `climb` [m]."""
    feet = footsteps([length, 0.0, 0.0], 1.0, 6, 0.2, StepLimits(1.0, 0.3, 0.4))
    phase = [phase for phase in Gait(1.0, settling=1.0).phases(feet) if phase.swing is not None][2]
    start, end = phase.swing
    return phase._replace(swing=(start, end._replace(position=end.position + np.array([0.0, 0.0, climb]))))


def test_feet_rise_sooner_than_they_come_down_but_for_long_steps_and_ways_down():
    assert apex_of(swing_phase(0.3), LEG) == apex_of(swing_phase(0.4), LEG) == APEX
    assert APEX < apex_of(swing_phase(0.6), LEG) < apex_of(swing_phase(0.8), LEG) < LATE_APEX
    assert apex_of(swing_phase(0.99), LEG) == pytest.approx(LATE_APEX)
    assert apex_of(swing_phase(0.3, -0.1), LEG) == pytest.approx(1.0 - APEX)


@pytest.mark.parametrize("length", [0.3, 0.55, 0.8])
def test_feet_are_not_next_to_the_ground_while_they_are_fast(length):
    """A foot of a step of 0.8 legs was 4 mm above the ground at its mean speed, and touched it."""
    phase = swing_phase(length)
    swing = plain_swing(0, phase, CLEARANCE, LEG)
    duration = phase.end - phase.start
    times = np.linspace(0.3, 1.0, 400) * duration
    states = [swing.at(t) for t in times]
    height, speed = np.array([x[2] for x, _, _ in states]), np.array([v[0] for _, v, _ in states])
    fast = speed > 2.0 * length / duration  # the mean speed of the swing, whose way is two steps
    assert height[fast].min() > 0.1 * CLEARANCE
