"""How feet that both stand share the load."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import Block, Compliant, Ground
from tarsus.spatial import pose
from tarsus.walking.stabilizer.load_sharing import GIVING, RETURNING, LoadSharing

LEG, WEIGHT, DT = 0.8, 500.0, 0.005
PLACES = [np.array([0.1, 0.1]), np.array([0.0, -0.1])]
NONE = np.zeros(2)
SOFT = 0.2
"""Stiffness of the ground below the left foot, in that below the right one."""


def test_foot_that_carries_too_much_is_raised_and_the_other_one_lowered_as_much():
    sharing = LoadSharing(LEG)
    sharing.advance(DT, True, np.array([0.7, 0.3]) * WEIGHT, np.array([0.5, 0.5]), PLACES, NONE)
    assert sharing.way == pytest.approx(0.5 * DT * GIVING * LEG * 0.2 * np.array([1.0, -1.0]))


def test_shares_as_wanted_move_nothing_and_the_wanted_ones_follow_the_pressure_of_the_stabiliser():
    """A way of the pressure from the middle to the left foot is a share of 1/2."""
    sharing, between = LoadSharing(LEG), PLACES[0] - PLACES[1]
    sharing.advance(DT, True, np.array([0.7, 0.3]) * WEIGHT, np.array([0.5, 0.5]), PLACES, 0.2 * between)
    assert np.abs(sharing.way).max() < 1e-15
    sharing.advance(DT, True, np.array([1.0, 0.0]) * WEIGHT, np.array([0.5, 0.5]), PLACES, 3.0 * between)
    assert np.abs(sharing.way).max() < 1e-15  # no foot pulls


@pytest.mark.parametrize("standing", [True, False])
def test_feet_come_back_where_nothing_is_wrong_or_one_of_them_is_in_the_air(standing):
    sharing = LoadSharing(LEG)
    sharing.advance(DT, True, np.array([1.0, 0.0]) * WEIGHT, np.array([0.5, 0.5]), PLACES, NONE)
    first = sharing.way[0]
    loads = np.array([0.5, 0.5]) * WEIGHT if standing else np.array([1.0, 0.0]) * WEIGHT
    for _ in range(20):
        sharing.advance(DT, standing, loads, np.array([0.5, 0.5]), PLACES, NONE)
    assert sharing.way[0] == pytest.approx(first * (1.0 - DT / RETURNING) ** 20)


def test_feet_that_are_not_planned_to_carry_are_left_alone():
    sharing = LoadSharing(LEG)
    sharing.advance(DT, True, np.array([0.6, 0.4]) * WEIGHT, np.array([1.0, 0.0]), PLACES, NONE)
    assert (sharing.way == 0.0).all()


def half(side, start, end, top, law):
    """Ground to the left (1) or to the right (-1), between two places along x, up to a height [m]."""
    middle = ((start + end) / 2, side * 10.0, top - 1.0)
    return Block((end - start, 20.0, 2.0), pose(middle), law, name=f"{side} {start}")


LAW = Compliant()
SOFT_LEFT = Ground([half(-1, -20, 20, 0.0, LAW), half(1, -20, 20, 0.0, Compliant(stiffness=SOFT * LAW.stiffness))])
HIGH_LEFT = Ground([half(-1, -20, 20, 0.0, LAW), half(1, -20, 0.15, 0.0, LAW), half(1, 0.15, 20, 0.005, LAW)])


LOW = 0.027
"""Clearance with which HRP-2 has time to stand on both feet for a fifth of a step [m]."""


def wrong_shares(ground, clearance):
    """Root mean square of the error of the share of a foot, in double supports between steps, and at rest after them.

    Moments at which a foot bounces and nothing carries do not count.
    """
    walker = ts.walking.Walker(ts.robots.hrp2(), clearance=clearance)
    outcome = walker.walk(0.3, steps=4, ground=ground, progress=False)
    assert outcome.passed
    run, plan = outcome.trajectory, outcome.plan
    time, loads = run.signals["plan_time"], run.signals["loads"]
    total, end = loads.sum(axis=1), plan.phases[-1].start
    error = loads[:, 0] / np.maximum(total, 1.0) - np.interp(time, plan.times, plan.feet.load[:, 0])
    both = (run.signals["phase"] == 0) & (total > 0.3 * outcome.biped.weight)
    parts = both & (time > plan.phases[0].end) & (time < end), both & (time > end + 0.3)
    return [float(np.sqrt(np.mean(error[part] ** 2))) for part in parts]


@pytest.mark.parametrize(
    ("ground", "clearance", "part"),
    [(SOFT_LEFT, LOW, 0.8), (HIGH_LEFT, LOW, 0.9), (SOFT_LEFT, None, 0.9), (HIGH_LEFT, None, 0.9)],
    ids=["softer", "5 mm higher", "softer, brief", "5 mm higher, brief"],
)
def test_shares_stay_nearer_to_the_plan_on_ground_that_differs_below_one_foot(ground, clearance, part, monkeypatch):
    """A double support lasts 0.12 s with low feet and 0.09 s by default, short for a loop of 0.1 s; at rest a third."""
    walking, resting = wrong_shares(ground, clearance)
    monkeypatch.setattr("tarsus.walking.stabilizer.load_sharing.GIVING", 0.0)
    without = wrong_shares(ground, clearance)
    assert walking < part * without[0] and resting < 0.5 * without[1]
    assert resting < 0.01
