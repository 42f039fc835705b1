"""Talos walks; HRP-2 where Talos is not installed.

Run as ``python -m examples.walk_talos [folder]``; it prints what it found of the robot and measured of the walk, and
writes a recording, a picture and an animation to the folder. Nothing is told about the robot but its model.
"""

from __future__ import annotations

import sys
from pathlib import Path

from examples.push_talos import hrp2, talos

import tarsus as ts
from tarsus.walking import WalkOutcome

PICTURE_TIME = 4.0
"""Of the picture [s]: in the middle of the walk."""


def walk(record: Path | None = None, *, progress: bool | None = None) -> WalkOutcome:
    """Two metres and a bit at 0.3 m/s, from standing to standing."""
    walker = ts.walking.Walker((talos() or hrp2()).robot)
    print(walker.biped)
    return walker.walk(speed=0.3, steps=12, record=record, progress=progress)


def main(folder: str = "walk_talos", *, progress: bool | None = None) -> WalkOutcome:
    """Run it, print and write everything."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    done = walk(target / "walk.h5", progress=progress)
    print(done)
    ts.viewer.draw_moment(done.trajectory, PICTURE_TIME, target / "walk.png", view=(60.0, 10.0))
    ts.viewer.write_animation(done.trajectory, target / "walk.html")
    for suffix in (".h5", ".png", ".html"):
        print(target / f"walk{suffix}")
    return done


if __name__ == "__main__":
    main(*sys.argv[1:2])
