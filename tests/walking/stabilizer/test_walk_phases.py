"""Phases by contact."""

from types import SimpleNamespace

import numpy as np
import pytest

from tarsus.walking import Gait, StepLimits, footsteps
from tarsus.walking.stabilizer.walk_phases import BOUNCED, UNLOADING, WAITING, WalkPhases

DT = 0.005
BOTH, RIGHT_ONLY, LEFT_ONLY = np.array([20.0, 80.0]), np.array([0.0, 100.0]), np.array([100.0, 0.0])


@pytest.fixture
def phases():
    """The left foot steps first: single support from 1.0 s to 1.4 s, double support until 1.5 s."""
    feet = footsteps([0.2, 0.0, 0.0], 0.5, 3, 0.2, StepLimits(0.3, 0.2, 0.5))
    return WalkPhases(SimpleNamespace(phases=Gait(0.5).phases(feet)), 100.0)


def run(phases, until, loads):
    while phases.time < until - 1e-9:
        before = phases.time
        phases.advance(DT, loads)
        if phases.time == before:
            return


def test_foot_lifts_with_its_phase_and_lands_with_its_load(phases):
    run(phases, 1.0, BOTH)
    assert phases.lifted == 0 and phases.landed == [False, True] and phases.swinging == 0
    run(phases, 1.405, RIGHT_ONLY)
    assert phases.swinging is None and phases.landed == [False, True] and phases.missing[0] > 0.0
    phases.advance(DT, np.array([10.0, 90.0]))
    assert phases.touched == 0 and phases.landed == [True, True]


def test_contact_counts_as_landing_in_the_second_half_of_a_swing_only(phases):
    run(phases, 1.1, np.array([20.0, 80.0]))
    assert not phases.landed[0]
    run(phases, 1.3, np.array([20.0, 80.0]))
    assert phases.landed[0] and phases.swinging == 0


def test_clock_waits_for_a_foot_that_finds_no_ground_before_it_lifts_the_other(phases):
    run(phases, 1.0, BOTH)
    for _ in range(round(0.5 / DT) + 5):
        phases.advance(DT, RIGHT_ONLY)
    assert phases.time == pytest.approx(1.5) and phases.lifted is None
    phases.advance(DT, np.array([80.0, 20.0]))
    phases.advance(DT, np.array([80.0, 20.0]))
    assert phases.swinging == 1


def test_clock_does_not_wait_for_ever(phases):
    run(phases, 1.0, BOTH)
    for _ in range(round((0.5 + WAITING * 0.5) / DT) + 5):
        phases.advance(DT, RIGHT_ONLY)
    assert phases.swinging == 1


def test_single_support_of_a_robot_that_is_late_begins_below_a_load_threshold(phases):
    loaded, unloaded = (np.array([part, 1.0 - part]) * 100.0 for part in (0.31, 0.29))
    run(phases, 1.0 - DT, BOTH)
    assert phases.leaving == 0
    for _ in range(3):
        phases.advance(DT, loaded, late=True)
        assert phases.lifted is None and phases.time == pytest.approx(1.0)
    phases.advance(DT, unloaded, late=True)
    assert phases.lifted == 0 and phases.leaving is None


def test_clock_waits_for_a_foot_that_still_carries_for_a_part_of_a_step_only(phases):
    run(phases, 1.0 - DT, BOTH)
    first = phases.phase.end
    count = 0
    while phases.lifted is None:
        phases.advance(DT, LEFT_ONLY, late=True)
        count += 1
    step = phases.phase.end - phases.phase.start  # that of the first swing
    assert first == pytest.approx(1.0) and (count - 1) * DT == pytest.approx(UNLOADING * step, abs=DT)


@pytest.mark.parametrize("why", ["ahead", "hurried", "caught"])
def test_foot_that_still_carries_is_lifted_at_once_where_waiting_would_let_the_robot_fall(phases, why):
    run(phases, 1.0 - DT, BOTH)
    phases.rate, phases.adapted = (1.2 if why == "hurried" else 1.0), why == "caught"
    phases.advance(DT, LEFT_ONLY, late=why != "ahead")
    assert phases.lifted == 0


def test_foot_that_bounces_off_before_it_carried_is_looked_for_again(phases):
    run(phases, 1.405, RIGHT_ONLY)
    phases.advance(DT, np.array([10.0, 90.0]))
    phases.advance(DT, RIGHT_ONLY)
    assert not phases.landed[0]
    phases.advance(DT, np.array([10.0, 90.0]))
    phases.seated[0] = True
    phases.advance(DT, RIGHT_ONLY)
    assert phases.landed[0]


def test_foot_that_rattles_where_the_walk_is_over_stands(phases):
    while not (phases.rests and phases.number):
        phases.advance(DT, BOTH)
    last = phases.seated.index(False)
    off = np.where(np.arange(2) == last, 0.0, 100.0)
    for _ in range(3):
        phases.advance(DT, BOTH)
        for _ in range(round(BOUNCED / DT) - 1):
            phases.advance(DT, off)
        assert phases.landed[last]
    phases.advance(DT, off)
    assert not phases.landed[last]


@pytest.mark.parametrize(("adapted", "rate"), [(True, 4.0), (False, 1.0)])
def test_clock_catches_up_with_a_foot_that_carries_early_after_a_step_that_catches_the_robot(phases, adapted, rate):
    run(phases, 1.41, RIGHT_ONLY)
    phases.adapted = adapted
    phases.advance(DT, LEFT_ONLY)
    before = phases.time
    phases.advance(DT, LEFT_ONLY)
    assert phases.time - before == pytest.approx(rate * DT)
