"""HRP-2 reaches below a table, and an arm past a post: docs/pictures/reaching.png and reaching-arm.png.

python -m docs.pictures.make_reaching
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from examples.reach_below_table import HANDS, TABLE

import tarsus as ts
from tarsus.collision import motion_scenes, obstacle_of
from tarsus.geometry.shapes import Box, Shape
from tarsus.recording import motion_trajectory
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of
from tarsus.viewer.terrain import terrain_of

HERE = Path(__file__).parent
POST = (Shape(Box((0.12, 0.12, 1.6)), ts.pose([0.75, 0.1, 0.8]), name="post"),)


def moments(motion: ts.ik.Motion, around: tuple[Shape, ...], view: tuple[float, float], shares: list[float]) -> list:
    """Pictures of a motion at some shares of its duration, by one camera."""
    run = motion_trajectory(motion, around)
    samples = [round(share * (len(run) - 1)) for share in shares]
    renderer = Renderer(playback_of(run), terrain_of(run.ground), view=view, size=(420, 460), samples=samples)
    return [renderer.picture(k) for k in samples]


def write(pictures: list, titles: list[str], name: str) -> None:
    """Pictures in a row."""
    figure, axes = plt.subplots(1, len(pictures), figsize=(4.2 * len(pictures), 4.9))
    for ax, picture, title in zip(axes, pictures, titles, strict=True):
        ax.imshow(picture)
        ax.set_title(title, fontsize=11)
        ax.set_axis_off()
    figure.tight_layout(pad=0.8)
    figure.savefig(HERE / name, dpi=80)


def below_table() -> None:
    """Three moments of the humanoid."""
    model = ts.robots.hrp2()
    scenes = motion_scenes(model, obstacles=[obstacle_of(shape) for shape in TABLE]).scenes
    tasks = [ts.tasks.Position(frame, place) for frame, place in HANDS.items()]
    motion = ts.ik.reach(model, tasks, keep=ts.ik.stance(model), collision=scenes, margin=0.01)
    assert motion.success, motion.reason
    shares = [0.0, 0.5, 1.0]
    write(
        moments(motion, TABLE, (65.0, 6.0), shares),
        [f"{share * motion.duration:.2f} s" for share in shares],
        "reaching.png",
    )


def past_post() -> None:
    """An arm from one side of a post to the other, and its velocities."""
    model = ts.robots.crops9()
    scenes = motion_scenes(model, obstacles=[obstacle_of(shape) for shape in POST]).scenes
    start = ts.ik.solve(model, ts.tasks.Position("tool", [0.8, 0.55, 0.9]), collision=scenes[0], margin=0.03).q
    motion = ts.ik.reach(model, ts.tasks.Position("tool", [0.9, -0.35, 0.9]), start, collision=scenes, margin=0.02)
    assert motion.success, motion.reason
    shares = [0.0, 0.5, 1.0]
    pictures = moments(motion, POST, (70.0, 45.0), shares)
    figure, axes = plt.subplots(1, 4, figsize=(16.4, 4.6), width_ratios=[1, 1, 1, 1.15])
    for ax, picture, share in zip(axes, pictures, shares, strict=False):
        ax.imshow(picture)
        ax.set_title(f"{share * motion.duration:.2f} s", fontsize=11)
        ax.set_axis_off()
    fine = motion.sample(np.linspace(0.0, motion.duration, 400))
    t = np.linspace(0.0, motion.duration, 400)
    axes[3].plot(t, fine.v / motion.v_max, lw=1.2)
    axes[3].plot(t, np.abs(fine.vdot / motion.vdot_max).max(axis=-1), "k--", lw=1.0, label="largest acceleration")
    axes[3].axhline(1.0, color="0.6", lw=0.8)
    axes[3].axhline(-1.0, color="0.6", lw=0.8)
    axes[3].set_xlabel("time [s]")
    axes[3].set_title("velocities as shares of their limits", fontsize=11)
    axes[3].legend(loc="lower right", fontsize=9)
    figure.tight_layout(pad=0.5)
    figure.savefig(HERE / "reaching-arm.png", dpi=70)


if __name__ == "__main__":
    past_post()
    below_table()
