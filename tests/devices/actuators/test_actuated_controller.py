"""Controllers whose commands go through drives, on an arm."""

import numpy as np
import pytest
from devices.actuators.devices import KT, RATIO, ROTOR, motor
from sample_models import double_pendulum

import tarsus as ts
from tarsus.devices.actuators import (
    ActuatedController,
    Drive,
    ElasticGear,
    Gear,
    GearFriction,
    IdealMotor,
    TorqueSource,
    with_rotors,
)
from tarsus.errors import ArgumentError, DtypeError, NonFiniteError, ShapeError, UnknownNameError

RATE = 1000.0


def arm_run(model, controller, q, v, steps, dt=1.0 / RATE):
    """The arm under held torques: velocity Verlet, of second order; energies of the arm and the work on it."""
    work = np.zeros(q.shape[:-1])
    for k in range(steps):
        tau = controller(k * dt, q, v)
        half = v + 0.5 * dt * ts.forward_dynamics(model, q, v, tau)
        q = model.integrate(q, half, dt)
        work = work + np.sum(tau * half, axis=-1) * dt
        v = half
        for _ in range(2):  # the implicit half of the step
            v = half + 0.5 * dt * ts.forward_dynamics(model, q, v, tau)
    return q, v, work


def test_ideal_sources_and_joints_without_drive_get_the_command():
    model = double_pendulum().build()
    command = np.array([3.0, -1.0])
    controller = ActuatedController(lambda t, q, v: command, {"elbow": TorqueSource()}, model=model, rate=RATE)
    np.testing.assert_array_equal(controller(0.0, np.zeros(2), np.zeros(2)), command)


def test_drive_acts_on_its_joint_only():
    model = double_pendulum().build()
    controller = ActuatedController(
        lambda t, q, v: np.array([3.0, 10.0]), {"elbow": Drive(motor(), Gear(RATIO))}, model=model, rate=RATE
    )
    q = v = np.zeros(2)
    tau = [controller(k / RATE, q, v) for k in range(20)]
    np.testing.assert_array_equal(np.array(tau)[:, 0], 3.0)
    assert 0.0 < tau[0][1] < 10.0  # the current is on its way
    assert tau[-1][1] == pytest.approx(10.0, rel=1e-9)
    time, current = controller.log.recorded("elbow.current")
    assert time[0] == 0.0
    assert current[-1] == pytest.approx(10.0 / (RATIO * KT), rel=1e-9)


def test_groups_and_single_joints_give_the_same():
    model = double_pendulum().build()
    drive = Drive(motor(), ElasticGear(RATIO, 1e4, 5.0, GearFriction(1.0)))

    def command(t, q, v):
        return np.array([5.0, 3.0]) * np.sin(9.0 * t)

    together = ActuatedController(command, {("shoulder", "elbow"): drive}, model=model, rate=RATE)
    apart = ActuatedController(command, {"elbow": drive, "shoulder": drive}, model=model, rate=RATE)
    for k in range(50):
        q, v = np.array([0.1, 0.2]) * k / RATE, np.array([0.1, 0.2])
        np.testing.assert_allclose(together(k / RATE, q, v), apart(k / RATE, q, v), rtol=1e-12, atol=1e-12)


def test_batch_is_each_simulation_alone():
    model = double_pendulum().build()
    drives = {("shoulder", "elbow"): Drive(motor(), Gear(RATIO, GearFriction(1.0, efficiency=0.8)))}
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 3, 2))

    def command(t, q, v):
        return -20.0 * q - 2.0 * v

    many = ActuatedController(command, drives, model=model, rate=RATE)
    tau = [many(k / RATE, q, v) for k in range(5)][-1]
    for i in range(3):
        one = ActuatedController(command, drives, model=model, rate=RATE)
        alone = [one(k / RATE, q[i], v[i]) for k in range(5)][-1]
        np.testing.assert_allclose(tau[i], alone, rtol=1e-12, atol=1e-12)


def test_energy_of_the_arm_is_what_the_drives_delivered():
    drives = {("shoulder", "elbow"): Drive(motor(voltage_max=48.0), Gear(RATIO, GearFriction(1.0, 0.2)))}
    model = with_rotors(double_pendulum().build(), drives)
    q, v = np.array([0.3, -0.4]), np.zeros(2)

    def energy(q, v):
        return ts.kinetic_energy(model, q, v) + ts.potential_energy(model, q)

    before = energy(q, v)
    changes = []
    for rate, steps in ((1000.0, 500), (2000.0, 1000)):
        controller = ActuatedController(
            lambda t, q, v: ts.gravity_force(model, q) + 8.0 * np.sin(6.0 * t), drives, model=model, rate=rate
        )
        q1, v1, work = arm_run(model, controller, q, v, steps, 1.0 / rate)
        np.testing.assert_allclose(energy(q1, v1) - before, work, atol=2e-3)
        changes.append(abs(controller.energy["output"].sum() - work) / controller.energy["supply"].sum())
    # the drives count the joints' rates at the beginning of each step: first order in the step
    assert changes[0] < 0.02
    assert changes[1] < 0.6 * changes[0]


def test_rotors_of_rigid_gears_enter_the_model():
    model = double_pendulum().build()
    drives = {"shoulder": Drive(motor(), Gear(RATIO)), "elbow": Drive(IdealMotor(ROTOR), ElasticGear(RATIO, 1e4))}
    heavy = with_rotors(model, drives)
    q = np.array([0.2, 0.3])
    expected = ts.mass_matrix(model, q) + np.diag([RATIO**2 * ROTOR, 0.0])
    np.testing.assert_allclose(ts.mass_matrix(heavy, q), expected, rtol=1e-12)


def test_earlier_time_starts_anew_and_same_time_repeats():
    model = double_pendulum().build()
    controller = ActuatedController(
        lambda t, q, v: np.array([0.0, 10.0]), {"elbow": Drive(motor(), Gear(RATIO))}, model=model, rate=RATE
    )
    q = v = np.zeros(2)
    first = [controller(k / RATE, q, v) for k in range(5)]
    np.testing.assert_array_equal(controller(4.5 / RATE, q, v), first[-1])
    np.testing.assert_array_equal([controller(k / RATE, q, v) for k in range(5)], first)
    assert controller.log.recorded("tau")[0].size == 5


def test_controller_is_called_at_its_own_rate():
    model, calls = double_pendulum().build(), []

    def command(t, q, v):
        calls.append(t)
        return np.zeros(2)

    controller = ActuatedController(command, {"elbow": TorqueSource()}, model=model, rate=RATE, command_rate=250.0)
    for k in range(20):
        controller(k / RATE, np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(calls, [0.0, 0.004, 0.008, 0.012, 0.016])


def test_state_of_a_drive_can_be_asked_for():
    model = double_pendulum().build()
    drive = Drive(IdealMotor(ROTOR), ElasticGear(RATIO, 1e4, 20.0))  # the swing decays with 100 1/s
    controller = ActuatedController(lambda t, q, v: np.array([0.0, 10.0]), {"elbow": drive}, model=model, rate=RATE)
    with pytest.raises(ArgumentError, match="no state yet"):
        controller.state("elbow")
    for k in range(500):
        controller(k / RATE, np.zeros(2), np.zeros(2))
    assert controller.state("elbow")["angle"] == pytest.approx(10.0 / 1e4, rel=1e-6)
    with pytest.raises(UnknownNameError, match="'shoulder' has no drive"):
        controller.state("shoulder")


def test_energies_are_signals_too():
    model = double_pendulum().build()
    drives = {"elbow": Drive(motor(), Gear(RATIO)), "shoulder": TorqueSource()}
    controller = ActuatedController(lambda t, q, v: np.array([2.0, 5.0]), drives, model=model, rate=RATE)
    v = np.array([0.5, 0.0])
    for k in range(11):
        controller(k / RATE, v * k / RATE, v)
    _, output = controller.log.recorded("drive.output")
    np.testing.assert_allclose(output[:, 0], 2.0 * 0.5 * np.arange(11) / RATE, atol=1e-15)
    np.testing.assert_array_equal(controller.log.recorded("drive.copper")[1][:, 0], 0.0)
    assert np.all(np.diff(controller.log.recorded("drive.copper")[1][:, 1]) > 0.0)


def test_calls_that_come_too_late_are_an_error():
    model = double_pendulum().build()
    controller = ActuatedController(lambda t, q, v: np.zeros(2), {"elbow": TorqueSource()}, model=model, rate=RATE)
    controller(0.0, np.zeros(2), np.zeros(2))
    with pytest.raises(ArgumentError, match=r"rate 1000 Hz was called at 0.01 s.*stepped at 0.001 s"):
        controller(0.01, np.zeros(2), np.zeros(2))


def test_bad_input_is_named():
    model = double_pendulum().build()

    def zero(t, q, v):
        return np.zeros(2)

    with pytest.raises(UnknownNameError, match="elbow"):
        ActuatedController(zero, {"elbo": TorqueSource()}, model=model, rate=RATE)
    with pytest.raises(ArgumentError, match="two drives"):
        ActuatedController(
            zero, {"elbow": TorqueSource(), ("elbow", "shoulder"): TorqueSource()}, model=model, rate=RATE
        )
    with pytest.raises(ArgumentError, match="rate of ActuatedController is 0"):
        ActuatedController(zero, {}, model=model, rate=0)
    with pytest.raises(ArgumentError, match="commands would be lost"):
        ActuatedController(zero, {}, model=model, rate=10.0, command_rate=20.0)
    with pytest.raises(ArgumentError, match="expected an Actuator"):
        ActuatedController(zero, {"elbow": 3.0}, model=model, rate=RATE)
    stiff = Drive(IdealMotor(ROTOR), ElasticGear(RATIO, 1e6))
    with pytest.raises(ArgumentError, match="swings with 3162 rad/s: rate is 1000 Hz, expected at least 3162 Hz"):
        ActuatedController(zero, {"elbow": stiff}, model=model, rate=RATE)
    with pytest.raises(ShapeError, match=r"shape \(3,\), expected \(2,\)"):
        ActuatedController(lambda t, q, v: np.zeros(3), {}, model=model, rate=RATE)(0.0, np.zeros(2), np.zeros(2))
    with pytest.raises(DtypeError, match="returned a str"):
        ActuatedController(lambda t, q, v: "full speed", {}, model=model, rate=RATE)(0.0, np.zeros(2), np.zeros(2))
    with pytest.raises(NonFiniteError, match="not finite"):
        ActuatedController(lambda t, q, v: [0.0, np.nan], {}, model=model, rate=RATE)(0.0, np.zeros(2), np.zeros(2))
    free = ts.ModelBuilder(base="free").add_link("a", ts.Inertia.of_sphere(1.0, 0.1)).build()
    with pytest.raises(ArgumentError, match="exactly one"):
        ActuatedController(zero, {"base": TorqueSource()}, model=free, rate=RATE)
