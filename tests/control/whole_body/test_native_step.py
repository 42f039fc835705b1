"""The native step of whole-body control is the program in Python: same motion, same verdicts, whatever the robot."""

import numpy as np
import pytest
from robot_data import robot_data_path
from tests.control.whole_body.stances import CORNERS, EDGE

import tarsus as ts
from tarsus.control import Contact, WholeBody
from tarsus.control.whole_body.native_step import STATUSES

SAME = 1e-8
"""Largest difference of accelerations, relative to the largest of them."""
SAME_FORCES = 1e-6
"""The same of torques and wrenches: force_weight^2 = 1e-4 alone says how feet share what accelerations leave open, and
residuals of 1e-9 divided by it are 1e-5 of that part; the formulations in Python differ among themselves likewise."""
POINT = [[0.0, 0.0, 0.0]]


def talos():
    model = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free")
    return model, np.array(ts.ik.standing(model))


def solo12():
    model = ts.load(robot_data_path("solo_description/robots/solo12.urdf"), base="free")
    return model, np.array(ts.ik.standing(model))


def built_in(name, **options):
    model = getattr(ts.robots, name)(**options)
    return model, np.array(model.reference)


FEET = [f"{end}_FOOT" for end in ("FL", "FR", "HL", "HR")]
ROBOTS = {
    "hrp2": (lambda: built_in("hrp2"), {"l_sole": CORNERS, "r_sole": CORNERS, "l_hand": POINT, "r_hand": EDGE}, "BODY"),
    "talos": (
        talos,
        {"leg_left_6_joint": CORNERS, "leg_right_6_joint": CORNERS, "arm_left_7_joint": POINT},
        "base_link",
    ),
    "solo12": (solo12, dict.fromkeys(FEET, POINT), "base_link"),
    "lola with drives, loops and rotors": (
        lambda: built_in("lola", drives="rigid"),
        {"l_sole": CORNERS, "r_sole": CORNERS, "r_hand": EDGE},
        "torso",
    ),
}


def random_tasks(model, q, body, frames, rng):
    """Tasks of all kinds that the native core knows, with targets that move."""
    tool, other = frames[-1], frames[0]
    pose = ts.frame_pose(model, q, tool)
    pose[:3, 3] += 0.05 * rng.normal(size=3)
    return [
        ts.tasks.CenterOfMass(ts.center_of_mass(model, q) + 0.02 * rng.normal(size=3), weight=10.0, gain=5.0),
        ts.tasks.Orientation(body, np.eye(3), gain=5.0, velocity=0.1 * rng.normal(size=3)),
        ts.tasks.Posture(q + 0.0, weight=0.3, gain=5.0),
        ts.tasks.FramePose(tool, pose, weight=[1.0, 2.0], axes=[True, False, False, False, True, False]),
        ts.tasks.Position(tool, 0.1 * rng.normal(size=3), reference=other, weight=0.5, acceleration=rng.normal(size=3)),
        ts.tasks.LookAt(body, [2.0, 0.3, 1.0], weight=0.7),
    ]


def random_contacts(model, q, places, rng):
    found = []
    for name, points in places.items():
        if rng.random() < 0.3:
            continue
        pose = ts.frame_pose(model, q, name) if rng.random() < 0.8 else None
        if pose is not None:
            pose[:3, 3] += 1e-3 * rng.normal(size=3)
        forces = "points" if rng.random() < 0.3 else "wrench"
        most = 600.0 if rng.random() < 0.3 else np.inf
        found.append(Contact(name, points, forces=forces, pose=pose, max_force=most, friction=0.5))
    return found


def compare_one(model, q, v, tasks, contacts, **options):
    """Native status, and the largest relative difference where both solve it."""
    expected = WholeBody(model, tasks, contacts, native=False, **options).solve(q, v)
    body = WholeBody(model, tasks, contacts, **options)
    assert body.step is not None
    status = STATUSES[body.step.core.solve(q, v)[1]]
    found = body.solve(q, v)
    assert found.status == expected.status, (status, found.reason, expected.reason)
    assert list(found.errors) == list(expected.errors) and list(found.wrenches) == list(expected.wrenches)
    if expected.status not in ("solved", "limits-missed"):
        return status, 0.0
    forces = [np.concatenate([c.tau, *c.wrenches.values()]) for c in (found, expected)]
    motion = [np.concatenate([c.vdot, *c.errors.values()]) for c in (found, expected)]
    assert _difference(*forces) < SAME_FORCES
    assert found.missed == pytest.approx(expected.missed, abs=1e-6)
    return status, _difference(*motion)


def _difference(found, expected):
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))


def compare(robot, count, seed):
    make, places, body = ROBOTS[robot]
    model, stand = make()
    rng = np.random.default_rng(seed)
    told = dict.fromkeys(STATUSES, 0)
    worst = 0.0
    for _ in range(count):
        q = model.integrate(stand, 0.15 * rng.normal(size=model.nv))
        v = 0.3 * rng.normal(size=model.nv)
        parts = random_tasks(model, q, body, list(places), rng), random_contacts(model, q, places, rng)
        status, difference = compare_one(model, q, v, *parts)
        told[status] += 1
        worst = max(worst, difference)
    return told, worst


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_motion_is_that_of_the_program_in_python(robot):
    told, worst = compare(robot, 40, 1)
    assert worst < SAME
    assert told["solved"] + told["limits-missed"] > 30, told


@pytest.mark.long
@pytest.mark.parametrize("robot", ROBOTS)
def test_the_motion_is_that_of_the_program_in_python_at_many_stances(robot):
    told, worst = compare(robot, 1000, 2)
    assert worst < SAME
    assert told["solved"] + told["limits-missed"] > 800, told
