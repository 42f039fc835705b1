"""A box is taken from a table with two hands, carried and put down (Bouyarmane and Kheddar 2012, VII)."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.contact import Pairs, flat
from tarsus.control.whole_body.contact import Contact
from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.geometry.shapes import Box, Shape
from tarsus.ik import solve
from tarsus.model import Model
from tarsus.model.builder import ModelBuilder
from tarsus.scenarios.carrying import CLEAR, DURATIONS, FRICTION, Carrying, Grip
from tarsus.scenarios.robot import Robot
from tarsus.scenarios.scenario import Scenario
from tarsus.spatial.pose import pose
from tarsus.spatial.rotation_vector import rotation_matrix_from_rotation_vector
from tarsus.tasks import CenterOfMass, FramePose, Orientation, Position

SIZE = (0.20, 0.42, 0.16)
"""Of the box, along x, y, z [m]."""
PLACE = (0.34, 0.0)
"""Of its middle on the table [m]."""
PRESSED = 1.1
"""What the table carries at most, in weights of the box: a program that may press on it leans on it with both hands."""
TABLE = ((0.30, 1.0, 0.04), 0.72)
"""Size of the plate, and height of its upper side [m]."""
PALM = (0.022, 0.025)
"""Half length across and along the fingers of the inner side of a hand that holds [m]."""
_INNER = (-0.005, 0.03, -0.06)
"""Its middle, in the link of the right hand [m]."""


def carry_box(model: Model, *, mass: float = 2.0, lift: float = 0.12, turn: float = 0.4) -> Scenario:
    """HRP-2 takes a box from a table with its hands, lifts it, turns with it and puts it down elsewhere.

    Robot, box and table are one model, in which the box is a free body: the same program finds torques, the wrenches of
    the hands on the box, of the table below it and of the ground (Bouyarmane and Kheddar 2012, VII). In the simulation
    hands, box and table touch each other.

    Parameters
    ----------
    model : Model
        HRP-2, with a free base.
    mass : float
        Of the box [kg].
    lift : float
        Height by which it is lifted [m].
    turn : float
        Angle about the vertical through the robot by which it is carried [rad].
    """
    hands = ("RARM_LINK5", "LARM_LINK5")
    if any(name not in model.bodies for name in hands):
        raise ArgumentError(f"{model.name!r} has no bodies {hands}; carry_box is for the built-in robot hrp2")
    robot = Robot.of(model)
    scene = _scene(robot.model, mass)
    grips = tuple(Grip(f"{name}_grip", side, _corners()) for name, side in (("l", 1.0), ("r", -1.0)))
    q = _open_hands(robot, scene, grips)
    feet = tuple(limb.contact(frame_pose(scene, q, limb.frame)) for limb in robot.feet)
    half = 0.5 * np.array(SIZE) - [0.01, 0.01, 0.0]
    corners = [[x, y, 0.0] for x in (-half[0], half[0]) for y in (-half[1], half[1])]
    weight = 9.81 * scene.bodies[scene.frames["box"].body].inertia.mass
    table = Contact(
        "box_bottom", corners, friction=FRICTION, pose=frame_pose(scene, q, "box_bottom"), max_force=PRESSED * weight
    )
    pairs = Pairs([("box", "table"), *(("box", hand) for hand in hands)])
    return Scenario(
        "carry-box",
        "takes a box from a table with two hands, carries it and puts it down",
        scene,
        scene,
        q,
        lambda: Carrying(scene, feet, grips, table, q, lift=lift, turn=turn),
        2.0 * sum(DURATIONS.values()),
        robot.contactors(),
        flat,
        standing_on=(*robot.bodies(), "box", "table", *hands),
        pairs=pairs,
    )


def _scene(robot: Model, mass: float) -> Model:
    """Table, robot and box, with frames on the hands and below the box."""
    size, height = TABLE
    plate = [Shape(Box(size), pose((PLACE[0] + 0.05, 0.0, height - 0.5 * size[2])))]
    room = ModelBuilder("carry box").add_link("table", collisions=plate, visuals=plate).build()
    scene = room.merged(robot, "table")
    x, y, z = _INNER
    for name, hand, side in (("r_grip", "RARM_LINK5", 1.0), ("l_grip", "LARM_LINK5", -1.0)):
        scene = scene.with_frame(name, hand, pose((x, side * y, z)))
    scene = scene.with_object(Box(SIZE), mass, pose((*PLACE, height + 0.5 * SIZE[2])), name="box")
    return scene.with_frame("box_bottom", "box", pose((0.0, 0.0, -0.5 * SIZE[2])))


def _corners() -> FloatArray:
    across, along = PALM
    return np.array([[x, 0.0, z] for x in (-across, across) for z in (-along, along)])


def _open_hands(robot: Robot, scene: Model, grips: tuple[Grip, ...]) -> FloatArray:
    """A posture on both feet with the hands beside the box."""
    q = np.array(scene.reference)
    q[: robot.model.nq] = robot.q
    bent = {"ARM_JOINT0": 0.2, "ARM_JOINT3": -1.6}
    for name, angle in ((f"{side}{joint}", angle) for side in "RL" for joint, angle in bent.items()):
        q[scene.joints[name].q_index] = angle
    box = frame_pose(scene, q, "box")
    forward = rotation_matrix_from_rotation_vector([0.0, -0.5 * np.pi, 0.0])
    tasks = [
        *(FramePose(limb.frame, frame_pose(scene, q, limb.frame)) for limb in robot.feet),
        FramePose("box", box),
        CenterOfMass([0.015, 0.0, 0.8], axes=(True, True, False)),
        Orientation("BODY", np.eye(3)),
    ]
    for grip in grips:
        beside = box[:3, 3] + [0.0, grip.side * (0.5 * SIZE[1] + CLEAR), 0.0]
        tasks += [Position(grip.frame, beside), Orientation(grip.frame, forward, axes=(True, False, True))]
    found = solve(scene, tasks, q)
    if not found.success:
        raise ArgumentError(f"{scene.name!r}: hands do not reach the box: {found.reason}")
    return np.array(found.q)
