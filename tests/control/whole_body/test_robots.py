"""Whole-body control of many robots that touch with anything: feet, hands, knees, elbows; by points, edges, patches."""

import numpy as np
import pytest
from robot_data import robot_data_path
from tests.control.whole_body.stances import CORNERS, farthest_out, residual

import tarsus as ts
from tarsus.control import Contact, WholeBody

MOTION = 1e-8
"""Residual of the equation of motion, relative to its largest term."""
WITHIN = 1e-6
"""By how much cones may be missed, relative to the weight."""


def load(path, **options):
    return ts.load(robot_data_path(path), base="free", **options)


def held(model, q, frame, points=None, **options):
    points = [[0.0, 0.0, 0.0]] if points is None else points
    return Contact(frame, points, pose=ts.frame_pose(model, q, frame), **options)


def check(model, q, tasks, contacts, rng, size=0.02, told=("solved",)):
    """Near a posture, in motion: everything belongs together and keeps its bounds; returns the command at rest."""
    body = WholeBody(model, tasks, contacts)
    for _ in range(5):
        there, v = model.integrate(q, size * rng.normal(size=model.nv)), rng.normal(size=model.nv)
        v *= 5.0 * size * np.minimum(1.0, model.v_max)
        command = body.solve(there, v)
        assert command.status in told, command.reason
        assert residual(model, there, v, command) < MOTION
        assert farthest_out(model, there, contacts, command) < WITHIN
        assert (np.abs(command.tau) <= np.where(model.actuated, model.tau_max, 0.0)).all()
    return body.solve(q, np.zeros(model.nv))


def balance(model, q, trunk):
    return [
        ts.tasks.CenterOfMass(ts.center_of_mass(model, q), weight=10.0, gain=5.0),
        ts.tasks.Orientation(trunk, ts.frame_pose(model, q, trunk)[:3, :3], gain=5.0),
        ts.tasks.Posture(q, weight=0.3, gain=5.0),
    ]


@pytest.mark.parametrize(
    ("path", "feet"),
    [
        ("solo_description/robots/solo12.urdf", ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"]),
        ("go2_description/urdf/go2.urdf", ["FL_foot", "FR_foot", "RL_foot", "RR_foot"]),
    ],
)
@pytest.mark.parametrize("lifted", [0, 2])
def test_quadrupeds_stand_on_point_feet_on_all_of_them_and_on_two(path, feet, lifted):
    """Normals of point feet are those of the ground, not of the shank."""
    model = load(path)
    q = np.array(ts.ik.standing(model))
    supports = [feet[0], feet[3]] if lifted else feet
    contacts = []
    for foot in supports:
        pose = ts.frame_pose(model, q, foot)
        contacts.append(Contact(foot, normal=pose[:3, :3].T @ [0.0, 0.0, 1.0], pose=pose))
    command = check(model, q, balance(model, q, next(iter(model.bodies))), contacts, np.random.default_rng(1))
    assert command.success
    total = sum(command.wrenches.values())
    if not lifted:
        np.testing.assert_allclose(total[:3], [0, 0, 9.81 * model.total_mass], atol=1e-5 * model.total_mass)
    for foot in supports:
        np.testing.assert_allclose(command.wrenches[foot][3:], 0.0, atol=1e-9)  # no moment at a point
        np.testing.assert_allclose(ts.jacobian(model, q, foot)[:3] @ command.vdot, 0.0, atol=1e-8)


def test_talos_stands_on_its_feet_with_a_hand_at_a_wall_and_a_gripper_that_follows():
    model = load("talos_data/robots/talos_reduced.urdf")
    q = np.array(ts.ik.standing(model))
    sole = [[x, y, -0.107] for x in (-0.1, 0.1) for y in (-0.06, 0.06)]
    feet = [held(model, q, f"leg_{side}_6_joint", sole) for side in ("left", "right")]
    hand = "gripper_left_base_link"
    wall = ts.frame_pose(model, q, hand)[:3, :3].T @ [-1.0, 0.0, 0.0]  # it is in front
    contacts = [*feet, held(model, q, hand, normal=wall, min_force=20.0, max_force=80.0)]
    command = check(model, q, balance(model, q, "torso_2_link"), contacts, np.random.default_rng(2), size=2e-3)
    assert command.success
    assert -80.0 - 1e-6 <= command.wrenches[hand][0] <= -20.0 + 1e-6


def kneeling():
    """hrp2 on knees, which are edges, toes, which are points, and both elbows."""
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    q[3:7] = ts.spatial.quaternion_from_rotation_vector([0.0, 0.9, 0.0])
    knee = [[0.0, -0.04, -0.0], [0.0, 0.04, 0.0]]
    parts = {f"{s}LEG_LINK3": knee for s in "RL"} | {f"{s}ARM_LINK3": None for s in "RL"}
    parts |= {f"{s}_sole_front_left": None for s in "rl"}
    contacts = []
    for frame, points in parts.items():
        pose = ts.frame_pose(model, q, frame)
        up = pose[:3, :3].T @ [0.0, 0.0, 1.0]
        if points is not None:  # across the edge
            up = up - [0.0, up[1], 0.0]
        contacts.append(Contact(frame, [[0, 0, 0]] if points is None else points, normal=up, pose=pose, friction=0.8))
    return model, q, contacts


def test_knees_elbows_and_toes_carry_a_robot_together():
    model, q, contacts = kneeling()
    command = check(model, q, balance(model, q, "BODY"), contacts, np.random.default_rng(3), size=1e-3)
    total = sum(command.wrenches.values())[:3] / model.total_mass
    acceleration = ts.com_jacobian(model, q) @ command.vdot
    np.testing.assert_allclose(total + model.gravity, acceleration, atol=1e-8)


def test_knees_that_are_edges_turn_about_themselves_only():
    model, q, contacts = kneeling()
    v = np.zeros(model.nv)
    command = WholeBody(model, balance(model, q, "BODY"), contacts[:2]).solve(q, v)
    for contact in contacts[:2]:
        motion = ts.jacobian(model, q, contact.frame) @ command.vdot
        along = ts.frame_pose(model, q, contact.frame)[:3, 1]
        np.testing.assert_allclose(motion[:3], 0.0, atol=1e-8)
        np.testing.assert_allclose(np.cross(motion[3:], along), 0.0, atol=1e-8)
        assert abs(command.wrenches[contact.frame][3:] @ along) < 1e-8 * 9.81 * model.total_mass


@pytest.mark.parametrize("drives", ["rigid", "elastic"])
def test_couplings_and_drives_as_bodies_are_controlled(drives):
    """Lola with spindles and rotors: loops, joints that follow others, and elastic gears without drive at the joint."""
    model = ts.robots.lola(drives=drives)
    q = np.array(model.reference)
    soles = [held(model, q, f"{s}_sole", 0.8 * np.array(CORNERS)) for s in "lr"]
    tasks = balance(model, q, next(iter(model.bodies)))
    # Limits of joints behind elastic gears cannot be kept at once: torques reach them after the gear has bent.
    told = ("solved",) if drives == "rigid" else ("solved", "limits-missed")
    command = check(model, q, tasks, soles, np.random.default_rng(4), 0.02 if drives == "rigid" else 1e-3, told)
    assert (command.tau[~model.actuated] == 0.0).all()


def test_an_arm_on_the_ground_pushes_with_its_hand():
    """A fixed base carries whatever is left: the hand pushes with its least force."""
    model = ts.load(robot_data_path("panda_description/urdf/panda.urdf"))
    q = 0.5 * (model.q_min + model.q_max)
    hand = "panda_hand"
    pose = ts.frame_pose(model, q, hand)
    contact = Contact(hand, 0.3 * np.array(CORNERS), normal=(0, 0, -1), pose=pose, min_force=10.0, max_force=30.0)
    command = check(model, q, [ts.tasks.Posture(q)], [contact], np.random.default_rng(5))
    assert pose[:3, 2] @ command.wrenches[hand][:3] == pytest.approx(-10.0, rel=1e-6)
    np.testing.assert_allclose(command.vdot, 0.0, atol=1e-6)
