"""A robot that was turned comes back to the heading that was planned."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.simulation.push import Push
from tarsus.walking.stabilizer import walk_guide

MOMENT = 110.0
"""About the vertical, for 0.1 s, while one foot stands: HRP-2 turns on it [N m]."""


def walked():
    push = Push("pelvis", (0.0, 0.0, 0.0), start=2.4, moment=(0.0, 0.0, MOMENT))
    walker = ts.walking.Walker(ts.robots.hrp2(), clearance=0.027)  # the push comes at this moment of this gait
    outcome = walker.walk(0.3, steps=12, pushes=[push], progress=False)
    assert outcome.passed, str(outcome)
    w, z = outcome.trajectory.q[:, 3], outcome.trajectory.q[:, 6]
    assert np.degrees(np.abs(2.0 * np.arctan2(z, w))).max() > 10.0
    return np.degrees(outcome.turned)


@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_landings_turn_a_robot_back_to_the_planned_heading(monkeypatch):
    assert abs(walked()) < 0.1 + np.degrees(walk_guide.STRAIGHT)
    monkeypatch.setattr(walk_guide, "STEERED", 0.0)
    assert abs(walked()) > 1.9
