"""Pushes while walking: steps against ankles alone."""

import math

import numpy as np
import pytest
from robot_data import robot_data_path

from tarsus.analysis import ankle_limit, recovers_walking, walking_biped, walking_push_start
from tarsus.simulation.push import Push

DURATION = 0.1
RIGHT = 1.5 * math.pi
TALOS = "talos_data/robots/talos_reduced.urdf"


def pushed(robot, angle, speed):
    """A push at the pelvis that would give all of the robot this velocity [m/s]."""
    force = speed * walking_biped(robot).model.total_mass / DURATION
    return Push(
        "pelvis", force * np.array([math.cos(angle), math.sin(angle), 0.0]), walking_push_start(robot), DURATION
    )


def test_ankle_limit_is_the_way_to_the_edge_of_the_sole():
    biped = walking_biped("robot:hrp2")
    a, b = biped.legs[0].half
    w = math.sqrt(9.81 / biped.height)
    assert ankle_limit(biped, 0.0) == pytest.approx(w * a)
    assert ankle_limit(biped, -math.pi / 2) == pytest.approx(w * b)
    assert ankle_limit(biped, math.atan2(b, a)) == pytest.approx(w * math.hypot(a, b))


def test_hrp2_steps_against_twice_what_ankles_give_and_ankles_alone_do_not_hold_it():
    push = pushed("robot:hrp2", RIGHT, 2.0 * ankle_limit(walking_biped("robot:hrp2"), RIGHT))
    assert recovers_walking(push)
    assert not recovers_walking(push, adapt=False)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.parametrize(
    ("name", "degrees"),
    [
        ("hrp2", (0, 30, 60, 90, 120, 180, 210, 240, 270, 300, 330)),
        ("talos", (0, 60, 90, 120, 240, 270, 300, 330)),
        ("lola", (0, 30, 60, 90, 120, 150, 210, 240, 270, 300, 330)),
    ],
)
def test_steps_hold_robots_against_twice_what_ankles_give(name, degrees):
    """In these of twelve directions; in the others it is less, or not for every larger push."""
    robot = str(robot_data_path(TALOS)) if name == "talos" else f"robot:{name}"
    biped = walking_biped(robot)
    for angle in np.radians(degrees):
        assert recovers_walking(pushed(robot, angle, 2.0 * ankle_limit(biped, angle)), robot), math.degrees(angle)
