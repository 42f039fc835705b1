"""Starts far beyond the limits of joints are refused before they throw the robot."""

from dataclasses import replace

import numpy as np
import pytest
from loop_models import four_bar

import tarsus as ts
from tarsus.errors import ArgumentError
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


def run(model, q, **options):
    return ts.simulate(model, q, duration=2e-3, sample_dt=1e-3, **options)


def refusal(model, q):
    with pytest.raises(ArgumentError, match="stops at joint limits hold") as found:
        run(model, q)
    return str(found.value)


def test_a_start_beyond_a_limit_names_joint_limit_and_energy():
    message = refusal(arm(), [HIGH + 0.49])
    assert "'swing' is at 0.99, 0.49 beyond its upper limit 0.5" in message
    stored = 0.5 * STOP_STIFFNESS * 0.49**2
    assert f"hold {stored:.3g} J" in message
    near = HIGH + 0.9 * LEAST
    held = run(arm(), [near]).energy["joint_stored"][0]  # what a run itself says
    assert held == pytest.approx(0.5 * STOP_STIFFNESS * (0.9 * LEAST) ** 2, rel=1e-9)


def test_the_lower_limit_is_named_as_such():
    assert "0.2 beyond its lower limit -0.5" in refusal(arm(), [-HIGH - 0.2])


def test_what_lifts_the_robot_by_less_than_a_tenth_of_a_metre_is_borne():
    assert run(arm(), [HIGH + 0.99 * LEAST]).finished
    refusal(arm(), [HIGH + 1.01 * LEAST])


def test_springs_and_runs_without_stops_are_borne():
    assert run(arm(stiffness=1e5, rest=0.5), [-0.4]).finished
    assert run(arm(), [2.0], stops=False).finished


def test_a_run_that_resumes_another_one_is_not_judged_again():
    model = arm()
    deep = (HIGH + 1.5 * LEAST) * np.ones(1)
    first = ts.simulate(model, [HIGH], [60.0], duration=0.01, sample_dt=1e-3, resumable=True)
    assert first.q[:, 0].max() > deep  # thrown into its stop from where it may start
    until = int(np.argmax(first.q[:, 0]))
    first = ts.simulate(model, [HIGH], [60.0], duration=until * 1e-3, resumable=True)
    assert run(model, None, resume=first).finished


def test_the_worst_robot_of_a_batch_is_told():
    message = refusal(arm(), [[0.0], [HIGH + 0.1], [HIGH + 0.3]])
    assert "of robot (2,)" in message and "0.3 beyond" in message


def test_limits_of_joints_that_follow_count():
    """A rocker that moves to and fro does not narrow the limits of its crank."""
    free = four_bar().build()
    rocker = float(free.joint_positions(free.reference)[2])
    description = four_bar().describe()
    limits = {"q_min": rocker + 0.2, "q_max": rocker + 0.4}
    joints = (replace(joint, **limits) if joint.name == "d" else joint for joint in description.joints)
    model = assemble(replace(description, joints=tuple(joints)))
    message = refusal(model, model.reference)
    assert "'d' is at" in message and "0.2 beyond its lower limit" in message


@pytest.mark.parametrize("rotation", ["quaternion", "zyx", "rotation-matrix"])
def test_joints_behind_a_free_base_are_found_in_every_layout(rotation):
    b = ts.ModelBuilder("floating", base="free", rotation=rotation)
    b.add_link("base", ts.Inertia.of_box(1.0, (0.2, 0.2, 0.2))).add_link("arm", ts.Inertia.of_box(0.5, (1.0, 0.1, 0.1)))
    b.add_joint("swing", "revolute", "base", "arm", axis=(0.0, 1.0, 0.0), q_min=-HIGH, q_max=HIGH)
    model = b.build()
    q = model.reference.copy()
    q[-1] = HIGH + 0.25
    assert "'swing' is at 0.75, 0.25 beyond its upper limit 0.5" in refusal(model, q)
