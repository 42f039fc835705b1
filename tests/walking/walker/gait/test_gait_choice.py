"""What plans ask of joints, and step times that may be told."""

import pytest

import tarsus as ts
from tarsus.errors import ArgumentError
from tarsus.walking import Walker
from tarsus.walking.walker.gait.gait_choice import Demand


def demand(speed, torque):
    return Demand(speed, torque, "knee", "hip", 0.0, "hip")


@pytest.mark.parametrize(
    ("speed", "torque", "told"),
    [
        (0.0, 1.23, "'hip' would need 123% of its torque"),
        (1.5, 0.9, "'knee' would need 150% of its speed"),
        (1.5, 1.23, "'knee' would need 150% of its speed, 'hip' would need 123% of its torque"),
        (1.0, 1.0, ""),
    ],
)
def test_only_joints_that_are_beyond_a_limit_are_named(speed, torque, told):
    assert demand(speed, torque).beyond == told


@pytest.mark.parametrize(
    "ask",
    [
        lambda walker: walker,
        lambda walker: walker.plan(0.3, steps=2),
        lambda walker: walker.walk(command=[(0.0, 0.1, 0.0, 0.0)]),
        lambda walker: walker.top_speed,
        lambda walker: ts.walking.climb(walker, ts.walking.Stairs(1, 0.06, 0.3)),
    ],
)
def test_steps_between_which_a_robot_would_stand_are_refused(ask):
    with pytest.raises(ArgumentError, match=r"step_time of Walker is 20; expected at most 2\.96 s, 12 sqrt\(leg / g\)"):
        ask(Walker(ts.robots.hrp2(), step_time=20))
