"""Contacts that are switched off: feet that scuff and are let through."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import Compliant, ContactPoint, LeastConstraint, Rigid, flat
from tarsus.errors import ArgumentError, ShapeError, UnknownNameError

LENGTH = 1.0
LAWS = [Compliant(), LeastConstraint()]


def leg():
    """A point mass on a massless leg that swings about a hip 0.9 m above the ground, which is too low for it."""
    b = ts.ModelBuilder("leg").add_link("hip")
    b.add_link("leg", ts.Inertia.of_sphere(1.0, 0.01, com=(0, 0, -LENGTH)))
    b.add_joint("hip", "revolute", "hip", "leg", axis=(0, 1, 0), position=(0, 0, 0.9))
    return b.build()


LEG = leg()
FOOT = [ContactPoint("tip", "leg", (0, 0, -LENGTH)), ContactPoint("knee", "leg", (0, 0, -0.5 * LENGTH))]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_a_foot_scuffs_unless_it_is_switched_off(law):
    def scuffs_not(observation):
        observation.switch("tip", bool(observation.q[0] > 0.6))
        return np.zeros(1)

    run = dict(duration=1.0, ground=flat(law), contacts=FOOT)
    stopped = ts.simulate(LEG, [-0.8], **run)
    passed = ts.simulate(LEG, [-0.8], controller=scuffs_not, **run)
    free = ts.simulate(LEG, [-0.8], duration=1.0)
    assert stopped.q[:, 0].max() < -0.4  # cos^-1 0.9 = 0.45
    before = np.argmax(free.q[:, 0] > 0.6)
    np.testing.assert_array_equal(passed.q[:before, 0], free.q[:before, 0])
    assert np.all(passed.contact_force[:before] == 0.0) and passed.q[:, 0].max() > 0.6


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_robots_are_switched_one_by_one_as_if_alone(law):
    on = np.array([True, False, True, False, False])
    sim = ts.Simulation(LEG, [-0.6], ground=flat(law), contacts=FOOT, batch=5)
    sim.switch("leg", on)
    sim.step(steps=300)
    for one in (True, False):
        alone = ts.Simulation(LEG, [-0.6], ground=flat(law), contacts=FOOT, batch=1)
        alone.switch(["tip", "knee"], one)
        alone.step(steps=300)
        np.testing.assert_array_equal(sim.q[on == one], np.broadcast_to(alone.q, (np.sum(on == one), 1)))
    assert np.all(sim.observe().touching("tip") == on)


def test_a_contact_that_is_switched_on_in_the_ground_brings_energy_that_is_told():
    stiffness = 1e4
    sim = ts.Simulation(LEG, [-0.6], ground=flat(Compliant(stiffness=stiffness)), contacts=FOOT)
    sim.switch("tip", False)
    sim.step(steps=400)
    depth = LENGTH * np.cos(sim.q[0]) - 0.9
    assert depth > 0.05 and sim.energy()["ground_stored"] == sim.energy()["external"] == 0.0
    sim.switch("tip", True)
    brought = float(sim.energy()["external"])
    assert np.isclose(brought, 0.5 * stiffness * depth**2, rtol=1e-9)
    assert np.isclose(brought, float(sim.energy()["ground_stored"]), rtol=1e-12)
    sim.step(steps=50)
    assert abs(sim.energy()["integration"]) < 0.05 * brought


def test_switches_are_part_of_a_snapshot():
    sim = ts.Simulation(LEG, [-0.6], ground=flat(), contacts=FOOT)
    sim.switch("tip", False)
    snapshot = sim.snapshot()
    sim.step(steps=400)
    first = sim.q
    sim.switch("tip", True)
    sim.restore(snapshot)
    sim.step(steps=400)
    np.testing.assert_array_equal(sim.q, first)
    assert first[0] > -0.44


def test_what_cannot_be_switched_is_told():
    sim = ts.Simulation(LEG, [-0.6], ground=flat(), contacts=FOOT, batch=2)
    with pytest.raises(UnknownNameError, match="contact or touching body 'tipp' not found.*tip"):
        sim.switch("tipp", True)
    with pytest.raises(ShapeError, match=r"shape \(3,\); expected one truth value, or those of shape \(2,\)"):
        sim.switch("tip", [True, False, True])
    with pytest.raises(ShapeError, match="on is int64"):
        sim.switch("tip", 1)

    def switches(observation):
        observation.switch("tip", False)
        return np.zeros(1)

    with pytest.raises(ts.errors.SimulationError, match="law Rigid cannot be switched"):
        ts.simulate(LEG, [-0.8], duration=0.1, ground=flat(Rigid()), contacts=FOOT[:1], controller=switches)
    assert issubclass(UnknownNameError, ArgumentError)


def test_a_run_goes_on_with_the_contacts_that_were_switched_off():
    def off(observation):
        if observation.t == 0.1:
            observation.switch("tip", False)
        return np.zeros(1)

    options = dict(ground=flat(), contacts=FOOT, controller=off)
    whole = ts.simulate(LEG, [-0.6], duration=0.6, **options)
    first = ts.simulate(LEG, [-0.6], duration=0.3, resumable=True, **options)
    rest = ts.simulate(LEG, resume=first, duration=0.3, **options)
    np.testing.assert_array_equal(rest.q[-1], whole.q[-1])
    assert whole.q[-1, 0] > -0.45
