"""Sensors beside those of MuJoCo: gyroscope, accelerometer, force and torque on a floating arm."""

import mujoco
import numpy as np
import pytest

from tarsus.devices.sensors import IMU, Contacts, ForceTorqueSensor
from tarsus.devices.sensors.motion import Motion
from tarsus.io.interop import MujocoLayout
from tarsus.io.mjcf import read_mjcf_text
from tarsus.model.assembly import assemble

RELATIVE = 1e-9
"""Both are exact to rounding: share of the largest entry."""

ARM = """
<mujoco model="arm"><compiler angle="radian"/><worldbody><body name="torso"><freejoint name="base"/>
  <geom type="box" size="0.1 0.15 0.2" pos="0.02 0.01 0.05" mass="5"/>
  <site name="chest" pos="0.05 0.02 0.3" euler="0.3 -0.2 0.5"/>
  <body name="upper" pos="0.1 0.2 0.1" euler="0.2 0.1 -0.4"><joint name="shoulder" axis="0.3 1 0.2"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0.05" size="0.04" mass="2"/>
    <site name="in_shoulder" euler="0.1 0.7 -0.3"/>
    <body name="fore" pos="0.3 0 0.05" euler="-0.5 0.3 0.2"><joint name="elbow" axis="0 1 0.1"/>
      <geom type="capsule" fromto="0 0 0 0.25 0.05 0" size="0.03" mass="1.2"/>
      <site name="hand" pos="0.25 0.05 0" euler="0.4 0.1 0.9"/>
      <site name="in_elbow" euler="0.6 -0.2 0.3"/>
    </body></body></body></worldbody>
  <sensor>
    <gyro site="hand"/><accelerometer site="hand"/><gyro site="chest"/><accelerometer site="chest"/>
    <force site="in_elbow"/><torque site="in_elbow"/><force site="in_shoulder"/><torque site="in_shoulder"/>
  </sensor>
</mujoco>
"""


@pytest.fixture(scope="module")
def states():
    """Motions with a force on the forearm, and what MuJoCo's sensors say about each."""
    description, _ = read_mjcf_text(ARM, name="arm.xml")
    model, theirs = assemble(description), mujoco.MjModel.from_xml_string(ARM)
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    layout, rng, found = MujocoLayout(model, theirs), np.random.default_rng(0), []
    fore = mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_BODY, "fore")
    for _ in range(5):
        q, v, vdot = model.random(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
        force = rng.normal(scale=30.0, size=3)
        data = mujoco.MjData(theirs)
        data.qpos, data.qvel, data.qacc = layout.q(q), layout.v(v, q), layout.acceleration(vdot, q, v)
        data.xfrc_applied[fore, :3] = force
        mujoco.mj_inverse(theirs, data)
        contacts = Contacts(("fore",), data.xipos[fore][None].copy(), force[None])
        found.append((Motion(model, q, v, vdot, contacts), data.sensordata.copy().reshape(4, 6)))
    return found


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, atol=RELATIVE * max(1.0, np.abs(theirs).max()))


@pytest.mark.parametrize(("frame", "place"), [("hand", 0), ("chest", 1)])
def test_imu_reads_the_same(states, frame, place):
    for motion, readings in states:
        close(IMU(frame=frame).truth(motion), readings[place])


@pytest.mark.parametrize(("joint", "place"), [("elbow", 2), ("shoulder", 3)])
def test_force_torque_sensor_in_a_joint_reads_the_same(states, joint, place):
    # MuJoCo tells what the parent exerts on the child: the opposite
    for motion, readings in states:
        close(-ForceTorqueSensor(frame=f"in_{joint}", joint=joint).truth(motion), readings[place])


def test_imu_of_the_model_is_not_moved_by_where_the_root_is(states):
    motion = states[0][0]
    moved = motion.q.copy()
    moved[:3] += 5.0
    shifted = Motion(motion.model, moved, motion.v, motion.vdot)
    close(IMU(frame="hand").truth(shifted), IMU(frame="hand").truth(motion))
