"""Bipeds made to measure: what is found in files that are light or heavy, tilted, masked, weak or spread."""

import re

import numpy as np
import pytest
from walking.biped.made_biped import made_biped

import tarsus as ts
from tarsus.errors import ArgumentError, ControlWarning, PlanningError
from tarsus.walking import Biped, Walker
from tarsus.walking.biped.stance_width import BESIDE
from tarsus.walking.walker.verdict.fall_watch import FallWatch

HALF = 0.98 * np.array([0.1, 0.04])
"""Half of the soles of the made biped, of which 98 % are stood on [m]."""


@pytest.mark.parametrize("foot", ["spheres", "capsules"])
def test_soles_of_balls_that_touch_the_floor_by_pairs_alone_reach_to_their_middles(foot):
    biped = Biped.of(made_biped(foot=foot, masked=True))
    for leg in biped.legs:
        np.testing.assert_allclose(leg.half, HALF, atol=1e-9)
    assert all("no limit of speed" in note for note in biped.notes)


def test_soles_that_are_not_level_at_zero_are_told_and_stood_on():
    biped = Biped.of(made_biped(slope=12.0))
    assert "they are not level with all joints at 0" in "\n".join(biped.notes)
    for leg in biped.legs:
        np.testing.assert_allclose(leg.half, HALF, atol=1e-6)
        np.testing.assert_allclose(ts.frame_pose(biped.model, biped.q, leg.sole)[:3, :3], np.eye(3), atol=1e-5)


def test_base_that_a_key_frame_tilts_is_upright():
    biped = Biped.of(made_biped(tilt=20.0))
    assert "its base is upright: the reference pose tilts it" in biped.notes
    np.testing.assert_allclose(ts.frame_pose(biped.model, biped.q, "trunk")[:3, :3], np.eye(3), atol=1e-5)


def test_spread_legs_are_brought_together_until_the_weight_can_go_from_one_foot_to_the_other():
    biped = Biped.of(made_biped(spread=12.0))
    assert BESIDE * 2 * biped.legs[0].half[1] < biped.width < 0.4
    assert "mm apart, not 491 mm as in its file" in "\n".join(biped.notes)
    apart = [ts.frame_pose(biped.model, biped.bent(0.1).q, leg.sole)[1, 3] for leg in biped.legs]
    assert apart[0] - apart[1] == pytest.approx(biped.width, abs=1e-5)


def test_hips_that_cannot_go_inwards_are_the_reason_that_is_told():
    walker = Walker(made_biped(inwards=4.0))
    assert "its steps are brief" in "\n".join(walker.biped.notes)
    with pytest.raises(PlanningError, match="limits in the way: right_hip_roll"):
        walker.walk(steps=4)


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"knees": (30.0, 140.0)}, [r"its left leg .* 'left_knee' at its limit of 30 degrees$"]),
        ({"raised": (100.0, 10.0)}, [r"its right leg .* 'right_hip_pitch' at its limit of -10 degrees$"]),
        ({"knees": (30.0, 30.0)}, ["its left leg .* 'left_knee' at", "its right leg .* 'right_knee' at"]),
    ],
)
def test_legs_that_cannot_be_bent_are_named_with_the_heights_they_reach(limits, told):
    with pytest.raises(ArgumentError, match=r"'trunk' is to be 0\.72\d m above the soles") as caught:
        Biped.of(made_biped(**limits))
    assert re.search(r"to get from 0\.7[45]\d to 0\.76\d m above them", str(caught.value))
    assert all(re.search(words, str(caught.value)) for words in told), caught.value
    assert str(caught.value).count("does not get there") == len(told)


def test_long_steps_for_which_legs_cannot_be_bent_are_refused_as_plans_are():
    walker = Walker(made_biped(knees=(46.0, 46.0)), step_time=0.9)
    words = r"cannot bend its legs by 10% .* 'left_knee' at its limit of 46 degrees.*; with a step time of 0\.9 s"
    with pytest.raises(PlanningError, match=words):
        walker.plan(0.6, steps=6)


def test_fallen_is_judged_by_the_hips_wherever_the_frame_of_the_pelvis_is():
    walker = Walker(made_biped(below=0.9))
    biped = walker.biped
    assert ts.frame_pose(biped.model, biped.q, biped.pelvis)[2, 3] < 0.0
    watch = FallWatch(biped, walker.plan(0.1, steps=1)[0])
    watch.look(0.0, biped.q, np.zeros(2))
    assert not watch.fallen
    low = biped.bent(0.35).q
    watch.look(0.1, low, np.zeros(2))
    assert "the pelvis is" in watch.fallen and "of the least that was planned" in watch.fallen


def test_robot_that_is_too_weak_is_refused_before_it_walks():
    with pytest.raises(
        PlanningError, match=r"too weak to walk at 0\.3 m/s.*no speed in this direction is possible within"
    ) as caught:
        Walker(made_biped(torque=15.0)).walk(steps=2)
    assert "_hip_roll' would lack some" in str(caught.value)


def test_joints_without_limits_of_speed_are_not_named_as_beyond_them():
    walker = Walker(made_biped(torque=25.0))
    with pytest.warns(ControlWarning, match=r"walks beyond its limits: '\w+' would need 10\d% of its torque$"):
        walker.plan(0.4, steps=4)


def test_light_robot_with_heavy_drives_is_told_its_speed_and_walks_at_half_of_it():
    """0.6 kg with rotors of 0.03 kg m^2: at 0.3 m/s its knees would need several times their torque.

    At its own speed the plan needs 95 % of them, which leaves little for balance: it falls there.
    """
    walker = Walker(made_biped(size=0.3, armature=0.03, torque=3.0))
    with pytest.raises(PlanningError, match=r"; 0\.1\d\d m/s is possible within the limits of its joints"):
        walker.walk(steps=2)
    speed = walker.top_speed
    assert 0.1 < speed < 0.2
    done = walker.walk(0.5 * speed, steps=10)
    assert done.passed, str(done)
    assert done.torque[0] <= 1.0 + 1e-9
