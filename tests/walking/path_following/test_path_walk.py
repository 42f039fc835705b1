"""Walks under the law on a foot that is held, with impacts and exchanges of legs."""

from dataclasses import replace

import numpy as np
import pytest
from walking.path_following.walkers import BIPED, LAW, PATH, periodic, with_feedback

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.walking import PlanarBiped, PressureTiming, SpeedMap, walk_path

INTEGRATED = 1e-7
"""Of a walk of some steps with a relative tolerance of 1e-8."""


@pytest.fixture(scope="module")
def fast():
    """A walk that starts 15 % too fast."""
    return walk_path(LAW, 1.15 * periodic().rate, steps=5)


def target(run):
    return -0.015 + 0.06 * run.signals["s"]


def test_pressure_under_the_foot_is_the_wanted_one(fast):
    assert fast.finished
    assert not fast.signals["limited"].any()
    assert np.abs(fast.signals["pressure"] - target(fast)).max() < 1e-12  # forces by forward dynamics
    assert fast.signals["margins"].min() > 0.0


def test_walk_goes_from_step_to_step_as_the_map_says(fast):
    rates = np.array([step["rate"] for step in fast.metadata["steps"]])
    assert np.abs(rates / SpeedMap(LAW).iterate(1.15 * periodic().rate, 4) - 1.0).max() < INTEGRATED
    assert np.all(np.diff(rates) < 0.0)
    assert max(step["gap"] for step in fast.metadata["steps"]) < INTEGRATED


def test_walk_is_one_motion_of_the_robot_on_feet_that_stand(fast):
    starts = np.flatnonzero(fast.signals["s"] == 0.0)
    ends = np.append(starts[1:], len(fast.time)) - 1
    for k, (start, end) in enumerate(zip(starts, ends, strict=True)):
        standing = ("r_sole", "l_sole")[k % 2]
        X = ts.frame_pose(fast.model, fast.q[start : end + 1], standing)
        assert np.abs(X[:, 0, 3] - 0.3 * k).max() < INTEGRATED
        assert np.abs(X[:, 2, 3]).max() < INTEGRATED
        assert np.abs(fast.contact_position[start : end + 1, 0, 0] - 0.3 * k).max() < 0.075
    for end, start in zip(ends[:-1], starts[1:], strict=True):
        assert np.abs(fast.q[start] - fast.q[end]).max() < INTEGRATED
        assert fast.time[start] == fast.time[end]
    force = fast.contact_force[:, 0]
    com = np.gradient(ts.center_of_mass(fast.model, fast.q[: ends[0] + 1])[:-1], fast.time[: ends[0]], axis=0)
    jerk = np.gradient(com, fast.time[: ends[0]], axis=0)[3:-3] * fast.model.total_mass
    newton = jerk[:, [0, 2]] + [0.0, BIPED.weight]
    assert np.abs(newton - force[3 : ends[0] - 3][:, [0, 2]]).max() < 0.5  # differences of second order, 5 ms apart


@pytest.mark.parametrize("off", [0.85, 1.15])
def test_the_same_motion_tracked_in_time_pushes_the_pressure_out_of_the_sole(off):
    clock = replace(LAW, timing=periodic().clock)
    run = walk_path(clock, off * periodic().rate, steps=3)
    assert not run.finished
    assert run.time[-1] == 0.0
    assert ("toe" if off > 1 else "heel") in run.reason
    glued = walk_path(clock, off * periodic().rate, steps=1, stop_at_limits=False)
    assert np.abs(glued.signals["pressure"]).max() > 0.25
    exact = walk_path(clock, periodic().rate, steps=2)
    assert exact.finished
    assert np.abs(exact.signals["pressure"] - target(exact)).max() < 1e-5


@pytest.mark.parametrize(
    ("kp", "ahead", "behind", "gap"),
    [
        (400.0, 0.263, -0.297, 0.0),
        (100.0, 0.128, -0.156, 1e-4),
        (25.0, 0.059, -0.086, 1.6e-3),
        (9.0, 0.059, -0.059, 4.4e-3),
    ],
)
def test_softer_joints_ask_for_less_pressure_and_land_further_off(kp, ahead, behind, gap):
    clock = replace(LAW, timing=periodic().clock, kp=kp, kd=2.0 * np.sqrt(kp))
    fast, slow = (
        walk_path(clock, off * periodic().rate, steps=1, stop_at_limits=False, landing_gap=0.1) for off in (1.15, 0.85)
    )
    assert fast.signals["pressure"].max() == pytest.approx(ahead, abs=1e-3)
    assert slow.signals["pressure"].min() == pytest.approx(behind, abs=1e-3)
    assert fast.metadata["steps"][0]["gap"] == pytest.approx(gap, abs=5e-5)


def test_landing_too_far_from_the_ground_ends_a_walk():
    soft = replace(LAW, timing=periodic().clock, kp=9.0, kd=6.0)
    run = walk_path(soft, 1.15 * periodic().rate, steps=1)
    assert not run.finished
    assert "scuffed" in run.reason or "between ground and heel or toe" in run.reason


@pytest.mark.parametrize("off", [0.85, 1.15])
def test_pressure_that_answers_to_the_speed_stays_in_the_sole(off):
    run = walk_path(with_feedback(), off * periodic().rate, steps=3)
    assert run.finished
    assert np.abs(run.signals["pressure"]).max() < 0.066
    assert abs(run.metadata["steps"][-1]["rate"] / periodic().rate - 1.0) < 0.005


def test_errors_of_the_joints_vanish_as_the_gains_say_whatever_the_pace():
    start = PATH.at(0.0)
    offset = 0.004 * np.array([1.0, -1.0, 0.5, 1.0, 0.5, -1.0])
    run = walk_path(LAW, periodic().rate, steps=1, theta=start.theta + offset, stop_at_limits=False)
    t, s, rate = run.time, run.signals["s"], run.signals["s_rate"]
    at = PATH.at(s)
    error = at.theta - run.q[:, 3:]
    first, slope = -offset, (rate[0] - periodic().rate) * start.slope
    decay = np.exp(-20.0 * t)[:, None] * (first + t[:, None] * (slope + 20.0 * first))
    assert np.abs(error - decay).max() < INTEGRATED
    assert np.abs(run.signals["pressure"] - target(run)).max() < 1e-10


def test_robot_heavier_than_the_law_knows_walks_at_another_speed():
    heavy = PlanarBiped(ts.robots.shah7().with_payload("trunk", ts.Inertia.of_sphere(0.5, 0.05)))
    run = walk_path(LAW, periodic().rate, steps=3, robot=heavy)
    assert run.finished
    assert 1e-4 < np.abs(run.signals["pressure"] - target(run)).max() < 1e-3
    assert max(step["gap"] for step in run.metadata["steps"]) < 1e-3


class BackwardTiming(PressureTiming):
    """A timing that begins its steps backward."""

    def start(self, rate):
        return -1.0


def test_walks_end_where_the_foot_would_not_stay_and_say_why():
    assert "stalled" in walk_path(LAW, 0.6 * periodic().rate, steps=2).reason
    slippery = walk_path(LAW, periodic().rate, steps=2, limits=BIPED.limits(0.1))
    assert "did not stay flat at s = 0 (friction)" in slippery.reason
    known = replace(LAW, timing=PressureTiming(LAW.timing.target, BIPED.limits(0.1)))
    run = walk_path(known, periodic().rate, steps=2, limits=BIPED.limits(0.1))
    assert run.signals["limited"].any()
    assert "landing foot did not stay flat" in run.reason  # the impulse of the landing needs 0.14
    assert "friction" in walk_path(LAW, 1.8 * periodic().rate, steps=1).reason
    low = replace(LAW, path=replace(PATH, middle=PATH.middle + np.array([0.0, 0.0, 0.0, 0.0, -0.3, 0.3])))
    pressed = walk_path(LAW, periodic().rate, steps=1, limits=BIPED.limits(least_force=70.0))
    assert pressed.finished  # what is asked of forces is not asked of impulses
    assert "(normal force)" in walk_path(LAW, periodic().rate, steps=1, limits=BIPED.limits(least_force=90.0)).reason
    reverse = replace(LAW, timing=BackwardTiming(LAW.timing.target, BIPED.limits()))
    assert "would start with s' = -1/s" in walk_path(reverse, 2.0, steps=1).reason
    assert "scuffed" in walk_path(low, periodic().rate, steps=1, stop_at_limits=False).reason


def test_unfit_arguments_are_refused():
    for options, told in (({"steps": 0}, "steps is 0"), ({"steps": 1, "theta": [0.0]}, "expected 6 finite angles"),
                          ({"steps": 1, "sample_dt": 0.0}, "sample_dt is 0.0")):  # fmt: skip
        with pytest.raises(ArgumentError, match=told):
            walk_path(LAW, 2.0, **options)
    with pytest.raises(ArgumentError, match="rate is -1"):
        walk_path(LAW, -1.0, steps=1)
