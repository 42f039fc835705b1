"""Torque sensors in joints: a pendulum in closed form, inverse dynamics, what friction and rotors take."""

import numpy as np
import pytest
from loop_models import four_bar
from sample_models import zoo

import tarsus as ts
from tarsus.contact import flat
from tarsus.devices.sensors import Contacts, ErrorModel, ForceTorqueSensor, JointTorqueSensor, Motion
from tarsus.errors import ArgumentError
from tarsus.simulation import JointLaw

MASS, LENGTH = 2.0, 0.7
ROUNDING = {"rtol": 1e-9, "atol": 1e-9}


def pendulum(**joint):
    """A point mass below a hinge about y."""
    b = ts.ModelBuilder("pendulum").add_link("ground")
    b.add_link("rod", ts.Inertia(MASS, (0.0, 0.0, -LENGTH), np.zeros((3, 3))))
    return b.add_joint("hinge", "revolute", "ground", "rod", axis=(0, 1, 0), **joint).build()


@pytest.mark.parametrize("angle", [0.0, 0.4, 2.0])
def test_hinge_of_a_pendulum_carries_its_weight_and_accelerates_it(angle):
    sensor = JointTorqueSensor(joints="hinge")
    model, rate, acceleration = pendulum(armature=0.3, damping=0.5), 1.3, -2.1
    assert sensor.labels(model) == ("hinge",)
    found = sensor.truth(Motion(model, np.array([angle]), np.array([rate]), np.array([acceleration])))
    # m l^2 theta'' + m g l sin(theta): neither the armature nor the rate counts, which are before the sensor
    expected = MASS * LENGTH**2 * acceleration + MASS * 9.81 * LENGTH * np.sin(angle)
    np.testing.assert_allclose(found, [expected], **ROUNDING)


def test_in_a_simulation_it_reads_the_actuator_less_friction_damping_and_rotor():
    """Readings of steps: the torque of the law, less what the joint takes, at the mean acceleration of the step."""
    armature, damping, friction = 0.2, 0.8, 0.5
    model = pendulum(armature=armature, damping=damping, friction=friction)
    run = ts.simulate(
        model,
        [0.3],
        duration=0.5,
        dt=1e-4,
        sample_dt=1e-3,
        controller=JointLaw(tau=np.array([9.0])),
        sensors=[JointTorqueSensor(joints="hinge", rate=1e4)],
    )
    v = run.v[:, 0]
    vdot = np.gradient(v, run.time)
    moving = slice(5, -5)
    assert v[moving].min() > 0.0  # friction has its full size
    expected = 9.0 - damping * v - friction - armature * vdot
    np.testing.assert_allclose(
        run.signals["joint-torque"][moving, 0], expected[moving], atol=5e-3
    )  # steps of first order


@pytest.mark.parametrize("name", ["hrp2", "zoo"])
def test_torques_of_a_tree_are_those_of_inverse_dynamics_without_armature(name):
    model = ts.robots.hrp2() if name == "hrp2" else zoo("free").build()
    rng = np.random.default_rng(1)
    q, v, vdot = model.random(rng, 4), rng.normal(size=(4, model.nv)), rng.normal(size=(4, model.nv))
    body = list(model.bodies)[-1]
    force = rng.normal(scale=100.0, size=(4, 1, 3))
    position = ts.frame_pose(model, q, body)[:, None, :3, 3] + rng.normal(scale=0.1, size=(4, 1, 3))
    moment = np.cross(position - ts.frame_pose(model, q, body)[:, None, :3, 3], force)
    external = ts.body_wrenches(model, q, {body: np.concatenate([force, moment], axis=-1)[:, 0]})
    joints = [j for j in model.joints.values() if j.kind in ("revolute", "continuous", "prismatic")]
    assert {joint.kind for joint in joints} >= ({"revolute"} if name == "hrp2" else {"revolute", "prismatic"})
    sensor = JointTorqueSensor(joints=tuple(joint.name for joint in joints))
    sensor.labels(model)
    found = sensor.truth(Motion(model, q, v, vdot, Contacts((body,), position, force)))
    tau = ts.inverse_dynamics(model, q, v, vdot, external)
    for k, joint in enumerate(joints):
        expected = (tau - np.asarray(joint.armature)[0] * vdot)[:, joint.v_index][:, 0]
        np.testing.assert_allclose(found[:, k], expected, rtol=1e-9, atol=1e-8)


def test_it_is_the_component_of_a_force_torque_sensor_along_the_axis():
    model = ts.robots.hrp2()
    rng = np.random.default_rng(3)
    motion = Motion(model, model.random(rng), *rng.normal(size=(2, model.nv)))
    joint = model.joints["LLEG_JOINT3"]
    frame = model.with_frame("axis", joint.child, np.linalg.inv(joint.child_pose))
    wrench = ForceTorqueSensor(frame="axis", joint=joint.name).truth(Motion(frame, motion.q, motion.v, motion.vdot))
    found = JointTorqueSensor(joints=joint.name).truth(motion)
    np.testing.assert_allclose(found, [-wrench[3:] @ joint.axis], **ROUNDING)


def test_knees_of_a_standing_robot_in_the_loop():
    model = ts.robots.hrp2()
    sensor = JointTorqueSensor(joints=("LLEG_JOINT3", "RLEG_JOINT3"), errors=ErrorModel(noise=0.1))
    law = JointLaw(3000.0, 60.0)
    run = ts.simulate(model, duration=1.5, controller=law, ground=flat(), sensors=[sensor])
    still = run.time > 1.0
    knees = [model.joints[name].v_index.start for name in sensor.joints]
    # it sways slowly: the actuators hold what the sensors feel, but for the noise
    difference = (run.signals["joint-torque"] - run.tau[:, knees])[still]
    assert np.abs(run.tau[still][:, knees]).min() > 5.0
    np.testing.assert_allclose(difference.mean(axis=0), 0.0, atol=0.1)
    np.testing.assert_allclose(difference.std(axis=0), 0.1, rtol=0.5)


def test_joints_without_an_axis_and_in_loops_are_refused():
    with pytest.raises(ArgumentError, match="'base' of a JointTorqueSensor is free; expected one of revolute"):
        JointTorqueSensor(joints="base").labels(ts.robots.hrp2())
    model = four_bar().build()
    name = list(model.joints)[-1]
    with pytest.raises(ArgumentError, match=f"closes around joint '{name}'"):
        JointTorqueSensor(joints=name).labels(model)
