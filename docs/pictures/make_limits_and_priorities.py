"""An arm past a ball, and its limits: docs/pictures/limits-and-priorities.png.

python docs/pictures/make_limits_and_priorities.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tarsus as ts

DT = 0.01
SPEED, BRAKE = 1.2, 4.0
"""Limits of joints [rad/s], [rad/s^2]."""


def past_a_ball() -> tuple[ts.Model, ts.collision.CollisionModel, np.ndarray, ts.ik.Path, ts.ik.Path]:
    """crops9 whose tool shall go through a ball, without and with limits and distances."""
    model = ts.robots.crops9()
    start = np.array([0.5, 0.3, -0.4, 0.6, 0.5, -0.3, 0.4, 0.2, 0.1])
    tool = ts.frame_pose(model, start, "tool")[:3, 3]
    goal = tool + np.array([-0.05, -0.55, 0.25])
    ball = ts.collision.Obstacle("ball", ts.collision.SweptSphere([[0, 0, 0]], 0.06), ts.pose(0.5 * (tool + goal)))
    scene = ts.collision.CollisionModel(model, obstacles=[ball])

    def reach(t: float) -> list[list[ts.tasks.Task]]:
        share = min(t / 2.0, 1.0)
        hand = ts.tasks.Position("tool", tool + share * (goal - tool), gain=2.0)
        return [[hand], [ts.tasks.Posture(start, gain=0.5)]]

    plain = ts.ik.follow(model, reach, start, duration=4.0, dt=DT)
    near = ts.ik.Avoidance(scene, margin=0.02)
    kept = ts.ik.follow(model, reach, start, duration=4.0, dt=DT, limits=ts.ik.Limits(velocity=SPEED), collision=near)
    return model, scene, np.array(ball.pose[:3, 3]), plain, kept


def to_the_limits() -> tuple[ts.Model, ts.ik.Path]:
    """The same arm, all joints driven beyond their limits from random places."""
    model = ts.robots.crops9()
    limits = ts.ik.Limits(velocity=SPEED, acceleration=BRAKE)
    far = ts.tasks.Posture(model.q_max + 1.0, gain=20.0)
    return model, ts.ik.follow(model, lambda t: far, model.reference, duration=4.0, dt=0.02, limits=limits)


def main() -> None:
    """Left the way of the tool, in the middle distances, right speeds of joints on their way to a limit."""
    model, scene, ball, plain, kept = past_a_ball()
    figure, axes = plt.subplots(1, 3, figsize=(13, 4))
    colors = {"without": "tab:red", "with limits and distances": "tab:blue"}
    for (name, color), path in zip(colors.items(), (plain, kept), strict=True):
        way = ts.frame_pose(model, path.q, "tool")[:, :3, 3]
        axes[0].plot(way[:, 1], way[:, 2], color=color, label=name)
        axes[1].plot(path.t, 1e3 * scene.clearance(path.q), color=color)
    axes[0].add_patch(plt.Circle(tuple(ball[1:]), 0.06, color="0.8"))
    axes[0].set(xlabel="y [m]", ylabel="z [m]", title="way of the tool", aspect="equal")
    axes[0].legend(fontsize=8, loc="lower left")
    axes[1].axhline(20.0, color="black", linewidth=0.8, linestyle="--")
    axes[1].set(xlabel="time [s]", title="smallest distance [mm], margin dashed")
    arm, path = to_the_limits()
    left = arm.q_max - path.q
    axes[2].plot(left, path.v, color="tab:blue", linewidth=0.8)
    way = np.linspace(0.0, 0.6, 200)
    axes[2].plot(way, np.minimum(np.sqrt(2 * BRAKE * way), SPEED), "k--", linewidth=0.8)
    axes[2].set(
        xlabel="way to the limit [rad, m]", title="speed of each joint; braking and limit dashed", xlim=(0.6, 0)
    )
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("limits-and-priorities.png"), dpi=80)


if __name__ == "__main__":
    main()
