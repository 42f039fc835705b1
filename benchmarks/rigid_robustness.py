"""Rigid contact by events: how many of many falls and leg lifts fail.

``python -m benchmarks.rigid_robustness results.jsonl --minutes 5`` goes through limp drops of HRP-2 and Talos
(example-robot-data) in random attitudes and leg lifts of feng18 with a free base, adds a line for each to the file,
leaves out those that are there already, and prints failures and totals. A run fails where it raises an error, gains
energy, has a point deeper in the ground than 1e-6 m, or takes more than two minutes of
the processor.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import tarsus as ts
from tarsus.contact import Rigid, flat, points
from tarsus.contact.rigid.touch_points import TouchPoints
from tarsus.simulation import JointLaw

DROPS = 100
LIFTS = list(product("rl", (0.1, 0.2, 0.4), (500.0, 1000.0, 2000.0, 4000.0)))
DEEPEST = 1e-6
"""Points may be so deep in the ground [m]."""
GAINED = 1e-5
"""Mechanical energy that a limp robot may gain, and an audit may leave open, relative to the energy that there is."""
LONGEST = 120
"""CPU seconds that a run may take."""
_TALOS = "cmeel.prefix/share/example-robot-data/robots/talos_data/robots/talos_reduced.urdf"


@cache
def robot(name: str) -> ts.Model:
    """HRP-2, Talos or feng18 with a free base."""
    if name == "hrp2":
        return ts.robots.hrp2()
    if name == "feng18":
        return ts.robots.feng18(base="free")
    return ts.load(next(file for path in sys.path if (file := Path(path) / _TALOS).exists()), base="free")


def drop(name: str, seed: int) -> tuple[ts.Trajectory, TouchPoints]:
    """A limp robot falls in a random attitude, its lowest point from 0.3 m, for a second and a half."""
    model, ground = robot(name), flat(Rigid(0.6))
    touch = TouchPoints(model, ground, None)
    q = np.array(model.reference)
    attitude = np.random.default_rng(seed).normal(size=4)
    q[3:7] = attitude / np.linalg.norm(attitude)
    q[2] += 0.3 - touch.gaps(q).min()
    return ts.simulate(model, q, ground=ground, duration=1.5), touch


def lift(side: str, bend: float, kp: float) -> tuple[ts.Trajectory, TouchPoints]:
    """feng18 with a free base lifts a leg and puts it down again; its knee bends by 2 `bend` [rad]."""
    model, ground = robot("feng18"), flat(Rigid())
    frames = [f"{s}_sole_{end}_{edge}" for s in "rl" for end in ("rear", "front") for edge in ("left", "right")]
    contacts = points(model, frames)
    q = np.array(model.neutral())
    q[2] -= ts.frame_poses(model, q, frames)[:, 2, 3].min()
    lifted = q.copy()
    # the chain goes from the right toe up and from the waist down to the left one
    bends = {5: -bend, 6: 2 * bend, 7: -bend} if side == "l" else {4: bend, 3: -2 * bend, 2: bend}
    for joint, change in bends.items():
        lifted[model.joints[f"joint{joint}"].q_index] += change
    law = JointLaw(kp=kp, kd=0.05 * kp, times=[0.0, 0.25, 0.5], q=np.array([q, lifted, q]))
    run = ts.simulate(model, q, ground=ground, contacts=contacts, controller=law, duration=1.0)
    return run, TouchPoints(model, ground, contacts)


def judge(run: ts.Trajectory, touch: TouchPoints, limp: bool) -> dict[str, Any]:
    """What a run did, and why it is a failure if it is one."""
    depth = max(0.0, -min(float(touch.gaps(q).min()) for q in run.q))
    mechanical = run.energy["kinetic"] + run.energy["potential"]
    size = float(np.ptp(mechanical))
    found = {
        "depth": depth,
        "stepped": sum(event.get("duration", 0.0) for event in run.metadata["events"]) / float(run.time[-1]),
        "events": len(run.metadata["events"]),
        "integration": float(np.abs(run.energy["integration"]).max()) / size,
        "gained": float(mechanical.max() - mechanical[0]) / size if limp else 0.0,
        "impacts gain": float(max(0.0, -np.diff(run.energy["impact"]).min())),
    }
    why = []
    if not run.finished:
        why.append("did not end")
    if depth > DEEPEST:
        why.append(f"{depth:.2g} m deep")
    if found["gained"] > GAINED or found["impacts gain"] > 1e-9:
        why.append(f"gained {found['gained']:.2g} of its energy")
    if found["integration"] > GAINED and found["stepped"] == 0.0:
        why.append(f"audit leaves {found['integration']:.2g} open")
    return found | {"failure": "; ".join(why)}


def cases() -> Iterator[tuple[str, Any]]:
    """Names, and what runs them."""
    for side, bend, kp in LIFTS:
        yield f"feng18 {side} {bend} {kp:g}", lambda s=side, b=bend, k=kp: judge(*lift(s, b, k), limp=False)
    for name in ("hrp2", "talos"):
        for seed in range(DROPS):
            yield f"{name} {seed}", lambda n=name, s=seed: judge(*drop(n, s), limp=True)


def measure(case: Any) -> dict[str, Any]:
    """One case, with errors and the time it took."""

    def give_up(*_: object) -> None:
        raise TimeoutError(f"took more than {LONGEST} CPU s")

    signal.signal(signal.SIGPROF, give_up)
    begin = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = case()
    except Exception as error:
        found = {"failure": f"{type(error).__name__}: {error}"}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return found | {"cpu": time.process_time() - begin}


def summary(rows: dict[str, dict[str, Any]]) -> None:
    """Failures and totals of each robot."""
    for name, row in rows.items():
        if row["failure"]:
            print(f"failed: {name}: {row['failure']}")
    for robot_name in ("feng18", "hrp2", "talos"):
        of = [row for name, row in rows.items() if name.startswith(robot_name)]
        whole = [row for row in of if "depth" in row]
        if not whole:
            continue
        print(
            f"{robot_name:7} {len(of):4} runs {sum(bool(row['failure']) for row in of):3} failures"
            f"  stepped {100 * np.mean([row['stepped'] for row in whole]):.2f} %"
            f" (most {100 * max(row['stepped'] for row in whole):.2f} %)"
            f"  deepest {max(row['depth'] for row in whole):.1e} m"
            f"  audit {max(row['integration'] for row in whole):.1e}"
            f"  CPU {np.mean([row['cpu'] for row in of]):.2f} s a run"
        )


def main() -> None:
    """Go on with a study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--only", default="", help="feng18, hrp2 or talos")
    arguments = parser.parse_args()
    file: Path = arguments.file
    lines = file.read_text().splitlines() if file.exists() else []
    rows = {row.pop("name"): row for row in map(json.loads, lines)}
    until = time.monotonic() + 60 * arguments.minutes
    for name, case in cases():
        if name in rows or not name.startswith(arguments.only) or time.monotonic() > until:
            continue
        rows[name] = measure(case)
        with file.open("a") as out:
            out.write(json.dumps({"name": name, **rows[name]}) + "\n")
    summary(rows)


if __name__ == "__main__":
    main()
