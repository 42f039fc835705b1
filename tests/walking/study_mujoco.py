"""Bipeds of MJCF files walk in MuJoCo, which reads the same file; a run that was ended goes on.

pip install --no-deps --target build/bipeds -r tests/walking/biped_packages.txt
python tests/walking/study_mujoco.py --packages build/bipeds --results benchmarks/results/mujoco.jsonl

Each one walks for 10 s, at 0.3 m/s or at its top speed where that is less, with shapes, contacts, limits, armature,
damping and dry friction of joints as the file has them, and once more with stiff contacts.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from study import run_study, study_parser
from walking.installed_bipeds import PACKAGES, biped_model
from walking.study_bipeds import usual_speed
from walking.walker.mujoco_model import STIFF, read_by_mujoco
from walking.walker.mujoco_plant import MujocoPlant, walk_in_mujoco

from tarsus.walking import Walker

ROBOTS = [name for name, file in PACKAGES.items() if file.endswith(".xml")]
LASTS = 10.0
"""Of a walk [s]."""
OFF = 0.1
"""Part of its way that a walk may end elsewhere."""


def walked(robot: str, contact: str, packages: str) -> dict[str, Any]:
    """One walk, and whether it was what was planned."""
    warnings.simplefilter("ignore")
    walker = Walker(biped_model(robot, packages))
    mj_model = read_by_mujoco(Path(packages) / PACKAGES[robot], walker.biped, STIFF if contact == "stiff" else None)
    plant, speed = MujocoPlant(walker.biped, mj_model), usual_speed(walker)
    done = walk_in_mujoco(walker, plant, speed=speed, duration=LASTS)
    off = float(np.linalg.norm(done.way - done.planned.way) / np.linalg.norm(done.planned.way))
    return {
        "passed": done.passed and off < OFF,
        "reason": done.reason or ("" if off < OFF else f"ends {off:.0%} of its way elsewhere"),
        "speed": speed,
        "off": off,
        "tilt": done.tilt,
    }


def main() -> int:
    parser = study_parser(__doc__, len(ROBOTS))
    parser.add_argument("--packages", default="build/bipeds", help="directory with the packages of biped_packages.txt")
    options = parser.parse_args()
    packages = str(Path(options.packages).resolve())
    if not Path(packages).is_dir():
        parser.error(f"there is no directory {options.packages}; install the packages of biped_packages.txt into it")
    cases = [
        {"robot": robot, "contact": contact, "packages": packages}
        for robot in ROBOTS[: options.count]
        for contact in ("file", "stiff")
    ]
    passed = 0
    for outcome in run_study(options, walked, cases):
        value = outcome.value or {"passed": False, "reason": f"error: {outcome.error}"}
        told = (
            value["reason"] or f"{value['speed']:.2f} m/s, {value['off']:.1%} off, tilt {np.degrees(value['tilt']):.1f}"
        )
        print(f"{outcome.case['robot']:40s} {outcome.case['contact']:6s} {told}")
        passed += value["passed"]
    print(f"{passed} of {len(cases)} walked as planned")
    return 0 if passed == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
