"""HRP-2 reaches below a table with both hands while it stands: a motion without collision, timed, drawn and recorded.

Run it from anywhere: `python examples/reach_below_table.py` writes reach_below_table.h5 and reach_below_table.png.
`tarsus view reach_below_table.h5` shows the motion.
"""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus.collision import motion_scenes, obstacle_of
from tarsus.geometry.shapes import Box, Shape
from tarsus.recording import motion_trajectory
from tarsus.viewer.drawing.still import draw_moment

WOOD = (0.72, 0.58, 0.42, 1.0)
TABLE = (
    Shape(Box((0.70, 1.30, 0.04)), ts.pose([0.62, 0.0, 0.74]), WOOD, "table top"),
    *(
        Shape(Box((0.05, 0.05, 0.72)), ts.pose([0.92, y, 0.36]), WOOD, f"leg at {y:g} m")
        for y in (-0.60, 0.60)
    ),
)  # fmt: skip
HANDS = {"r_hand": [0.48, -0.18, 0.56], "l_hand": [0.48, 0.18, 0.56]}


def main() -> None:
    """Plan, check, draw and save the motion."""
    model = ts.robots.hrp2()
    scenes = motion_scenes(model, obstacles=[obstacle_of(shape) for shape in TABLE]).scenes
    keep = ts.ik.stance(model)  # both feet where they are, the centre of mass above them
    tasks = [ts.tasks.Position(frame, place) for frame, place in HANDS.items()]
    motion = ts.ik.reach(model, tasks, keep=keep, collision=scenes, margin=0.01)
    print(motion.reason)
    fine = motion.sample(np.linspace(0.0, motion.duration, 2000)).q
    print(f"nearest on the way: {1000 * min(scene.distances(fine).min() for scene in scenes):.1f} mm")
    print(f"feet and centre of mass off by at most {max(np.abs(task.error(model, fine)).max() for task in keep):.1e}")
    run = motion_trajectory(motion, TABLE)
    ts.save(run, "reach_below_table.h5")
    draw_moment(run, run.duration, "reach_below_table.png", view=(60.0, 8.0))


if __name__ == "__main__":
    main()
