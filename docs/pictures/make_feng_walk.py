"""Draws docs/pictures/feng-walk-*.png, and prints the numbers of the page about the walk of Feng et al. 2015.

python -m docs.pictures.make_feng_walk            1000 steps from either foot, some minutes each
python -m docs.pictures.make_feng_walk basin      how far gains and starts may be off
python -m docs.pictures.make_feng_walk robot      the robot alone
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.image import imread

import tarsus as ts
from tarsus.analysis.push_limits import push_limit
from tarsus.plots.feng_walk import plot_gait_graph, plot_phase_clouds, plot_zero_moment_point
from tarsus.robots.feng18 import Side
from tarsus.simulation.push import Push
from tarsus.walking.feng.found_gait import FENG_LAW, FENG_START
from tarsus.walking.feng.gait_graph import gait_graph
from tarsus.walking.feng.phase_clouds import band, cloud_distance, mirrored_cloud, phase_cloud
from tarsus.walking.feng.standing import LIFTED, LIMP, stand
from tarsus.walking.feng.torques.camera import Camera
from tarsus.walking.feng.torques.walk_law import WalkLaw
from tarsus.walking.feng.walk import FengWalk, feng_walk
from tarsus.walking.feng.walk_step import Means
from tarsus.walking.feng.walk_table import walk_table
from tarsus.walking.feng.whole_walk import whole_walk

HERE = Path(__file__).parent
STEPS = 1000
TRIALS, TRIED = 4, 12
"""Walks for each size of an error, and steps that they shall take."""


def main() -> None:
    """Walk, draw, print."""
    if "basin" in sys.argv[1:]:
        print_basin()
        return
    draw_robot()
    if "robot" in sys.argv[1:]:
        return
    walks = [walked(first) for first in ("right", "left")]
    print(walk_table(walks[0]))
    print(gait_graph(walks[0]))
    for side, other in (("right", "left"), ("left", "right")):
        distance = cloud_distance(phase_cloud(walks[0], side), mirrored_cloud(phase_cloud(walks[1], other)))
        found = band(walks[0], side)
        peaks = np.argsort(-found.amplitude)[:3]
        print(f"{side}: Hausdorff {distance:.2e}, band {found.width:.2e}, spectrum "
              + ", ".join(f"{found.amplitude[k]:.1e} rad at {found.frequency[k]:.3f}/step" for k in peaks))  # fmt: skip
    plot_phase_clouds(walks, HERE / "feng-walk-phase.png")
    plot_gait_graph(gait_graph(walks[0]), HERE / "feng-walk-graph.png")
    plot_zero_moment_point(walks[0], HERE / "feng-walk-pressure.png")


def walked(first: Side) -> FengWalk:
    """A walk, with what it took."""
    begin = time.process_time()
    walk = feng_walk(STEPS, first=first)
    spent = time.process_time() - begin
    print(f"first {first}: {walk.walked} steps, {walk.distance:.2f} m, {walk.duration:.1f} s, {spent:.0f} CPU s, "
          f"{walk.fallen or 'not fallen'}", flush=True)  # fmt: skip
    return walk


def draw_robot() -> None:
    """One step of a walk that has settled: moments from one exchange to the next."""
    walk = feng_walk(22)
    run, step = whole_walk(walk), walk.steps[20]
    figure = Figure(figsize=(12.0, 3.4), layout="constrained")
    for k, axes in enumerate(figure.subplots(1, 7)):
        t = step.begin + step.duration * k / 6.0
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.png"
            ts.draw(run.model, run.at(t).q, path=path, view=(-75.0, 5.0), size=(300, 520))
            axes.imshow(imread(path))
        axes.set_axis_off()
        axes.set_title(f"{t - step.begin:.2f} s", fontsize=10)
    figure.savefig(HERE / "feng-walk-robot.png", dpi=100)


def changed(law: WalkLaw, part: float, rng: np.random.Generator) -> WalkLaw:
    """All numbers of a law off by up to a part of theirs; the height of the head by that part of 0.1 m."""
    parts: dict[str, Any] = {}
    for name in ("lifting", "periodic", "posture"):
        numbers = {key: float(x) * (1.0 + part * rng.uniform(-1.0, 1.0)) for key, x in vars(getattr(law, name)).items()}
        parts[name] = replace(getattr(law, name), **numbers)
    height = law.lifting.height + 0.1 * part * rng.uniform(-1.0, 1.0) if law.lifting is not None else 0.0
    parts["lifting"] = replace(parts["lifting"], height=height)
    return WalkLaw(**parts)


def withstood(push: Push) -> bool:
    """Whether the robot still stands after a push."""
    return not stand(LIFTED, push).reason


def print_basin() -> None:
    """How many of some walks with errors take their steps; friction, delays and pushes."""
    rng = np.random.default_rng(0)
    for part in (0.005, 0.01, 0.02, 0.05):
        steps = [feng_walk(TRIED, law=changed(FENG_LAW, part, rng)).walked for _ in range(TRIALS)]
        print(f"law off by {100 * part:g} %: steps {steps}", flush=True)
    q, v = FENG_START
    for part in (0.05, 0.1, 0.2, 0.5):
        starts = [(q, v * (1.0 + part * rng.uniform(-1.0, 1.0, 18))) for _ in range(TRIALS)]
        print(f"start off by {100 * part:g} %: steps {[feng_walk(TRIED, start=s).walked for s in starts]}", flush=True)
    for friction in (0.5, 0.6, 0.8, 1.0):
        print(f"friction {friction}: {feng_walk(TRIED, means=Means(friction=friction)).walked}", flush=True)
    for delay in (0.002, 0.004, 0.01, 0.02):
        print(f"delay {delay}: {feng_walk(TRIED, camera=Camera(delay=delay)).walked}", flush=True)
    for noise in (1e-4, 1e-3, 3e-3):
        print(f"noise {noise}: {feng_walk(TRIED, camera=Camera(position_noise=noise)).walked}", flush=True)
    print("without lifting:", feng_walk(TRIED, law=replace(FENG_LAW, lifting=None)).walked, stand(LIMP))
    for angle in (0.0, np.pi):
        found = push_limit(
            angle, lambda push: not stand(LIFTED, push).reason, "upper_body", largest=64.0, precision=1.0
        )
        print(f"push at {angle:.2f} rad: {found['limit']} N s held, {found['fall']} not")


if __name__ == "__main__":
    main()
