"""What robots that are stepped from outside tell of steps that cannot be trusted."""

import warnings

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import LeastConstraint, flat
from tarsus.errors import SimulationWarning
from tarsus.model.shapes import Box
from tarsus.simulation import JointLaw
from tarsus.simulation.stepping import trust

STEPS = 40


@pytest.fixture
def robots():
    """Three robots on springs that hop, of which nothing is told by itself."""
    return ts.Simulation(ts.robots.hrp2(), batch=3, ground=flat(), dt=1e-3)


def test_energy_from_nothing_is_told_once_with_the_robot(robots, monkeypatch):
    """Work that nobody did is put into the audit of one robot, as an integrator that gains would."""
    monkeypatch.setattr(trust, "LOOKED_AT", STEPS)
    sim = ts.Simulation(robots.model, batch=3, ground=flat())
    assert np.all(sim.distrust() < 1.0)
    kept = sim.snapshot()
    sim.reset(where=np.array([False, True, False]))
    sim._robots.state.q[1, 2] += 0.5  # half a metre higher than where the audit began: m g 0.5 m from nothing
    share = sim.distrust()
    assert share[1] > 1.0 and share[0] < 1.0 and share[2] < 1.0
    with pytest.warns(
        SimulationWarning, match=r"added .* J of robot \(1,\) \(worst of 1 among 3\) until .* since its reset"
    ):
        sim.step(steps=STEPS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step(steps=2 * STEPS)  # once is enough
    sim.restore(kept)


def test_a_reset_begins_anew(robots):
    robots._robots.state.q[1, 2] += 0.5
    assert robots.distrust()[1] > 1.0
    robots.reset(where=np.array([False, True, False]))
    assert robots.distrust()[1] < 1.0


def test_a_healthy_simulation_tells_nothing(monkeypatch):
    monkeypatch.setattr(trust, "LOOKED_AT", STEPS)
    model = ts.robots.hrp2()
    sim = ts.Simulation(model, batch=3, ground=flat(LeastConstraint()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(5):
            sim.step(JointLaw(3000.0, 60.0, q=model.reference), steps=STEPS)
    assert sim.unsettled == 0 and sim.distrust().shape == (3,) and sim.distrust().max() < 1.0


def test_impulses_that_did_not_settle_are_counted_and_told_once(monkeypatch):
    sim = ts.Simulation(ts.robots.hrp2(), ground=flat(LeastConstraint()))
    sim.step(steps=3)
    monkeypatch.setattr(sim._robots, "unsettled", 7)  # as the native core counts them
    with pytest.warns(SimulationWarning, match="contact impulses did not settle in 7 of 4 steps"):
        sim.step()
    assert sim.unsettled >= 7
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.step()


def test_bodies_that_a_reset_puts_into_each_other_are_told():
    model = ts.ModelBuilder("post").add_link("world").build()
    for name, x in (("a", 0.0), ("b", 0.5)):
        model = model.with_object(Box((0.2, 0.2, 0.2)), 1.0, ts.pose((x, 0.0, 0.1)), name=name)
    sim = ts.Simulation(model, ground=flat(LeastConstraint()), pairs="all")
    deep = np.array(model.reference)
    deep[7] = 0.1
    with pytest.warns(SimulationWarning, match="a and b begin 0.1 m deep in each other"):
        sim.reset(deep)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.reset(deep)
