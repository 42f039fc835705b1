"""Bipeds at the top speed that their joints allow."""

import numpy as np
import pytest
from robot_data import robot_data_path
from walking.walker.test_walker import robot

import tarsus as ts
from tarsus.walking import Walker
from tarsus.walking.walker.gait.gait_choice import PROBE, choose_gait, grown, planned
from tarsus.walking.walker.gait.possible_speed import RESERVE, RESOLVED, SLIDE, aside


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize("name", ["hrp2", "g1", "talos", "romeo", "icub"])
def test_biped_walks_on_sensors_at_its_top_speed_within_the_limits_of_its_joints(name):
    walker = Walker(robot(name))
    speed = walker.top_speed
    done = walker.walk(speed, steps=8, sensed=True, seed=3)
    assert done.passed, str(done)
    np.testing.assert_allclose(done.way, done.plan.com[-1, :2] - done.plan.com[0, :2], atol=0.06)
    feet = done.plan.footsteps
    stride = np.linalg.norm(feet[6].position[:2] - feet[4].position[:2])
    assert stride == pytest.approx(2 * speed * (done.plan.phases[4].end - done.plan.phases[3].start), rel=1e-6)
    assert done.torque[0] <= 1.0 + 1e-9 and done.joint_speed[0] <= 1.0


def slides(walker, speed):
    """How far the next step comes aside by feet that slide, in half soles, as planned at once or step by step."""
    command = np.array([speed, 0.0, 0.0])
    choice, _ = choose_gait(walker.biped, command)
    return max(aside(plan(walker.biped, command, PROBE, choice)) for plan in (planned, grown))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_legs_without_an_upper_body_walk_straight_at_the_top_speed_that_friction_allows():
    """At 0.47 m/s, which joints allow, their feet turn until they stray or fall."""
    walker = Walker(ts.load(robot_data_path("alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf"), base="free"))
    speed = walker.top_speed
    assert speed == pytest.approx(0.44, abs=0.01)
    assert choose_gait(walker.biped, np.array([speed + 1.5 * RESOLVED, 0.0, 0.0]))[1].worst < 1.0 - RESERVE
    assert slides(walker, speed) <= SLIDE < slides(walker, speed + 1.5 * RESOLVED)
    done = walker.walk(speed, duration=20.0 / speed, sensed=True, seed=3)
    assert done.passed, str(done)
    assert done.way[0] > 19.0 and abs(done.way[1]) < 0.5
