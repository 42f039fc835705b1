"""Limits of pushes in many directions: HRP-2 on both feet, or robots that walk; a run that was ended goes on.

python tests/analysis/study_pushes.py --count 36 --results benchmarks/results/pushes.jsonl --picture pushes.png
python tests/analysis/study_pushes.py --controller walking --robot robot:lola --precision 3 --picture pushes.png
"""

from __future__ import annotations

import functools
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from analysis import ankle_stand
from robot_data import robot_data_path
from study import run_study, study_parser

import tarsus as ts
from tarsus.analysis import (
    PushMap,
    ankle_limit,
    push_limit,
    recovers_standing,
    recovers_walking,
    walking_biped,
    walking_push_start,
)

FLOOR = 10.0
"""Of robots that stand [N s]."""
FASTEST = 1.5
"""Largest change of velocity that is tried while walking [m/s]."""
STANDING = {"ankles": (ankle_stand.recovers, "CHEST_LINK1"), "whole-body": (recovers_standing, "chest")}
"""Scenarios of robots that stand, and the frame of the push in each."""
WALKING = {
    "walking": {},
    "walking-ankles": {"adapt": False},
    "walking-periodic": {"adapt": "periodic"},
    "walking-hips": {"hips": True},
}
"""Scenarios of robots that walk, and how they act against pushes."""
TALOS = "talos_data/robots/talos_reduced.urdf"


def main() -> int:
    parser = study_parser(__doc__, 12)
    parser.add_argument("--controller", choices=[*STANDING, *WALKING], default="ankles")
    parser.add_argument("--robot", default="robot:hrp2", help="that walks: robot:hrp2, robot:lola, talos or a file")
    parser.add_argument("--precision", type=float, default=0.1, help="[N s]")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    if options.controller in WALKING:
        return walking(options)
    scenario, frame = STANDING[options.controller]
    shared = {"frame": frame, "largest": 64.0, "precision": options.precision}
    found = studied(options, scenario, shared)
    if options.picture is not None:
        title = f"HRP-2 on both feet, {options.controller}: push at the chest [N s]"
        ts.plot_push_map(found, options.picture, floor=FLOOR, title=title)
    return 0 if found.least >= FLOOR else 1


def walking(options) -> int:
    robot = str(robot_data_path(TALOS)) if options.robot == "talos" else options.robot
    biped = walking_biped(robot)
    mass = biped.model.total_mass
    scenario = functools.partial(recovers_walking, robot=robot, **WALKING[options.controller])
    shared = {"frame": "pelvis", "start": walking_push_start(robot), "largest": FASTEST * mass}
    found = studied(options, scenario, {**shared, "precision": options.precision})
    for angle, limit in zip(found.angle, found.limit, strict=True):
        ankles = ankle_limit(biped, angle)
        print(f"{math.degrees(angle):6.1f} deg  {limit / mass:5.2f} m/s, {limit / mass / ankles:4.1f} of w d")
    if options.picture is not None:
        title = f"{biped.model.name} walks, {options.controller}: push at the pelvis [N s]"
        ts.plot_push_map(found, options.picture, title=title)
    return 0


def studied(options, scenario, shared) -> PushMap:
    cases = [{"angle": 2.0 * math.pi * k / options.count, **shared} for k in range(options.count)]
    found = PushMap.of(run_study(options, functools.partial(push_limit, scenario=scenario), cases))
    for angle, limit, fall in zip(found.angle, found.limit, found.fall, strict=True):
        print(f"{math.degrees(angle):6.1f} deg  recovers from {limit:6.2f} N s, not from {fall:6.2f}")
    return found


if __name__ == "__main__":
    sys.exit(main())
