"""Bodies that are driven into each other: descriptions of their contacts change, and no energy comes of it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from robot_data import robot_data_path, robots_directory
from simulation.touching_scenes import GRAVITY, gained, scene

import tarsus as ts
from tarsus.contact import Compliant, LeastConstraint, Pairs, PseudoCoulomb, ViscoElasticSole, flat
from tarsus.model.shapes import Box, Shape, Sphere
from tarsus.simulation import JointLaw, Push


def fighting_legs(seed: int, duration: float, law: Any, kp: float = 300.0, kd: float = 10.0) -> Any:
    """A run of a solo12 in free fall whose strong joints swing its legs through its trunk and each other."""
    model = ts.load(robot_data_path("solo_description/robots/solo12.urdf"), base="free",
                    package_dirs=[robots_directory()])  # fmt: skip
    rng = np.random.default_rng(seed)
    q = np.array(model.reference)
    times = 0.02 * np.arange(int(duration / 0.02) + 2)
    way = np.tile(q, (len(times), 1))
    t = times[:, None]
    way[:, 7:] += 2.0 * np.sin(4.0 * np.pi * t + rng.uniform(0.0, 2.0 * np.pi, 12)) * (1.0 - np.exp(-t / 0.2))
    gains = {name: np.concatenate([np.zeros(6), np.full(12, gain)]) for name, gain in (("kp", kp), ("kd", kd))}
    drive = JointLaw(q=way, times=times, limited=False, **gains)
    return ts.simulate(model, q, duration=duration, controller=drive, pairs=Pairs(law=law), sample_dt=1e-3)


@pytest.mark.parametrize(
    "seed, duration, law",
    [
        (1, 0.72, Compliant()),
        (1, 0.72, PseudoCoulomb()),
        (1, 0.72, LeastConstraint()),
        pytest.param(2, 2.0, Compliant(), marks=pytest.mark.long),
        pytest.param(0, 2.0, Compliant(), marks=pytest.mark.long),
    ],
)
def test_legs_that_are_driven_through_each_other_gain_no_energy(seed: int, duration: float, law: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*overlap in the reference pose")
        warnings.filterwarnings("ignore", message=".*did not settle in . of")
        run = fighting_legs(seed, duration, law)
    pressed = np.linalg.norm(run.contact_force, axis=-1).max()
    assert pressed > 500.0  # [N], of a robot of 24 N
    assert gained(run) < 1e-3 * run.energy["actuator"].max()
    assert np.diff(run.energy["integration"]).max() < 0.2  # [J] in a step; jumps of 100 J came of descriptions alone
    assert np.diff(run.energy["ground_dissipated"]).min() >= 0.0


def test_where_a_gain_remains_the_warning_names_the_bodies() -> None:
    # The layer of a visco-elastic sole is compressed anew by another description of the contact.
    with pytest.warns(ts.errors.SimulationWarning, match="FL_LOWER_LEG and HL_LOWER_LEG are driven into"):
        fighting_legs(1, 0.8, ViscoElasticSole())


def crossing() -> tuple[ts.Model, JointLaw]:
    """A bar that a strong joint turns into a block on a slide, corner first, so that faces and edges take turns."""
    b = ts.ModelBuilder("crossing", gravity=(0, 0, 0)).add_link("world")
    b.add_link("bar", ts.Inertia.of_box(1.0, (0.4, 0.1, 0.1), com=(0.2, 0, 0)),
               collisions=[Shape(Box((0.4, 0.1, 0.1)), ts.pose((0.2, 0, 0)))])  # fmt: skip
    b.add_joint("turn", "revolute", "world", "bar", axis=(0.2, 0.3, 1.0))
    b.add_link("block", ts.Inertia.of_box(2.0, (0.2, 0.2, 0.2)), collisions=[Shape(Box((0.2, 0.2, 0.2)))])
    b.add_joint("slide", "prismatic", "world", "block", axis=(1, 0, 0), position=(0.3, 0.25, 0.02))
    times = np.linspace(0.0, 1.0, 26)
    way = np.stack([0.9 * np.sin(2.0 * np.pi * times), 0.05 * np.cos(9.0 * times)], axis=1)
    return b.build(), JointLaw(q=way, times=times, kp=np.array([2e3, 2e3]), kd=np.array([20.0, 20.0]), limited=False)


def test_a_run_with_sets_resumes_to_the_bit_and_does_not_depend_on_neighbours() -> None:
    model, drive = crossing()
    options: dict[str, Any] = {"controller": drive, "pairs": [("bar", "block")]}
    Q = np.tile([0.0, 0.05], (9, 1))
    Q[:, 1] += np.linspace(-0.02, 0.02, 9)
    whole = ts.simulate(model, Q, duration=0.6, resumable=True, **options)
    held = whole.signals["contact_state"].reshape(len(whole.time), 9, -1)
    assert np.abs(held).max() > 1e-4  # [m]: there are sets
    first = ts.simulate(model, Q, duration=0.3, resumable=True, **options)
    second = ts.simulate(model, duration=0.3, resume=first, **options)
    assert np.array_equal(second.q[-1], whole.q[-1]) and np.array_equal(second.v[-1], whole.v[-1])
    some = ts.simulate(model, Q[2:5], duration=0.6, **options)
    assert np.array_equal(some.q, whole.q[:, 2:5])
    assert gained(ts.simulate(model, Q[4], duration=1.0, **options)) < 0.02


def test_bodies_that_press_without_a_change_of_description_sink_in_as_their_springs_tell() -> None:
    model = scene(("low", Box((0.4, 0.4, 0.2)), 5.0, (0, 0, 0.1)), ("high", Sphere(0.1), 1.0, (0, 0, 0.3)))
    push = [Push("high", (0, 0, -500.0), start=0.1, duration=0.4)]
    run = ts.simulate(model, duration=1.0, ground=flat(), pairs="all", pushes=push)
    between = run.q[:, 9] - run.q[:, 2]
    pressed = int(np.searchsorted(run.time, 0.45))
    assert np.isclose(between[pressed], 0.2 - (500.0 + GRAVITY) / 2e5, atol=1e-6)
    assert np.isclose(between[-1], 0.2 - GRAVITY / 2e5, atol=1e-6)  # and come back
