"""Scenarios show what they must: on all grounds, with errors of masses and delays, from a model file alone."""

import numpy as np
import pytest
from robot_data import robot_data_path

import tarsus as ts
from tarsus.errors import ArgumentError, UnknownNameError
from tarsus.scenarios.catalogue import find
from tarsus.scenarios.run import run
from tarsus.scenarios.stand import chest_push, stand

FILES = {
    "talos": "talos_data/robots/talos_reduced.urdf",
    "go2": "go2_description/urdf/go2.urdf",
    "solo12": "solo_description/robots/solo12.urdf",
}
IMPULSE = 10.0
"""Of pushes at the chest [N s]."""


def robot(name):
    return ts.load(robot_data_path(FILES[name]), base="free") if name in FILES else getattr(ts.robots, name)()


def pushed(model, direction, **options):
    angle = direction * np.pi / 6
    push = chest_push((IMPULSE * np.cos(angle), IMPULSE * np.sin(angle), 0.0), 0.1)
    return run(stand(model, pushes=[push], duration=2.4), **options)


def check(outcome):
    assert outcome.verdict.passed, outcome.verdict
    assert outcome.verdict.largest["motion"] < 1e-8 and outcome.verdict.largest["cone"] < 1e-6


@pytest.mark.parametrize("direction", [0, 4])
def test_hrp2_recovers_from_pushes_at_the_chest(direction):
    outcome = pushed(robot("hrp2"), direction)
    check(outcome)
    moved = (
        ts.center_of_mass(outcome.trajectory.model, outcome.trajectory.q) - outcome.trajectory.signals["com_reference"]
    )
    assert np.linalg.norm(moved[:60], axis=-1).max() > 5e-3  # it was pushed indeed


@pytest.mark.long
@pytest.mark.parametrize("direction", [1, 2, 3, 5, 6, 7, 8, 9, 10, 11])
def test_hrp2_recovers_from_pushes_in_all_other_directions(direction):
    check(pushed(robot("hrp2"), direction))


@pytest.mark.long
@pytest.mark.parametrize("ground", ["least-constraint", "rigid"])
def test_hrp2_recovers_from_a_push_on_undeformable_ground(ground):
    check(pushed(robot("hrp2"), 1, ground=ground))


@pytest.mark.long
@pytest.mark.parametrize("name", ["talos", "go2", "solo12", "quadruped"])
def test_robots_of_model_files_stand_under_pushes(name):
    check(run(stand(robot(name), duration=3.0)))


@pytest.mark.long
@pytest.mark.parametrize("name", ["hrp2", "talos"])
@pytest.mark.parametrize("scenario", ["single-support", "squat", "step-in-place"])
def test_humanoids_lift_their_feet_squat_and_step(scenario, name):
    outcome = run(find(scenario).make(robot(name)))
    check(outcome)
    assert outcome.events[-1].state == "done"


@pytest.mark.long
@pytest.mark.parametrize("scenario", ["stand", "single-support", "squat", "step-in-place"])
def test_scenarios_go_on_with_heavier_bodies_and_late_torques(scenario):
    check(run(find(scenario).make(robot("hrp2")), mass_error=0.1, delay=0.005))


@pytest.mark.long
@pytest.mark.parametrize("name", ["go2", "quadruped"])
def test_quadrupeds_trot_in_place(name):
    outcome = run(find("trot-in-place").make(robot(name)))
    check(outcome)
    feet = [frame for frame in outcome.trajectory.signals if frame.startswith("wrench/")]
    assert len(feet) == 4
    for frame in feet:  # each foot is in the air for part of the time
        assert (outcome.trajectory.signals[frame][:, 2] == 0.0).mean() > 0.2


def test_runs_are_repeated_bit_by_bit_and_a_late_torque_is_that_of_before():
    scenario = stand(robot("hrp2"), pushes=[chest_push((5.0, 0.0, 0.0), 0.0)], duration=0.1)
    first, again = (run(scenario, mass_error=0.1, delay=0.005, seed=3) for _ in range(2))
    assert np.array_equal(first.trajectory.q, again.trajectory.q)
    assert np.array_equal(first.trajectory.tau, again.trajectory.tau)
    assert first.trajectory.model.total_mass == pytest.approx(1.1 * scenario.model.total_mass)


def test_verdict_names_the_first_condition_that_is_violated():
    scenario = stand(robot("hrp2"), pushes=[chest_push((100.0, 0.0, 0.0), 0.02)], duration=1.0)
    outcome = run(scenario)
    assert not outcome.verdict.passed and outcome.verdict.time is not None
    assert 0.02 < outcome.verdict.time < outcome.trajectory.time[-1] <= 1.0
    assert outcome.verdict.reason


def test_bad_options_are_refused_by_name():
    scenario = stand(robot("quadruped"), pushes=[], duration=0.1)
    with pytest.raises(UnknownNameError, match=r"ground 'compliantt' not found; close: 'compliant'"):
        run(scenario, ground="compliantt")
    with pytest.raises(ArgumentError, match=r"delay is 0.0005; expected a multiple of 0.001 s"):
        run(scenario, delay=0.0005)
    with pytest.raises(ArgumentError, match=r"mass_error is -1.0"):
        run(scenario, mass_error=-1.0)
    with pytest.raises(UnknownNameError, match=r"scenario 'squatt' not found; close: 'squat'"):
        find("squatt")
    with pytest.raises(ArgumentError, match="fixed base"):
        stand(ts.robots.hrp2("fixed"))
    with pytest.raises(ArgumentError, match="stands on 2 feet; a trot needs four"):
        find("trot-in-place").make(robot("hrp2"))


@pytest.mark.long
def test_hrp2_goes_from_its_feet_to_one_hand_and_back():
    outcome = run(find("handstand").make(robot("hrp2")), control_dt=4e-3)
    check(outcome)
    assert outcome.events[-1].state == "done"
    signals, time = outcome.trajectory.signals, outcome.trajectory.time
    alone = (signals["wrench/l_palm"][:, 2] == 0.0) & (signals["wrench/r_palm"][:, 2] > 500.0)
    alone &= (signals["wrench/l_sole"][:, 2] == 0.0) & (signals["wrench/r_sole"][:, 2] == 0.0)
    assert alone.sum() * (time[1] - time[0]) > 2.0
