"""Encoders before the gear: series elasticity in closed form, rigid gears, sampling between steps, runs after runs."""

import numpy as np
import pytest

import tarsus as ts
from tarsus.devices.actuators import (
    ActuatedController,
    Drive,
    ElasticGear,
    ForceLoop,
    Gear,
    IdealMotor,
    SeriesElasticActuator,
    with_rotors,
)
from tarsus.devices.sensors import Encoder, ErrorModel, MeasuredController, MotorEncoder, SensorSuite
from tarsus.errors import ArgumentError, UnknownNameError

MASS, LENGTH, RATIO, SPRING = 2.0, 0.5, 50.0, 400.0
MOTOR = IdealMotor(2e-5)


def pendulum():
    b = ts.ModelBuilder("pendulum").add_link("ground")
    b.add_link("rod", ts.Inertia(MASS, (0.0, 0.0, -LENGTH), np.eye(3) * 1e-3))
    return b.add_joint("hinge", "revolute", "ground", "rod", axis=(0, 1, 0), damping=0.5).build()


def driven(drive, command):
    model = with_rotors(pendulum(), {"hinge": drive})
    return model, ActuatedController(lambda t, q, v: command(t, q, v), {"hinge": drive}, model=model, rate=1000.0)


def simulate(model, controller, sensors, start, duration=4.0, **options):
    return ts.simulate(
        model, [start], duration=duration, sample_dt=1e-3, controller=controller, sensors=sensors, **options
    )


@pytest.mark.parametrize(
    "drive",
    [
        Drive(MOTOR, ElasticGear(RATIO, SPRING, damping=2.0)),
        SeriesElasticActuator(MOTOR, ElasticGear(RATIO, SPRING), force_loop=ForceLoop(kp=2.0, kd=0.03)),
    ],
    ids=["elastic gear", "series elastic"],
)
def test_a_motor_behind_a_spring_turns_further_by_the_torque_over_the_stiffness(drive):
    """At rest the spring carries m g l sin(q)."""
    hold = 0.8

    def command(t, q, v):
        return MASS * 9.81 * LENGTH * np.sin(hold) + 60.0 * (hold - q) - 8.0 * v

    model, controller = driven(drive, command)
    sensors = [MotorEncoder(joints="hinge", drives=controller), Encoder(joints="hinge")]
    run = simulate(model, controller, sensors, 0.3)
    motor, joint = run.signals["motor-encoder"][-1, 0], run.signals["encoder"][-1, 0]
    assert joint == pytest.approx(hold, abs=1e-3)
    deflection = MASS * 9.81 * LENGTH * np.sin(joint) / SPRING
    assert deflection > 0.01
    assert motor == pytest.approx(RATIO * (joint + deflection), rel=1e-6)
    # on the way it is the log of the drive
    logged = ts.simulation.with_signals(run, controller.log).signals["hinge.angle"]
    np.testing.assert_allclose(run.signals["motor-encoder"][1:-1, 0], RATIO * logged[1:-1], rtol=1e-12, atol=1e-12)


def test_a_motor_behind_a_rigid_gear_turns_with_the_joint():
    model, controller = driven(Drive(MOTOR, Gear(RATIO)), lambda t, q, v: -3.0 * q - v)
    sensors = [
        MotorEncoder(joints="hinge", drives=controller, velocity="none"),
        Encoder(joints="hinge", velocity="none"),
    ]
    run = simulate(model, controller, sensors, 0.3, duration=0.2)
    np.testing.assert_allclose(run.signals["motor-encoder"], RATIO * run.signals["encoder"], rtol=1e-12)


def test_counts_are_those_of_the_motor():
    model, controller = driven(Drive(MOTOR, Gear(RATIO)), lambda t, q, v: 0.0 * q)
    step = Encoder.counts(1000)
    sensor = MotorEncoder(joints="hinge", drives=controller, velocity="none", errors=ErrorModel(resolution=step))
    run = simulate(model, controller, [sensor], 0.3, duration=0.2)
    counts = run.signals["motor-encoder"][:-1, 0] / step
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    assert np.abs(run.signals["motor-encoder"][:-1, 0] - RATIO * run.q[:-1, 0]).max() <= 0.5 * step * (1.0 + 1e-9)


def test_samples_between_the_steps_of_the_drive_are_between_its_states():
    drive = Drive(MOTOR, ElasticGear(RATIO, SPRING))
    model, controller = driven(drive, lambda t, q, v: 5.0 + 0.0 * q)
    suite = SensorSuite(model, [MotorEncoder(joints="hinge", drives=controller, rate=4000.0, velocity="none")])
    angles = []

    def inside(t, q, v):
        angles.append(float(controller.state("hinge")["angle"]))
        return 5.0 + 0.0 * q

    controller.controller = MeasuredController(inside, suite)
    ts.simulate(model, [0.0], duration=0.05, controller=controller)
    time, found = suite.log.recorded("motor-encoder")
    expected = np.interp(time, 1e-3 * np.arange(len(angles)), RATIO * np.array(angles))
    assert len(time) == 4 * 49 + 1
    np.testing.assert_allclose(found[:, 0], expected, rtol=1e-9, atol=1e-12)
    assert np.abs(np.diff(found[:, 0])).max() > 1e-3  # it swings


def test_a_run_after_another_begins_without_deflection():
    drive = Drive(MOTOR, ElasticGear(RATIO, SPRING, damping=2.0))
    model, controller = driven(drive, lambda t, q, v: 5.0 + 0.0 * q)
    sensors = [MotorEncoder(joints="hinge", drives=controller, velocity="none")]
    first = simulate(model, controller, sensors, 0.3, duration=0.1)
    again = simulate(model, controller, sensors, 0.3, duration=0.1)
    assert again.signals["motor-encoder"][0, 0] == RATIO * 0.3
    np.testing.assert_array_equal(again.signals["motor-encoder"], first.signals["motor-encoder"])


def test_each_robot_of_a_batch_has_a_motor_of_its_own():
    drive = Drive(MOTOR, ElasticGear(RATIO, SPRING, damping=2.0))
    model, controller = driven(drive, lambda t, q, v: -10.0 * q)
    sensors = [MotorEncoder(joints="hinge", drives=controller, velocity="none")]
    starts = np.array([[0.1], [0.5], [-0.7]])
    run = ts.simulate(model, starts, duration=0.1, sample_dt=1e-3, controller=controller, sensors=sensors)
    for k, start in enumerate(starts):
        _, alone = driven(drive, lambda t, q, v: -10.0 * q)
        one = simulate(model, alone, [MotorEncoder(joints="hinge", drives=alone, velocity="none")], start[0], 0.1)
        np.testing.assert_allclose(
            run.signals["motor-encoder"][:, k], one.signals["motor-encoder"], rtol=1e-9, atol=1e-9
        )


def test_what_it_cannot_read_is_refused():
    drive = Drive(MOTOR, Gear(RATIO))
    model, controller = driven(drive, lambda t, q, v: 0.0 * q)
    run = simulate(model, controller, (), 0.3, duration=0.05)
    with pytest.raises(ArgumentError, match="reads drives while they run"):
        MotorEncoder(joints="hinge", drives=controller).measure(run)
    with pytest.raises(UnknownNameError, match="'ghinge' has no drive"):
        MotorEncoder(joints="ghinge", drives=controller).labels(model)
