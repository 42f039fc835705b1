"""Robots with a path to follow and costs of all kinds, for tests of predictive inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from ik.predictive.slow_horizon import SlowHorizon
from robot_data import robot_data_path

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.collision import CollisionModel, Obstacle, SweptSphere
from tarsus.ik.predictive import CollisionCost, Costs, LimitCost, PostureCost
from tarsus.tasks import Position

DT, STEPS, GAIN = 0.02, 25, 10.0


@dataclass(frozen=True)
class Case:
    """A robot, where it starts, and what is around it."""

    model: ts.Model
    frame: str
    axes: tuple[int, ...]
    q0: FloatArray
    scene: CollisionModel

    @property
    def targets(self) -> FloatArray:
        """Of the frame, on a straight line that begins where the frame is, shape (STEPS + 1, 3)."""
        s = np.linspace(0.0, 1.0, STEPS + 1)[:, None]
        line: FloatArray = ts.frame_pose(self.model, self.q0, self.frame)[:3, 3] + s * np.array([0.06, -0.12, 0.05])
        return line

    @property
    def task(self) -> Position:
        return Position(self.frame, self.targets, axes=[k in self.axes for k in range(3)], gain=GAIN)

    def costs(self, collision: str | None) -> Costs:
        """All terms; the kind of the potential of collisions, or None without them."""
        near = None if collision is None else CollisionCost(self.scene, 1.5, 0.25, 4.0, collision, 0.4)
        return Costs(0.8, limits=LimitCost(0.6, 0.4), collision=near, posture=PostureCost(0.3), acceleration=0.02)

    def slow(self, collision: str | None) -> SlowHorizon:
        """The same by the oracle."""
        near = None if collision is None else (self.scene, collision, 1.5, 4.0, 0.25, 0.4)
        return SlowHorizon(
            self.model,
            self.frame,
            self.axes,
            self.targets,
            DT,
            GAIN,
            velocity=0.8,
            acceleration=0.02,
            limits=(0.6, 0.4),
            collision=near,
            posture=(0.3, self.model.reference),
        )


def ball(x: float, y: float, z: float, radius: float) -> Obstacle:
    return Obstacle("ball", [SweptSphere([[x, y, z]], radius)])


def rods(*frames: str, length: tuple[float, float, float], radius: float) -> dict[str, list[SweptSphere]]:
    """One line-swept sphere for each of these frames."""
    return {name: [SweptSphere([[0.0, 0.0, 0.0], length], radius)] for name in frames}


@cache
def case(name: str) -> Case:
    """ "planar4", "crops9", or another person's arm, "panda"."""
    if name == "planar4":
        model = ts.robots.planar4()
        volumes = rods("link1", "link2", "link3", "link4", length=(0.5, 0.0, 0.0), radius=0.045)
        scene = CollisionModel(model, volumes, [ball(0.75, 0.1, 0.1, 0.1)])
        return Case(model, "tool", (0, 1), model.reference, scene)
    if name == "crops9":
        model = ts.robots.crops9()
        return Case(
            model, "tool", (0, 1, 2), model.reference, CollisionModel(model, obstacles=[ball(1.0, 0.4, 1.2, 0.1)])
        )
    arm = ts.load(robot_data_path("panda_description/urdf/panda.urdf"))
    volumes = rods(*(f"panda_link{k}" for k in range(1, 8)), length=(0.0, 0.0, -0.1), radius=0.07)
    q0 = np.array([0.3, -0.5, 0.2, -2.0, 0.1, 1.7, 0.6, 0.02])  # the second finger follows the first
    return Case(arm, "panda_hand", (0, 1, 2), q0, CollisionModel(arm, volumes, [ball(0.45, 0.1, 0.8, 0.08)]))
