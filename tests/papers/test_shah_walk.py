"""Shah, Saha and Dutt, section 4: the 7-link biped walks for 4 s on compliant ground."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking import CONTACTS, SHAH_GROUND, PendulumGait, drive_joints, measure_walk, shah_walk

UPRIGHT = np.radians(10.0)
"""Most pitch of the trunk of a walk [rad]."""
LEAST_WAY = 0.7
"""Of 0.8 m planned [m]: the feet roll back a little on ground that gives way."""
REPEATS = np.radians(1.0)
"""Angles of two steps that follow each other: "stable periodic motion" [rad]."""
SINKING = 2e-3
"""Height of the trunk in two steps that follow each other [m]; the ground gives way by some 10 mm."""
ENERGY = 1e-3
"""Drift of the total energy, of what is exchanged."""


@pytest.fixture(scope="module")
def walk():
    return shah_walk()


@pytest.fixture(scope="module")
def measures(walk):
    return measure_walk(walk)


def test_biped_walks_forward_without_falling(walk, measures):
    assert walk.finished
    assert measures.fallen is None
    assert measures.distance > LEAST_WAY
    assert max(abs(p) for p in measures.pitch) < UPRIGHT
    assert (measures.step_lengths > 0.15).all()


def test_walk_is_periodic_from_the_second_step(measures):
    later = measures.step_lengths[1:]
    assert np.ptp(later) < 0.05 * later.mean()
    # Entry k compares step k + 2 with the one before: the first step is not part of the cycle yet.
    assert measures.pitch_repeats[1:].max() < REPEATS
    assert measures.joint_repeats[1:].max() < REPEATS
    assert measures.height_repeats[1:].max() < SINKING


def test_joints_follow_the_plan(walk):
    assert np.abs(walk.q - walk.signals["q_desired"])[:, 3:].max() < REPEATS


def test_total_energy_is_constant(measures):
    assert measures.energy_drift < ENERGY * measures.energy_exchanged


def test_energy_drift_of_fixed_steps_is_of_first_order():
    coarse, fine = (measure_walk(shah_walk(1.0, integrator="semi-implicit-euler", dt=dt)) for dt in (1e-3, 1e-4))
    assert 0.05 < fine.energy_drift / coarse.energy_drift < 0.2


def test_energy_drift_falls_with_the_tolerance():
    loose, tight = (measure_walk(shah_walk(1.0, relative=r, absolute=0.1 * r)).energy_drift for r in (1e-2, 1e-5))
    assert tight < 0.01 * loose


def test_actuators_feed_the_ground(walk):
    # Figure 10: kinetic and potential energy only swing; what the actuators put in, the ground takes.
    energy = walk.energy
    ground = energy["ground_stored"] + energy["ground_dissipated"]
    swing = np.ptp(energy["kinetic"] + energy["potential"])
    assert ground[-1] > 5.0 * swing
    assert abs(energy["actuator"][-1] - ground[-1]) < swing
    assert np.diff(energy["ground_dissipated"]).min() > -1e-9


def test_ground_pushes_within_the_friction_cone_and_never_pulls(walk):
    normal, along = walk.contact_force[..., 2], walk.contact_force[..., 0]
    rounding = 1e-9
    assert normal.min() >= 0.0
    assert (np.abs(along) <= 0.7 * normal + rounding).all()
    weight = 9.81 * walk.model.total_mass
    assert abs(normal.sum(axis=1).mean() / weight - 1.0) < 0.05


def test_ankle_torques_vanish_where_the_foot_is_in_the_air(walk):
    # The paper prints "when the foot is on the ground". There the ankle holds the foot against the pressure of the
    # ground; in the air only the foot's own inertia is left, 0.000375 kg m^2.
    model = walk.model
    planned = PendulumGait().motion(walk.time)
    for side, column in (("r", 5), ("l", 8)):
        loaded = walk.contact_force[:, [CONTACTS.index(f"{side}_{end}") for end in ("toe", "heel")], 2].sum(axis=1)
        torque = np.abs(walk.signals["tau_feedforward"][:, column])
        high = ts.frame_pose(model, planned.q, f"{side}_sole")[:, 2, 3] > 0.05
        assert loaded[high].max() == 0.0
        assert torque[high].max() < 0.05
        assert torque[loaded > 50.0].max() > 3.0


def test_another_integration_of_the_driven_robot_gives_the_same_motion(walk):
    # Joints that follow exactly, in NumPy with SciPy's Radau, against the native simulation under the law (25).
    driven = drive_joints(walk.model, PendulumGait(), SHAH_GROUND, duration=1.0, sample=0.01)
    assert np.abs(driven.q[:, :2] - walk.q[:101, :2]).max() < 1e-3
    assert np.abs(driven.q[:, 2] - walk.q[:101, 2]).max() < np.radians(0.2)


@pytest.mark.parametrize("feedforward", ["rigid", "none"])
def test_with_these_gains_the_feedforward_must_know_that_the_ground_gives_way(feedforward):
    assert measure_walk(shah_walk(feedforward=feedforward, relative=1e-5, absolute=1e-6)).fallen is not None
