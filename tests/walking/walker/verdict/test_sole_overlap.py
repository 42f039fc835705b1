"""Soles that pass through each other: in closed form, and in walks whose footsteps are crossed."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.spatial import pose, rotation_z
from tarsus.walking import Footstep, Walker
from tarsus.walking.walker.verdict.sole_overlap import foot_height, overlap_note, overlaps

A, B = 0.1, 0.05
CORNERS = np.array([[(A, B, 0.0), (A, -B, 0.0), (-A, -B, 0.0), (-A, B, 0.0)]] * 2)


def deep(x, y, z=0.0, yaw=0.0):
    """How deep a sole at the origin and one at a pose are in each other."""
    poses = np.stack([pose(np.zeros(3))[None], pose(np.array([x, y, z]), rotation_z(yaw))[None]])
    return overlaps(poses, CORNERS, 0.08)[0]


@pytest.mark.parametrize(
    ("place", "depth"),
    [
        ((0.0, 0.08), 0.02),  # beside each other: by the width
        ((0.19, 0.01), 0.01),  # behind each other: by the length
        ((0.0, 0.12), -0.02),
        ((0.0, 0.08, 0.07), 0.02),
        ((0.0, 0.08, 0.09), -np.inf),  # above each other
        ((0.0, 0.16, 0.0, np.pi / 2), B + A - 0.16),
        ((0.0, 0.14, 0.0, np.pi / 4), B + np.hypot(A, B) * np.sin(np.pi / 4 + np.arctan2(B, A)) - 0.14),  # a corner
    ],
)
def test_overlap_of_rectangles_is_known_in_closed_form(place, depth):
    assert deep(*place) == pytest.approx(depth, abs=1e-12)


def test_deepest_overlap_is_told_with_its_time():
    there = [pose(np.array([0.0, y, 0.0])) for y in (0.3, 0.09, 0.06, 0.2)]
    soles = np.stack([np.stack([pose(np.zeros(3))] * 4), np.stack(there)])
    time = np.array([0.0, 1.0, 2.0, 3.0])
    told = "soles pass through each other, by 40 mm at 2.00 s: nothing keeps legs apart"
    assert overlap_note(time, soles, CORNERS, 0.08) == told
    assert overlap_note(time[::3], soles[:, ::3], CORNERS, 0.08) == ""


def test_walk_over_crossed_footsteps_passes_and_tells_how_deep_its_soles_were_in_each_other():
    walker = Walker(ts.robots.hrp2())
    w, (a, b) = walker.biped.width / 2, walker.biped.legs[0].half
    places = [(True, 0.0, w), (False, 0.0, -w), (True, 0.15, 0.0), (False, 0.3, -w), (True, 0.3, w)]
    done = walker.walk(footsteps=[Footstep(left, np.array([x, y, 0.0]), 0.0) for left, x, y in places])
    assert done.passed
    lateral = 2 * b - w  # the left foot lands before the right one, and too near
    assert lateral < 2 * a - 0.15
    (note,) = done.notes
    assert note.startswith("soles pass through each other, by ")
    assert float(note.split()[6]) == pytest.approx(1e3 * lateral, abs=1.0)
    assert f"  note      {note}" in str(done)


def test_a_foot_reaches_up_to_its_ankle():
    biped = Walker(ts.robots.hrp2()).biped
    leg = biped.legs[0]
    ankle = ts.frame_pose(biped.model, biped.q, biped.model.joints[leg.joints[-1]].child)[2, 3]
    assert foot_height(biped.model, leg.sole, leg.half) == pytest.approx(ankle, abs=1e-9)
    assert foot_height(biped.model, leg.sole, np.array([1.0, 0.5])) == 0.5
