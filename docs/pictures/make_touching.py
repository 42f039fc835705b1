"""A gripper lifts a cube, boxes stand on each other, a limp robot lies on its arm: docs/pictures/touching.png.

python docs/pictures/make_touching.py (with the package example-robot-data)
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

import tarsus as ts
from tarsus.contact import flat
from tarsus.model.shapes import Box
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of
from tarsus.viewer.terrain import terrain_of

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "simulation"))


def grasp() -> ts.recording.Trajectory:
    """The cube is held up."""
    from test_grasp import lifting

    model, start, law = lifting()
    return ts.simulate(model, start, duration=2.2, controller=law, pairs="all", ground=flat())


def stack() -> ts.recording.Trajectory:
    """Ten boxes, turned a little, at rest."""
    model = ts.ModelBuilder("stack").add_link("world").build()
    for k in range(10):
        X = ts.pose((0.0, 0.0, 0.05 + 0.1 * k))
        angle = 0.35 * np.sin(1.7 * k)
        X[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        color = (*plt.get_cmap("tab10")(k)[:3], 1.0)
        model = model.with_object(Box((0.2, 0.2, 0.1)), 1.0, X, name=f"b{k}", color=color)
    return ts.simulate(model, duration=1.5, ground=flat(), pairs="all")


def lie() -> ts.recording.Trajectory:
    """A limp robot has fallen on its side."""
    robot = ts.robots.hrp2()
    q = np.array(robot.reference)
    q[2], q[3:7] = 0.6, (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)
    return ts.simulate(robot, q, duration=2.5, ground=flat(), pairs="all")


def main() -> None:
    """Simulate and draw."""
    warnings.simplefilter("ignore")
    scenes = {
        "held by friction": (grasp(), (60.0, 12.0)),
        "ten boxes at rest": (stack(), (30.0, 15.0)),
        "limp, on its own limbs": (lie(), (60.0, 35.0)),
    }
    figure, panels = plt.subplots(1, 3, figsize=(11.0, 4.2), layout="constrained")
    for axes, (name, (run, view)) in zip(panels, scenes.items(), strict=True):
        pressed = [n for i, n in enumerate(run.contacts) if "|" in n and np.any(run.contact_force[-1, i])]
        print(name, run, len(pressed), sorted({n.rsplit(".", 1)[0] for n in pressed})[:8])
        playback = playback_of(run)
        last = len(playback) - 1
        picture = Renderer(playback, terrain_of(flat()), view=view, size=(480, 520), samples=[last]).picture(last)
        axes.imshow(picture)
        axes.set_axis_off()
        axes.set_title(name, fontsize=10)
    figure.savefig(Path(__file__).parent / "touching.png", dpi=110)


if __name__ == "__main__":
    main()
