"""Robots that are stepped from outside."""

import copy
import pickle
import signal

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import Compliant, LeastConstraint, Rigid, flat
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError
from tarsus.simulation import JointLaw

CORNERS = [(0.12, 0.06, 0), (0.12, -0.06, 0), (-0.1, -0.06, 0), (-0.1, 0.06, 0)]


@pytest.fixture(scope="module")
def robot():
    return ts.robots.hrp2()


def soles():
    return [ts.contact.Sole(side, f"{side}_sole", CORNERS) for side in "lr"]


def starts(robot, count):
    q = np.tile(robot.reference, (count, 1))
    q[:, 2] += np.linspace(0.0, 0.02, count)
    return q


@pytest.mark.parametrize("law", [None, LeastConstraint()], ids=["compliant", "least-constraint"])
@pytest.mark.parametrize("batch", [(), (11,)], ids=["one", "eleven"])
def test_steps_are_those_of_simulate_bit_by_bit(robot, law, batch):
    ground = flat() if law is None else flat(law)
    q = starts(robot, 11) if batch else starts(robot, 11)[5]
    hold = JointLaw(3000.0, 60.0, q=robot.reference)
    whole = ts.simulate(robot, q, duration=0.06, controller=hold, ground=ground, contacts=soles(), sample_dt=0.01)
    sim = ts.Simulation(robot, q, ground=ground, contacts=soles(), threads=2)
    for k, steps in enumerate((3, 7, 1, 9, 10, 10, 10, 10)):
        sim.step(hold if k == 0 else None, steps=steps)
        if (step := round(sim.time / 1e-3)) % 10 == 0:
            np.testing.assert_array_equal(sim.q, whole.q[step // 10])
            np.testing.assert_array_equal(sim.v, whole.v[step // 10])
            np.testing.assert_array_equal(sim.observe().tau, whole.tau[step // 10])
            np.testing.assert_array_equal(sim.observe().contacts.force, whole.contact_force[step // 10])
            for name, energy in sim.energy().items():
                np.testing.assert_allclose(energy, whole.energy[name][step // 10], rtol=0, atol=1e-9)
    assert sim.time == pytest.approx(0.06)


def test_torques_are_held_until_the_next_command(robot):
    rng = np.random.default_rng(0)
    tau = np.where(robot.actuated, rng.normal(size=(4, robot.nv)), 0.0)
    sim = ts.Simulation(robot, batch=4)
    sim.step(tau, steps=5)
    tau_before = tau.copy()
    tau[:] = np.nan  # the array is the caller's again
    sim.step(steps=5)
    other = ts.simulate(
        robot, sim.model.reference * np.ones((4, 1)), duration=0.01, controller=lambda t, q, v: tau_before
    )
    np.testing.assert_array_equal(sim.q, other.q[-1])


def test_a_snapshot_brings_everything_back(robot):
    sim = ts.Simulation(robot, starts(robot, 5), ground=flat(), contacts=soles())
    hold = JointLaw(3000.0, 60.0, q=robot.reference)
    sim.step(hold, steps=40)
    kept = sim.snapshot()
    sim.step(steps=30)
    first = sim.q, sim.v, sim.energy()["ground_dissipated"]
    sim.step(np.ones((5, robot.nv)), steps=5)
    sim.restore(kept)
    assert sim.time == pytest.approx(0.04)
    sim.step(steps=30)
    for now, then in zip((sim.q, sim.v, sim.energy()["ground_dissipated"]), first, strict=True):
        np.testing.assert_array_equal(now, then)
    with pytest.raises(ArgumentError, match="of another simulation"):
        ts.Simulation(robot, batch=3).restore(kept)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"ground": flat(LeastConstraint())}, r"laws of contact Compliant\(.*, here LeastConstraint\("),
        ({"ground": flat(Compliant(friction=0.3))}, "laws of contact Compliant"),
        ({"ground": flat(height=-0.1)}, "surfaces in other places"),
        ({"ground": [flat(), flat(Compliant(stiffness=1e5))]}, "robot 1 has laws of contact"),
        ({"dt": 2e-3}, "its dt is 0.001 s, here 0.002 s"),
    ],
)
def test_a_snapshot_of_another_world_is_refused_by_what_differs(robot, changes, told):
    settings = {"ground": flat(), "contacts": soles(), "batch": 2}
    kept = ts.Simulation(robot, **settings).snapshot()
    other = ts.Simulation(robot, **{**settings, **changes})
    before = other.q, other.time
    with pytest.raises(ArgumentError, match=f"the snapshot is of another simulation: .*{told}"):
        other.restore(kept)
    np.testing.assert_array_equal(other.q, before[0])
    with pytest.raises(DtypeError, match="snapshot is 5; expected what Simulation.snapshot returned"):
        other.restore(5)
    alike = ts.Simulation(robot, **{**settings, "ground": flat()})
    alike.restore(kept)
    alike.step(steps=3)


def test_a_reset_puts_some_robots_back_and_leaves_the_others_alone(robot):
    hold = JointLaw(3000.0, 60.0, q=robot.reference)
    sim, other = (ts.Simulation(robot, starts(robot, 9), ground=flat(), contacts=soles()) for _ in range(2))
    for each in (sim, other):
        each.step(hold, steps=30)
    mask = np.zeros(9, dtype=bool)
    mask[[2, 7]] = True
    sim.reset(starts(robot, 9)[4], where=mask)
    np.testing.assert_array_equal(sim.q[mask], np.tile(starts(robot, 9)[4], (2, 1)))
    assert not np.any(sim.v[mask])
    np.testing.assert_allclose(sim.energy()["integration"][mask], 0.0, atol=1e-9)
    fresh = ts.Simulation(robot, np.tile(starts(robot, 9)[4], (9, 1)), ground=flat(), contacts=soles())
    for each in (sim, other, fresh):
        each.step(hold, steps=30)
    np.testing.assert_array_equal(sim.q[~mask], other.q[~mask])
    np.testing.assert_array_equal(sim.q[mask], fresh.q[mask])


def test_a_robot_that_diverges_is_marked_and_the_others_go_on(robot):
    """One of twenty gets torques beyond all bounds: it stays where it was, and no other changes a bit."""
    q = starts(robot, 20)
    tau = np.zeros((20, robot.nv))
    sim, other = (ts.Simulation(robot, q, ground=flat(), contacts=soles(), threads=2) for _ in range(2))
    for each in (sim, other):
        each.step(tau, steps=10)
    before = sim.q[13]
    tau[13, 6:] = 1e200
    sim.step(tau, steps=10)
    tau[13] = 0.0
    other.step(tau, steps=10)
    assert sim.failed.tolist() == [i == 13 for i in range(20)]
    assert "failed at 0.01" in sim.failures()[(13,)]
    np.testing.assert_array_equal(sim.q[13], before)
    others = np.arange(20) != 13
    np.testing.assert_array_equal(sim.q[others], other.q[others])
    for each in (sim, other):
        each.step(tau, steps=10)
    np.testing.assert_array_equal(sim.q[13], before)
    np.testing.assert_array_equal(sim.q[others], other.q[others])
    sim.reset(q[13], where=sim.failed)
    assert not sim.failed.any()
    sim.step(tau, steps=1)
    assert np.any(sim.q[13] != q[13])


def test_all_robots_may_fail(robot):
    sim = ts.Simulation(robot, batch=3)
    sim.step(np.full((3, robot.nv), 1e250), steps=5)
    assert sim.failed.all()
    sim.step(np.zeros((3, robot.nv)), steps=5)
    np.testing.assert_array_equal(sim.q, np.tile(robot.reference, (3, 1)))


def test_bad_input_names_what_is_wrong_and_changes_nothing(robot):
    sim = ts.Simulation(robot, batch=8)
    before = sim.q
    bad = np.zeros((8, robot.nv))
    bad[5, 7] = np.nan
    for command, error, text in (
        (bad, NonFiniteError, r"nan at entry \[5, 7\]"),
        (np.zeros((8, 3)), ShapeError, rf"shape \(8, 3\); expected \(8, {robot.nv}\)"),
        ("left", DtypeError, "expected torques or a JointLaw"),
    ):
        with pytest.raises(error, match=text):
            sim.step(command)
    with pytest.raises(ArgumentError, match="steps is -1"):
        sim.step(steps=-1)
    q = np.tile(robot.reference, (8, 1))
    q[3, 9] = np.nan
    with pytest.raises(NonFiniteError, match=r"^q is nan at entry \[3, 9\]"):
        sim.reset(q)
    with pytest.raises(ShapeError, match=r"expected bool of shape \(8,\)"):
        sim.reset(where=np.zeros(7, dtype=bool))
    np.testing.assert_array_equal(sim.q, before)
    assert sim.time == 0.0
    with pytest.raises(ArgumentError, match="law Rigid cannot be stepped"):
        ts.Simulation(robot, ground=flat(Rigid()))
    with pytest.raises(ArgumentError, match="batch is 0"):
        ts.Simulation(robot, batch=0)
    with pytest.raises(ArgumentError, match="keeps no signals"):
        sim.observe().log(a=1.0)


def test_ctrl_c_leaves_all_robots_where_they_were(robot):
    """Packs that were stepped before the signal came do not run ahead of the others."""
    sim = ts.Simulation(robot, batch=4096)
    before = sim.q
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            sim.step(steps=2000)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    np.testing.assert_array_equal(sim.q, before)
    assert sim.time == 0.0 and not sim.failed.any()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("robots", [1, 17], ids=["one", "two parts"])
def test_ctrl_c_acts_within_a_long_call(robot, robots, threads):
    """Hours of steps of one pack, or of one in each thread: the first one has all that the caller does."""
    sim = ts.Simulation(robot, batch=robots, threads=threads)
    sim.step(steps=3)
    before = sim.q
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            sim.step(np.zeros((robots, robot.nv)), steps=10**10)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    np.testing.assert_array_equal(sim.q, before)
    assert sim.time == 0.003 and not sim.failed.any()
    sim.step(steps=2)
    assert sim.time == 0.005


def test_ctrl_c_leaves_delays_as_they_were(robot):
    sim = ts.Simulation(robot, batch=3, command_delay=[0, 2, 4], observation_delay=[4, 2, 0])
    sim.step(np.ones((3, robot.nv)), steps=3)
    before, seen = sim.q, sim.observe().q
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            sim.step(steps=10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)
    np.testing.assert_array_equal(sim.q, before)
    np.testing.assert_array_equal(sim.observe().q, seen)
    assert sim.time == 0.003


def test_a_simulation_says_that_it_cannot_be_pickled():
    sim = ts.Simulation(ts.robots.planar4())
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(ArgumentError, match="cannot be pickled or copied"):
            attempt(sim)
