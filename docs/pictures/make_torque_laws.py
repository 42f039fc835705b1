"""An arm presses against a wall and slides along it: docs/pictures/torque-laws.png.

python docs/pictures/make_torque_laws.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

import tarsus as ts
from tarsus.contact import Compliant, ContactPoint, Ground, Plane
from tarsus.control import HybridForce, Selection

WALL, RADIUS, AWAY = 1.0, 0.02, np.array([0.0, -0.2, 0.1])
RED, GREEN, GREY = "#c0392b", "#1d8a5b", "#9a9a9a"


def slide(t: float, X: np.ndarray) -> ts.tasks.FramePose:
    """Where the tool should be along the wall."""
    s = np.clip(t - 0.6, 0.0, 1.0)
    way, rate, push = s**3 * (10 - 15 * s + 6 * s * s), 30 * s * s * (1 - s) ** 2, 60 * s - 180 * s * s + 120 * s**3
    pose = X.copy()
    pose[:3, 3] += way * AWAY
    speed, pushed = [*(rate * AWAY), 0, 0, 0], [*(push * AWAY), 0, 0, 0]
    return ts.tasks.FramePose("tool", pose, velocity=speed, acceleration=pushed, gain=20.0)


def main() -> None:
    """Two pictures of the arm and two plots."""
    arm = ts.robots.crops9()
    X = np.eye(4)
    X[:3, 3] = [WALL - RADIUS - 0.01, 0.1, 1.0]
    q0 = ts.ik.solve(arm, ts.tasks.FramePose("tool", X), arm.reference).q
    ground = Ground(Plane(Compliant(friction=0.2), point=(WALL, 0, 0), normal=(-1, 0, 0)))
    tip = ContactPoint("tip", "tool", (0, 0, 0), RADIUS)
    runs = {}
    for friction in (True, False):
        law = HybridForce(
            arm,
            lambda t: slide(t, X),
            [20.0, 0, 0, 0, 0, 0],
            Selection([True, False, False, False, False, False]),
            posture=ts.tasks.Posture(q0, gain=5.0),
            friction=friction,
        )
        runs[friction] = ts.simulate(
            arm, q0, duration=2.0, controller=law, ground=ground, contacts=[tip], sample_dt=1e-3
        )
    figure, axes = plt.subplots(1, 4, figsize=(14, 3.8), width_ratios=(1, 1, 1.2, 1.2))
    for ax, k, title in ((axes[0], 0, "at the beginning"), (axes[1], -1, "after the slide")):
        _arm(ax, arm, runs[True].q[k], title)
    for friction, color, label in ((True, GREEN, "friction compensated"), (False, RED, "not compensated")):
        run = runs[friction]
        axes[2].plot(run.time, -run.contact_force[:, 0, 0], color=color, label=label)
        error = [np.linalg.norm(slide(t, X).error(arm, q)[1:3]) for t, q in zip(run.time, run.q, strict=True)]
        axes[3].plot(run.time, 1e3 * np.array(error), color=color, label=label)
    axes[2].set_ylim(0.0, 40.0)  # the impact reaches higher, for some milliseconds
    axes[2].axhline(20.0, color=GREY, lw=0.8, ls=":")
    _clean(axes[2], "normal force [N]")
    _clean(axes[3], "error along the wall [mm]")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_name("torque-laws.png"), dpi=80)


def _arm(ax: Axes, arm: ts.Model, q: np.ndarray, title: str) -> None:
    """From the side, with x to the left: the camera is on the robot's right."""
    ts.draw(arm, q, ax=ax, view=(-90.0, 0.0), size=(420, 420))
    low, high = ax.get_ylim()
    ax.add_patch(Rectangle((WALL, 0.3), 0.04, 1.2, color=GREY, zorder=3))
    ax.set_xlim(ax.get_xlim()[0], max(ax.get_xlim()[1], WALL + 0.1))
    ax.set_ylim(low, high)
    ax.set_title(title, fontsize=10)
    ax.set_axis_off()


def _clean(ax: Axes, title: str) -> None:
    ax.set_xlabel("time [s]")
    ax.set_title(title, loc="left", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)
    ax.legend(frameon=False, fontsize=9)


if __name__ == "__main__":
    main()
