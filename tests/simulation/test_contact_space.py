"""Robots with few contacts, which are solved among themselves where the robot moves fast: energy, company, limits."""

import numpy as np
import pytest
from benchmarks.trotting import DT, KD, KP, PERIOD, solo12, trot
from simulation.bodies import pose

import tarsus as ts
from tarsus.contact import Compliant, ContactPoint, flat, on_ground
from tarsus.simulation import JointLaw

ROBOTS, ACTIONS, STEPS = 24, 30, 10
STANDING = slice(None, None, 5)
"""Some stand among those that trot: packs have lanes that settle in other ways."""
MECHANICAL = ("kinetic", "potential", "ground_stored", "joint_stored")
LIMP_GAIN = 1e-3
"""Of limp robots in any attitude, relative to what the liveliest had at first."""
ROUNDING = 1e-9
"""Of energies, relative to what the robot had at first."""
SAME = 1e-10
"""Of velocities after a step, relative to the fastest."""
WITHIN = 1e-5
"""The same where both ways end within their tolerances: bounds of friction of 1e-5, velocity terms of 1e-6."""


@pytest.fixture(scope="module")
def robot():
    return solo12()


def trotting(robot, rows, steps=STEPS, **options):
    """States of some of the robots after all actions."""
    model, q, feet = robot
    phase = np.random.default_rng(3).random(ROBOTS)
    sim = ts.Simulation(
        model, q, batch=len(rows), ground=flat(Compliant(friction=0.7)), contacts=feet, dt=DT, **options
    )
    reference = np.tile(q, (ROBOTS, 1))
    for k in range(ACTIONS):
        reference[:, 7:] = trot(phase + k * STEPS * DT / PERIOD)
        reference[STANDING] = q
        for _ in range(STEPS // steps):
            sim.step(JointLaw(KP, KD, q=reference[rows]), steps=steps)
    assert not sim.failed.any()
    return np.concatenate([sim.q, sim.v], axis=1)


@pytest.mark.parametrize("stops", [False, True])
def test_trotting_robots_do_not_depend_on_their_company_nor_on_calls(robot, stops):
    everyone = np.arange(ROBOTS)
    whole = trotting(robot, everyone, stops=stops)
    some = np.random.default_rng(5).permutation(ROBOTS)[:11]
    assert trotting(robot, some, stops=stops).tobytes() == whole[some].tobytes()
    assert trotting(robot, everyone[:1], stops=stops).tobytes() == whole[:1].tobytes()
    assert trotting(robot, everyone, steps=1, stops=stops).tobytes() == whole.tobytes()
    assert trotting(robot, everyone, threads=2, stops=stops).tobytes() == whole.tobytes()


def test_trotting_robots_go_on_from_a_snapshot_whoever_shared_their_packs_before(robot):
    """Packs are made of robots that touch the ground alike, which others have decided since."""
    model, q, feet = robot
    reference = np.tile(q, (ROBOTS, 1))
    sim = ts.Simulation(model, q, batch=ROBOTS, ground=flat(Compliant(friction=0.7)), contacts=feet, dt=DT)

    def act(phase):
        reference[:, 7:] = trot(np.random.default_rng(3).random(ROBOTS) + phase)
        sim.step(JointLaw(KP, KD, q=reference), steps=STEPS)
        return np.concatenate([sim.q, sim.v], axis=1)

    for k in range(5):
        act(0.1 * k)
    kept, first = sim.snapshot(), act(0.5)
    for k in range(5):
        act(0.3 * k)
    sim.restore(kept)
    assert act(0.5).tobytes() == first.tobytes()


def test_robots_on_two_grounds_in_turn_are_those_on_one_ground(robot):
    model, q, feet = robot
    grounds = [flat(Compliant(friction=friction)) for friction in (0.2, 0.9)]
    reference = np.tile(q, (ROBOTS, 1))
    reference[:, 7:] = trot(np.random.default_rng(4).random(ROBOTS))
    chosen = np.arange(ROBOTS) % 2

    def run(ground):
        sim = ts.Simulation(model, q, batch=ROBOTS, ground=ground, contacts=feet, dt=DT)
        for _ in range(3):
            sim.step(JointLaw(KP, KD, q=reference), steps=STEPS)
        return sim.q.copy()

    mixed = run([grounds[k] for k in chosen])
    for k, ground in enumerate(grounds):
        assert mixed[chosen == k].tobytes() == run(ground)[chosen == k].tobytes()


@pytest.mark.parametrize("friction", [0.8, 3.0])
def test_limp_robots_in_all_attitudes_neither_fail_nor_gain_energy(robot, friction):
    """Where friction wedges points, bounds that follow at once find nothing: held ones go on there."""
    model, _, _ = robot
    rng, count = np.random.default_rng(11), 128
    names = list(model.frames)
    points = tuple(ContactPoint(name, name, radius=0.02) for name in names[:: len(names) // 8][:8])
    ground = flat(Compliant(friction=friction))
    start = np.array([model.random(rng) for _ in range(count)])
    turns = rng.normal(size=(count, 4))
    start[:, :2], start[:, 3:7] = 0.0, turns / np.linalg.norm(turns, axis=1, keepdims=True)
    start = np.array([on_ground(model, row, ground, contacts=points) for row in start])
    start[:, 2] += 0.02
    v = rng.normal(scale=2.0, size=(count, model.nv))
    run = ts.simulate(model, start, v, ground=ground, contacts=points, duration=1.0, dt=1e-3, sample_dt=0.02,
                      progress=False)  # fmt: skip
    assert np.isfinite(run.q).all()
    energy = np.sum([run.energy[name] for name in MECHANICAL], axis=0)
    assert (energy.max(axis=0) - energy[0]).max() <= LIMP_GAIN * np.abs(energy[0]).max()


@pytest.mark.parametrize("friction", [0.0, 0.4, 1.5])
def test_limp_robots_that_turn_fast_on_four_feet_only_lose_energy(robot, friction):
    model, q, feet = robot
    rng = np.random.default_rng(7)
    start, v = np.tile(q, (ROBOTS, 1)), rng.normal(scale=4.0, size=(ROBOTS, model.nv))
    v[:, :3] *= 0.2
    start[:, 2] += 0.02
    run = ts.simulate(model, start, v, ground=flat(Compliant(friction=friction)), contacts=feet, duration=0.4, dt=DT,
                      sample_dt=DT, progress=False)  # fmt: skip
    assert (np.abs(run.contact_force).sum(axis=(2, 3)) > 0.0).any(axis=0).all()
    energy = np.sum([run.energy[name] for name in MECHANICAL], axis=0)
    gained = energy.max(axis=0) - energy[0]
    assert gained.max() <= ROUNDING * np.abs(energy[0]).max()


def test_friction_of_trotting_feet_stays_within_its_cone(robot):
    """Bounds that were held are those of the force that acts in the end."""
    model, q, feet = robot
    times = np.arange(0.0, 0.6, 0.01)
    reference = np.tile(q, (len(times), 1))
    reference[:, 7:] = trot(times / PERIOD)
    friction = 0.4
    run = ts.simulate(model, q, controller=JointLaw(KP, KD, q=reference, times=times), duration=0.59, dt=DT,
                      sample_dt=DT, contacts=feet, progress=False,
                      ground=flat(Compliant(friction=friction)))  # fmt: skip
    normal, along = run.contact_force[..., 2], np.linalg.norm(run.contact_force[..., :2], axis=-1)
    bound = friction * normal
    slips = along > 0.999 * bound
    assert (normal > 0.0).any() and (slips & (normal > 0.0)).any()
    assert (along <= bound * (1.0 + 2e-6) + 1e-9).all()


def two_ways(model, q, v, feet, far, **options):
    """Velocities after one step: solved among the contacts, and by sweeps, as with more than eight points."""
    found = []
    for points in (feet, feet + tuple(ContactPoint(f"far{k}", far) for k in range(9))):
        sim = ts.Simulation(model, q, v, batch=len(q), contacts=points, dt=DT, **options)
        sim.step(np.zeros((len(q), model.nv)), steps=1)
        assert not sim.failed.any()
        found.append(sim.v.copy())
    return found


def slider():
    """A beam that slides along x, y and z, with four legs that slide in it: no velocity terms at all."""
    builder = ts.ModelBuilder("slider").add_link("world")
    parent = "world"
    for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))):
        builder.add_link(f"to_{name}", ts.Inertia.of_box(1.0, (0.5, 0.5, 0.1)))
        builder.add_joint(name, "prismatic", parent, f"to_{name}", axis=axis)
        parent = f"to_{name}"
    for k in range(4):
        builder.add_link(f"leg{k}", ts.Inertia.of_box(0.2, (0.02, 0.02, 0.3)))
        builder.add_joint(f"slide{k}", "prismatic", parent, f"leg{k}", axis=(0, 0, 1))
    builder.add_frame("far", parent, pose((0, 0, 5)))
    return builder.build()


@pytest.mark.parametrize("friction", [0.0, 50.0])
def test_contacts_among_themselves_find_the_minimum_that_sweeps_of_the_tree_find(friction):
    """Forces that are linear in pieces, without velocity terms: nothing but rounding is left between the two ways."""
    model, count = slider(), 64
    rng = np.random.default_rng(1)
    q, v = np.zeros((count, model.nv)), rng.normal(scale=4.0, size=(count, model.nv))
    q[:, 2] = 0.5
    q[:, 3:] = -0.5 + rng.uniform(-1e-3, 2e-3, (count, 4))
    v[:, :2] *= 1e-3
    feet = tuple(ContactPoint(f"leg{k}", f"leg{k}") for k in range(4))
    among, swept = two_ways(model, q, v, feet, "far", ground=flat(Compliant(friction=friction)), stops=False)
    assert np.abs(among - swept).max() < SAME * np.abs(swept).max()
    assert np.abs(swept - v).max() > 1.0


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("friction", [0.0, 0.5, 1.0])
def test_quadrupeds_in_random_motion_take_the_same_step_both_ways(robot, friction, stops):
    """Both stop where forces, bounds of friction and velocity terms agree to their tolerances."""
    model, q, feet = robot
    rng = np.random.default_rng(0)
    start, v = np.tile(q, (ROBOTS, 1)), rng.normal(scale=4.0, size=(ROBOTS, model.nv))
    start[:, 7:] += rng.uniform(-0.2, 0.2, (ROBOTS, 12))
    start = np.array([on_ground(model, row, flat(), contacts=feet) for row in start])
    start[:, 2] -= rng.uniform(0.0, 1e-3, ROBOTS)
    v[:, :3] *= 0.1
    ground = flat(Compliant(friction=friction))
    among, swept = two_ways(model, start, v, feet, "base_link", ground=ground, stops=stops)
    assert np.abs(among - swept).max() < WITHIN * np.abs(swept).max()
