"""Steps that end with the velocity of the walk."""

import math

import numpy as np
import pytest
from walking.stabilizer.pushed_pendulum import PushedPendulum

import tarsus as ts
from tarsus.errors import UnknownNameError
from tarsus.walking.pendulum.linear_inverted_pendulum import LinearInvertedPendulum, MassState
from tarsus.walking.stabilizer.catching.catching_steps import adapting
from tarsus.walking.stabilizer.catching.periodic_replanning import PeriodicReplanning
from tarsus.walking.stabilizer.catching.reach import Reach
from tarsus.walking.stabilizer.catching.step_adaptation import USED, ComingStep, PlannedNow

PENDULUM = LinearInvertedPendulum(0.89)
W = PENDULUM.omega
HALF = np.array([0.104, 0.066])
LEG, WIDTH = 0.7, 0.17
REACH = Reach(0.65 * LEG, 0.75 * WIDTH, WIDTH + 0.4 * LEG, 1.5 * math.sqrt(9.81 * LEG), 0.4 * LEG)
RULE = PeriodicReplanning(W, (HALF, HALF), REACH)
T = 0.3
ROUND_OFF = 1e-12


def coming(place, pressure=(0.0, 0.0), yaw=0.0):
    """A step of the right foot, beside the left one at the origin; the plan has its mass and xi at the origin now."""
    c, s = math.cos(yaw), math.sin(yaw)
    landing = np.array([[c, -s], [s, c]]) @ [0.1, -WIDTH]
    planned = PlannedNow(np.zeros(2), np.zeros(2), np.array(pressure))
    return ComingStep(1, landing, landing, np.zeros(2), yaw, landing, 1.0, T, 0.5, np.array(place), planned)


def test_step_ends_with_the_velocity_of_the_plan_and_the_foot_moves_with_the_mass():
    """The pendulum above the pressure that was found, in closed form, against the shift of the landing."""
    place, rate = np.array([0.01, -0.008]), np.array([0.02, -0.015])  # e and e' / w
    u = place + rate / math.tanh(W * T)
    assert (np.abs(u) < USED * HALF).all()
    end = PENDULUM.moved(MassState(place, W * rate), T, u)
    np.testing.assert_allclose(end.velocity, 0.0, atol=ROUND_OFF)
    found = RULE.adapt(place + rate, coming(place))
    np.testing.assert_allclose(found.shift, end.position, atol=ROUND_OFF)
    np.testing.assert_allclose(found.shift, place + rate * math.tanh(W * T / 2), atol=ROUND_OFF)
    assert found.rate == 1.0


def test_pressure_stays_within_the_sole_and_the_foot_goes_where_the_mass_then_is():
    place, rate, planned = np.zeros(2), np.array([0.12, 0.0]), np.array([0.03, 0.01])
    edge = USED * HALF[0] - planned[0]
    assert rate[0] / math.tanh(W * T) > edge
    end = PENDULUM.moved(MassState(place[0], W * rate[0]), T, edge)
    assert end.velocity > 0.0  # what is left for the steps after it
    assert RULE.adapt(rate, coming(place, planned)).shift[0] == pytest.approx(float(end.position), abs=ROUND_OFF)


def test_landing_stays_within_reach_and_turns_with_the_foot_that_stands():
    assert RULE.adapt(np.array([3.0, 0.0]), coming([0.0, 0.0])).shift[0] == pytest.approx(REACH.along - 0.1)
    yaw, e = 0.6, np.array([0.05, -0.02])
    R = ts.spatial.rotation_z(yaw)[:2, :2]
    straight, turned = RULE.adapt(e, coming([0.0, 0.0])), RULE.adapt(R @ e, coming([0.0, 0.0], yaw=yaw))
    np.testing.assert_allclose(turned.shift, R @ straight.shift, atol=ROUND_OFF)


def test_plan_that_is_followed_is_not_changed():
    np.testing.assert_array_equal(RULE.adapt(np.zeros(2), coming([0.0, 0.0])).shift, 0.0)


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_pendulum_is_held_better_than_by_ankles_and_worse_than_by_steps_relative_to_the_capture_point(degrees):
    """A pendulum of the size of Talos: it is not hurried, and cannot leave what is out of reach to a second step."""
    pendulum = PushedPendulum(0.89, HALF, WIDTH, 0.195, 0.65, REACH)
    angle = math.radians(degrees)
    ankles, periodic, capture = (pendulum.limit(angle, adapt=adapt) for adapt in (False, "periodic", "capture"))
    assert periodic > 1.15 * ankles
    assert capture > 1.05 * periodic


def test_unknown_rules_are_refused_by_name():
    assert adapting(True) == "capture" and adapting(False) is None and adapting("periodic") == "periodic"
    with pytest.raises(UnknownNameError, match="'period'.*periodic"):
        adapting("period")
