"""Locks of joints on rigid ground: their impacts, in which contacts take part, what they carry, and their release."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.contact import ContactPoint, Rigid, flat
from tarsus.dynamics.constraints import Gear, Lock
from tarsus.errors import ArgumentError, SimulationError

THIGH, SHANK, LENGTH = 3.0, 2.0, 0.5
BELOW = flat(Rigid(), height=-3.0)
"""Rigid ground that nothing reaches."""
ROUNDING = 1e-11
"""Two methods that solve the same equations otherwise differ by so much, relative."""


def leg():
    """A double pendulum of points at the ends of massless links, with a hip and a knee about y."""
    builder = ts.ModelBuilder("leg").add_link("pelvis")
    for name, mass in (("thigh", THIGH), ("shank", SHANK)):
        builder.add_link(name, ts.Inertia.of_box(mass, (1e-4, 1e-4, 1e-4), com=(0.0, 0.0, -LENGTH)))
    builder.add_joint("hip", "revolute", "pelvis", "thigh", axis=(0, 1, 0))
    builder.add_joint("knee", "revolute", "thigh", "shank", axis=(0, 1, 0), position=(0.0, 0.0, -LENGTH))
    return builder.build()


TOE = [ContactPoint("toe", "shank", (0.0, 0.0, -LENGTH))]


def swing(**options):
    model = leg()
    lock = Lock.of_joint(model, "knee", 0.0, direction=-1, **options)
    return ts.simulate(model, [-0.4, 0.8], [1.0, 0.0], duration=1.0, constraints=[lock], contacts=TOE, ground=BELOW)


def test_a_knee_that_locks_above_rigid_ground_has_the_impulse_and_the_loss_of_the_closed_form():
    """Momentum about the hip is kept; the loss is that of the relative motion (McGeer 1990, knees)."""
    run = swing()
    strike = run.metadata["events"][0]
    assert strike["event"] == "engage"
    at = int(np.flatnonzero(np.diff(run.time) == 0.0)[0])
    (a, b), after = run.v[at], run.v[at + 1]
    assert run.q[at, 1] == pytest.approx(0.0, abs=1e-10)
    inertia = THIGH * LENGTH**2 + SHANK * (2 * LENGTH) ** 2
    spin = (THIGH * LENGTH * a * LENGTH) + SHANK * 2 * LENGTH * (2 * LENGTH * a + LENGTH * b)
    np.testing.assert_allclose(after, [spin / inertia, 0.0], atol=1e-7)  # the points have some inertia of their own
    speeds = np.array([LENGTH * a, 2 * LENGTH * a + LENGTH * b])
    loss = 0.5 * THIGH * speeds[0] ** 2 + 0.5 * SHANK * speeds[1] ** 2 - 0.5 * spin**2 / inertia
    assert loss > 0.1
    assert strike["loss"] == pytest.approx(loss, rel=1e-6)
    assert run.energy["impact"][-1] == pytest.approx(strike["loss"], rel=1e-12)
    assert strike["impulse"] == pytest.approx([SHANK * LENGTH * (2 * LENGTH * after[0] - speeds[1])], rel=1e-5)
    locked = run.time > strike["time"] + 1e-9
    assert np.all(run.v[locked, 1] == 0.0)
    assert np.ptp(run.q[locked, 1]) == 0.0
    assert np.abs(run.energy["integration"]).max() < 1e-9
    assert list(run.signals["dof"][[0, -1]]) == [2, 1]


def test_locks_on_rigid_ground_are_those_of_the_adaptive_integrator():
    model = leg()
    lock = Lock.of_joint(model, "knee", 0.0, direction=-1, release=lambda t, q, v: t - 0.5)
    other = ts.simulate(
        model, [-0.4, 0.8], [1.0, 0.0], duration=0.8, constraints=[lock], integrator="dormand-prince", relative=1e-11
    )
    run = ts.simulate(
        model, [-0.4, 0.8], [1.0, 0.0], duration=0.8, constraints=[lock], contacts=TOE, ground=BELOW, relative=1e-11
    )
    kinds = [event["event"] for event in run.metadata["events"]]
    assert kinds[:2] == ["engage", "release"]
    for ours, theirs in zip(run.metadata["events"], other.metadata["events"], strict=True):
        assert ours["time"] == pytest.approx(theirs["time"], abs=1e-9)
        assert ours.get("loss", 0.0) == pytest.approx(theirs.get("loss", 0.0), rel=1e-7)
    engaged = (run.time > run.metadata["events"][0]["time"]) & (run.time < 0.5)
    force = np.interp(run.time[engaged], other.time, other.signals["constraint_force"][:, 0])
    assert np.abs(force).max() > 0.1
    np.testing.assert_allclose(run.signals["constraint_force"][engaged, 0], force, atol=1e-6 * np.abs(force).max())
    assert np.all(run.signals["constraint_force"][run.time > 0.5 + 1e-9, 0][:3] == 0.0)
    np.testing.assert_allclose(run.v[-1], other.v[-1], atol=1e-6)


def inertia_at(mass, height):
    return ts.Inertia.of_box(mass, (0.05, 0.05, 0.2), com=(0.0, 0.0, height))


def test_the_impact_of_a_lock_goes_through_the_foot_on_the_ground():
    """A leg on a toe that sticks is one that is pinned there: impulse and loss of a bending knee are the same."""
    pinned = ts.ModelBuilder("pinned").add_link("ground")
    standing = ts.ModelBuilder("standing", base="free")
    for builder in (pinned, standing):
        builder.add_link("shank", inertia_at(2.0, 0.2)).add_link("thigh", inertia_at(3.0, 0.3))
        builder.add_joint("knee", "revolute", "shank", "thigh", axis=(0, 1, 0), position=(0.0, 0.0, 0.5))
    pinned.add_joint("ankle", "revolute", "ground", "shank", axis=(0, 1, 0))
    one, other = pinned.build(), standing.build()
    tilt, bend, spin, speed, limit = -0.3, 0.3, -0.5, 6.0, 0.6
    lock = Lock.of_joint(one, "knee", limit, direction=1)
    q, v = np.zeros(2), np.zeros(2)
    for name, place, rate in (("ankle", tilt, spin), ("knee", bend, speed)):
        q[one.joints[name].q_index], v[one.joints[name].v_index] = place, rate
    expected = ts.simulate(one, q, v, duration=0.12, constraints=[lock], integrator="dormand-prince")
    lock = Lock.of_joint(other, "knee", limit, direction=1)
    q = [0.0, 0.0, 0.0, np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0, bend]
    v = [0.0, 0.0, 0.0, 0.0, spin, 0.0, speed]
    toe = [ContactPoint("toe", "shank")]
    run = ts.simulate(other, q, v, duration=0.12, constraints=[lock], contacts=toe, ground=flat(Rigid(5.0, 0.5)))
    (theirs,) = expected.metadata["events"]
    ours = next(event for event in run.metadata["events"] if event["event"] == "engage")
    assert ours["time"] == pytest.approx(theirs["time"], abs=1e-9)
    assert ours["loss"] == pytest.approx(theirs["loss"], rel=1e-7)
    assert ours["impulse"] == pytest.approx(theirs["impulse"], rel=1e-7)
    assert theirs["loss"] > 0.1
    # the ground has held the toe, nothing bounced
    assert {event["event"] for event in run.metadata["events"]} == {"touch-down", "engage"}
    assert run.v[-1, 4] == pytest.approx(expected.v[-1, one.joints["ankle"].v_index.start], abs=1e-7)
    assert list(run.signals["dof"][[0, -1]]) == [4, 3]
    assert np.abs(run.energy["integration"]).max() < 1e-8


def test_a_lock_may_be_engaged_at_the_start_of_a_fall():
    model = leg()
    lock = Lock.of_joint(model, "knee", 0.3, engaged=True)
    run = ts.simulate(model, [-0.4, 0.3], duration=0.3, constraints=[lock], contacts=TOE, ground=BELOW)
    assert np.all(run.q[:, 1] == 0.3)
    assert np.abs(run.energy["integration"]).max() < 1e-9


def test_what_rigid_ground_cannot_hold_is_named():
    model = leg()
    on_ground = {"duration": 0.1, "contacts": TOE, "ground": BELOW}
    with pytest.raises(ArgumentError, match=r"keeps locks of single joints \(Lock.of_joint\), not .*'knee'"):
        ts.simulate(model, [-0.4, 0.0], constraints=[Gear({"knee": 1.0})], **on_ground)
    both = Lock(Gear({"hip": 1.0, "knee": 1.0}), lambda t, q, v: t - 1.0)
    with pytest.raises(ArgumentError, match="keeps locks of single joints"):
        ts.simulate(model, [-0.4, 0.8], constraints=[both], **on_ground)
    lock = Lock.of_joint(model, "knee")
    with pytest.raises(ArgumentError, match="with events or locks takes one robot at a time"):
        ts.simulate(model, [[-0.4, 0.8], [0.0, 0.8]], constraints=[lock], **on_ground)
    late = Lock(Gear({"knee": 1.0}, 0.5), lambda t, q, v: t - 0.05, name="catch")
    with pytest.raises(SimulationError, match=r"'catch'.* engages while it is open by"):
        ts.simulate(model, [-0.4, 0.8], constraints=[late], **on_ground)
