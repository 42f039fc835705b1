"""Static postures for random stances that can be and that cannot; a run that was ended goes on.

python tests/control/stances/study_postures.py --count 10000 --jobs 2 --results benchmarks/results/postures.jsonl

Contacts are taken from random postures of hrp2, Talos and solo12 in equilibrium; a posture counts as found if every
contact, limit, force and torque holds to 1e-6 when it is looked at again. A tenth as many stances cannot be: what fails
is known, and must be what is told.
"""

from __future__ import annotations

import functools
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[3]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from study import run_study, study_parser
from tests.control.stances.stance_cases import CLASSES, IMPOSSIBLE, Robot, impossible

import tarsus as ts
from tarsus.control import static_equilibrium, static_posture
from tarsus.control.whole_body.terms import slip

TOLERANCE = 1e-6
LOAD = 0.9


def wrong(robot: Robot, contacts: Any, found: Any) -> list[str]:
    """What a posture that is told to be one does wrong."""
    model, told = robot.model, []
    for contact in contacts:
        if np.abs(slip(contact, ts.frame_pose(model, found.q, contact.frame))).max() > TOLERANCE:
            told.append(f"place of {contact.frame}")
    if not ((found.q[7:] >= model.q_min[7:]) & (found.q[7:] <= model.q_max[7:])).all():
        told.append("joint limits")
    rest = static_equilibrium(model, found.q, contacts)
    if not rest.load < LOAD + TOLERANCE:
        told.append(rest.reason)
    return told


@functools.cache
def robot_of(name: str) -> Robot:
    return Robot(name)


def outcome(robot: str, kind: str, number: int) -> dict[str, Any]:
    """What became of one stance."""
    made = robot_of(robot)
    contacts, options = (made.possible(number), {}) if kind == "possible" else impossible(made, kind, number)
    begin = time.process_time()
    found = static_posture(made.model, contacts, made.reference, **options)
    spent = time.process_time() - begin
    if kind == "possible":
        mistakes = wrong(made, contacts, found) if found.success else []
    else:
        mistakes = [] if found.failed == IMPOSSIBLE[kind][1] else [f"told: {found.failed}"]
    result = {"success": found.success, "reason": found.reason, "wrong": mistakes}
    return {**result, "time": round(spent, 4), "starts": found.starts}


def cases(count: int) -> list[dict[str, Any]]:
    """Robot, kind and number of every stance; a tenth as many as can be cannot."""
    found = [(name, "possible", number) for name in CLASSES for number in range(count // len(CLASSES))]
    kinds = [(name, kind) for name in CLASSES for kind in CLASSES[name]]
    each = max(count // 10 // len(kinds), 1)
    found += [(name, kind, number) for name, kind in kinds for number in range(each)]
    return [{"robot": name, "kind": kind, "number": number} for name, kind, number in found]


def main() -> int:
    options = study_parser(__doc__, 10000).parse_args()
    looked_at = cases(options.count)
    found = run_study(options, outcome, looked_at)
    return summary([{**case, **value} for case, value in zip(looked_at, found.values, strict=True)])


def summary(entries: list[dict[str, Any]]) -> int:
    """Prints what was found; 0 where it is good enough."""
    good = True
    for name, kind in dict.fromkeys((entry["robot"], entry["kind"]) for entry in entries):
        mine = [entry for entry in entries if (entry["robot"], entry["kind"]) == (name, kind)]
        solved, mistakes = sum(entry["success"] for entry in mine), [entry for entry in mine if entry["wrong"]]
        times = 1e3 * np.array([entry["time"] for entry in mine])
        spent = f"{np.median(times):.0f} ms in the median, {np.quantile(times, 0.99):.0f} ms in 99 %"
        print(f"{name}, {kind}: {solved} of {len(mine)} found, {len(mistakes)} wrong; {spent}", flush=True)
        for entry in mistakes:
            print(f"  {entry['number']}: {', '.join(entry['wrong'])}; {entry['reason']}", flush=True)
        good &= not mistakes and (solved >= 0.99 * len(mine) if kind == "possible" else solved == 0)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
