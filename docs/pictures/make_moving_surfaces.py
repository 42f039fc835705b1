"""A ball on a turntable and hrp2 on a belt: docs/pictures/moving-surfaces.png.

python docs/pictures/make_moving_surfaces.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt

import tarsus as ts
from tarsus.contact import Block, Compliant, ContactPoint, Ground, Plane
from tarsus.simulation import JointLaw
from tarsus.viewer.drawing.still import Renderer
from tarsus.viewer.playback import playback_of
from tarsus.viewer.terrain import terrain_of

RADIUS, SPIN = 0.05, 7.0
"""Of the ball [m] and of the turntable [rad/s]."""


def rolling(start: np.ndarray, velocity: np.ndarray) -> ts.Trajectory:
    """One circle of a ball that rolls from the start (2,) with that velocity of its centre (2,)."""
    ball = ts.ModelBuilder("ball", base="free").add_link("ball", ts.Inertia.of_sphere(1.0, RADIUS)).build()
    slip = velocity - SPIN * np.array([-start[1], start[0]])
    v0 = [*velocity, 0.0, -slip[1] / RADIUS, slip[0] / RADIUS, 0.0]
    ground = Ground(Plane(Compliant(friction=2.0), spin=SPIN))
    point = [ContactPoint("ball", "ball", radius=RADIUS)]
    return ts.simulate(ball, [*start, RADIUS, 1, 0, 0, 0], v0, duration=3.1, ground=ground, contacts=point)


def main() -> None:
    """Simulate and draw."""
    figure, (paths, picture) = plt.subplots(1, 2, figsize=(10.0, 4.4), layout="constrained")
    for start, velocity in ((0.3, 0.4), (0.3, -0.3), (-0.2, 0.2)):
        run = rolling(np.array([start, 0.0]), np.array([0.0, velocity]))
        paths.plot(run.q[:, 0], run.q[:, 1], label=f"from {start} m with {velocity} m/s")
        paths.plot(*run.q[0, :2], "k.")
    paths.plot(0, 0, "k+", markersize=12)
    paths.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title=f"balls on a turntable, {SPIN:g} rad/s")
    paths.set_ylim(-0.42, 0.25)
    paths.legend(fontsize=8, loc="lower center")
    robot = ts.robots.hrp2()
    q = np.array(robot.reference)
    belt = Ground(Block((4.0, 1.2, 0.2), ts.pose((0.8, 0.0, -0.1)), velocity=(0.3, 0.0, 0.0), name="belt"))
    hold = JointLaw(kp=5000.0, kd=100.0, q=q)
    run = ts.simulate(robot, q, duration=3.0, controller=hold, ground=belt)
    print(f"hrp2 on a belt: {run.q[-1, :3]}, {run.v[-1, :3]}")
    playback = playback_of(run)
    last = len(playback) - 1
    renderer = Renderer(playback, terrain_of(belt), view=(60.0, 15.0), size=(560, 520), samples=[0, last])
    picture.imshow(np.minimum(renderer.picture(0), renderer.picture(last)))
    picture.set_axis_off()
    picture.set_title("hrp2 on a belt, at the start and 3 s later", fontsize=10)
    figure.savefig(Path(__file__).parent / "moving-surfaces.png", dpi=110)


if __name__ == "__main__":
    main()
