"""Snapshots of simulations that are stepped: what they bring back, and which others they are refused by."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.constraints import PrescribedJoint, Rod
from tarsus.contact import ContactPoint, flat
from tarsus.errors import ArgumentError
from tarsus.simulation import JointLaw, Spring


def arm(mass: float = 1.5, **joint) -> ts.Model:
    """One link that turns about y, 1 m long."""
    builder = ts.ModelBuilder("arm").add_link("base")
    builder.add_link("link", ts.Inertia.of_box(mass, (1.0, 0.1, 0.1), com=(0.5, 0, 0)))
    return builder.add_joint("j", "revolute", "base", "link", axis=(0, 1, 0), **joint).build()


def ball() -> ts.Model:
    """A free sphere of 1 kg."""
    return ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.1)).build()


def driven(amplitude: float) -> PrescribedJoint:
    """A joint that swings."""
    w = 2.0 * np.pi
    return PrescribedJoint(
        "j",
        lambda t: (
            amplitude * np.sin(w * np.asarray(t)),
            amplitude * w * np.cos(w * np.asarray(t)),
            -amplitude * w**2 * np.sin(w * np.asarray(t)),
        ),
    )


def rod(length: float) -> dict:
    """A ball that hangs on a rod."""
    return {"q0": [0, 0, -length, 1, 0, 0, 0], "constraints": [Rod("world", "ball", length)]}


SPRING = Spring("world", "link", stiffness=10.0, position_b=(1.0, 0, 0))
SKIN = [ContactPoint("skin", "ball", radius=0.1)]
PAIRS = {
    "'link' with a mass of 1 kg, here 50 kg": lambda: (ts.Simulation(arm(1.0)), ts.Simulation(arm(50.0))),
    "constraints differ": lambda: (ts.Simulation(ball(), **rod(1.0)), ts.Simulation(ball(), **rod(2.0))),
    "stops is True there, here False": lambda: (ts.Simulation(arm()), ts.Simulation(arm(), stops=False)),
    "springs differ": lambda: (ts.Simulation(arm()), ts.Simulation(arm(), springs=[SPRING])),
    "other values of damping of joints": lambda: (ts.Simulation(arm()), ts.Simulation(arm(damping=2.0))),
    "contacts of the same names at other places": lambda: tuple(
        ts.Simulation(
            ball(),
            [0, 0, 1.0, 1, 0, 0, 0],
            ground=flat(),
            contacts=[ContactPoint("skin", "ball", radius=r)],
        )
        for r in (0.1, 0.2)
    ),
    "motions given by constraints": lambda: tuple(
        ts.Simulation(arm(), constraints=[driven(a)], project_start=True) for a in (0.1, 0.2)
    ),
}


@pytest.mark.parametrize("words", PAIRS)
def test_a_snapshot_of_another_simulation_is_refused_with_what_differs(words):
    theirs, ours = PAIRS[words]()
    theirs.step(steps=10)
    before = ours.q
    with pytest.raises(ArgumentError, match=words):
        ours.restore(theirs.snapshot())
    assert np.array_equal(ours.q, before)
    theirs.restore(theirs.snapshot())  # its own is taken


def test_a_simulation_of_an_equal_model_goes_on_from_a_snapshot_bit_by_bit():
    first, second = ts.Simulation(arm(), [0.3]), ts.Simulation(arm().with_frame("tip", "link", ts.pose((1, 0, 0))))
    first.step(steps=10)
    second.restore(first.snapshot())
    first.step(steps=10)
    second.step(steps=10)
    assert np.array_equal(first.q, second.q)


def test_bodies_and_friction_of_each_robot_come_back_with_a_snapshot():
    start = np.tile([0, 0, 0.1, 1, 0, 0, 0.0], (2, 1))
    sim = ts.Simulation(ball(), start, ground=flat(), contacts=SKIN, friction=[0.2, 0.8])
    kept = sim.snapshot()
    sim.vary(friction=0.5)
    sim.restore(kept)
    assert np.array_equal(sim.friction, [0.2, 0.8])


def test_a_snapshot_does_not_change_with_the_arrays_of_the_law_that_drove_it():
    def moved(spoil):
        target = np.array([0.5])
        sim = ts.Simulation(arm())
        sim.step(JointLaw(kp=100.0, kd=5.0, q=target), steps=5)
        if spoil == "before":
            target[0] = -3.0
        kept = sim.snapshot()
        target[0] = -3.0 if spoil else 0.5
        sim.restore(kept)
        sim.step(steps=50)
        return sim.q[0]

    assert moved("") == moved("before") == moved("after")


def test_a_delay_that_is_given_on_the_way_delays_the_next_command():
    """It began with an empty queue, whose first command acted at once."""
    sim = ts.Simulation(arm(), batch=2)
    sim.step(np.full((2, 1), 7.0), steps=5)
    sim.vary(command_delay=[0, 3])
    felt = []
    for k in range(5):
        sim.step(np.full((2, 1), 9.0) if k == 0 else None)
        felt.append(sim.torque()[:, 0])
    np.testing.assert_array_equal(np.array(felt), [[9, 7], [9, 7], [9, 7], [9, 9], [9, 9]])


def test_a_delay_that_is_given_after_a_reset_lets_the_first_command_act_at_once():
    sim = ts.Simulation(arm(), batch=2)
    sim.step(np.full((2, 1), 7.0), steps=5)
    sim.reset(where=np.array([False, True]))
    sim.vary(command_delay=3)
    sim.step(np.full((2, 1), 9.0))
    np.testing.assert_array_equal(sim.torque()[:, 0], [7, 9])
