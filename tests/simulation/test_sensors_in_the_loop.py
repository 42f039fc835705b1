"""Force/torque sensors and contact switches inside the controller of a simulation, on every kind of ground."""

import numpy as np
import pytest
from sample_models import double_pendulum
from simulation.bodies import GRAVITY, box

import tarsus as ts
from tarsus.contact import Compliant, LeastConstraint, PseudoCoulomb, Rigid, flat
from tarsus.devices.sensors import Contacts, ContactSwitch, ForceTorqueSensor, MeasuredController, SensorSuite
from tarsus.errors import ArgumentError, SimulationError
from tarsus.simulation import with_signals

MASS, DT = 10.0, 1e-3
LAST_BITS = {"rtol": 1e-12, "atol": 1e-9}
"""Adaptive integrators interpolate the samples of their steps; interpolation at weights near 0 and 1 rounds."""
# Explicit steps of 1 ms bear dampers of 2e3 N s/m below 10 kg, not those of the default ground.
RUNS = {
    "compliant": {"ground": flat(Compliant())},
    "pseudo-Coulomb": {"ground": flat(PseudoCoulomb())},
    "least constraint": {"ground": flat(LeastConstraint())},
    "rigid": {"ground": flat(Rigid())},
    "runge-kutta-4": {"ground": flat(Compliant(damping=2e3)), "integrator": "runge-kutta-4"},
    "dormand-prince": {"ground": flat(Compliant()), "integrator": "dormand-prince"},
    "radau": {"ground": flat(Compliant()), "integrator": "radau"},
}


def watched(model):
    """A suite, and a controller that observes with it and pushes the body about."""
    wrench = ForceTorqueSensor(frame="box", rate=1000.0)
    suite = SensorSuite(model, [wrench, ContactSwitch(body="box", rate=1000.0)])

    def controller(t, q, v):
        suite.observe(t, q, v)
        tau = np.zeros_like(v)
        tau[..., 0] = 5.0 * np.sin(40.0 * t)  # below friction
        tau[..., 2] = -30.0 * np.sin(25.0 * t) ** 2
        return tau

    return suite, controller


def wrenches(run):
    """Force and moment of the contacts about the box's origin, in its axes, shape (N, ..., 6)."""
    X = ts.frame_pose(run.model, run.q, "box")
    moments = np.cross(run.contact_position - X[..., None, :3, 3], run.contact_force)
    both = [run.contact_force.sum(axis=-2), moments.sum(axis=-2)]
    return np.concatenate([np.einsum("...ji,...j->...i", X[..., :3, :3], one) for one in both], axis=-1)


def start(batch=()):
    return np.broadcast_to([0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], (*batch, 7))


@pytest.mark.parametrize("name", RUNS)
def test_readings_in_the_loop_are_the_forces_of_the_trajectory(name):
    model = box(mass=MASS)
    suite, controller = watched(model)
    run = ts.simulate(model, start(), controller=controller, duration=0.1, sample_dt=DT, **RUNS[name])
    expected = wrenches(run)
    assert expected[20:, 2].min() > 50.0  # it stands, with 98.1 N and more on it
    _, readings = suite.log.recorded("force-torque")
    assert len(readings) == 100
    np.testing.assert_allclose(readings[1:], expected[1:-1], **LAST_BITS)
    _, closed = suite.log.recorded("switch")
    np.testing.assert_array_equal(closed[20:], 1.0)
    stored = with_signals(run, suite.log).signals["force-torque"]
    np.testing.assert_allclose(stored[1:-1], expected[1:-1], **LAST_BITS)


@pytest.mark.parametrize("name", RUNS)
def test_readings_in_the_loop_are_those_measured_afterwards(name):
    model = box(mass=MASS)
    suite, controller = watched(model)
    run = ts.simulate(model, start(), controller=controller, duration=0.1, sample_dt=DT, **RUNS[name])
    for sensor in suite.sensors:
        after = sensor.measure(run)
        time, value = suite.log.recorded(sensor.name)
        np.testing.assert_allclose(time, after.time[:-1], atol=1e-12)
        np.testing.assert_allclose(value[1:], after.value[1:-1], **LAST_BITS)


@pytest.mark.parametrize("law", [Compliant(), LeastConstraint()], ids=["compliant", "least constraint"])
def test_each_robot_of_a_batch_has_its_own_readings(law):
    model = box(mass=MASS)
    suite, controller = watched(model)
    q = np.array(start((3,)))
    q[:, 2] += [0.0, 0.01, 0.02]  # two of them fall
    run = ts.simulate(model, q, controller=controller, duration=0.1, sample_dt=DT, ground=flat(law))
    _, readings = suite.log.recorded("force-torque")
    assert readings.shape == (100, 3, 6)
    np.testing.assert_allclose(readings[1:], wrenches(run)[1:-1], **LAST_BITS)
    assert readings[20, 0, 2] > 50.0
    assert np.all(readings[20, 1:, 2] == 0.0)  # still in the air


@pytest.mark.parametrize("name", RUNS)
def test_the_first_reading_after_a_resume_is_the_last_force_of_the_trajectory(name):
    model = box(mass=MASS)
    options = {"sample_dt": DT, "resumable": True, **RUNS[name]}
    first = ts.simulate(model, start(), controller=watched(model)[1], duration=0.05, **options)
    suite, controller = watched(model)
    ts.simulate(model, resume=first, controller=controller, duration=0.02, **options)
    time, readings = suite.log.recorded("force-torque")
    assert time[0] == pytest.approx(0.05)
    np.testing.assert_allclose(readings[0], wrenches(first)[-1], **LAST_BITS)


@pytest.mark.parametrize("law", [LeastConstraint(), Rigid()], ids=["least constraint", "rigid"])
def test_at_the_start_rigid_grounds_carry_what_stands_on_them(law):
    model = box(mass=MASS)
    suite = SensorSuite(model, [ForceTorqueSensor(frame="box"), ContactSwitch(body="box")])
    seen = []

    def controller(t, q, v):
        suite.observe(t, q, v)
        seen.append((suite.readings(t)["force-torque"][2], suite.readings(t)["switch"][0]))
        return np.zeros(6)

    run = ts.simulate(model, start(), controller=controller, duration=0.01, sample_dt=DT, ground=flat(law))
    assert seen[0] == (pytest.approx(MASS * GRAVITY, rel=1e-9), 1.0)
    np.testing.assert_allclose(run.contact_force[0].sum(axis=0), [0.0, 0.0, MASS * GRAVITY], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", RUNS)
def test_asking_for_forces_changes_nothing(name):
    model = box(mass=MASS)
    q = np.array(start())
    q[2] += 0.002  # a small fall: impacts, and their samples
    options = {"duration": 0.1, "sample_dt": DT, **RUNS[name]}
    suite, _ = watched(model)

    def asking(t, q, v):
        suite.observe(t, q, v)
        return np.zeros(6)

    one = ts.simulate(model, q, controller=lambda t, q, v: np.zeros(6), **options)
    other = ts.simulate(model, q, controller=asking, **options)
    assert one.q.tobytes() == other.q.tobytes()
    assert one.contact_force.tobytes() == other.contact_force.tobytes()
    assert one.metadata == other.metadata


def test_a_robot_without_ground_touches_nothing():
    model = box(mass=MASS)
    suite, controller = watched(model)
    ts.simulate(model, start(), controller=controller, duration=0.01)
    assert not suite.log.recorded("force-torque")[1].any()


def test_a_measured_controller_knows_the_forces_too():
    model = box(mass=MASS)
    suite, _ = watched(model)
    controller = MeasuredController(lambda t, q, v: np.zeros(6), suite)
    run = ts.simulate(model, start(), controller=controller, duration=0.1, sample_dt=DT, ground=flat())
    np.testing.assert_allclose(suite.log.recorded("force-torque")[1][1:], wrenches(run)[1:-1], **LAST_BITS)


@pytest.mark.parametrize("sensor", [ForceTorqueSensor(frame="box"), ContactSwitch(body="box")])
def test_sensors_that_nobody_told_the_forces_raise(sensor):
    model = box(mass=MASS)
    suite = SensorSuite(model, [sensor])
    with pytest.raises(ArgumentError, match=f"'{sensor.name}' reads contact forces, and nobody told them"):
        suite.observe(0.0, start(), np.zeros(6))
    suite.observe(0.0, start(), np.zeros(6), contacts=Contacts())
    assert not suite.readings(0.0)[sensor.name].any()


def test_sensors_that_are_told_another_time_than_that_of_the_call_raise():
    model = box(mass=MASS)
    suite = SensorSuite(model, [ContactSwitch(body="box")])

    def controller(t, q, v):
        suite.observe(t + 0.5 * DT, q, v)
        return np.zeros(6)

    with pytest.raises(SimulationError, match="the controller failed at 0 s: ArgumentError: ContactSwitch 'switch'"):
        ts.simulate(model, start(), controller=controller, duration=0.01, ground=flat())


def test_a_simulation_inside_a_controller_has_forces_of_its_own():
    """The arm outside touches nothing, the box inside stands; afterwards the arm's forces are there again."""
    arm, body = double_pendulum().build(), box(mass=MASS)
    inner, observing = watched(body)
    outer = SensorSuite(arm, [ContactSwitch(body=next(iter(arm.bodies)))])

    def controller(t, q, v):
        ts.simulate(body, start(), controller=observing, duration=2 * DT, ground=flat(LeastConstraint()))
        outer.observe(t, q, v)
        return np.zeros(2)

    ts.simulate(arm, np.zeros(2), controller=controller, duration=2 * DT)
    assert inner.log.recorded("force-torque")[1][-1, 2] > 50.0
    assert not outer.log.recorded("switch")[1].any()
