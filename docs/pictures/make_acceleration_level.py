"""Least torques that whip, limits at second order, distances as rows: docs/pictures/acceleration-level.png.

PYTHONPATH=. python docs/pictures/make_acceleration_level.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from benchmarks.papers.crops_scene import BEGIN, GOAL, START
from matplotlib.axes import Axes

import tarsus as ts

RED, GREEN, BLUE, GREY = "#c0392b", "#1d8a5b", "#2e6da4", "#9a9a9a"


def main() -> None:
    """Three plots in a row."""
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.8))
    _torques(axes[0])
    _limit(axes[1])
    _distance(axes[2])
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.25)
        ax.set_xlabel("time [s]")
        ax.legend(frameon=False, fontsize=9)
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("acceleration-level.png"), dpi=80)


def _three_links() -> ts.Model:
    builder = ts.ModelBuilder("three links")
    builder.add_link("base")
    parent, offset = "base", 0.0
    for k in range(3):
        name = f"link{k + 1}"
        builder.add_link(name, inertia=ts.Inertia(10.0, [0.5, 0, 0], np.diag([0.01, 10 / 12, 10 / 12])))
        builder.add_joint(f"joint{k + 1}", "revolute", parent, name, pose=ts.pose([offset, 0, 0]), axis=[0, 0, 1])
        parent, offset = name, 1.0
    builder.add_frame("tool", parent, ts.pose([1.0, 0, 0]))
    return builder.build()


def _torques(ax: Axes) -> None:
    model, q0 = _three_links(), np.radians([180.0, -90.0, 0.0])
    start, rate, radius = ts.frame_pose(model, q0, "tool")[:3, 3], np.pi, 0.2

    def circle(t: float) -> ts.tasks.Task:
        c, s = np.cos(rate * t), np.sin(rate * t)
        return ts.tasks.Position(
            "tool",
            start + radius * np.array([c - 1, s, 0]),
            velocity=radius * rate * np.array([-s, c, 0]),
            acceleration=-radius * rate**2 * np.array([c, s, 0]),
            axes=[True, True, False],
            gain=20.0,
        )

    v0 = np.linalg.pinv(ts.jacobian(model, q0, "tool")[:2]) @ [0.0, radius * rate]
    for cost, damping, color, label in (
        ("acceleration", 0.0, GREY, "least accelerations"),
        ("torque", 0.0, RED, "least torques"),
        ("torque", 2.0, GREEN, "least torques, damping 2/s"),
    ):
        path = ts.ik.follow_acceleration(model, circle, q0, v0, duration=6.0, dt=5e-3, minimise=cost, damping=damping)
        ax.plot(path.t, np.abs(path.tau).max(axis=1), color=color, label=label, lw=1.2)
    ax.set_yscale("log")
    ax.set_ylim(1.0, 1e6)
    ax.set_title("largest torque [N m]", loc="left", fontsize=10)


def _limit(ax: Axes) -> None:
    model = ts.robots.crops9()
    beyond = model.q_max + 0.5
    for gain, color in ((5.0, BLUE), (15.0, GREEN), (60.0, RED)):
        path = ts.ik.follow_acceleration(
            model,
            lambda t: ts.tasks.Posture(beyond, gain=20.0),
            model.reference,
            duration=2.5,
            dt=0.01,
            limits=ts.ik.SecondOrderLimits(gain=gain),
        )
        ax.plot(path.t, path.q[:, 1], color=color, label=f"gain {gain:g}/s")
    ax.axhline(model.q_max[1], color="black", lw=0.8, ls=":")
    ax.annotate("limit", (0.0, model.q_max[1]), (0, 3), textcoords="offset points", fontsize=8)
    ax.set_title("joint q2 [rad], pulled beyond its limit", loc="left", fontsize=10)


def _distance(ax: Axes) -> None:
    model = ts.robots.crops9()
    scene = ts.collision.CollisionModel(model)

    def line(t: float) -> ts.tasks.Task:
        x, d = t / 2.0, GOAL - BEGIN
        way, rate = x**3 * (10 - 15 * x + 6 * x * x), 30 * x * x * (1 - x) ** 2 / 2.0
        push = (60 * x - 180 * x * x + 120 * x**3) / 4.0
        return ts.tasks.Position("tool", BEGIN + way * d, velocity=rate * d, acceleration=push * d, gain=20.0)

    kept = ts.ik.SecondOrderLimits(scene=scene, margin=0.01, gain=20.0)
    for limits, color, label in ((None, RED, "without rows"), (kept, GREEN, "with rows, margin 10 mm")):
        path = ts.ik.follow_acceleration(model, line, START, duration=2.0, dt=0.01, damping=5.0, limits=limits)
        ax.plot(path.t, 1e3 * scene.clearance(path.q), color=color, label=label)
    ax.axhline(0.0, color="black", lw=0.8)
    ax.axhline(10.0, color=GREY, lw=0.8, ls=":")
    ax.set_title("smallest distance of crops9 [mm]", loc="left", fontsize=10)


if __name__ == "__main__":
    main()
