"""Joints far beyond their limits are told of walks that have passed."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.simulation import Push
from tarsus.walking import Walker
from tarsus.walking.walker.verdict.joint_limits import limit_notes


@pytest.fixture(name="walked", scope="module")
def _walked():
    return Walker(ts.robots.hrp2()).walk(0.2, steps=1, progress=False).trajectory


class Changed:
    """A run with other samples."""

    def __init__(self, run, **changes):
        self.model, self.time = run.model, run.time
        self.q, self.v = changes.get("q", run.q), changes.get("v", run.v)


def test_a_calm_walk_has_no_notes(walked):
    assert limit_notes(walked, slice(None)) == []


def test_the_fastest_joint_is_told_from_twice_its_speed_on(walked):
    v = np.array(walked.v)
    k = walked.model.joints["RLEG_JOINT3"].v_index.start
    v[40, k] = -2.5 * walked.model.v_max[k]
    told = f"'RLEG_JOINT3' turned at 250% of its speed at {walked.time[40]:.2f} s"
    assert limit_notes(Changed(walked, v=v), slice(None)) == [told]
    assert limit_notes(Changed(walked, v=v), slice(40)) == []
    v[40, k] = 1.9 * walked.model.v_max[k]
    assert limit_notes(Changed(walked, v=v), slice(None)) == []


def test_a_joint_beyond_its_stop_is_told(walked):
    q = np.array(walked.q)
    k = walked.model.joints["LLEG_JOINT3"].q_index.start
    q[30, k] = walked.model.q_min[k] - np.radians(2.0)
    told = f"'LLEG_JOINT3' was 2.0 degrees beyond its stop at {walked.time[30]:.2f} s"
    assert limit_notes(Changed(walked, q=q), slice(None)) == [told]


def test_a_push_that_drives_knees_beyond_twice_their_speed_is_noted():
    push = Push("pelvis", [0.0, 0.0, 900.0], start=3.0, duration=0.1)
    outcome = Walker(ts.robots.hrp2()).walk(0.3, steps=8, pushes=[push], progress=False)
    assert outcome.joint_speed[0] > 2.0
    assert any("of its speed at" in note for note in outcome.notes)
