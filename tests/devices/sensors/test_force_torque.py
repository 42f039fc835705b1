"""Force/torque sensors: statics, inverse dynamics, contact forces."""

import numpy as np
import pytest
from devices.sensors.motions import Recording, still
from loop_models import four_bar
from sample_models import double_pendulum

import tarsus as ts
from tarsus.devices.sensors import Contacts, ErrorModel, ForceTorqueSensor
from tarsus.devices.sensors.motion import Motion
from tarsus.errors import ArgumentError, UnknownNameError

ROUNDING = 1e-9
"""Relative; inverse dynamics of thirty bodies."""


def standing(model, soles, share=0.5):
    """A robot at rest on two soles that carry its weight, forces below its centre of mass's line."""
    q = model.reference
    weight = model.total_mass * 9.81
    position = np.array([ts.frame_pose(model, q, sole)[:3, 3] for sole in soles])
    force = np.zeros((2, 3))
    force[:, 2] = weight * share, weight * (1.0 - share)
    return Motion(model, q, np.zeros(model.nv), np.zeros(model.nv), Contacts(soles, position, force))


def test_feet_of_a_standing_robot_read_its_weight():
    model = ts.robots.hrp2()
    motion = standing(model, ("l_sole", "r_sole"), 0.3)
    readings = [ForceTorqueSensor(frame=sole, name=sole).truth(motion) for sole in ("l_sole", "r_sole")]
    np.testing.assert_allclose(sum(readings)[2], model.total_mass * 9.81, rtol=ROUNDING)
    np.testing.assert_allclose(readings[0], [0, 0, 0.3 * model.total_mass * 9.81, 0, 0, 0], atol=1e-9)


def test_ankle_reads_the_ground_force_without_the_weight_of_the_foot():
    model = ts.robots.hrp2()
    foot = model.frames["l_sole"].body
    joint = model.bodies[foot].joint
    motion = standing(model, ("l_sole", "r_sole"))
    wrench = ForceTorqueSensor(frame=foot, joint=joint).truth(motion)
    R = ts.frame_pose(model, motion.q, foot)[:3, :3]
    expected = R.T @ [0, 0, (0.5 * model.total_mass - model.bodies[foot].inertia.mass) * 9.81]
    np.testing.assert_allclose(wrench[:3], expected, rtol=ROUNDING, atol=1e-9)


def test_sole_with_mass_takes_its_weight_away():
    model = ts.robots.hrp2()
    sensor = ForceTorqueSensor(frame="l_sole", inertia=ts.Inertia(0.4, (0.1, 0.0, 0.0), np.eye(3) * 1e-4))
    wrench = sensor.truth(standing(model, ("l_sole", "r_sole")))
    np.testing.assert_allclose(wrench[2], (0.5 * model.total_mass - 0.4) * 9.81, rtol=ROUNDING)
    np.testing.assert_allclose(wrench[4], 0.1 * 0.4 * 9.81, rtol=1e-6)  # its weight in front turns about +y


@pytest.mark.parametrize("joint", ["LLEG_JOINT3", "RARM_JOINT0", "LLEG_JOINT5", "base"])
def test_component_along_the_joint_axis_is_the_joint_force_of_inverse_dynamics(joint):
    model = ts.robots.hrp2(armature=False)
    rng = np.random.default_rng(1)
    q, v, vdot = model.random(rng, 4), rng.normal(size=(4, model.nv)), rng.normal(size=(4, model.nv))
    force = rng.normal(scale=100.0, size=(4, 1, 3))
    position = ts.frame_pose(model, q, "l_sole")[:, None, :3, 3] + rng.normal(scale=0.1, size=(4, 1, 3))
    moment = np.cross(position - ts.frame_pose(model, q, "l_sole")[:, None, :3, 3], force)
    external = ts.body_wrenches(model, q, {"l_sole": np.concatenate([force, moment], axis=-1)[:, 0]})
    tau = ts.inverse_dynamics(model, q, v, vdot, external)
    child = model.joints[joint].child
    motion = Motion(model, q, v, vdot, Contacts(("l_sole",), position, force))
    wrench = ForceTorqueSensor(frame=child, joint=joint).truth(motion)
    # the joint must exert on what it carries the opposite of what that exerts on it
    if joint == "base":
        np.testing.assert_allclose(-wrench, tau[:, :6], rtol=ROUNDING, atol=1e-8)
    else:
        axis = model.joints[joint].axis
        R_BJ = model.joints[joint].child_pose[:3, :3].T
        along = np.einsum("i,bi->b", R_BJ @ axis, -wrench[:, 3:])
        np.testing.assert_allclose(along, tau[:, model.joints[joint].v_index][:, 0], rtol=ROUNDING, atol=1e-8)


def test_hanging_arm_pulls_its_base_down():
    model = double_pendulum().build()
    lower, upper = model.bodies["lower"].inertia.mass, model.bodies["upper"].inertia.mass
    motion = Motion(model, np.zeros(2), np.zeros(2), np.zeros(2))
    elbow = ForceTorqueSensor(frame="lower", joint="elbow").truth(motion)
    shoulder = ForceTorqueSensor(frame="upper", joint="shoulder").truth(motion)
    np.testing.assert_allclose(elbow[:3], [0, 0, -9.81 * lower], atol=1e-9)
    np.testing.assert_allclose(shoulder[:3], [0, 0, -9.81 * (lower + upper)], atol=1e-9)


def test_recorded_run_is_measured_with_its_errors():
    model = ts.robots.hrp2()
    at_rest = still(model, 0.5)
    count = at_rest.time.size
    truth = standing(model, ("l_sole", "r_sole"))
    recording = Recording(
        model,
        at_rest.time,
        at_rest.q,
        at_rest.v,
        ("l_sole", "r_sole"),
        np.broadcast_to(truth.contacts.position, (count, 2, 3)),
        np.broadcast_to(truth.contacts.force, (count, 2, 3)),
    )
    noise = np.array([2.0, 2.0, 2.0, 0.1, 0.1, 0.1])
    found = ForceTorqueSensor(frame="l_sole", errors=ErrorModel(noise=noise), rate=1000.0).measure(recording)
    np.testing.assert_allclose(found.value.std(axis=0), noise, rtol=0.15)
    weight = 0.5 * model.total_mass * 9.81
    assert found.value[:, 2].mean() == pytest.approx(weight, abs=4.0 * 2.0 / np.sqrt(count))


def test_contacts_are_found_by_name_or_told():
    model = ts.robots.hrp2()
    foot = model.frames["l_sole"].body
    position, force = np.zeros((3, 3)), np.tile([0.0, 0.0, 1.0], (3, 1))
    contacts = Contacts((f"{foot}/heel", f"{foot}.3", "toe"), position, force)
    motion = Motion(model, model.reference, np.zeros(model.nv), np.zeros(model.nv), contacts)
    wrench = ForceTorqueSensor(frame="l_sole", contact_frames={"toe": "l_sole"}).truth(motion)
    np.testing.assert_allclose(wrench[2], 3.0, rtol=ROUNDING)
    with pytest.raises(UnknownNameError, match="contact 'toe' is not named after a frame"):
        ForceTorqueSensor(frame="l_sole").truth(motion)


def test_places_without_contact_may_have_no_position():
    model = ts.robots.hrp2()
    count = 3
    force, position = np.zeros((count, 2, 3)), np.full((count, 2, 3), np.nan)
    force[1:, 0, 2], position[1:, 0] = 100.0, (0.1, 0.2, 0.3)
    recording = Recording(
        model,
        1e-3 * np.arange(count),
        np.broadcast_to(model.reference, (count, model.nq)),
        np.zeros((count, model.nv)),
        ("l_sole", "r_sole"),
        position,
        force,
    )
    found = ForceTorqueSensor(frame="l_sole", rate=2000.0).measure(recording).value
    np.testing.assert_allclose(np.linalg.norm(found[:, :3], axis=-1), [0.0, 50.0, 100.0, 100.0, 100.0], atol=1e-9)
    arm = np.array([0.1, 0.2, 0.3]) - ts.frame_pose(model, model.reference, "l_sole")[:3, 3]
    expected = np.linalg.norm(np.cross(arm, [0.0, 0.0, 100.0]))
    np.testing.assert_allclose(np.linalg.norm(found[1:, 3:], axis=-1), expected * np.array([0.5, 1, 1, 1]), atol=1e-9)


def test_joint_inside_a_loop_is_refused():
    model = four_bar().build()
    sensor = ForceTorqueSensor(frame=list(model.bodies)[1], joint=list(model.joints)[1])
    with pytest.raises(ArgumentError, match="closes around joint"):
        sensor.measure(still(model, 0.01))


def test_inertia_of_a_joint_sensor_comes_from_the_model():
    with pytest.raises(ArgumentError, match="takes the inertia from the model"):
        ForceTorqueSensor(frame="l_sole", joint="l_ankle", inertia=ts.Inertia(1.0))
