"""Footsteps, their timing, swings, and returns to a reference."""

import itertools

import numpy as np
import pytest

from tarsus.errors import ArgumentError, PlanningError
from tarsus.walking.steps.foot_swing import FootSwing
from tarsus.walking.steps.footsteps import Footstep, StepLimits, footsteps, footsteps_after
from tarsus.walking.steps.gait import Gait
from tarsus.walking.steps.smooth_return import SmoothReturn

LIMITS = StepLimits(0.4, 0.3, 0.6, rise=0.2)


def middles(feet):
    return np.array([(a.position + b.position)[:2] / 2 for a, b in itertools.pairwise(feet)])


def test_steps_forward_start_with_half_a_step_and_end_side_by_side():
    feet = footsteps([0.4, 0.0, 0.0], 0.8, 5, 0.2, LIMITS)
    x = [foot.position[0] for foot in feet]
    assert x == pytest.approx([0.0, 0.0, 0.16, 0.48, 0.80, 1.12, 1.44, 1.44])
    assert [foot.left for foot in feet] == [True, False] * 4
    assert [foot.position[1] for foot in feet] == pytest.approx([0.1, -0.1] * 4)


def test_sidesteps_never_bring_the_feet_nearer():
    for side in (0.1, -0.1):
        feet = footsteps([0.0, side, 0.0], 0.8, 8, 0.2, LIMITS)
        left = [foot.position[1] for foot in feet if foot.left]
        assert feet[2].left is (side > 0)
        gaps = [abs(a.position[1] - b.position[1]) for a, b in itertools.pairwise(feet)]
        assert min(gaps) > 0.2 - 1e-12
        assert left[-1] - left[0] == pytest.approx(side * 0.8 * 8)
        assert middles(footsteps([0.0, side, 0.0], 0.8, 3, 0.2, LIMITS))[-1, 1] == pytest.approx(side * 0.8 * 3)


def test_turns_go_along_an_arc_and_add_up():
    feet = footsteps([0.2, 0.0, 0.3], 0.8, 10, 0.2, LIMITS)
    assert feet[-1].yaw == pytest.approx(0.3 * 0.8 * 10)
    # On the spot, feet stay on a circle of half of the width.
    around = footsteps([0.0, 0.0, 0.3], 0.8, 10, 0.2, LIMITS)
    assert [np.linalg.norm(foot.position[:2]) for foot in around] == pytest.approx([0.1] * len(around))
    assert feet[3].X_WS[:2, 0] == pytest.approx([np.cos(feet[3].yaw), np.sin(feet[3].yaw)])


@pytest.mark.parametrize("side", [0.1, -0.1, 0.0])
@pytest.mark.parametrize("turn", [0.2, -0.2])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_whole_command_is_walked_whichever_foot_begins(side, turn, count):
    """Where a sidestep begins with the foot that follows the turn, the share of one step was lost."""
    command = [0.0, side, turn]
    feet = footsteps(command, 0.6, count, 0.2, LIMITS)
    started = footsteps_after((feet[0], feet[1]), command, 0.6, count, 0.2, LIMITS, stands=True)
    for found in (feet, started):
        assert [foot.yaw for foot in found[-2:]] == pytest.approx([turn * 0.6 * count] * 2)


def test_stairs_are_climbed_until_they_are_too_high():
    stairs = lambda x, y: 0.1 * np.floor(x / 0.3)  # noqa: E731
    feet = footsteps([0.375, 0.0, 0.0], 0.8, 6, 0.2, LIMITS, terrain=stairs)
    assert feet[-1].position[2] > 0.3
    with pytest.raises(PlanningError, match="rises by 0.3 m"):
        footsteps([0.375, 0.0, 0.0], 0.8, 6, 0.2, LIMITS, terrain=lambda x, y: 3 * stairs(x, y))


@pytest.mark.parametrize(
    ("command", "told"), [([0.6, 0, 0], "forward"), ([0, 0.4, 0], "sideways"), ([0, 0, 1.0], "turning")]
)
def test_commands_beyond_the_limits_name_what_limits_them(command, told):
    with pytest.raises(PlanningError, match=f"{told} needs steps of .* % of the command|{told} needs steps of .*%"):
        footsteps(command, 0.8, 4, 0.2, LIMITS)
    with pytest.raises(ArgumentError, match="three finite numbers"):
        footsteps([np.nan, 0, 0], 0.8, 4, 0.2, LIMITS)


def test_pressure_rests_on_the_foot_that_stands_and_moves_in_double_support():
    feet = footsteps([0.3, 0.0, 0.0], 0.8, 3, 0.2, LIMITS)
    gait = Gait(0.8, 0.25, half_sole=(0.1, 0.05))
    path, phases = gait.pressure_path(feet), gait.phases(feet)
    assert phases[-1].end == path.end
    for phase in phases[1:-1]:
        middle = path.at((phase.start + phase.end) / 2)
        standing = np.mean([foot.position[:2] for foot in phase.standing], axis=0)
        assert middle == pytest.approx(standing)
        low, high = path.bounds((phase.start + phase.end) / 2)
        assert high - low == pytest.approx([0.2, 0.1])
    swings = [phase.swing for phase in phases if phase.swing]
    assert all(a.left is b.left for a, b in swings) and len(swings) == 4


def test_boxes_of_pressure_are_inside_turned_soles():
    gait = Gait(0.8, half_sole=(0.12, 0.05))
    for yaw in np.linspace(-np.pi, np.pi, 13):
        box = gait._box(Footstep(True, np.zeros(3), yaw))
        corners = np.array([[x, y] for x in (-box[0], box[0]) for y in (-box[1], box[1])])
        c, s = np.cos(yaw), np.sin(yaw)
        inside = np.abs(corners @ np.array([[c, -s], [s, c]]))
        assert (inside <= [0.12 + 1e-12, 0.05 + 1e-12]).all() and inside.max(axis=0).max() > 0.049


def test_swings_are_at_rest_at_both_ends_smooth_and_high_enough():
    start, end = Footstep(True, np.array([0.0, 0.1, 0.0]), 3.0), Footstep(True, np.array([0.5, 0.1, 0.15]), -3.0)
    swing = FootSwing(start, end, 0.6, 0.05, apex=0.4)
    t = np.linspace(0, 0.6, 2001)
    x, v, a = (np.array(rows) for rows in zip(*(swing.at(s) for s in t), strict=True))
    assert np.abs(v[[0, -1]]).max() < 1e-12 and np.abs(a[[0, -1]]).max() < 1e-9
    assert x[:, 2].max() == pytest.approx(0.2, abs=1e-6) and x[:, 2].min() >= -1e-12
    h = t[1]
    assert np.abs(np.gradient(x, h, axis=0)[1:-1] - v[1:-1]).max() < 1e-4
    assert np.abs(np.gradient(v, h, axis=0)[1:-1] - a[1:-1]).max() < 0.1  # of 20 m/s^2: no jump at the apex
    assert x[-1, 3] - x[0, 3] == pytest.approx(2 * np.pi - 6.0)  # the short way round
    landing = FootSwing(swing.start, swing.end, 0.6, 0.05, landing=0.1)
    assert landing.at(0.6)[1][2] == pytest.approx(-0.1)
    held, *still = landing.at(0.7)
    np.testing.assert_array_equal(held, landing.at(0.6)[0])
    np.testing.assert_array_equal(still, np.zeros((2, 4)))
    assert max(landing.at(s)[0][2] for s in t) == pytest.approx(0.2, abs=1e-6)
    with pytest.raises(ArgumentError, match="would rise first"):
        FootSwing(swing.start, swing.end, 0.6, 0.05, landing=2.0)


def test_returns_are_smooth_and_do_not_overshoot_from_any_state():
    rng = np.random.default_rng(5)
    e, rate, acceleration = (rng.normal(size=1000) * scale for scale in (0.1, 2.0, 50.0))
    e[:50], rate[:20] = 0.0, 0.0
    way = SmoothReturn(e, rate, acceleration, 0.4)
    first = way.at(0.0)
    for found, given in zip(first, (e, rate, acceleration), strict=True):
        assert np.allclose(found, given, rtol=1e-9, atol=1e-9)
    t = np.linspace(0.0, 0.4, 400)
    values = np.array([way.at(s)[0] for s in t])
    sign = np.sign(values[np.argmax(np.abs(values) > 1e-12, axis=0), np.arange(1000)])
    assert (values * sign > -1e-12).all()
    end = way.at(0.4)
    assert all(np.abs(part).max() == 0.0 for part in end)
    assert (way.durations <= 0.4).all() and (way.durations > 0).all()
    h = 1e-6
    late = 0.3 * way.durations.min()
    numeric = (way.at(late + h)[0] - way.at(late - h)[0]) / (2 * h)
    assert np.allclose(numeric, way.at(late)[1], rtol=1e-4, atol=1e-4)


def test_bad_gaits_and_swings_are_refused():
    with pytest.raises(ArgumentError, match="double_support of Gait is 1.0"):
        Gait(0.8, 1.0)
    with pytest.raises(ArgumentError, match="alternating"):
        Gait(0.8).phases([Footstep(True, np.zeros(3), 0.0)] * 2)
    with pytest.raises(ArgumentError, match="two of one foot"):
        FootSwing(Footstep(True, np.zeros(3), 0.0), Footstep(False, np.zeros(3), 0.0), 0.5, 0.05)
    with pytest.raises(ArgumentError, match="duration of SmoothReturn"):
        SmoothReturn(0.0, 0.0, 0.0, 0.0)
