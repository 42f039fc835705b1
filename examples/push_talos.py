"""Talos stands by its sensors while it is pushed from all sides; HRP-2 where Talos is not installed.

Run as ``python -m examples.push_talos [folder]``; it prints what it measured and writes a recording, a picture, a plot
and an animation to the folder. Sensors and controller are those of examples/stand_hrp2.py, with other names of frames.
Talos comes with the package example-robot-data.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
from examples.stand_hrp2 import CORNERS, DIRECTIONS, FEET, sensors, standing

import tarsus as ts
from tarsus.contact import Sole, flat
from tarsus.recording.trajectory import Trajectory
from tarsus.simulation import Push

PUSH_TIME = 0.2
"""For which each push acts [s]; the first begins after 1 s, one every 1.5 s."""
PICTURE_TIME = 2.5 + 0.75 * PUSH_TIME
"""Of the picture [s]: while it is pushed back."""


@dataclass(frozen=True)
class Standing:
    """A robot that stands in its reference pose.

    Attributes
    ----------
    robot : Model
    soles : tuple of str
        Frames of its left and right sole.
    corners : tuple of tuple of float
        Of the soles, in these frames [m].
    waist, chest : str
        Frames with the IMU, and where it is pushed.
    force : float
        Of the pushes [N].
    """

    robot: ts.Model
    soles: tuple[str, str]
    corners: tuple[tuple[float, float, float], ...]
    waist: str
    chest: str
    force: float


def talos() -> Standing | None:
    """Talos with bent knees, from the package example-robot-data; None without it."""
    try:
        package = distribution("example-robot-data")
    except PackageNotFoundError:
        return None
    folder = Path(str(package.locate_file("cmeel.prefix/share/example-robot-data/robots/talos_data")))
    robot = ts.load(folder / "robots/talos_reduced.urdf", base="free", srdf=folder / "srdf/talos.srdf")
    soles = ("left_sole_link", "right_sole_link")
    q = np.array(robot.poses["half_sitting"])
    q[2] -= ts.frame_poses(robot, q, soles)[:, 2, 3].min()
    corners = tuple((x, y, 0.0) for x in (0.1, -0.1) for y in (0.06, -0.06))
    return Standing(robot.with_reference(q), soles, corners, "base_link", "torso_2_link", 100.0)


def hrp2() -> Standing:
    """The built-in HRP-2."""
    return Standing(ts.robots.hrp2(), FEET, CORNERS, "BODY", "CHEST_LINK1", 80.0)


def push(it: Standing, record: Path | None = None, *, progress: bool | None = None) -> Trajectory:
    """Ten seconds with five pushes, by encoders, IMU and foot forces."""
    pushes = [
        Push(it.chest, (it.force * x, it.force * y, 0.0), start=1.0 + 1.5 * k, duration=PUSH_TIME)
        for k, (x, y) in enumerate(DIRECTIONS)
    ]
    soles = [Sole(sole, sole, it.corners) for sole in it.soles]
    return ts.simulate(it.robot, duration=11.0, controller=standing(it.robot, soles=it.soles), ground=flat(),
                       sensors=sensors(it.robot, it.waist, it.soles), contacts=soles, pushes=pushes, seed=0,
                       record=record, progress=progress)  # fmt: skip


def measures(run: Trajectory) -> dict[str, float]:
    """Pushes and what they did, in numbers."""
    com = ts.center_of_mass(run.model, run.q)
    return {
        "force of each push, for 0.2 s [N]": max(float(np.linalg.norm(p["force"])) for p in run.metadata["pushes"]),
        "largest tilt of the body [deg]": float(np.degrees(2.0 * np.arccos(np.abs(run.q[:, 3]).clip(max=1.0)).max())),
        "largest way of the centre of mass [mm]": float(1e3 * np.linalg.norm(com[:, :2] - com[0, :2], axis=1).max()),
        "work of the pushes [J]": float(run.energy["external"][-1]),
        "force of the ground at the end / weight": float(
            run.contact_force[-1, :, 2].sum() / (9.81 * run.model.total_mass)
        ),
    }


def main(folder: str = "push_talos", *, progress: bool | None = None) -> dict[str, float]:
    """Run it, print and write everything."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    it = talos() or hrp2()
    name = f"push_{it.robot.name}"
    run = push(it, target / f"{name}.h5", progress=progress)
    print(f"{it.robot.name}: {run.reason}")
    found = measures(run)
    for what, value in found.items():
        print(f"{what:42} {value:9.3f}")
    ts.viewer.draw_moment(run, PICTURE_TIME, target / f"{name}.png", view=(60.0, 10.0))
    ts.plot_signals(run, ["capture_point", "pressure"], target / f"{name}-balance.png")
    ts.viewer.write_animation(run, target / f"{name}.html")
    for suffix in (".h5", ".png", "-balance.png", ".html"):
        print(target / f"{name}{suffix}")
    return found


if __name__ == "__main__":
    main(*sys.argv[1:2])
