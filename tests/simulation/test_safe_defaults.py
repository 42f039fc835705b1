"""With all defaults and steps of 1 ms, no energy comes from nothing and nothing blows up."""

from itertools import product

import numpy as np
import pytest
from benchmarks.zoo.drop import GRAVITY, HEIGHT, lowest
from benchmarks.zoo.ours import MECHANICAL, drop
from benchmarks.zoo.outcome import MAX_GAIN, MAX_PENETRATION
from benchmarks.zoo.robots import ROBOTS
from simulation.bodies import ball, box, capsule

import tarsus as ts
from tarsus.contact import (
    Compliant,
    ContactPoint,
    Ground,
    HeightField,
    PseudoCoulomb,
    ViscoElasticSole,
    flat,
    slope,
    stairs,
)
from tarsus.recording.energies import total_energy

ROD = (0.2, 0.02, 0.02)
"""Edges of a light rod [m]."""
SEEDS = 12
SPINNING_GAIN = 0.005
"""Share of its own energy that a rod may gain in the air: the bound of the fall, for a body that does not fall far."""


def turned(rng, count):
    """Uniform random attitudes, shape (count, 4)."""
    x = rng.normal(size=(count, 4))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def mechanical(run):
    return np.sum([run.energy[name] for name in MECHANICAL], axis=0)


@pytest.mark.parametrize("law", [Compliant(), PseudoCoulomb(), ViscoElasticSole()], ids=lambda law: law.name)
@pytest.mark.parametrize("mass", [1.0, 0.1, 0.01, 0.001])
def test_a_falling_rod_gains_no_energy(mass, law):
    model = box(ROD, mass)
    q = np.repeat(model.neutral()[None], SEEDS, axis=0)
    q[:, 3:7] = turned(np.random.default_rng(1), SEEDS)
    q[:, 2] += HEIGHT - lowest(model, q)
    run = ts.simulate(model, q, ground=flat(law), duration=2.0, sample_dt=1e-3)
    energy = mechanical(run)
    assert (energy - energy[0]).max() <= MAX_GAIN * mass * GRAVITY * HEIGHT
    assert -lowest(model, run.q).min() <= MAX_PENETRATION


@pytest.mark.parametrize("size", [ROD, (0.3, 0.2, 0.1)], ids=["rod", "box"])
@pytest.mark.parametrize("mass", [10.0, 1.0, 0.1, 0.01])
def test_what_falls_on_stairs_gains_no_energy(mass, size):
    """Corners land on treads, edges on the edges of the steps."""
    model, rng = box(size, mass), np.random.default_rng(1)
    q = np.repeat(model.neutral()[None], 2 * SEEDS, axis=0)
    q[:, 3:7] = turned(rng, len(q))
    q[:, 2] += 0.15 + HEIGHT - lowest(model, q)
    q[:, 0] = rng.uniform(0.45, 1.0, len(q))
    run = ts.simulate(model, q, ground=stairs(3, 0.1, 0.2), duration=1.5, sample_dt=1e-3)
    energy = mechanical(run)
    edges = [name[-1] in "<>" for name in run.contacts]
    assert run.contact_force[:, :, edges].any()
    assert (energy - energy[0]).max() <= MAX_GAIN * mass * GRAVITY * HEIGHT


@pytest.mark.parametrize("rate", [30.0, 100.0])
def test_a_spinning_rod_in_the_air_gains_no_energy(rate):
    """About axes of every direction, for 2 s."""
    model = box(ROD, 0.1)
    axes = np.random.default_rng(2).normal(size=(SEEDS, 3))
    v = np.zeros((SEEDS, 6))
    v[:, 3:] = rate * axes / np.linalg.norm(axes, axis=1, keepdims=True)
    run = ts.simulate(model, model.neutral(), v, duration=2.0, sample_dt=1e-3)
    energy = mechanical(run)
    assert np.all((energy - energy[0]).max(axis=0) <= SPINNING_GAIN * run.energy["kinetic"][0])


@pytest.mark.parametrize(("name", "seed"), [*product(["solo", "solo12", "bolt"], range(3)), ("g1_hands", 0)])
def test_a_robot_that_falls_limp_gains_no_energy(name, seed):
    assert drop(ROBOTS[name], "limp", seed).complaints == []


@pytest.mark.parametrize(("name", "seed"), [*product(["solo12"], range(3)), ("bolt", 0)])
def test_a_robot_that_falls_held_by_stiff_gains_gets_nothing_from_the_integrator(name, seed):
    assert drop(ROBOTS[name], "held", seed).complaints == []


def added(run):
    """What the integrator added at most, as a share of the largest kinetic energy, shape (*batch,)."""
    return run.energy["integration"].max(axis=0) / run.energy["kinetic"].max(axis=0)


@pytest.mark.parametrize(("speed", "rate"), [(20.0, 30.0), (1.0, 100.0)])
@pytest.mark.parametrize("mass", [1.0, 0.03, 0.001])
@pytest.mark.parametrize("ground", [flat(), slope(0.35)], ids=["flat", "slope"])
def test_a_thin_capsule_that_rolls_fast_gains_no_energy(ground, mass, speed, rate):
    """Thrown and spun in all directions it comes to roll at up to 2000 rad/s, while its axis turns: its ends must not
    be screwed into the ground."""
    model, rng = capsule(0.005, 0.1, mass), np.random.default_rng(4)
    q = np.repeat(model.neutral()[None], 2 * SEEDS, axis=0)
    q[:, 2], q[:, 3:7] = 0.5, turned(rng, len(q))
    v = rng.normal(size=(len(q), 2, 3))
    v *= np.array([speed, rate])[:, None] / np.linalg.norm(v, axis=2, keepdims=True)
    run = ts.simulate(model, q, v.reshape(-1, 6), ground=ground, duration=1.0, sample_dt=1e-3)
    energy = mechanical(run)
    assert np.abs(run.v[..., 5]).max() > 500.0 or speed < 20.0
    assert ((energy - energy[0]).max(axis=0) / run.energy["kinetic"].max(axis=0)).max() <= SPINNING_GAIN
    assert added(run).max() <= SPINNING_GAIN


ROLLING = {1.0: 0.003, 0.1: 0.006, 0.01: 0.012, 0.001: 0.022}
"""By mass [kg], the share of their largest kinetic energy that the integrator may add to rolling spheres in 2 s: where
the slope jumps, at the edges of cells, a step of 1 ms enters the ground, the deeper the lighter the sphere is."""


@pytest.mark.parametrize("radius", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("mass", ROLLING)
@pytest.mark.parametrize("shape", ["waves", "bumps"])
def test_spheres_that_roll_over_a_height_field_gain_no_energy(shape, mass, radius):
    x = np.arange(-6.0, 6.01, 0.1)
    waves = 0.05 * np.sin(3.0 * x) * np.cos(5.0 * x)[:, None]
    bumps = 0.04 * np.random.default_rng(3).random(waves.shape)
    ground = Ground(HeightField({"waves": waves, "bumps": bumps}[shape], 0.1, origin=(-6.0, -6.0)))
    rng, n = np.random.default_rng(1), 2 * SEEDS
    q = np.tile([0.0, 0.0, 0.1 + radius, 1.0, 0.0, 0.0, 0.0], (n, 1))
    q[:, :2] = rng.uniform(-1.0, 1.0, (n, 2))
    v = np.zeros((n, 6))
    v[:, :2], v[:, 3:] = rng.normal(size=(n, 2)), 5.0 * rng.normal(size=(n, 3))
    run = ts.simulate(ball(radius, mass), q, v, ground=ground, duration=2.0, sample_dt=2e-3)
    energy = mechanical(run)
    assert (energy - energy[0]).max() <= 0.0
    assert added(run).max() <= ROLLING[mass]


def test_what_the_integrator_adds_to_a_sphere_on_waves_falls_with_the_step():
    x = np.arange(-3.0, 3.01, 0.1)
    ground = Ground(HeightField(0.05 * np.sin(3.0 * x) * np.cos(5.0 * x)[:, None], 0.1, origin=(-3.0, -3.0)))
    start, speed = [0.03, 0.02, 0.4, 1, 0, 0, 0], [1.0, 0.5, 0, 0, 0, 0]
    off = []
    for dt in (1e-3, 1e-4):
        run = ts.simulate(ball(0.1, 0.01), start, speed, ground=ground, duration=0.6, dt=dt, sample_dt=1e-3)
        off.append(np.abs(run.energy["integration"]).max() / run.energy["kinetic"].max())
    assert off[0] < 0.005 and off[1] < 0.2 * off[0]
    exact = ts.simulate(
        ball(0.1, 1.0), start, speed, ground=ground, duration=0.6, integrator="dormand-prince", sample_dt=1e-3
    )
    assert np.abs(exact.energy["integration"]).max() < 1e-6


def test_a_heavy_body_that_falls_on_four_points_does_not_sink_deep():
    """150 kg from 0.3 m: about m v / (4 c), which is 9 mm."""
    places = product((-0.2, 0.2), (-0.15, 0.15), (-0.1,))
    corners = [ContactPoint(f"corner{i}", "box", place) for i, place in enumerate(places)]
    q = np.array([0.0, 0.0, 0.1 + HEIGHT, 1.0, 0.0, 0.0, 0.0])
    run = ts.simulate(box(mass=150.0), q, ground=flat(), contacts=corners, duration=0.6, sample_dt=1e-3)
    assert 0.1 - run.q[:, 2].min() == pytest.approx(0.008, abs=5e-4)


def field():
    """Bumps of 4 cm, 10 cm apart."""
    heights = 0.04 * np.random.default_rng(3).random((61, 61))
    return Ground(HeightField(heights, 0.1, origin=(-3.0, -3.0)))


GROUNDS = {"flat": flat, "slope": lambda: slope(np.radians(10.0)), "stairs": lambda: stairs(10, 0.03, 0.15, start=0.3),
           "field": field}  # fmt: skip


def trot(model):
    """Diagonal legs of solo12 swing in turn, 2 Hz, around bent knees."""
    times = np.arange(0.0, 2.0 + 5e-3, 0.01)
    q = np.repeat(model.reference[None], len(times), axis=0)
    phase = 2.0 * np.pi * 2.0 * times
    for leg, lead in {"FL": 0.0, "HR": 0.0, "FR": np.pi, "HL": np.pi}.items():
        q[:, model.joints[f"{leg}_HFE"].q_index] = (0.8 + 0.4 * np.sin(phase + lead))[:, None]
        q[:, model.joints[f"{leg}_KFE"].q_index] = (-1.6 - 0.4 * np.cos(phase + lead))[:, None]
    return times, q


@pytest.mark.parametrize("name", GROUNDS)
def test_a_trotting_robot_gets_nothing_from_the_integrator(name):
    """With the gains of a robot that walks, and with the stiff ones of the robot that was dropped."""
    model = ROBOTS["solo12"].load()
    times, q = trot(model)
    start = q[0].copy()
    start[2] += 0.05 - lowest(model, start)
    for kp, kd in ((10.0, 0.2), (1000.0, 50.0)):
        law = ts.simulation.JointLaw(kp, kd, q=q, times=times)
        run = ts.simulate(model, start, controller=law, ground=GROUNDS[name](), duration=2.0, sample_dt=2e-3)
        added = run.energy["integration"] if "integration" in run.energy else total_energy(run.energy)
        assert (added - added[0]).max() <= MAX_GAIN * model.total_mass * GRAVITY * HEIGHT
