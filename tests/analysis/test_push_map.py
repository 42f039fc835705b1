"""Limits of pushes: by bisection, of a closed form, and of HRP-2 beside the bound of a pendulum."""

import math

import numpy as np
import pytest
from analysis.ankle_stand import recovers, robot

import tarsus as ts
from tarsus.analysis import PushMap, push_limit, push_map, read_results
from tarsus.errors import ArgumentError, SimulationError, SweepError
from tarsus.geometry.support_polygon import support_polygon
from tarsus.simulation.push import Push

CHEST = "CHEST_LINK1"
FLOOR = 10.0
"""Impulse that HRP-2 recovers from in every direction, on both feet [N s]."""
BESIDE_BOUND = (0.8, 1.1)
"""Limit over m omega d: the robot is no point mass, is pushed above its centre of mass, and its ankles give way."""


def elliptic(push):
    """Recovers from impulses inside an ellipse of 12 N s ahead and 30 N s to the side."""
    impulse = push.wrench[:2] * push.duration
    return bool(np.linalg.norm(impulse / [12.0, 30.0]) <= 1.0)


def never(push):
    return False


def always(push):
    return True


def undecided(push):
    return 0.5


def test_bisection_finds_the_limit_of_a_closed_form():
    found = push_map(elliptic, "chest", directions=16, precision=0.01, largest=50.0)
    true = 1.0 / np.hypot(np.cos(found.angle) / 12.0, np.sin(found.angle) / 30.0)
    assert np.all(found.limit <= true * (1 + 1e-12))
    assert np.all(true <= found.fall)
    assert np.all(found.fall - found.limit <= 0.01)
    assert found.least == found.limit.min() == pytest.approx(12.0, abs=0.01)


def test_trials_are_told_and_end_at_the_largest():
    found = push_limit(0.0, always, "chest", largest=40.0)
    assert found == {"limit": 40.0, "fall": math.inf, "trials": [[0.0, True], [40.0, True]]}
    assert len(push_limit(0.0, elliptic, "chest", largest=64.0, precision=1.0)["trials"]) == 2 + 6


def test_a_map_goes_on_from_its_file_and_is_read_from_it(tmp_path):
    path = tmp_path / "pushes.jsonl"
    first = push_map(elliptic, "chest", directions=4, results=path)
    again = push_map(elliptic, "chest", directions=8, results=path)
    assert np.array_equal(again.limit[::2], first.limit)
    assert np.array_equal(PushMap.of(read_results(path)).limit, again.limit)


@pytest.mark.parametrize(
    ("scenario", "change", "error", "text"),
    [
        (never, {}, SweepError, "does not recover from no push at all"),
        (undecided, {}, SweepError, "the scenario returned 0.5"),
        (always, {"directions": 0}, ArgumentError, "directions is 0"),
        (always, {"precision": 0.0}, SweepError, "precision is 0.0"),
        (always, {"engine": "none"}, ArgumentError, "no engine 'none'"),
    ],
)
def test_bad_scenarios_and_arguments_are_named(scenario, change, error, text):
    with pytest.raises(error, match=text):
        push_map(scenario, "chest", **change)


def test_a_robot_that_falls_by_itself_has_no_limit():
    with pytest.raises(SimulationError, match="no push at all"):
        push_limit(0.0, never, "chest")
    with pytest.raises(SweepError, match="no results of push_limit"):
        PushMap.of(ts.analysis.sweep(other, [{"a": 1.0}]))


def other(a):
    return a


def test_hrp2_recovers_from_the_floor_in_twelve_directions():
    for angle in 2.0 * np.pi * np.arange(12) / 12:
        force = FLOOR / 0.1 * np.array([np.cos(angle), np.sin(angle), 0.0])
        assert recovers(Push(CHEST, force, start=0.5, duration=0.1)), math.degrees(angle)


def capture_bound(angle):
    """Impulse that brings the capture point of a pendulum to the edge of the feet: m omega d (Pratt et al. 2006)."""
    model, contacts, _ = robot()
    q = np.array(model.reference)
    place = np.array([ts.frame_pose(model, q, contact.name)[:3, 3] for contact in contacts])
    corners = support_polygon(place, np.tile([0.0, 0.0, 1.0], (len(place), 1)))[:, :2]
    center = ts.center_of_mass(model, q)
    along = np.array([math.cos(angle), math.sin(angle)])
    edges = np.roll(corners, -1, axis=0) - corners
    outward = np.stack([edges[:, 1], -edges[:, 0]], axis=1)
    gap, rate = np.sum(outward * (corners - center[:2]), axis=1), outward @ along
    return model.total_mass * math.sqrt(9.81 / center[2]) * float((gap[rate > 1e-9] / rate[rate > 1e-9]).min())


@pytest.mark.parametrize("directions", [2, pytest.param(12, marks=pytest.mark.long)])
def test_limits_of_hrp2_are_near_the_bound_of_a_pendulum(directions):
    found = push_map(recovers, CHEST, directions=directions)
    assert found.least >= FLOOR
    share = found.limit / [capture_bound(angle) for angle in found.angle]
    assert np.all((share > BESIDE_BOUND[0]) & (share < BESIDE_BOUND[1])), share
    again = push_limit(found.angle[-1], recovers, CHEST)
    assert again["limit"] == found.limit[-1]  # deterministic


def test_a_map_is_drawn(tmp_path):
    found = push_map(elliptic, "chest", directions=6, largest=20.0)
    figure = ts.plot_push_map(found, tmp_path / "map.svg", floor=10.0)
    assert len(figure.axes[0].lines) == 3  # limits, falls, floor
    assert np.allclose(figure.axes[0].lines[0].get_ydata()[:-1], found.limit)
    assert (tmp_path / "map.svg").read_text().count("<svg") == 1
    with pytest.raises(ArgumentError, match="no directions"):
        ts.plot_push_map(PushMap(np.zeros(0), np.zeros(0), np.zeros(0)))


@pytest.mark.long
@pytest.mark.parametrize("direction", [0, 3])
def test_hrp2_under_whole_body_control_recovers_from_the_floor(direction):
    """In two directions; the other ten are those of `tests/scenarios/test_scenarios.py`."""
    angle = 2.0 * math.pi * direction / 12
    force = FLOOR / 0.1 * np.array([math.cos(angle), math.sin(angle), 0.0])
    assert ts.analysis.recovers_standing(Push("chest", force, start=0.5, duration=0.1))


@pytest.mark.long
def test_hrp2_under_whole_body_control_does_not_recover_from_everything():
    """Beyond the bound of a pendulum: 2 m omega d."""
    force = 2.0 * capture_bound(0.0) / 0.1
    assert not ts.analysis.recovers_standing(Push("chest", [force, 0.0, 0.0], start=0.5, duration=0.1))


def test_an_unknown_robot_is_named():
    with pytest.raises(ts.errors.UnknownNameError, match="no robot 'robot:hrp3'; close: 'hrp2'"):
        ts.analysis.recovers_standing(Push("chest", [0.0, 0.0, 0.0]), robot="robot:hrp3")
