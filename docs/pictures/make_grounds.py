"""hrp2 stands on stairs, on a slope and on uneven ground: docs/pictures/grounds.png.

python docs/pictures/make_grounds.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

import tarsus as ts
from tarsus.contact import Ground, HeightField, slope, stairs
from tarsus.simulation import JointLaw
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of
from tarsus.viewer.terrain import terrain_of

SLOPE = np.radians(4.0)
STEP, RISE, RUN = 0.25, 0.15, 0.4
"""Where the stairs begin, height and depth of a step [m]."""


def start(robot: ts.Model, x: float, height: float, pitch: float = 0.0) -> np.ndarray:
    """The reference pose moved to x and height [m], turned about y through the origin [rad]."""
    q = np.array(robot.reference)
    z = q[2] + height
    q[:3] = x * np.cos(pitch) + z * np.sin(pitch), 0.0, z * np.cos(pitch) - x * np.sin(pitch)
    q[3:7] = np.cos(pitch / 2.0), 0.0, np.sin(pitch / 2.0), 0.0
    return q


def uneven() -> HeightField:
    """Hills of 6 cm, level about the origin."""
    x = np.arange(-2.0, 2.01, 0.05)
    far = np.clip(np.hypot(x, x[:, None]) - 0.35, 0.0, 0.5) / 0.5
    return HeightField(0.06 * far * np.sin(5.0 * x) * np.cos(4.0 * x)[:, None], 0.05, (-2.0, -2.0))


def main() -> None:
    """Simulate until the robots stand, and draw them."""
    robot = ts.robots.hrp2()
    scenes = {
        "stairs": (stairs(3, RISE, RUN, width=1.2, start=STEP), start(robot, STEP + 0.2, RISE + 2e-3), (140.0, 14.0)),
        "slope": (slope(SLOPE), start(robot, 0.0, 2e-3, -SLOPE), (70.0, 10.0)),
        "height field": (Ground(uneven()), start(robot, 0.0, 2e-3), (35.0, 20.0)),
    }
    figure, panels = plt.subplots(1, 3, figsize=(11.0, 4.2), layout="constrained")
    for axes, (name, (ground, q, view)) in zip(panels, scenes.items(), strict=True):
        run = ts.simulate(robot, q, duration=1.5, controller=JointLaw(kp=5000.0, kd=100.0, q=q), ground=ground)
        weight = robot.total_mass * 9.81
        print(f"{name}: force of the ground / weight {run.contact_force[-1, :, 2].sum() / weight:.3f}, {run.q[-1, :3]}")
        playback = playback_of(run)
        last = len(playback) - 1
        axes.imshow(Renderer(playback, terrain_of(ground), view=view, size=(480, 520), samples=[last]).picture(last))
        axes.set_axis_off()
        axes.set_title(name, fontsize=10)
    figure.savefig(Path(__file__).parent / "grounds.png", dpi=110)


if __name__ == "__main__":
    main()
