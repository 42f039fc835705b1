"""Robots with few contacts, which are solved among themselves where the robot moves fast: energy, company, limits."""

import numpy as np
import pytest
from benchmarks.trotting import DT, KD, KP, PERIOD, solo12, trot

import tarsus as ts
from tarsus.contact import Compliant, flat
from tarsus.simulation import JointLaw

ROBOTS, ACTIONS, STEPS = 24, 30, 10
STANDING = slice(None, None, 5)
"""Some stand among those that trot: packs have lanes that settle in other ways."""
MECHANICAL = ("kinetic", "potential", "ground_stored", "joint_stored")
ROUNDING = 1e-9
"""Of energies, relative to what the robot had at first."""


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
    """Bounds that move with the normal force in the first passes are those of the force that acts in the end."""
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
    assert (along <= bound * (1.0 + 2e-5) + 1e-9).all()
