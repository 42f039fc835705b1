"""HRP-2 is dropped, lands, and stands while it is pushed; what it touches with is found, not prescribed.

Run as ``python examples/drop_hrp2.py [folder]``; it prints what it measured and writes a recording, plots and an
animation to the folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import tarsus as ts
from tarsus.contact import flat
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation import JointLaw, Push

DROP = 0.08
"""Height of the soles above the ground at the start [m]."""
KP, KD = 3000.0, 60.0
PUSHES = (
    Push("BODY", (120.0, 0.0, 0.0), start=1.5, duration=0.1),
    Push("BODY", (0.0, 150.0, 0.0), start=3.0, duration=0.1),
)
DURATION = 5.0


def drop(record: Path | None = None, *, progress: bool | None = None) -> Trajectory:
    """The fall and the pushes."""
    robot = ts.robots.hrp2()
    q = np.array(robot.reference)
    q[2] += DROP
    law = JointLaw(kp=KP, kd=KD, q=q)
    return ts.simulate(robot, q, duration=DURATION, controller=law, ground=flat(), pushes=PUSHES, record=record,
                       progress=progress)  # fmt: skip


def measures(run: Trajectory) -> dict[str, float]:
    """Landing, forces and motion of the feet in numbers."""
    weight = run.model.total_mass * 9.81
    vertical = run.contact_force[:, :, 2].sum(axis=1)
    first = int(np.argmax(vertical > 0.0))
    landed = int(np.searchsorted(run.time, PUSHES[0].start))
    soles = np.array([ts.frame_pose(run.model, run.q, f"{side}_sole")[:, :2, 3] for side in "lr"])
    return {
        "touch-down [s]": float(run.time[first]),
        "largest force of the ground / weight": float(vertical.max() / weight),
        "force of the ground at the end / weight": float(vertical[-1] / weight),
        "largest tilt of the body [deg]": float(np.degrees(2.0 * np.arccos(np.abs(run.q[:, 3]).clip(max=1.0)).max())),
        "feet moved after the first push [mm]": float(
            1e3 * np.linalg.norm(soles[:, -1] - soles[:, landed], axis=1).max()
        ),
        "work of the pushes [J]": float(run.energy["external"][-1]),
        "lost in the ground [J]": float(run.energy["ground_dissipated"][-1]),
    }


def main(folder: str = "drop_hrp2", *, progress: bool | None = None) -> dict[str, float]:
    """Run it, print and write everything."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    run = drop(target / "drop_hrp2.h5", progress=progress)
    found = measures(run)
    for name, value in found.items():
        print(f"{name:42} {value:9.3f}")
    ts.plot_energy(run, target / "drop_hrp2-energy.png")
    ts.plot_signals(run, None, target / "drop_hrp2.png")
    ts.viewer.write_animation(run, target / "drop_hrp2.html")
    for suffix in (".h5", "-energy.png", ".png", ".html"):
        print(target / f"drop_hrp2{suffix}")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:2])
