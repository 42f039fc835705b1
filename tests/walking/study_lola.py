"""Lola walks 100 m at 2.5 and 3.5 km/h on drives, visco-elastic soles and sensors; a run that was ended goes on.

python tests/walking/study_lola.py --count 20 --results benchmarks/results/lola-walks.jsonl

Every case is a seed of the sensors' errors and a speed; masses are 5 % larger or smaller than she knows, in turns.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from study import run_study, study_parser
from walking.walker.lola_walk import FAST, SLOW, lola_walk

SPEEDS = {"2.5 km/h": SLOW, "3.5 km/h": FAST}
WAY = 100.0
"""[m]."""
STARTING = 4
"""Steps more than the way has at full speed, for the slow ones at both ends."""


def walked(speed: str, seed: int, way: float) -> dict[str, Any]:
    """One walk."""
    pace = SPEEDS[speed]
    done = lola_walk(pace, STARTING + round(way / (0.8 * pace)), seed, 0.05 if seed % 2 else -0.05)
    error = done.trajectory.signals["divergent_error"]
    return {
        "passed": bool(done.passed),
        "reason": done.reason,
        "time": done.time,
        "way": float(done.way[0]),
        "aside": float(done.way[1]),
        "tilt": done.tilt,
        "divergent_error": float(np.abs(error).max()),
    }


def main() -> int:
    parser = study_parser(__doc__, 20)
    parser.add_argument("--way", type=float, default=WAY, help="[m]")
    options = parser.parse_args()
    cases = [{"speed": speed, "seed": seed, "way": options.way} for seed in range(options.count) for speed in SPEEDS]
    found = run_study(options, walked, cases)
    passed = 0
    for outcome in found:
        value = outcome.value
        told = f"error: {outcome.error}" if value is None else f"{value['way']:6.1f} m  {value['reason'] or 'walked'}"
        print(f"{outcome.case['speed']}  seed {outcome.case['seed']:3d}  {told}")
        passed += value is not None and value["passed"]
    print(f"{passed} of {len(cases)} walked {options.way:g} m")
    return 0 if passed == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
