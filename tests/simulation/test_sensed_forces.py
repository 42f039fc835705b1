"""Pushes, springs and constraints that a force sensor would not feel are refused together with it."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.devices.sensors import IMU, ForceTorqueSensor, JointTorqueSensor
from tarsus.errors import ArgumentError
from tarsus.simulation import Push, Spring


def arm(carried=0.0):
    b = ts.ModelBuilder("arm").add_link("g")
    for name, parent in (("upper", "g"), ("lower", "upper")):
        b.add_link(
            name,
            ts.Inertia.of_box(1.0, (0.05, 0.05, 0.5), com=(0, 0, -0.25)),
            carried=carried if name == "lower" else 0.0,
        )
        place = (0, 0, -0.5) if name == "lower" else (0, 0, 0)
        b.add_joint(f"{name}_joint", "revolute", parent, name, axis=(0, 1, 0), position=place)
    return b.build().with_frame("tip", "lower", ts.pose((0, 0, -0.5)))


ARM = arm()
SENSORS = {
    "force": ForceTorqueSensor(frame="lower", joint="lower_joint", name="s"),
    "torque": JointTorqueSensor(joints=("upper_joint", "lower_joint"), name="s"),
}
FORCES = {
    "the push on 'tip'": {"pushes": [Push("tip", (1.0, 0, 0))]},
    "the spring between 'world' and 'tip'": {"springs": [Spring("world", "tip", 100.0, length=1.0)]},
    "the constraint": {"constraints": [ts.constraints.Rod("world", "tip", length=0.9)], "project_start": True},
}


@pytest.mark.parametrize("sensor", SENSORS)
@pytest.mark.parametrize("what", FORCES)
def test_what_is_not_felt_is_refused(sensor, what):
    with pytest.raises(ArgumentError, match=f"{what}.* acts on what is behind the .*TorqueSensor 's'"):
        ts.simulate(ARM, [0.2, 0.4], duration=0.01, sensors=[SENSORS[sensor]], **FORCES[what])


@pytest.mark.parametrize("sensor", SENSORS)
def test_carried_weights_are_not_felt(sensor):
    with pytest.raises(ArgumentError, match="what carries the weight of 'lower' acts on what is behind the"):
        ts.simulate(arm(carried=0.5), [0.2, 0.4], duration=0.01, sensors=[SENSORS[sensor]])


def test_what_acts_before_the_sensor_or_within_what_is_behind_is_not_refused():
    within = Spring("upper", "tip", 100.0, length=1.0)
    sensor = JointTorqueSensor(joints=("upper_joint",), name="s")
    run = ts.simulate(ARM, [0.2, 0.4], duration=0.01, sensors=[sensor], springs=[within], pushes=[Push("g", (1, 0, 0))])
    assert np.isfinite(run.signals["s"][1:]).all()
    assert ts.simulate(ARM, duration=0.01, sensors=[IMU(frame="tip")], pushes=[Push("tip", (1, 0, 0))]).finished
