"""Planners that choose footsteps or their time: they walk at the command, and catch pushes."""

import numpy as np
import pytest
from walking.planning.walks import PENDULUM

from tarsus.errors import ArgumentError, NonFiniteError, PlanningError
from tarsus.walking.planning.free_footsteps import FreeFootsteps
from tarsus.walking.planning.predictive_control import _moved
from tarsus.walking.planning.step_timing import StepTiming

FREE = FreeFootsteps(PENDULUM, half_sole=(0.1, 0.05), width=0.18, reach=(0.4, 0.1))
TIMING = StepTiming(PENDULUM, 0.3, 0.9, reach_min=[-0.5, 0.08], reach_max=[0.5, 0.45])


def walk(velocity, push=None, steps=12):
    """Closed loop of `FreeFootsteps` on the pendulum: feet, and states at all samples."""
    state, foot, left = np.zeros((3, 2)), np.array([0.0, 0.09]), True
    state[0, 1] = 0.05
    feet, states, off = [foot], [], []
    samples = round(FREE.step_time / FREE.step)
    for k in range(steps * samples):
        chosen = FREE.choose(state, foot, left, k % samples, velocity)
        state = _moved(state, chosen.jerk, np.array([FREE.step]))[0]
        if push is not None and k == push[0]:
            state[1] += push[1]
        states.append(state)
        off.append(np.abs(PENDULUM.pressure(state[0], state[2]) - foot))
        if (k + 1) % samples == 0:
            foot, left = chosen.steps[0], not left
            feet.append(foot)
    return np.array(feet), np.array(states), np.array(off)


def test_footsteps_follow_the_velocity_with_the_pressure_on_the_soles():
    feet, states, off = walk([0.3, 0.0])
    assert np.mean(states[-16:, 1, 0]) == pytest.approx(0.3, abs=0.02)
    assert np.abs(np.diff(feet[4:, 0]) - 0.24).max() < 0.03
    assert (np.diff(feet[:, 1]) * [(-1) ** (k + 1) for k in range(len(feet) - 1)] > 0.07).all()
    assert (off.max(axis=0) <= [0.1 + 1e-6, 0.05 + 1e-6]).all()


def test_footsteps_catch_a_push_that_the_sole_cannot():
    """0.4 m/s to the side of the foot that swings, shortly before it comes down; the sole takes 0.17 m/s."""
    feet, states, _ = walk([0.0, 0.0], push=(46, np.array([0.0, 0.4])))
    plain, _, _ = walk([0.0, 0.0])
    assert np.abs(feet - plain)[:, 1].max() > 0.1
    assert np.abs(states[-16:, 1, 1].mean()) < 0.05
    with pytest.raises(PlanningError, match="along y"):  # over the foot that stands, which nothing can be put beyond
        walk([0.0, 0.0], push=(34, np.array([0.0, 0.5])))


def test_a_step_of_a_periodic_gait_needs_no_adaptation():
    for left in (True, False):
        wanted = TIMING.periodic([0.25, 0.0], 0.6, 0.2, left)
        # Divergent component at the start of such a step: the mirrored offset of the foot that stands.
        xi = np.array([wanted.offset[0], -wanted.offset[1]])
        found = TIMING.adapted(grown(xi, 0.2), [0.0, 0.0], 0.2, wanted, left)
        assert found.foothold == pytest.approx(wanted.foothold, abs=1e-9)
        assert found.time == pytest.approx(0.6, abs=1e-9) and found.offset == pytest.approx(wanted.offset, abs=1e-9)


def test_a_gait_without_any_room_is_taken_as_it_is():
    """Reach and time of one step alone: viable is its own offset."""
    for left in (True, False):
        only = StepTiming(PENDULUM, 0.6, 0.6, [0.25, 0.2], [0.25, 0.2])
        wanted = only.periodic([0.25, 0.0], 0.6, 0.2, left)
        assert np.array(only.viable(left)) == pytest.approx(np.array([wanted.offset] * 2), abs=1e-15)
        found = only.adapted(grown(wanted.offset * [1, -1], 0.2), [0.0, 0.0], 0.2, wanted, left)
        assert found.offset == pytest.approx(wanted.offset, abs=1e-9)


def grown(xi, t):
    """Divergent component a time later, above the pressure at the origin."""
    return xi * np.exp(PENDULUM.omega * t)


def test_steps_are_moved_and_hastened_by_pushes_and_the_gait_goes_on():
    """Steps on the pendulum: a push in the third; afterwards the offset comes back to that of the gait."""
    wanted = [TIMING.periodic([0.2, 0.0], 0.6, 0.2, left) for left in (False, True)]
    foot, left, xi = np.array([0.0, 0.1]), False, np.array([0.0, 0.1]) - wanted[0].offset * [-1, 1]
    times, missed = [], []
    for k in range(12):
        goal = wanted[int(left)]
        if k == 3:
            xi = xi + np.array([0.05, 0.0])
        step = TIMING.adapted(xi, foot, 0.0, goal, left)
        xi = foot + (xi - foot) * np.exp(PENDULUM.omega * step.time)
        assert xi - step.foothold == pytest.approx(step.offset, abs=1e-9)
        foot, left = step.foothold, not left
        times.append(step.time)
        missed.append(np.abs(step.offset - goal.offset).max())
    assert times[3] < 0.58 or np.abs(missed[3]) > 1e-3
    assert missed[-1] < 1e-3 and times[-1] == pytest.approx(0.6, abs=0.02)


def test_a_divergent_component_that_no_step_catches_is_told():
    wanted = TIMING.periodic([0.2, 0.0], 0.6, 0.2, True)
    with pytest.raises(PlanningError, match=r"along x .* 0\.\d+ m beyond where further steps"):
        TIMING.adapted([1.0, 0.05], [0.0, 0.0], 0.2, wanted, True)
    with pytest.raises(PlanningError, match="along y"):  # beyond the foot that stands, where no foot can go
        TIMING.adapted([0.05, -0.2], [0.0, 0.0], 0.2, wanted, True)
    narrow = StepTiming(PENDULUM, 0.3, 0.9, [-0.5, 0.19], [0.5, 0.2])
    with pytest.raises(PlanningError, match="times that suit x do not suit y"):  # soon for x, late for y
        narrow.adapted([0.25, 0.01], [0.0, 0.0], 0.0, wanted, True)


@pytest.mark.parametrize("reach", [([-0.5, 0.08], [0.5, 0.45]), ([-0.1, 0.18], [0.3, 0.22]), ([0.1, -0.3], [0.2, 0.3])])
@pytest.mark.parametrize("left", [True, False])
def test_viable_offsets_are_those_from_which_steps_go_on(reach, left):
    """Against the set found by iteration: ends of all offsets that some sampled step leads into it, until it stays."""
    timing = StepTiming(PENDULUM, 0.3, 0.9, *reach)
    s = np.exp(PENDULUM.omega * np.linspace(0.3, 0.9, 61))
    for axis, found in enumerate(np.transpose(timing.viable(left))):
        low, high = -10.0, 10.0  # after the left foot
        for _ in range(80):
            # b s - u within the set of the other foot, u within its reach.
            least, most = (reach[0][0], reach[1][0]) if axis == 0 else (-reach[1][1], -reach[0][1])
            inner, outer = (low, high) if axis == 0 else (-high, -low)
            low, high = ((inner + least) / s).min(), ((outer + most) / s).max()
        expected = (low, high) if axis == 0 or left else (-high, -low)
        assert found == pytest.approx(expected, abs=1e-9)


def test_pushes_within_viable_offsets_are_caught_for_good_and_others_told_at_once():
    rng = np.random.default_rng(3)
    wanted = [TIMING.periodic([0.2, 0.0], 0.6, 0.2, left) for left in (False, True)]
    (low, _), (high, _) = TIMING.viable(False)
    for push in rng.uniform(-0.5, 0.5, 40):
        foot, left, xi = np.zeros(2), True, wanted[0].offset + np.array([push, 0.0])  # the right foot came down
        if not low <= xi[0] <= high:
            with pytest.raises(PlanningError, match="along x"):
                TIMING.adapted(xi, foot, 0.0, wanted[1], left)
            continue
        for _ in range(12):
            step = TIMING.adapted(xi, foot, 0.0, wanted[int(left)], left)
            xi, foot, left = foot + grown(xi - foot, step.time), step.foothold, not left
            assert xi - foot == pytest.approx(step.offset, abs=1e-9)


def test_falls_without_a_step_and_bad_numbers_are_told():
    wanted = TIMING.periodic([0.2, 0.0], 0.6, 0.2, True)
    with pytest.raises(PlanningError, match="already"):
        TIMING.adapted([0.0, 0.0], [0.0, 0.0], 1.0, wanted, True)
    with pytest.raises(ArgumentError, match="times of StepTiming"):
        StepTiming(PENDULUM, 0.9, 0.3, [0, 0], [1, 1])
    with pytest.raises(ArgumentError, match="reach_min of StepTiming"):
        StepTiming(PENDULUM, 0.3, 0.9, [0, 0], [-1, 1])
    with pytest.raises(NonFiniteError, match="divergent"):
        TIMING.adapted([np.nan, 0.0], [0.0, 0.0], 0.0, wanted, True)
    with pytest.raises(ArgumentError, match="multiple of step"):
        FreeFootsteps(PENDULUM, (0.1, 0.05), 0.2, (0.4, 0.1), step_time=0.85)
    with pytest.raises(ArgumentError, match="done"):
        FREE.choose(np.zeros((3, 2)), [0, 0], True, 9, [0, 0])
