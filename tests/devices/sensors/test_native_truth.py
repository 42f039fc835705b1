"""What the native core senses is what the sensors' own equations in NumPy say; errors draw what each sensor draws."""

import numpy as np
import pytest
from loop_models import MECHANISMS, configurations, mechanism
from sample_models import zoo

import tarsus as ts
from tarsus.devices.sensors import (
    IMU,
    Contacts,
    ContactSwitch,
    Encoder,
    ErrorModel,
    ForceTorqueSensor,
    JointTorqueSensor,
    Motion,
    SensorSuite,
)
from tarsus.devices.sensors.group import SensorGroup
from tarsus.errors import ArgumentError

AGREEMENT = {"rtol": 1e-10, "atol": 1e-10}
"""Relative to numbers of the order of one and more: both ways round differently."""
SOLE = ts.Inertia(0.4, (0.1, 0.0, 0.2), np.diag([1, 2, 2.5]) * 1e-3)
BATCHES = {"one": (), "one of a batch": (1,), "eleven": (11,), "two axes": (2, 3)}


def robots():
    """Models with free, fixed and planar bases, with gears, and with a rotation of its own kind."""
    return {
        "hrp2": ts.robots.hrp2(),
        "lola": ts.robots.lola(),
        "rabbit": ts.robots.rabbit(),
        "fixed": zoo("fixed").build(),
        "free": zoo("free").build(),
        "angles": zoo("free", rotation="roll-pitch-yaw").build(),
    }


def suite_of(model):
    """Sensors of every kind on the last body, in the joint before it and in the whole robot."""
    last = list(model.bodies)[-1]
    joints = tuple(name for name, j in model.joints.items() if j.q_index.stop - j.q_index.start == 1)
    rng = np.random.default_rng(7)
    scales = np.eye(3) + 0.1 * rng.normal(size=(3, 3))
    sensors = [
        Encoder(joints=joints),
        IMU(frame=last, gyroscope_matrix=scales, accelerometer_matrix=scales.T),
        ForceTorqueSensor(frame=last, name="body"),
        ForceTorqueSensor(frame=last, name="sole", inertia=SOLE),
        ContactSwitch(body=last),
    ]
    for name in (model.bodies[last].joint, next(iter(model.joints))):
        sensor = ForceTorqueSensor(frame=last, name=f"in {name}", joint=name)
        try:
            sensor.labels(model)
        except ArgumentError:  # a loop closes around it
            continue
        sensors.append(sensor)
        if model.joints[name].kind in ("revolute", "prismatic"):
            sensors.append(JointTorqueSensor(joints=name, name=f"about {name}"))
    return sensors


def motion_of(model, q, batch, seed=0):
    rng = np.random.default_rng(seed)
    bodies = list(model.bodies)
    names = tuple(f"{body}.{i}" for i in range(2) for body in (bodies[-1], bodies[0]))
    position, force = rng.normal(size=(2, *batch, len(names), 3))
    force *= 100.0
    position[..., 0, :] = np.nan  # no contact, no place
    force[..., 0, :] = 0.0
    v, vdot = rng.normal(size=(2, *batch, model.nv))
    return Motion(model, q, v, vdot, Contacts(names, position, force))


def assert_native_agrees(model, q, batch):
    motion, sensors = motion_of(model, q, batch), suite_of(model)
    group = SensorGroup(model, sensors, 0)
    group._begin(batch)
    found = group._sensed(motion)
    assert group._python == ()  # nothing was left to NumPy
    expected = np.concatenate([sensor.sensed(sensor.truth(motion)) for sensor in sensors], axis=-1)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, **AGREEMENT)
    assert np.abs(expected[..., -6:]).max() > 1.0


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)
@pytest.mark.parametrize("name", robots())
def test_trees_and_gears(name, batch):
    model = robots()[name]
    q = model.random(np.random.default_rng(1), int(np.prod(batch, dtype=int))).reshape(*batch, model.nq)
    assert_native_agrees(model, q, batch)


@pytest.mark.parametrize("batch", [(), (5,)], ids=["one", "five"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_loops(name, batch):
    assert_native_agrees(mechanism(name), configurations(name, 1, batch), batch)


class PlainErrors:
    """Errors of one reading after the other, as they are defined."""

    def __init__(self, model, shape, rate, rng):
        self.model, self.shape, self.rng = model, shape, rng
        self.deviation = np.sqrt(model.noise**2 + model.noise_density**2 * rate)
        self.walk = model.bias_walk / np.sqrt(rate)
        self.bias = np.broadcast_to(model.bias, shape)
        if np.any(model.bias_spread > 0.0):
            self.bias = self.bias + model.bias_spread * rng.standard_normal(shape)

    def __call__(self, truth):
        value = truth + self.bias
        if np.any(self.deviation > 0.0):
            value = value + self.deviation * self.rng.standard_normal(self.shape)
        if np.any(self.walk > 0.0):
            self.bias = self.bias + self.walk * self.rng.standard_normal(self.shape)
        value = np.clip(value, -self.model.limit, self.model.limit)
        step = self.model.resolution
        return np.where(step > 0.0, np.round(value / np.where(step > 0.0, step, 1.0)) * step, value)


@pytest.mark.parametrize("batch", [(), (3,)], ids=["one", "three"])
def test_all_sensors_together_have_the_random_numbers_of_each_alone(batch):
    """Bit by bit over more readings than are drawn at once; an IMU draws for gyroscope and accelerometer in turn."""
    model, rate, count = ts.robots.hrp2(), 1000.0, 600
    gyroscope = ErrorModel(noise=1e-3, bias_walk=1e-4, bias_spread=0.01)
    accelerometer = ErrorModel(noise_density=[1e-3, 0.0, 2e-3], bias=0.1, bias_spread=0.02, limit=9.0)
    wheels = ErrorModel(noise=1e-4, resolution=3e-4)
    joints = ("LLEG_JOINT3", "RLEG_JOINT3")
    sensors = [
        Encoder(joints=joints, errors=wheels, velocity="none"),
        ForceTorqueSensor(frame="l_sole"),
        IMU(frame="BODY", gyroscope=gyroscope, accelerometer=accelerometer),
        Encoder(name="slow", joints=joints, errors=wheels, velocity="none", rate=500.0),
    ]
    suite = SensorSuite(model, sensors, seed=5)
    rng = np.random.default_rng(2)
    still = np.zeros((*batch, model.nv))
    states = [model.random(rng, int(np.prod(batch, dtype=int))).reshape(*batch, model.nq) for _ in range(count)]
    for k, q in enumerate(states):
        suite.observe(k / rate, q, still, contacts=Contacts())

    draws = sensors[2].generator(5)
    turns, slides = (PlainErrors(errors, (*batch, 3), rate, draws) for errors in (gyroscope, accelerometer))
    angles = PlainErrors(wheels, (*batch, 2), rate, sensors[0].generator(5))
    slow = PlainErrors(wheels, (*batch, 2), 500.0, sensors[3].generator(5))
    expected = {"imu": [], "encoder": [], "slow": []}
    for k, q in enumerate(states):
        truth = sensors[2].truth(Motion(model, q, still, still))
        expected["imu"].append(np.concatenate([turns(truth[..., :3]), slides(truth[..., 3:])], axis=-1))
        positions = q[..., [model.joints[name].q_index.start for name in joints]]
        expected["encoder"].append(angles(positions))
        if k % 2 == 0:
            expected["slow"].append(slow(positions))
    for name, values in expected.items():
        _, found = suite.log.recorded(name)
        np.testing.assert_allclose(found, values, rtol=0.0, atol=1e-13)
    assert not suite.log.recorded("force-torque")[1].any()


class Leaning(IMU):
    """Someone's own IMU, which tells twice the truth."""

    def truth(self, motion):
        return 2.0 * super().truth(motion)


class Counter(Encoder):
    """Someone's own encoder with readings made in a way of its own."""

    def begin(self, shape, rng):
        return np.floor


def test_sensors_of_users_are_asked_themselves():
    model = ts.robots.hrp2()
    q = model.random(np.random.default_rng(0))
    v = np.random.default_rng(1).normal(size=model.nv)
    sensors = [Leaning(frame="BODY"), Counter(joints="LLEG_JOINT3"), Encoder(name="plain", joints="LLEG_JOINT3")]
    suite = SensorSuite(model, sensors)
    suite.observe(0.0, q, v)
    found = suite.readings(0.0)
    motion = Motion(model, q, v, np.zeros(model.nv))
    np.testing.assert_allclose(found["imu"], 2.0 * IMU(frame="BODY").truth(motion), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found["encoder"], np.floor(sensors[1].truth(motion)))
    assert found["plain"][0] == q[model.joints["LLEG_JOINT3"].q_index][0]


def test_readings_cannot_be_written_to_and_stay_what_they_were():
    model = ts.robots.hrp2()
    suite = SensorSuite(model, suite_of(model)[:2], record=False)
    kept = []
    for k in range(3):
        suite.observe(1e-3 * k, model.random(np.random.default_rng(k)), np.zeros(model.nv))
        kept.append({name: (value, value.copy()) for name, value in suite.readings(1e-3 * k).items()})
    for readings in kept:
        for value, then in readings.values():
            assert not value.flags.writeable
            np.testing.assert_array_equal(value, then)


def test_forces_that_nobody_tells_any_more_are_missed():
    model = ts.robots.hrp2()
    suite = SensorSuite(model, [ForceTorqueSensor(frame="l_sole")])
    suite.observe(0.0, model.reference, np.zeros(model.nv), contacts=Contacts())
    with pytest.raises(ArgumentError, match="reads contact forces, and nobody told them"):
        suite.observe(1e-3, model.reference, np.zeros(model.nv))


def test_contacts_may_become_others():
    """The same names on another body, and other names: the tables follow."""
    model = ts.robots.hrp2()
    suite = SensorSuite(model, [ForceTorqueSensor(frame="l_sole")])
    left, right = (model.frames[f"{side}_sole"].body for side in "lr")
    force = np.array([[0.0, 0.0, 100.0], [0.0, 0.0, 1.0]])
    seen = []
    for k, bodies in enumerate([(left, right), (left, right), (right, left), (right, right)]):
        contacts = Contacts(("a", "b"), np.zeros((2, 3)), force, bodies)
        suite.observe(1e-3 * k, model.reference, np.zeros(model.nv), contacts=contacts)
        seen.append(suite.readings(1e-3 * k)["force-torque"][2])
    np.testing.assert_allclose(seen, [100.0, 100.0, 1.0, 0.0], atol=1e-9)


def test_arrays_in_any_order_are_read():
    """States as columns, as some programs keep them."""
    model = ts.robots.hrp2()
    rng = np.random.default_rng(4)
    q, v = model.random(rng, 5), rng.normal(size=(5, model.nv))
    found = []
    for order in "CF":
        suite = SensorSuite(model, suite_of(model)[:2])
        suite.observe(0.0, np.asarray(q, order=order), np.asarray(v, order=order))
        suite.observe(1.5e-3, np.asarray(q, order=order), np.asarray(v, order=order))  # one sample is in between
        found.append(suite.readings(1.5e-3))
    for name in found[0]:
        np.testing.assert_array_equal(found[0][name], found[1][name])
