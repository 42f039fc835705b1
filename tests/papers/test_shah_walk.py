"""Shah, Saha and Dutt, section 4: the 7-link biped walks for 4 s on compliant ground."""

from dataclasses import replace

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking import (
    CONTACTS,
    FIRM_GROUND,
    SHAH_GROUND,
    PendulumGait,
    StepMap,
    drive_joints,
    measure_walk,
    shah_walk,
)

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
PERIODIC_ON_FIRM_GROUND = np.array([
    1.2321011, 0.02053398, -0.27239841, 0.34613395, -0.07042962, -0.07301018, 0.34554959, -0.27403566, 0.17819892,
    -0.03103222, -0.12633316, 0.14083635, 0.38385707, -0.51321447, 0.5025306, -0.3796978, -0.1367192,
])  # fmt: skip
"""State at the exchange of legs after a hundred steps, as `StepMap` counts it."""


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


def test_steps_of_the_first_seconds_are_nearly_equal_from_the_second_on(measures):
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


def static_stiffness(ground, kp):
    """Least eigenvalue of the second derivative of weight, ground and joint springs, in the middle of a step [N m/rad].

    The first leg stands, its foot level in the ground; friction is viscous, so that nothing holds the robot forward.
    """
    model = ts.robots.shah7()
    planned = PendulumGait().motion(0.5).q

    def energy(q):
        depth = [min(ts.frame_pose(model, q, name)[2, 3], 0.0) for name in ("r_toe", "r_heel")]
        springs = 0.5 * ground.stiffness * np.square(depth).sum() + 0.5 * kp * np.square((q - planned)[3:]).sum()
        return ts.potential_energy(model, q) + springs

    q = planned.copy()
    q[1] -= 9.81 * model.total_mass / (2.0 * ground.stiffness)
    h = 1e-4 * np.eye(9)[1:]
    hessian = [
        [(energy(q + a + b) - energy(q + a - b) - energy(q - a + b) + energy(q - a - b)) / 4e-8 for a in h] for b in h
    ]
    return np.linalg.eigvalsh(hessian).min()


def test_foot_on_the_ground_of_the_paper_cannot_carry_the_robot_and_on_firm_ground_it_can():
    exact_joints, gains = 1e7, 170.0
    # A statue on springs: 2 K a^2 - m g h with a = 0.075 m, h = 0.876 m; the foot sinks by less than 1 % of h.
    statue = 2.0 * 2000.0 * 0.075**2 - 80.74
    assert abs(static_stiffness(SHAH_GROUND, exact_joints) - statue) < 0.1
    assert static_stiffness(SHAH_GROUND, gains) < -80.0
    assert static_stiffness(FIRM_GROUND, exact_joints) > 140.0
    assert 0.0 < static_stiffness(FIRM_GROUND, gains) < 2.0


def test_disturbances_of_steps_on_firm_ground_die_out():
    # The steps of the driven robot have become equal after six; the next one is fed forward for ever.
    model, gait = ts.robots.shah7(), PendulumGait()
    walk = drive_joints(model, gait, FIRM_GROUND, duration=7.0)
    parts = {name: getattr(walk, name)[6000:7001] for name in ("q", "v", "tau", "contact_force")}
    steps = StepMap(model, gait, FIRM_GROUND, replace(walk, time=walk.time[:1001], **parts), relative=1e-6)
    x, off = np.array([PERIODIC_ON_FIRM_GROUND, PERIODIC_ON_FIRM_GROUND]), np.radians(-0.05)
    x[1, 1] += off
    for _ in range(8):
        x = steps(x)
    assert np.abs(x[0] - PERIODIC_ON_FIRM_GROUND).max() < 1e-4
    assert abs(x[1, 1] - x[0, 1]) < 0.1 * abs(off)


@pytest.mark.long
def test_walk_of_the_paper_falls_after_twelve_steps():
    walk = shah_walk(13.0, relative=1e-6, absolute=1e-7)
    assert 12.5 < measure_walk(walk).fallen < 12.8
    pitch = walk.q[::100, 2]
    assert np.abs(np.degrees(pitch[:10])).max() < 2.0  # nine steps with nothing to be seen
    growth = np.diff(pitch)[9:12] / np.diff(pitch)[8:11]
    assert (growth > 2.0).all()  # then each step is further off than the one before


@pytest.mark.long
def test_a_step_on_the_way_to_the_fall_enlarges_what_is_off():
    # The ninth step with its own torques: a positive eigenvalue, as the pitch grows without changing sign.
    walk, gait = shah_walk(9.0, relative=1e-6, absolute=1e-7), PendulumGait()
    driven = drive_joints(walk.model, gait, SHAH_GROUND, duration=9.0)
    parts = {name: getattr(driven, name)[8000:9001] for name in ("q", "v", "tau", "contact_force")}
    steps = StepMap(walk.model, gait, SHAH_GROUND, replace(driven, time=driven.time[:1001], **parts), relative=1e-8)
    end, derivative = steps.linearised(np.concatenate([walk.q[800, 1:], walk.v[800]]))
    assert abs(end[1] - walk.q[900, 2]) < np.radians(0.01)
    eigenvalues = np.linalg.eigvals(derivative)
    largest = eigenvalues[np.abs(eigenvalues).argmax()]
    assert largest.imag == 0.0
    assert 2.6 < largest.real < 2.8


@pytest.mark.long
def test_walk_on_firm_ground_is_periodic_for_good():
    walk = shah_walk(100.0, ground=FIRM_GROUND, relative=1e-6, absolute=1e-7)
    found = measure_walk(walk)
    assert found.fallen is None
    assert abs(found.distance - 19.37) < 0.02
    assert np.degrees(found.pitch[0]) > -1.4
    assert np.degrees(found.pitch[1]) < 2.1
    # Steps become equal down to the tolerance with which the torques were found.
    assert np.degrees(found.pitch_repeats[29:].max()) < 1e-3
    assert np.degrees(found.joint_repeats[29:].max()) < 1e-3
    assert found.height_repeats[29:].max() < 1e-5
    assert np.ptp(found.step_lengths[30:]) < 1e-4
    assert found.energy_drift < 1e-6 * found.energy_exchanged


@pytest.mark.long
@pytest.mark.parametrize("changed", [dict(speed=0.9), dict(speed=1.1), dict(pitch=np.radians(-1.0))], ids=str)
def test_walk_on_firm_ground_finds_back_to_its_step(changed):
    walk = shah_walk(20.0, ground=FIRM_GROUND, relative=1e-6, absolute=1e-7, **changed)
    assert abs(walk.q[-1, 2] - PERIODIC_ON_FIRM_GROUND[1]) < np.radians(0.02)
    assert abs(measure_walk(walk).step_lengths[-1] - 0.1935) < 2e-4


@pytest.mark.long
def test_walk_on_firm_ground_falls_where_it_starts_too_fast():
    assert measure_walk(shah_walk(5.0, ground=FIRM_GROUND, relative=1e-5, absolute=1e-6, speed=1.2)).fallen is not None


@pytest.mark.long
@pytest.mark.parametrize("times", [5.0, 15.0])
def test_walks_between_soft_and_stiff_ground_are_periodic(times):
    walk = shah_walk(24.0, ground=replace(SHAH_GROUND, stiffness=2000.0 * times), relative=1e-5, absolute=1e-6)
    found = measure_walk(walk)
    assert found.fallen is None
    assert np.degrees(found.pitch_repeats[-3:].max()) < 1e-3


@pytest.mark.long
@pytest.mark.parametrize(("times", "fallen"), [(4.0, 15.4), (20.0, 10.1)])
def test_ground_may_be_too_soft_and_too_stiff(times, fallen):
    ground = replace(SHAH_GROUND, stiffness=2000.0 * times)
    walk = shah_walk(fallen + 0.9, ground=ground, relative=1e-5, absolute=1e-6)
    assert abs(measure_walk(walk).fallen - fallen) < 0.2
    driven = drive_joints(walk.model, PendulumGait(), ground, duration=20.0, sample=0.1)
    assert driven.finished  # with exact joints it walks on, and its steps become equal
    assert np.abs(np.diff(np.degrees(driven.q[::10, 2]))[-3:]).max() < 1e-2


@pytest.mark.long
def test_steps_of_the_driven_robot_on_the_ground_of_the_paper_do_not_become_equal():
    driven = drive_joints(ts.robots.shah7(), PendulumGait(), SHAH_GROUND, duration=20.0, sample=0.1)
    assert driven.finished
    changes = np.abs(np.diff(np.degrees(driven.q[::10, 2])))[10:]
    assert 0.1 < changes.max() < 0.35
