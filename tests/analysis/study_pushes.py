"""Limits of pushes at the chest of HRP-2 on both feet, in many directions; a run that was ended goes on.

python tests/analysis/study_pushes.py --count 36 --results benchmarks/results/pushes.jsonl --picture pushes.png
"""

from __future__ import annotations

import functools
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from analysis import ankle_stand
from study import run_study, study_parser

import tarsus as ts
from tarsus.analysis import PushMap, push_limit, recovers_standing

FLOOR = 10.0
"""[N s]."""
CONTROLLERS = {"ankles": (ankle_stand.recovers, "CHEST_LINK1"), "whole-body": (recovers_standing, "chest")}
"""Scenarios, and the frame of the push in each."""


def main() -> int:
    parser = study_parser(__doc__, 12)
    parser.add_argument("--controller", choices=list(CONTROLLERS), default="ankles")
    parser.add_argument("--precision", type=float, default=0.1, help="[N s]")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    scenario, frame = CONTROLLERS[options.controller]
    shared = {"frame": frame, "largest": 64.0, "precision": options.precision}
    cases = [{"angle": 2.0 * math.pi * k / options.count, **shared} for k in range(options.count)]
    found = PushMap.of(run_study(options, functools.partial(push_limit, scenario=scenario), cases))
    for angle, limit, fall in zip(found.angle, found.limit, found.fall, strict=True):
        print(f"{math.degrees(angle):6.1f} deg  recovers from {limit:6.2f} N s, not from {fall:6.2f}")
    if options.picture is not None:
        title = f"HRP-2 on both feet, {options.controller}: push at the chest [N s]"
        ts.plot_push_map(found, options.picture, floor=FLOOR, title=title)
    return 0 if found.least >= FLOOR else 1


if __name__ == "__main__":
    sys.exit(main())
