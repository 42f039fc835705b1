"""Bipeds that can be installed from PyPI: each walks, or is refused with a reason."""

from pathlib import Path

import pytest
from robot_data import robot_data_path

import tarsus as ts

UPRIGHT = 0.06
"""Tilt of the pelvis on level ground: Alexander, whose soles are drawn ones, tilts by 2.2 degrees [rad]."""

WALKING = {
    "g1": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "human": "human_description/robots/human.urdf",
    "alexander": "alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "romeo": "romeo_description/urdf/romeo.urdf",
    "icub": "icub_description/robots/icub.urdf",
}
"""Of example-robot-data."""
REFUSED = {
    "bolt_description/robots/bolt.urdf": "stands on a point",
    "cassie_description/robots/cassie_simple.sdf": "stands on a point or an edge",
    "simple_humanoid_description/urdf/simple_humanoid.urdf": "reaches lowest with 'base_link': 1 foot",
    "simple_humanoid_description/urdf/simple_humanoid_classical.urdf": "neither collision shapes nor visual ones",
    "talos_data/robots/talos_left_arm.urdf": "'arm_left_7_link': 1 foot",
    "alex_description/urdf/alex_nub_hands.urdf": "'LeftGripperYawLink' stands on a point",
    "alex_description/urdf/alex_sake_hands.urdf": "4 feet; a biped has two",
}
"""Of the same, with the reasons."""


def gymnasium_model(name):
    import gymnasium

    return Path(gymnasium.__file__).parent / "envs/mujoco/assets" / name


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
def test_robot_whose_fingers_have_no_mass_walks():
    outcome = ts.walking.Walker(ts.load(robot_data_path(WALKING["romeo"]), base="free")).walk(0.3, steps=2)
    assert outcome.passed, str(outcome)


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize(
    ("name", "method", "speed", "steps"),
    [
        ("g1", "clik", -0.3, 4),
        pytest.param("g1", "ikd", -0.3, 3, marks=pytest.mark.long),
        pytest.param("alexander", "ikd", 0.3, 5, marks=pytest.mark.long),
    ],
)
def test_feet_that_come_together_and_rattle_stand_at_the_end(name, method, speed, steps):
    """Each one did not stand while a single cycle without load counted as a foot that had left the ground."""
    model = ts.load(robot_data_path(WALKING[name]), base="free")
    outcome = ts.walking.Walker(model, method=method).walk(speed, steps=steps)
    assert outcome.passed, str(outcome)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning")
@pytest.mark.parametrize("name", WALKING)
def test_biped_of_example_robot_data_walks_three_metres_with_all_defaults_on_sensors(name):
    walker = ts.walking.Walker(ts.load(robot_data_path(WALKING[name]), base="free"))
    outcome = walker.walk(duration=12.0, sensed=True, seed=3)
    assert outcome.passed, str(outcome)
    assert outcome.distance > 3.0
    assert outcome.tilt < UPRIGHT


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.parametrize("path", REFUSED)
def test_robot_of_example_robot_data_that_cannot_walk_is_refused_with_the_reason(path):
    with pytest.raises(ts.errors.ArgumentError) as caught:
        ts.walking.Walker(ts.load(robot_data_path(path), base="free"))
    assert REFUSED[path] in str(caught.value)


@pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("humanoid.xml", "'right_shin' stands on a point"),
        ("humanoidstandup.xml", "'right_upper_arm' stands on a point"),
        ("walker2d_v5.xml", "stands on a point"),
    ],
)
def test_walkers_of_gymnasium_are_refused_with_the_reason(name, reason):
    """Feet of its humanoid are spheres, and end at the shin: there is no ankle to balance with."""
    with pytest.raises(ts.errors.ArgumentError) as caught:
        ts.walking.Walker(ts.load(gymnasium_model(name), base="free"))
    assert reason in str(caught.value)
