"""Drives and sensors in whole simulations, with contact, and the example that shows them."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sample_models import double_pendulum

import tarsus as ts
from tarsus import contact
from tarsus.devices.actuators import (
    ActuatedController,
    CurrentLoop,
    Drive,
    ElasticGear,
    Gear,
    GearFriction,
    Motor,
    with_rotors,
)
from tarsus.devices.sensors import (
    IMU,
    ContactSwitch,
    Encoder,
    ErrorModel,
    ForceTorqueSensor,
    MeasuredController,
    SensorSuite,
)
from tarsus.model import Box, Shape
from tarsus.simulation import with_signals

ROOT = Path(__file__).parents[2]
MASS, HEIGHT = 3.0, 0.02
"""A box of 3 kg that falls by 2 cm."""


@pytest.fixture(scope="module")
def landing():
    size = (0.2, 0.2, 0.2)
    b = ts.ModelBuilder("box", base="free")
    b.add_link("box", ts.Inertia.of_box(MASS, size), collisions=[Shape(Box(size), np.eye(4))])
    model = b.add_frame("imu", "box", ts.pose((0.05, 0.0, 0.1))).build()
    q = model.neutral()
    q[2] = 0.1 + HEIGHT
    return ts.simulate(model, q, duration=1.0, ground=contact.flat(), sample_dt=1e-3)


def test_foot_sensor_reads_the_weight_of_what_stands_on_it(landing):
    found = ForceTorqueSensor(frame="box", rate=1000.0).measure(landing)
    late = found.time > 0.9
    np.testing.assert_allclose(found.value[late, 2], MASS * 9.81, rtol=1e-3)  # the bounce has died away
    np.testing.assert_allclose(found.value[late][:, [0, 1, 3, 4, 5]], 0.0, atol=1e-6)
    flying = found.time < 0.06
    np.testing.assert_array_equal(found.value[flying], 0.0)


def test_switch_closes_when_the_box_lands(landing):
    found = ContactSwitch(body="box", rate=1000.0).measure(landing)
    closed = found.time[found.value[:, 0] > 0.5]
    assert closed[0] == pytest.approx(np.sqrt(2.0 * HEIGHT / 9.81), abs=2.5e-3)  # a step or two to reach 10 N


def test_accelerometer_floats_in_flight_and_feels_gravity_at_rest(landing):
    found = IMU(frame="imu", rate=1000.0).measure(landing)
    np.testing.assert_allclose(found.value[(found.time > 1e-3) & (found.time < 0.06), 3:], 0.0, atol=1e-9)
    np.testing.assert_allclose(found.value[found.time > 0.9, 5], 9.81, rtol=1e-3)


def driven_arm(noise=0.0):
    loop = CurrentLoop.of_bandwidth(0.6, 0.8e-3, 4000.0)
    motor = Motor(0.6, 0.8e-3, 0.06, 2e-5, voltage_max=48.0, loop=loop)
    drives = {
        "shoulder": Drive(motor, Gear(100.0, GearFriction(1.0, 0.2, 1.5, 0.05, 0.85))),
        "elbow": Drive(motor, ElasticGear(50.0, 3000.0, 3.0, GearFriction(0.3))),
    }
    model = with_rotors(double_pendulum().build(), drives)
    encoder = Encoder(joints=("shoulder", "elbow"), errors=ErrorModel(noise=noise), velocity="none", delay=5e-4)
    suite = SensorSuite(model, [encoder], seed=2)

    def hold(t, q, v):
        return ts.gravity_force(model, q) + 40.0 * (np.array([-0.5, 0.3]) - q) - 4.0 * v

    controller = ActuatedController(MeasuredController(hold, suite), drives, model=model, rate=1000.0)
    return model, controller, suite


def test_work_of_the_drives_is_the_one_of_the_energy_audit():
    model, controller, _ = driven_arm()
    found = ts.simulate(
        model, np.zeros(2), duration=0.3, controller=controller, sample_dt=1e-3, integrator="runge-kutta-4"
    )
    work = controller.energy["output"].sum()
    supplied = controller.energy["supply"].sum()
    # the drives count the joints' rates at the beginning of each step of 1 ms: first order in it
    assert abs(found.energy["actuator"][-1] - work) < 0.02 * supplied
    assert supplied > 1.0


def test_signals_of_drives_and_sensors_stand_in_the_trajectory_bit_by_bit_again():
    results = []
    for _ in range(2):
        model, controller, suite = driven_arm(noise=1e-3)
        found = ts.simulate(model, np.zeros(2), duration=0.1, controller=controller, sample_dt=1e-3)
        results.append(with_signals(found, controller.log, suite.log))
    one, other = results
    assert {"command", "tau", "encoder", "shoulder.current", "elbow.angle"} <= set(one.signals)
    np.testing.assert_array_equal(one.q, other.q)
    for name, values in one.signals.items():
        np.testing.assert_array_equal(values, other.signals[name])
    np.testing.assert_array_equal(one.signals["tau"][:-1], one.tau[1:])  # a sample tells the torque that led to it


def test_batch_of_robots_is_each_robot_alone():
    model, controller, _ = driven_arm()
    starts = np.array([[0.0, 0.0], [-0.4, 0.2], [0.3, -0.6]])
    together = ts.simulate(model, starts, duration=0.1, controller=controller)
    for i, start in enumerate(starts):
        _, controller, _ = driven_arm()
        alone = ts.simulate(model, start, duration=0.1, controller=controller)
        # one state and the same state in a batch differ in the last bits
        np.testing.assert_allclose(together.q[:, i], alone.q, rtol=1e-9, atol=1e-11)


def test_friction_of_the_gears_holds_an_arm_whose_motors_are_off():
    drives = {("shoulder", "elbow"): Drive(Motor(0.6, 0.8e-3, 0.06, 2e-5), Gear(100.0, GearFriction(6.0)))}
    model = with_rotors(double_pendulum().build(), drives)
    q = np.array([0.3, -0.2])
    assert 0.1 < np.abs(ts.gravity_force(model, q)).max() < 6.0
    # no voltage: the windings are shorted, and brake until all is at rest
    controller = ActuatedController(lambda t, q, v: np.zeros(2), drives, model=model, rate=1000.0, record=False)
    found = ts.simulate(model, q, duration=1.2, controller=controller)
    assert np.abs(found.q - q).max() < 2e-3  # the teeth give way by 1 mrad at 6 N m
    late = found.time >= 0.8
    assert np.ptp(found.q[late], axis=0).max() < 1e-9  # no creep, no limit cycle


def test_example_runs_and_tells_what_drives_cost(tmp_path):
    command = [sys.executable, str(ROOT / "examples" / "drives_and_sensors.py"), "picture.png", "0.1"]
    environment = {"PYTHONPATH": str(Path(ts.__file__).parents[1]), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment)
    assert result.returncode == 0, result.stderr
    assert "drives and sensors" in result.stdout
    assert (tmp_path / "picture.png").stat().st_size > 10000


@pytest.mark.parametrize("control_dt", [1e-3, 5e-3, 2e-2])
def test_accelerations_are_those_of_the_last_step_however_seldom_sensors_are_asked(control_dt):
    """An arm that falls under 0.5 N m: differences over 20 ms read 5 N m. The torque of a step acts at its start."""
    builder = ts.ModelBuilder("arm").add_link("base")
    builder.add_link("arm", ts.Inertia.of_box(1.5, (1.0, 0.1, 0.1), com=(0.5, 0, 0)))
    arm = builder.add_joint("j", "revolute", "base", "arm", axis=(0, 1, 0)).build()
    sensors = [ts.sensors.JointTorqueSensor(joints=("j",)), ts.sensors.IMU(frame="arm", rate=1.0 / control_dt)]
    run = ts.simulate(
        arm, [0.3], duration=0.2, controller=lambda o: np.array([0.5]), control_dt=control_dt, sensors=sensors,
        sample_dt=0.02,
    )  # fmt: skip
    every = ts.simulate(
        arm, [0.3], duration=0.2, controller=lambda o: np.array([0.5]), control_dt=1e-3, sensors=sensors, sample_dt=0.02
    )
    assert np.array_equal(run.q, every.q)
    # of first order in dt: the state has moved on by a step, v dt, since the torque acted
    np.testing.assert_allclose(run.signals["joint-torque"][1:, 0], 0.5, atol=0.02)
    np.testing.assert_allclose(
        run.signals["joint-torque"][1:-1, 0], every.signals["joint-torque"][1:-1, 0], rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(run.signals["imu"][1:-1], every.signals["imu"][1:-1], rtol=0, atol=1e-10)


def test_contact_switches_close_under_light_robots_that_stand():
    """10 N and 5 N were the same for all: a ball of 0.5 kg was never felt. 5 % of the weight closes now."""
    for mass in (0.05, 0.5, 50.0):
        light = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(mass, 0.1)).build()
        run = ts.simulate(
            light, [0, 0, 0.1, 1, 0, 0, 0], duration=0.3, ground=contact.flat(),
            contacts=[contact.ContactPoint("skin", "ball", radius=0.1)], sensors=[ContactSwitch(body="ball")],
        )  # fmt: skip
        assert run.signals["switch"][-1] == 1.0
        fitted = ContactSwitch(body="ball").fitted(light)
        assert fitted.closes == pytest.approx(0.05 * mass * 9.81) and fitted.opens == pytest.approx(0.5 * fitted.closes)
    assert ContactSwitch(body="ball", closes=10.0).fitted(light).opens == 5.0
    told = ContactSwitch(body="ball", closes=10.0, opens=2.0)
    assert told.fitted(light) is told


@pytest.mark.parametrize(
    ("sensor", "told"),
    [
        (ContactSwitch(body="ball"), True),
        (ForceTorqueSensor(frame="ball"), True),
        (ForceTorqueSensor(frame="ball", inertia=ts.Inertia.of_sphere(0.1, 0.05)), False),
        (IMU(frame="ball"), False),
    ],
)
def test_sensors_of_contact_on_bodies_without_contacts_are_told_before_a_run(sensor, told):
    body = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.1)).build()

    def said(**options):
        with warnings.catch_warnings(record=True) as texts:
            warnings.simplefilter("always")
            ts.simulate(body, [0, 0, 0.1, 1, 0, 0, 0], duration=0.01, sensors=[sensor], **options)
        return [str(text.message) for text in texts if "no contact is on the body" in str(text.message)]

    assert len(said()) == told
    assert len(said(ground=contact.flat(), contacts=[])) == told
    assert said(ground=contact.flat(), contacts=[contact.ContactPoint("skin", "ball", radius=0.1)]) == []
    if told:
        assert f"{sensor.name!r} on 'ball'" in said()[0]


def test_an_observation_tells_that_nothing_can_press_on_a_body():
    body = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, 0.1)).build()
    with pytest.warns(ts.errors.SimulationWarning, match="no contact is on the body of 'ball'"):
        ts.simulate(body, duration=0.002, controller=lambda o: np.zeros(6) + o.wrench("ball")[0])
