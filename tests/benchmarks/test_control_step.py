"""Controllers whose cost is measured move the robot as the runs do that are taken off."""

import numpy as np
import pytest
from benchmarks.control_step import ControlStep, controlled_runs, judge_control


@pytest.fixture(scope="module")
def runs():
    return {name: run() for name, run in controlled_runs().items()}


@pytest.mark.parametrize(
    ("physics", "controlled"),
    [("held", "joint_law"), ("held", "sensors"), ("pushed", "torque"), ("pushed", "sensors_torque")],
)
def test_the_physics_are_the_same_bits(runs, physics, controlled):
    np.testing.assert_array_equal(runs[controlled].q, runs[physics].q)
    np.testing.assert_array_equal(runs[controlled].contact_force, runs[physics].contact_force)


def test_the_robot_stands_and_is_sensed(runs):
    for run in runs.values():
        assert run.q[-1, 2] > 0.9 * run.q[0, 2]
        assert np.isclose(run.contact_force[-1, :, 2].sum(), run.model.total_mass * 9.81, rtol=0.1)
    assert {"encoder", "imu", "l", "r"} <= set(runs["sensors"].signals)


def test_targets_are_open_without_a_run_and_judged_with_one():
    assert all(target.reached is None for target in judge_control(None))
    verdicts = [target.reached for target in judge_control(ControlStep(5.0, 19.0, 21.0, 39.0, 1.0))]
    assert verdicts == [True, False, True]
