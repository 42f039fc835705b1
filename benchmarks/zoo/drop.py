"""The scenario: a robot is let go above level ground, limp or held by joint control."""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np

import tarsus as ts
from benchmarks.zoo.robots import Robot
from tarsus.arrays import FloatArray
from tarsus.contact import contactors
from tarsus.contact.contactors import features
from tarsus.control.joint_law import JointLaw
from tarsus.model.model import Model

HEIGHT = 0.3
"""Of the lowest contact point above the ground at the start [m]."""
DURATION = 3.0
"""[s]."""
DT = 1e-3
"""Step [s], the default of `simulate`."""
GRAVITY = 9.81
"""[m/s^2]."""
STIFFNESS, DAMPING = 400.0, 20.0
"""Joint gains for each kilogram of the robot [N m/rad, N m s/rad or N/m, N s/m]: 1000 and 50 for solo12 (2.5 kg)."""

Drive = Literal["limp", "held"]
DRIVES: tuple[Drive, ...] = ("limp", "held")


def start(robot: Robot, seed: int) -> FloatArray:
    """Reference pose within the limits, turned at random, the lowest contact point at `HEIGHT`; shape (nq,)."""
    model = robot.load()
    q = np.clip(model.reference, model.q_min, model.q_max)
    rng = np.random.default_rng(seed)
    if robot.turn is not None:
        q[model.joints[robot.turn].q_index] = rng.uniform(-np.pi, np.pi)
    elif model.base == "free":
        attitude = rng.normal(size=4)
        q[3:7] = attitude / np.linalg.norm(attitude)
    height = slice(2, 3) if robot.lift is None else model.joints[robot.lift].q_index
    q[height] += HEIGHT - lowest(model, q)
    return q


def lowest(model: Model, q: FloatArray) -> FloatArray:
    """Height of the lowest point that can touch, shape (...) for q of shape (..., nq) [m]."""
    X_WB = np.asarray(ts.body_poses(model, q))
    result = np.full(q.shape[:-1], np.inf)
    for body, points, radii in _touching(model):
        X = X_WB[..., body, :, :]
        heights = X[..., 2, :3] @ points.T + X[..., 2, 3:] - radii
        result = np.minimum(result, heights.min(axis=-1))
    return result


@cache
def _touching(model: Model) -> list[tuple[int, FloatArray, FloatArray]]:
    """For every body that can touch its number, points (n, 3) in its axes and radii (n,) of spheres about them [m]."""
    found: dict[str, list[tuple[FloatArray, float]]] = {}
    for feature in features(model, contactors(model)):
        ends = [feature.start] if feature.end is None else [feature.start, feature.end]
        found.setdefault(feature.body, []).extend((end, feature.radius) for end in ends)
    return [
        (model.bodies[name].index, np.array([p for p, _ in ends]), np.array([r for _, r in ends]))
        for name, ends in found.items()
    ]


def law(model: Model, drive: Drive, q: FloatArray) -> JointLaw | None:
    """Nothing for a limp robot; else joint control to the start, as stiff as the robot is heavy."""
    if drive == "limp":
        return None
    return JointLaw(STIFFNESS * model.total_mass, DAMPING * model.total_mass, q=q)


def fall_energy(model: Model) -> float:
    """Energy of the fall [J]: what energies are measured by."""
    return float(model.total_mass) * GRAVITY * HEIGHT
