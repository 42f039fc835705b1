"""Every biped that can be installed walks on sensors, or is refused with the reason; a run that was ended goes on.

pip install --no-deps --target build/bipeds -r tests/walking/biped_packages.txt
python tests/walking/study_bipeds.py --packages build/bipeds --results benchmarks/results/bipeds.jsonl --table bipeds.md

Every case is a robot and a walk, on encoders, an inertial unit and force sensors: 20 m at 0.3 m/s (at its top speed
where that is less), 20 m at its top speed, steps aside, a turn by 90 degrees, all of which end with standing still; and
for three of them slopes of 5 degrees and kerbs of 3 cm.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from study import run_study, study_parser
from walking.installed_bipeds import REFUSED, biped_model, names

import tarsus as ts
from tarsus.errors import TarsusError
from tarsus.walking import Walker
from tarsus.walking.walker.terrain import kerbs, ramp
from tarsus.walking.walker.verdict.walk_outcome import WalkOutcome

SPEED, WAY = 0.3, 20.0
"""[m/s], [m]."""
SEED = 3
ASIDE = 0.1
"""Speed aside, or a fifth of the leg a second where that is less [m/s]."""
TURN = 0.3
"""[rad/s]."""
DRIFT = {"20 m": 0.5, "top speed": 1.0}
"""Way to the side that is left where nothing measures the heading [m]."""
KEPT = 1.0 + 1e-9
"""Of limits of torques and speeds, at top speed."""
WALKS = ("20 m", "top speed", "aside", "turn")
GROUNDS = {
    "slope up": lambda: ramp(np.radians(5.0)),
    "slope down": lambda: ramp(np.radians(-5.0)),
    "kerbs up": lambda: kerbs(0.03),
    "kerbs down": lambda: kerbs(-0.03),
}
ON_GROUNDS = ("HRP-2", "Talos", "Lola")


def walked(robot: str, walk: str, packages: str) -> dict[str, Any]:
    """One walk, and whether it was what was asked for."""
    warnings.simplefilter("ignore")
    model = biped_model(robot, packages)
    if walk == "refused":
        return refused(model, REFUSED[robot])
    walker = Walker(model, clearance=0.06 if walk in GROUNDS else None)
    biped = walker.biped
    found: dict[str, Any] = {"mass": biped.model.total_mass, "leg": biped.leg, "speed": 0.0}
    try:
        if walk in DRIFT:
            found["speed"] = walker.top_speed if walk == "top speed" else usual_speed(walker)
        done = one_walk(walker, walk, found["speed"])
    except TarsusError as error:
        return {**found, "passed": False, "reason": str(error)}
    found |= told(done)
    reason = done.reason if not done.passed else missed(done, walk)
    return {**found, "passed": not reason, "reason": reason}


def usual_speed(walker: Walker) -> float:
    """0.3 m/s, or the top speed of robots that are too weak for it, or whose legs are too short."""
    try:
        walker.choose(np.array([SPEED, 0.0, 0.0]))
    except ts.errors.PlanningError:
        if not walker.top_speed > 0.0:
            raise
        return walker.top_speed
    return SPEED


def one_walk(walker: Walker, walk: str, speed: float) -> WalkOutcome:
    """The walk of a case, straight ahead at a speed [m/s]."""
    if walk in GROUNDS:
        return walker.walk(SPEED, duration=9.0, ground=GROUNDS[walk](), sensed=True, seed=SEED)
    if walk == "aside":
        aside = min(ASIDE, 0.2 * walker.biped.leg)
        return walker.walk(0.0, aside, steps=8, sensed=True, seed=SEED)
    if walk == "turn":
        return walker.walk(0.0, turn=TURN, duration=np.pi / 2 / TURN + 0.8, sensed=True, seed=SEED)
    if not speed > 0.0:
        raise ts.errors.PlanningError("no speed is within 95 % of the limits of its joints")
    return walker.walk(speed, duration=WAY / speed, sensed=True, seed=SEED)


def missed(done: WalkOutcome, walk: str) -> str:
    """What a walk without a fall missed."""
    if walk in ("20 m", "top speed"):
        if done.way[0] < 0.95 * WAY or abs(done.way[1]) > DRIFT[walk]:
            return f"came to {done.way[0]:.2f} m, {done.way[1]:.2f} m aside"
        if walk == "top speed" and not (done.torque[0] <= KEPT and done.joint_speed[0] <= KEPT):
            return f"needed {done.torque[0]:.0%} of a torque, {done.joint_speed[0]:.0%} of a speed"
    elif walk == "aside":
        off = np.abs(done.way - (done.plan.com[-1, :2] - done.plan.com[0, :2])).max()
        return f"is {off:.3f} m off" if off > 0.05 else ""
    elif walk == "turn":
        off = abs(done.turned - done.plan.footsteps[-1].yaw)
        return f"turned by {np.degrees(done.turned):.1f} degrees" if off > 0.05 or done.turned < np.pi / 2 else ""
    elif done.way[0] < 2.0:
        return f"came to {done.way[0]:.2f} m"
    return ""


def told(done: WalkOutcome) -> dict[str, Any]:
    """Numbers of a walk."""
    return {
        "time": done.time,
        "way": done.way.tolist(),
        "tilt": done.tilt,
        "torque": done.torque,
        "joint_speed": done.joint_speed,
        "steps": done.steps,
        "turned": done.turned,
    }


def refused(model: ts.Model, reason: str) -> dict[str, Any]:
    """Whether a model is refused before it walks, with the reason that is expected."""
    try:
        Walker(model).choose(np.array([SPEED, 0.0, 0.0]))
    except TarsusError as error:
        return {"passed": reason in str(error), "reason": str(error)}
    return {"passed": False, "reason": "was not refused"}


def table(found: dict[tuple[str, str], dict[str, Any]]) -> str:
    """Robots and their walks, in Markdown."""
    lines = [
        "| robot | mass | leg | 20 m at | to the side | top speed | to the side | aside | turn |",
        f"|{'---|' * 9}",
    ]
    for robot in names():
        first = found.get((robot, WALKS[0]))
        if first is None:
            continue
        cells = [cell(found.get((robot, walk)), walk) for walk in WALKS]
        kg, leg = first.get("mass", 0.0), first.get("leg", 0.0)
        lines.append(f"| {robot} | {kg:.0f} kg | {leg:.2f} m | {' | '.join(cells)} |")
    return "\n".join(lines)


def cell(value: dict[str, Any] | None, walk: str) -> str:
    """One walk in a few letters."""
    if value is None or not value["passed"]:
        return ("-" if value is None else f"no: {value['reason'][:60]}") + (" | -" if walk in DRIFT else "")
    return f"{value['speed']:.2f} m/s | {abs(value['way'][1]):.1f} m" if walk in DRIFT else "yes"


def main() -> int:
    parser = study_parser(__doc__, len(names()))
    parser.add_argument("--packages", default="build/bipeds", help="directory with the packages of biped_packages.txt")
    parser.add_argument("--table", type=Path, help="Markdown file to write")
    options = parser.parse_args()
    packages = str(Path(options.packages).resolve())
    if not Path(packages).is_dir():
        parser.error(f"there is no directory {options.packages}; install the packages of biped_packages.txt into it")
    walks = [(path, "refused") for path in REFUSED]
    walks += [(robot, walk) for robot in ON_GROUNDS for walk in GROUNDS]
    walks += [(robot, walk) for walk in WALKS for robot in names()[: options.count]]
    cases = [{"robot": robot, "walk": walk, "packages": packages} for robot, walk in walks]
    passed, found = 0, {}
    for outcome in run_study(options, walked, cases):
        value = outcome.value or {"passed": False, "reason": f"error: {outcome.error}"}
        found[outcome.case["robot"], outcome.case["walk"]] = value
        ok = "walked" if outcome.case["walk"] != "refused" else "refused"
        print(f"{outcome.case['robot']:60s} {outcome.case['walk']:10s} {ok if value['passed'] else value['reason']}")
        passed += value["passed"]
    if options.table is not None:
        options.table.write_text(table(found) + "\n")
    print(f"{passed} of {len(cases)} walked, or were refused, as they should")
    return 0 if passed == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
