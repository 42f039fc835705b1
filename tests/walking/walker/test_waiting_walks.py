"""Walks whose plan takes longer than their time: they go on until it is over, and end."""

import pytest

import tarsus as ts
from tarsus.walking import Walker
from tarsus.walking.walker.walk_record import recorded_walk
from tarsus.walking.walker.watched_walk import LONGER, OVER


@pytest.fixture(name="walker", scope="module")
def _walker():
    return Walker(ts.robots.hrp2())


def test_walk_ends_with_its_time_where_the_plan_does(walker):
    outcome = walker.walk(0.2, steps=1)
    assert outcome.passed and outcome.trajectory.reason == OVER
    assert outcome.time == pytest.approx(outcome.plan.duration, abs=0.011)


def test_walk_goes_on_until_the_plan_is_over_where_its_time_is_not_enough(walker, tmp_path):
    plan, choice = walker.plan(0.2, steps=2)
    outcome = walker.follow(plan, choice, lasts=0.6 * plan.duration, record=tmp_path / "walk.h5")
    assert outcome.passed, str(outcome)
    assert outcome.time == pytest.approx(plan.duration, abs=0.011)
    assert recorded_walk(ts.open_recording(tmp_path / "walk.h5")).passed


def test_walk_lasts_twice_its_time_at_most_and_says_so(walker, tmp_path):
    plan, choice = walker.plan(0.2, steps=2)
    lasts = 0.8 * plan.phases[1].start
    outcome = walker.follow(plan, choice, lasts=lasts, record=tmp_path / "walk.h5")
    assert not outcome.passed
    assert outcome.time == pytest.approx(LONGER * lasts, abs=0.011)
    assert "its time was over" in outcome.reason or "on one foot" in outcome.reason
    recorded = recorded_walk(ts.open_recording(tmp_path / "walk.h5"))
    assert not recorded.passed and recorded.reason == outcome.reason
