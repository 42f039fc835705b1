"""Walks with MuJoCo as the plant: what walks is the controller, not the simulation that it was made in."""

from functools import cache

import mujoco
import numpy as np
import pytest
from robot_data import robot_data_path
from walking.walker.mujoco_model import DEFAULT, STIFF, compiled
from walking.walker.mujoco_plant import MujocoPlant, walk_in_mujoco

import tarsus as ts
from tarsus.analysis import ankle_limit, walking_push_start
from tarsus.control.joint_law import JointLaw
from tarsus.walking.walker.walk_record import recorded_walk

ROUNDING = 1e-12
"""Agreement of mass matrices and bias forces of the two libraries, of their largest entries."""
SPEED, STEPS = 0.3, 6
"""Of walks [m/s]."""
WAY = 0.02
"""Part of the planned way by which a walk ends elsewhere at most, as with force control in both simulations."""
UPRIGHT = np.radians(0.3)
"""Tilt of the pelvis at most [rad]."""
LANDED, WALKED = 2e-3, 7e-3
"""Between footsteps and where they were to land when they were lifted, and where they were planned at first [m]."""
ALIKE = 5e-3
"""Between the ways of the base in both simulations, at any time [m]."""
TWELVE = 12
"""Directions of pushes."""
TWICE = 2.0
"""Size of pushes, in changes of velocity that ankles can make good."""
PUSHED = 9
"""Steps of walks with pushes, as in `recovers_walking`."""
CONTACTS = {"default": DEFAULT, "stiff": STIFF}

contacts = pytest.mark.parametrize("contact", CONTACTS)
robots = pytest.mark.parametrize("name", ["hrp2", "talos", "lola"])
later = (pytest.param(name, marks=pytest.mark.long) for name in ("talos", "lola"))
one_now = pytest.mark.parametrize("name", ["hrp2", *later])
pytestmark = [
    pytest.mark.filterwarnings("ignore::tarsus.errors.ModelWarning"),
    pytest.mark.filterwarnings("ignore::tarsus.errors.ControlWarning"),
]

FILES = {
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "g1": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
}
"""Of example-robot-data."""


@cache
def walker_of(name, **keywords):
    """A walker; fingers that follow others are held, as trees of MuJoCo have no such joints."""
    if name in FILES:
        return ts.walking.Walker(ts.load(robot_data_path(FILES[name]), base="free", couplings="lock"), **keywords)
    return ts.walking.Walker(getattr(ts.robots, name)(), **keywords)


def plant_of(name, contact="default", **keywords):
    biped = walker_of(name).biped
    return MujocoPlant(biped, compiled(biped, CONTACTS[contact]), **keywords)


def walk(name, contact="default", *, control="position", plant=None, **keywords):
    keywords = {"speed": SPEED, "steps": STEPS} | keywords
    return walk_in_mujoco(walker_of(name, control=control), plant or plant_of(name, contact), **keywords)


def pushed(name, contact, angle, **keywords):
    """A walk with a push of twice what ankles can make good, towards an angle, when the right foot was just lifted."""
    biped = walker_of(name).biped
    change = TWICE * ankle_limit(biped, angle)
    force = change * biped.model.total_mass / 0.1 * np.array([np.cos(angle), np.sin(angle), 0.0])
    start = walking_push_start("robot:hrp2") if name == "hrp2" else push_start(name)
    return walk(name, contact, steps=PUSHED, pushes=[ts.simulation.Push("pelvis", force, start, 0.1)], **keywords)


def push_start(name):
    """See `walking_push_start`, of a model with locked fingers."""
    plan, _ = walker_of(name).plan(SPEED, steps=PUSHED)
    swing = [phase for phase in plan.phases if phase.swing is not None][3]
    return round(swing.start + 0.1 * (swing.end - swing.start), 3)


def footstep_errors(done):
    """How far feet stand from where they were to land when they were lifted, and by the plan, shape (2, steps) [m]."""
    run, record = done.trajectory, recorded_walk(done.trajectory)
    stand = []
    for foot, end in zip(record.foot, [*record.lifted[1:], run.time[-1]], strict=True):  # the next one is lifted then
        q = run.q[np.searchsorted(run.time, end - 1e-9)]
        stand.append(ts.frame_pose(run.model, q, record.soles[foot])[:2, 3])
    planned = [step.position[:2] for step in done.plan.footsteps[2:]]
    off = [np.array(stand) - record.planned[:, :2], np.array(stand) - np.array(planned)]
    return np.linalg.norm(off, axis=-1)


def assert_walked_as_planned(done):
    assert done.passed, str(done)
    assert done.steps == len(done.plan.footsteps) - 2
    assert not done.notes
    np.testing.assert_allclose(done.way, done.planned.way, atol=WAY * np.linalg.norm(done.planned.way))


@robots
def test_mujoco_has_the_mass_matrix_and_the_bias_forces_of_tarsus(name):
    plant, model, rng = plant_of(name), walker_of(name).biped.model, np.random.default_rng(0)
    for _ in range(5):
        q, v = model.random(rng), rng.normal(size=model.nv)
        data = mujoco.MjData(plant.mj_model)
        data.qpos, data.qvel = plant.layout.q(q), plant.layout.v(v, q)
        mujoco.mj_forward(plant.mj_model, data)
        M = np.zeros((model.nv, model.nv))
        for column, unit in zip(M, np.eye(model.nv), strict=True):
            mujoco.mj_mulM(plant.mj_model, data, column, unit)
        ours = plant.layout.matrix(ts.mass_matrix(model, q), q)
        np.testing.assert_allclose(ours, M, rtol=0.0, atol=ROUNDING * np.abs(M).max())
        # Components in turning axes: zero vdot is not zero acceleration in the layout of MuJoCo.
        bias = data.qfrc_bias + M @ plant.layout.acceleration(np.zeros(model.nv), q, v)
        ours = plant.layout.tau(ts.bias_force(model, q, v), q)
        np.testing.assert_allclose(ours, bias, rtol=0.0, atol=ROUNDING * np.abs(bias).max())


def test_actuators_carry_out_joint_laws_within_the_limits_of_torque():
    plant, biped, rng = plant_of("hrp2"), walker_of("hrp2").biped, np.random.default_rng(0)
    model, law = biped.model, JointLaw(biped.gains.kp, biped.gains.kd, biped.q, np.zeros(36), rng.normal(0, 50, 36))
    q, v = model.integrate(biped.q, 0.02 * rng.normal(size=36)), 0.2 * rng.normal(size=36)
    plant.data.qpos, plant.data.qvel = plant.layout.q(q), plant.layout.v(v, q)
    plant.command(law)
    mujoco.mj_forward(plant.mj_model, plant.data)
    wanted = (law.tau - law.kd * v)[6:] + law.kp[6:] * (biped.q - q)[7:]
    limit = model.tau_max[6:]
    assert (np.abs(wanted) > limit).any() and (np.abs(wanted) < limit).any()
    np.testing.assert_allclose(plant.torque()[6:], np.clip(wanted, -limit, limit), rtol=1e-9)


@contacts
def test_forces_on_the_feet_of_a_robot_that_stands_are_its_weight_below_its_centre_of_mass(contact):
    plant, biped = plant_of("hrp2", contact), walker_of("hrp2").biped
    done = walk("hrp2", plant=plant, speed=0.0, steps=0)
    assert done.passed, str(done)
    forces, (q, _) = plant.contacts(), plant.state()
    np.testing.assert_allclose(forces.force.sum(axis=0), [0.0, 0.0, biped.weight], atol=1e-3 * biped.weight)
    pressure = forces.force[:, 2] @ forces.position / biped.weight
    np.testing.assert_allclose(pressure[:2], ts.center_of_mass(biped.model, q)[:2], atol=1e-3)


@one_now
@contacts
def test_robot_walks_in_mujoco_as_it_does_in_tarsus(name, contact):
    done, same = walk(name, contact), walker_of(name).walk(SPEED, steps=STEPS)
    assert_walked_as_planned(done)
    assert done.tilt < UPRIGHT
    landed, walked = footstep_errors(done)
    assert landed.max() < LANDED and walked.max() < WALKED
    assert done.pressure_margin > 0.04 and done.torque[0] < 0.6
    n = min(len(done.trajectory), len(same.trajectory))
    np.testing.assert_allclose(done.trajectory.q[:n, :3], same.trajectory.q[:n, :3], atol=ALIKE)


@contacts
def test_robot_steps_against_a_push_that_its_ankles_cannot_make_good(contact):
    to_the_right = -np.pi / 2
    done = pushed("hrp2", contact, to_the_right)
    assert done.passed, str(done)
    assert done.tilt < np.radians(3.0)
    assert done.trajectory.signals["step_shift"][:, 1].min() < -0.1
    assert not pushed("hrp2", contact, to_the_right, adapt=False).passed


@pytest.mark.long
@contacts
@pytest.mark.parametrize(("name", "least"), [("hrp2", 11), ("talos", 10), ("lola", 10)])
def test_robot_recovers_in_mujoco_from_most_pushes_that_it_recovers_from_in_tarsus(name, contact, least):
    """From all of these twelve in tarsus; what is left between directions that are held is ragged in both."""
    held = [pushed(name, contact, 2.0 * np.pi * k / TWELVE).passed for k in range(TWELVE)]
    assert sum(held) >= least, held


@pytest.mark.long
@robots
@contacts
@pytest.mark.parametrize("control", ["torque", "force"])
def test_other_controllers_walk_in_mujoco(name, contact, control):
    done = walk(name, contact, control=control)
    assert_walked_as_planned(done)
    assert done.tilt < np.radians(0.8)


@pytest.mark.long
@robots
@contacts
def test_robot_walks_aside_turns_and_follows_commands_in_mujoco(name, contact):
    aside = walk(name, contact, speed=0.0, side=0.1, steps=8)
    assert_walked_as_planned(aside)
    turning = walk(name, contact, speed=0.1, turn=0.3, steps=10)
    assert turning.passed and not turning.notes, str(turning)
    assert turning.turned == pytest.approx(turning.planned.turned, abs=0.02)
    commanded = walk(name, contact, steps=None, command=[(0, 0.2, 0, 0), (1.5, 0, 0, 0.3), (3.5, 0, 0, 0)])
    assert commanded.passed and not commanded.notes, str(commanded)


@pytest.mark.long
@robots
def test_robot_walks_twenty_metres_in_mujoco(name):
    done = walk(name, steps=None, duration=66.0)
    assert done.passed and not done.notes, str(done)
    assert done.way[0] > 19.5 and abs(done.way[1]) < 0.1
    assert done.tilt < UPRIGHT


@pytest.mark.long
@robots
@contacts
def test_robot_walks_on_sensors_in_mujoco(name, contact):
    done = walk(name, contact, steps=8, sensed=True, seed=1)
    assert_walked_as_planned(done)
    assert done.tilt < UPRIGHT and not done.sensors


@pytest.mark.long
def test_foot_without_rotor_needs_contacts_that_know_of_the_damping_of_joints_or_short_steps():
    """On default contacts G1 falls with "implicitfast" at 1 ms.

    Forces of contacts are found there as if nothing were implicit, and in a step the damping of an ankle, which is, is
    64 times the inertia of the foot.
    """
    biped = walker_of("g1").biped
    ankle = biped.legs[0].ankle[1]
    assert 1e-3 * biped.gains.kd[ankle] / biped.inertias[0][ankle] == pytest.approx(64.0, rel=0.01)
    assert not walk("g1", plant=plant_of("g1", integrator="implicitfast")).passed
    for plant in (plant_of("g1"), plant_of("g1", integrator="implicitfast", substep=2.5e-4)):
        done = walk("g1", plant=plant)
        assert done.passed and done.tilt < np.radians(2.0), str(done)
