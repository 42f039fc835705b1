"""Starts far beyond the limits of joints are told before they throw the robot."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from loop_models import four_bar

import tarsus as ts
from tarsus.errors import SimulationWarning
from tarsus.model.assembly import assemble
from tarsus.simulation.runs.joint_tables import STOP_STIFFNESS

HIGH = 0.5
"""Upper limit of the arm [rad]."""
MASS = 1.5
"""[kg]."""
LEAST = np.sqrt(2.0 * MASS * 9.81 * 0.1 / STOP_STIFFNESS)
"""Distance beyond a limit that stores m g 0.1 m [rad]."""


def arm(**joint):
    b = ts.ModelBuilder("arm").add_link("base").add_link("arm", ts.Inertia.of_box(MASS, (1.0, 0.1, 0.1)))
    b.add_joint("swing", "revolute", "base", "arm", axis=(0.0, 1.0, 0.0), **{"q_min": -HIGH, "q_max": HIGH, **joint})
    return b.build()


def told(model, q, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run = ts.simulate(model, q, duration=2e-3, sample_dt=1e-3, **options)
    return run, [w for w in found if w.category is SimulationWarning and "stops" in str(w.message)]


def test_a_start_beyond_a_limit_names_joint_limit_and_energy():
    run, (warning,) = told(arm(), [HIGH + 0.49])
    message = str(warning.message)
    assert "'swing' is at 0.99, 0.49 beyond its upper limit 0.5" in message
    stored = 0.5 * STOP_STIFFNESS * 0.49**2
    assert f"hold {stored:.3g} J" in message
    assert run.energy["joint_stored"][0] == pytest.approx(stored, rel=1e-9)  # what the run itself says
    assert warning.filename == __file__


def test_the_lower_limit_is_named_as_such():
    _, (warning,) = told(arm(), [-HIGH - 0.2])
    assert "0.2 beyond its lower limit -0.5" in str(warning.message)


@pytest.mark.parametrize(("part", "count"), [(0.99, 0), (1.01, 1)])
def test_what_lifts_the_robot_by_less_than_a_tenth_of_a_metre_is_not_told(part, count):
    assert len(told(arm(), [HIGH + part * LEAST])[1]) == count


def test_springs_and_runs_without_stops_are_not_told():
    assert told(arm(stiffness=1e5, rest=0.5), [-0.4])[1] == []
    assert told(arm(), [2.0], stops=False)[1] == []


def test_a_run_that_resumes_another_one_is_not_told_again():
    model = arm()
    first, _ = told(model, [HIGH + 0.3], resumable=True)
    assert told(model, None, resume=first)[1] == []


def test_the_worst_robot_of_a_batch_is_told():
    _, (warning,) = told(arm(), [[0.0], [HIGH + 0.1], [HIGH + 0.3]])
    assert "of robot (2,)" in str(warning.message) and "0.3 beyond" in str(warning.message)


def test_limits_of_joints_that_follow_count():
    """A rocker that moves to and fro does not narrow the limits of its crank."""
    free = four_bar().build()
    rocker = float(free.joint_positions(free.reference)[2])
    description = four_bar().describe()
    limits = {"q_min": rocker + 0.2, "q_max": rocker + 0.4}
    joints = (replace(joint, **limits) if joint.name == "d" else joint for joint in description.joints)
    model = assemble(replace(description, joints=tuple(joints)))
    _, (warning,) = told(model, model.reference)
    assert "'d' is at" in str(warning.message) and "0.2 beyond its lower limit" in str(warning.message)


@pytest.mark.parametrize("rotation", ["quaternion", "zyx", "rotation-matrix"])
def test_joints_behind_a_free_base_are_found_in_every_layout(rotation):
    b = ts.ModelBuilder("floating", base="free", rotation=rotation)
    b.add_link("base", ts.Inertia.of_box(1.0, (0.2, 0.2, 0.2))).add_link("arm", ts.Inertia.of_box(0.5, (1.0, 0.1, 0.1)))
    b.add_joint("swing", "revolute", "base", "arm", axis=(0.0, 1.0, 0.0), q_min=-HIGH, q_max=HIGH)
    model = b.build()
    q = model.reference.copy()
    q[-1] = HIGH + 0.25
    _, (warning,) = told(model, q)
    assert "'swing' is at 0.75, 0.25 beyond its upper limit 0.5" in str(warning.message)
