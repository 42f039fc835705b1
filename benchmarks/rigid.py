"""Rigid contact by events: time of the processor for each simulated second, of a landing, a collapse and leg lifts.

``python -m benchmarks.rigid`` prints a row each: CPU seconds a simulated second, how much of the time was stepped
through with solved impulses, and the largest deviation of the energy.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np
from rich.table import Table

import tarsus as ts
from benchmarks.cells import empty_table
from benchmarks.section import Section
from benchmarks.target import Target
from tarsus.contact import Rigid, contactors, flat, points
from tarsus.simulation import JointLaw


@dataclass(frozen=True)
class Row:
    """What was measured.

    Attributes
    ----------
    cpu : float
        CPU seconds for each simulated second.
    stepped : float
        Part of the time that was gone through in steps.
    integration : float
        Largest part "integration" of the energy audit [J].
    """

    name: str
    cpu: float
    stepped: float
    integration: float


def landing() -> ts.Trajectory:
    """HRP-2 falls 5 cm onto its feet under joint PD."""
    model = ts.robots.hrp2()
    q = np.array(model.reference)
    q[2] += 0.05
    law = JointLaw(kp=4000.0, kd=100.0, q=q)
    feet = contactors(model, ["LLEG_LINK5", "RLEG_LINK5"])
    return ts.simulate(model, q, controller=law, ground=flat(Rigid()), contacts=feet, duration=1.5)


def collapse() -> ts.Trajectory:
    """HRP-2 without torques, with all of its points."""
    return ts.simulate(ts.robots.hrp2(), ground=flat(Rigid()), duration=3.0)


def leg_lift() -> ts.Trajectory:
    """feng18 with a free base lifts its left leg and puts it down again."""
    model = ts.robots.feng18(base="free")
    frames = [f"{s}_sole_{end}_{edge}" for s in "rl" for end in ("rear", "front") for edge in ("left", "right")]
    q = np.array(model.neutral())
    q[2] -= ts.frame_poses(model, q, frames)[:, 2, 3].min()
    lifted = q.copy()
    for joint, bend in ((5, -0.2), (6, 0.4), (7, -0.2)):
        lifted[model.joints[f"joint{joint}"].q_index] += bend
    law = JointLaw(kp=2000.0, kd=100.0, times=[0.0, 0.25, 0.5], q=np.array([q, lifted, q]))
    return ts.simulate(model, q, ground=flat(Rigid()), contacts=points(model, frames), controller=law, duration=1.0)


@cache
def load_modules() -> None:
    """What the first run of a process imports and reads is none of the time of a run."""
    ts.simulate(ts.robots.hrp2(), ground=flat(Rigid()), duration=1e-3)


def measure(name: str, simulate: Callable[[], ts.Trajectory]) -> Row:
    """One run, and what it took."""
    load_modules()
    begin = time.process_time()
    run = simulate()
    spent, duration = time.process_time() - begin, float(run.time[-1])
    stepped = sum(event.get("duration", 0.0) for event in run.metadata["events"])
    return Row(name, spent / duration, stepped / duration, float(np.abs(run.energy["integration"]).max()))


CASES = {"hrp2 lands": landing, "hrp2 collapses": collapse, "feng18 lifts a leg": leg_lift}
MOST = {"hrp2 lands": 0.17, "hrp2 collapses": 0.17, "feng18 lifts a leg": 0.2}
"""CPU seconds for each simulated second that are wanted: 0.5 for a landing and 3 s of collapse."""


def _tables(rows: Sequence[Row]) -> list[Table]:
    columns = ("", "CPU s a second", "stepped through", "largest energy of integration, J")
    table = empty_table("rigid contact by events", columns, left=("",))
    for row in rows:
        table.add_row(row.name, f"{row.cpu:.3f}", f"{row.stepped:.1%}", f"{row.integration:.1e}")
    return [table]


def judge_rigid(rows: Sequence[Row]) -> list[Target]:
    """Landing, collapse and leg lifts."""
    found = {row.name: row.cpu for row in rows}
    return [
        Target(f"rigid contact, {name}: CPU s a second", None, most, found.get(name)) for name, most in MOST.items()
    ]


SECTION = Section("rigid", lambda options: (measure(*case) for case in CASES.items()), _tables, judge_rigid)


def main() -> None:
    """Print the rows, or all of them as JSON with ``--json``."""
    rows = [measure(name, case) for name, case in CASES.items()]
    if "--json" in sys.argv[1:]:
        print(json.dumps([asdict(row) for row in rows]))
        return
    for row in rows:
        print(f"{row.name:20} {row.cpu:8.3f} CPU s/s {100 * row.stepped:6.1f} % stepped {row.integration:10.2e} J")


if __name__ == "__main__":
    main()
