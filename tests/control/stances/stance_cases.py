"""Stances of several robots, by number: such that can be, and such that cannot, each with what stands against it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from robot_data import robot_data_path

import tarsus as ts
from tarsus.control import Contact, static_equilibrium

CORNERS = [[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.05, 0.05)]
EDGE = [[0.0, -0.05, 0.0], [0.0, 0.05, 0.0]]
POINT = [[0.0, 0.0, 0.0]]
PLACES = {
    "hrp2": {"l_sole": CORNERS, "r_sole": CORNERS, "l_hand": POINT, "r_hand": EDGE},
    "talos": {
        "left_sole_link": CORNERS,
        "right_sole_link": CORNERS,
        "gripper_left_base_link": POINT,
        "gripper_right_base_link": EDGE,
    },
    "solo12": {name: POINT for name in ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")},
}
"""Frames that may touch, with their points."""
LOAD = 0.9


class Robot:
    """A robot and random postures of it."""

    def __init__(self, name):
        self.name, self.places = name, PLACES[name]
        if name == "hrp2":
            self.model = ts.robots.hrp2()
        elif name == "talos":
            self.model = ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free")
        else:
            self.model = ts.load(robot_data_path("solo_description/robots/solo12.urdf"), base="free")
        self.reference = self.model.reference if name == "hrp2" else ts.ik.standing(self.model)

    def stance(self, rng, least=1):
        """A posture in which the robot can rest, and its contacts; points carry from below."""
        model = self.model
        while True:
            q = np.array(model.integrate(self.reference, 0.4 * rng.normal(size=model.nv), 1.0))
            q[7:] = np.clip(q[7:], model.q_min[7:], model.q_max[7:])
            contacts = []
            for frame, points in self.places.items():
                if rng.random() < 0.7:
                    X = ts.frame_pose(model, q, frame)
                    up = X[:3, :3].T @ [0.0, 0.0, 1.0] if len(points) == 1 else [0.0, 0.0, 1.0]
                    contacts.append(Contact(frame, points, normal=up, pose=X))
            if len(contacts) >= least and static_equilibrium(model, q, contacts).load < LOAD:
                return q, contacts

    def possible(self, number):
        """Contacts taken from a random posture in equilibrium."""
        return self.stance(np.random.default_rng([1, number]))[1]


def too_far(robot, rng):
    """One contact is 10 m away."""
    _, contacts = robot.stance(rng, least=2)
    k = int(rng.integers(len(contacts)))
    X = np.array(contacts[k].pose)
    X[:2, 3] += 10.0 * np.array([np.cos(a := rng.uniform(0, 2 * np.pi)), np.sin(a)])
    contacts[k] = replace(contacts[k], pose=X)
    return contacts, {}


def not_carried(robot, rng):
    """Contacts may carry half of the weight together, or hang from above: no posture is in balance."""
    _, contacts = robot.stance(rng)
    weight = 9.81 * robot.model.total_mass
    if rng.random() < 0.5:
        share = 0.5 * weight / len(contacts)
        return [replace(_level(c), max_force=share) for c in contacts], {}
    return [replace(_level(c), normal=-np.asarray(_level(c).normal)) for c in contacts], {}


def outside(robot, rng):
    """Both soles are far apart, and one of them carries alone: the centre of mass cannot come above it."""
    contacts, carrying = [], int(rng.integers(2))
    for k, frame in enumerate(list(robot.places)[:2]):
        X = np.array(ts.frame_pose(robot.model, robot.reference, frame))
        X[1, 3] *= rng.uniform(3.4, 3.7)
        contacts.append(Contact(frame, robot.places[frame], pose=X, max_force=np.inf if k == carrying else 0.0))
    return contacts, {}


def slippery(robot, rng):
    """All normals lean to one side by more than the angle of friction."""
    _, contacts = robot.stance(rng)
    a, tilt = rng.uniform(0, 2 * np.pi), 0.3
    lean = np.array([np.sin(tilt) * np.cos(a), np.sin(tilt) * np.sin(a), np.cos(tilt)])
    found = []
    for contact in contacts:
        contact = replace(contact, points=np.asarray(contact.points)[:1]) if contact.freedoms == 1 else contact
        found.append(replace(contact, normal=np.asarray(contact.pose)[:3, :3].T @ lean, friction=0.05))
    return found, {}


def too_weak(robot, rng):
    """Drives may use nearly nothing, and at least three limbs are where they are."""
    return robot.stance(rng, least=3)[1], {"load": 1e-6}


def in_the_way(robot, rng):
    """A ball is where a foot is that is kept in place."""
    while True:
        q, contacts = robot.stance(rng)
        feet = [contact for contact in contacts if contact.freedoms == 0]
        if feet:
            break
    foot = feet[int(rng.integers(len(feet)))]
    body = robot.model.frames[foot.frame].body
    ball = ts.collision.Obstacle(
        "ball", ts.collision.SweptSphere([[0.0, 0.0, 0.0]], 0.05), ts.frame_pose(robot.model, q, body)
    )
    scene = ts.collision.CollisionModel(robot.model, obstacles=[ball], include=[(body, "ball")])
    return contacts, {"collision": scene}


def _level(contact):
    """A contact whose normal is vertical."""
    if contact.freedoms == 1:
        contact = replace(contact, points=np.asarray(contact.points)[:1])
    return replace(contact, normal=np.asarray(contact.pose)[:3, :3].T @ [0.0, 0.0, 1.0])


IMPOSSIBLE = {
    "too far": (too_far, "place"),
    "not carried": (not_carried, "balance"),
    "outside": (outside, "balance"),
    "slippery": (slippery, "friction"),
    "too weak": (too_weak, "torque"),
    "in the way": (in_the_way, "distance"),
}
"""Classes of stances that cannot be, and the kind of condition that fails."""
CLASSES = {
    "hrp2": tuple(IMPOSSIBLE),
    "talos": ("too far", "not carried", "slippery", "too weak"),
    "solo12": ("too far", "not carried", "slippery"),
}
"""Of every robot: Talos can lean over one foot of a wide stance, and solo12 stands on straight legs without torque."""


def impossible(robot, kind, number):
    """Contacts and options of `static_posture` for a stance that cannot be."""
    make, _ = IMPOSSIBLE[kind]
    return make(robot, np.random.default_rng([2, list(IMPOSSIBLE).index(kind), number]))
