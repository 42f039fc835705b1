"""Robots that nobody here wrote, dropped with all defaults: see `benchmarks.zoo`."""

import mujoco
import numpy as np
import pytest
from benchmarks.zoo import peer_mujoco
from benchmarks.zoo.drop import DRIVES, HEIGHT, lowest, start
from benchmarks.zoo.ours import drop
from benchmarks.zoo.robots import ROBOTS

import tarsus as ts

SEEDS = range(3)
DEPENDENT = ("cassie", "baxter", "panda", "shadow_hand")
"""Robots with loops, mimic joints, or tendons along several joints, which are joints that depend on others here."""


def test_there_are_robots_of_every_kind_and_weight():
    masses = [robot.load().total_mass for robot in ROBOTS.values()]
    kinds = [robot.kind for robot in ROBOTS.values()]
    assert len(ROBOTS) >= 25
    assert {"quadruped", "biped", "humanoid", "arm", "hand"} <= set(kinds)
    assert min(masses) < 0.1
    assert 130.0 < max(masses) < 150.0


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_start_within_their_limits_above_the_ground(name):
    robot = ROBOTS[name]
    model = robot.load()
    q = np.array([start(robot, seed) for seed in range(20)])
    np.testing.assert_allclose(lowest(model, q), HEIGHT, rtol=0.0, atol=1e-12)
    assert np.all(q >= model.q_min) and np.all(q <= model.q_max)
    assert len(np.unique(q, axis=0)) == len(q)


@pytest.mark.long
@pytest.mark.parametrize("drive", DRIVES)
@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_that_is_dropped_gains_no_energy(name, drive):
    complaints = [complaint for seed in SEEDS for complaint in drop(ROBOTS[name], drive, seed).complaints]
    assert complaints == []


@pytest.mark.parametrize("name", ["ant", "hopper", "solo12"])
def test_the_peer_has_the_same_energy_and_lands_without_gaining_any(name):
    robot = ROBOTS[name]
    model, q = robot.load(), start(robot, 0)
    peer, layout = peer_mujoco.model_there(robot, "limp")
    data = mujoco.MjData(peer)
    v = np.random.default_rng(0).normal(size=model.nv)
    data.qpos[:], data.qvel[:] = layout.q(q[None])[0], layout.v(v[None], q[None])[0]
    mujoco.mj_forward(peer, data)
    lightest = model.nv * peer_mujoco.LEAST_MASS  # moves with bodies that have no mass here
    assert data.energy[1] == pytest.approx(float(ts.kinetic_energy(model, q, v)), rel=1e-9, abs=10.0 * lightest)
    outcome = peer_mujoco.drop(robot, "limp", 0)
    assert outcome.failure == ""
    assert outcome.gain == 0.0


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in ROBOTS if name not in DEPENDENT])
def test_the_peer_takes_every_robot_without_dependent_joints(name):
    model = ROBOTS[name].load()
    assert peer_mujoco.takes(ROBOTS[name])
    peer, _ = peer_mujoco.model_there(ROBOTS[name], "held")
    assert peer.nv == model.nv
    assert peer.nu <= model.actuated.sum()
    assert peer.body_mass.sum() == pytest.approx(model.total_mass, abs=1e-3 * model.total_mass)


def test_a_step_that_settles_slowly_finds_its_motion():
    """Friction and torque limits of its joints beside three contacts: more than 50 passes at 0.278 s."""
    assert drop(ROBOTS["hextilt"], "held", 17).complaints == []
