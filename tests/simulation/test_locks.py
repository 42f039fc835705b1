"""Locks: constraints that engage and release at events, with impacts whose impulse and loss are accounted for."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.dynamics.constraints import Gear, Lock
from tarsus.errors import ArgumentError, SimulationError

THIGH, SHANK, LENGTH = 3.0, 2.0, 0.5


def leg():
    """A double pendulum of point masses at the ends of massless links, with a hip and a knee about y."""
    builder = ts.ModelBuilder("leg").add_link("pelvis")
    for name, mass in (("thigh", THIGH), ("shank", SHANK)):
        inertia = ts.Inertia.of_box(mass, (1e-4, 1e-4, 1e-4), com=(0.0, 0.0, -LENGTH))
        builder.add_link(name, inertia)
    builder.add_joint("hip", "revolute", "pelvis", "thigh", axis=(0, 1, 0))
    builder.add_joint("knee", "revolute", "thigh", "shank", axis=(0, 1, 0), position=(0.0, 0.0, -LENGTH))
    return builder.build()


def swing(**options):
    model = leg()
    lock = Lock.of_joint(model, "knee", 0.0, direction=-1, **options)
    run = ts.simulate(model, [-0.4, 0.8], [1.0, 0.0], duration=1.0, constraints=[lock], integrator="dormand-prince")
    return model, run


def test_a_knee_that_locks_has_the_impulse_and_the_loss_of_the_closed_form():
    """Momentum about the hip is kept; the loss is that of the relative motion (McGeer 1990, knees)."""
    _, run = swing()
    strike = run.metadata["events"][0]
    assert strike["event"] == "engage"
    at = int(np.flatnonzero(np.diff(run.time) == 0.0)[0])
    before, after = run.v[at], run.v[at + 1]
    assert run.time[at] == pytest.approx(strike["time"], abs=1e-12)
    assert run.q[at, 1] == pytest.approx(0.0, abs=1e-9)
    # straight leg: points at LENGTH and 2 LENGTH from the hip
    a, b = before
    inertia = THIGH * LENGTH**2 + SHANK * (2 * LENGTH) ** 2
    spin = (THIGH * LENGTH * a * LENGTH) + SHANK * 2 * LENGTH * (2 * LENGTH * a + LENGTH * b)
    np.testing.assert_allclose(after, [spin / inertia, 0.0], atol=1e-7)
    speeds = np.array([LENGTH * a, 2 * LENGTH * a + LENGTH * b])
    kinetic = 0.5 * THIGH * speeds[0] ** 2 + 0.5 * SHANK * speeds[1] ** 2
    loss = kinetic - 0.5 * spin**2 / inertia
    assert strike["loss"] == pytest.approx(loss, rel=1e-6)
    assert run.energy["impact"][-1] == pytest.approx(loss, rel=1e-6)
    # moment of the shank about the knee
    impulse = SHANK * LENGTH * (2 * LENGTH * after[0] - speeds[1])
    assert strike["impulse"] == pytest.approx([impulse], rel=1e-5)
    assert loss > 0.1


def test_a_locked_knee_stays_locked_and_swings_as_one_body():
    _, run = swing()
    start = run.metadata["events"][0]["time"]
    locked = run.time > start + 1e-9
    np.testing.assert_allclose(run.q[locked, 1], 0.0, atol=1e-10)
    np.testing.assert_allclose(run.v[locked, 1], 0.0, atol=1e-10)
    assert np.abs(run.energy["integration"]).max() < 1e-6
    assert len(run.metadata["events"]) == 1
    force = run.signals["constraint_force"][:, 0]
    assert np.all(force[run.time < start - 1e-9] == 0.0)
    assert np.abs(force[locked]).max() > 0.0


def test_a_lock_is_released_and_moves_on():
    def later(t, q, v):
        return t - 0.5

    _, run = swing(release=later)
    events = run.metadata["events"]
    assert [e["event"] for e in events[:2]] == ["engage", "release"]
    assert events[1]["time"] == pytest.approx(0.5, abs=1e-9)
    free = run.time > 0.55
    assert np.abs(run.q[free, 1]).max() > 1e-3
    assert np.abs(run.energy["integration"]).max() < 1e-6


def test_a_lock_may_be_engaged_at_the_start():
    model = leg()
    lock = Lock.of_joint(model, "knee", 0.3, engaged=True)
    run = ts.simulate(model, [-0.4, 0.3], duration=0.3, constraints=[lock], integrator="dormand-prince")
    np.testing.assert_allclose(run.q[:, 1], 0.3, atol=1e-11)


def test_locks_go_with_user_events():
    model = leg()
    lock = Lock.of_joint(model, "knee", 0.0, direction=-1)
    run = ts.simulate(model, [-0.4, 0.8], [1.0, 0.0], duration=1.0, constraints=[lock], integrator="dormand-prince",
                      events=[lambda t, q, v: t - 0.7])  # fmt: skip
    assert {e["event"] for e in run.metadata["events"]} == {"engage", 0}
    assert run.signals["event"].max() == 1


def test_bad_locks_are_named():
    model = leg()
    with pytest.raises(ArgumentError, match="engage of a Lock is None"):
        Lock(Gear({"knee": 1.0}), None)
    with pytest.raises(ArgumentError, match="a Lock holds 'knee'"):
        Lock("knee", lambda t, q, v: 1.0)
    with pytest.raises(ArgumentError, match="direction of a Lock is 2"):
        Lock.of_joint(model, "knee", direction=2)
    lock = Lock.of_joint(model, "knee")
    with pytest.raises(ArgumentError, match="locks engage at events"):
        ts.simulate(model, [-0.4, 0.8], duration=0.1, constraints=[lock])
    with pytest.raises(ArgumentError, match="a Simulation has not"):
        ts.Simulation(model, [-0.4, 0.8], constraints=[lock])
    open_lock = Lock(Gear({"knee": 1.0}, 0.5), lambda t, q, v: t - 0.05, name="catch")
    with pytest.raises(SimulationError, match="'catch'.* engages while it is open by"):
        ts.simulate(model, [-0.4, 0.8], duration=0.1, constraints=[open_lock], integrator="dormand-prince")
