"""Lola and its drives: the robot as it looks, and its bones with rotors (orange) and outputs of elastic gears (red).

Run as ``python examples/lola_drives.py [picture.png]``.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

import tarsus as ts
from tarsus.model.assembly import assemble
from tarsus.model.shapes import Capsule, Shape
from tarsus.viewer import draw

VIEW = (148.0, 14.0)
DISTANCE = 1.0
RADIUS = 0.007
PALE = (0.80, 0.83, 0.87, 1.0)


def bone(end: npt.NDArray[np.float64]) -> Shape:
    """Thin capsule from the origin of a link to a point on it."""
    length = float(np.linalg.norm(end))
    z = end / length
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0), z)
    x /= np.linalg.norm(x)
    return Shape(Capsule(RADIUS, length), ts.pose(0.5 * end, np.column_stack([x, np.cross(z, x), z])), PALE)


def with_bones(model: ts.Model) -> ts.Model:
    """The model with segments drawn as lines to the joints and frames that they carry."""
    description = model.description
    ends: dict[str, list[npt.NDArray[np.float64]]] = {link.name: [] for link in description.links}
    for joint in description.joints:
        ends[joint.parent].append(joint.pose[:3, 3])
    for frame in description.frames:
        ends[frame.link].append(frame.pose[:3, 3])
    links = tuple(
        link
        if link.name.endswith(("_rotor", "_gear"))
        else replace(link, visuals=tuple(bone(end) for end in ends[link.name] if np.linalg.norm(end) > RADIUS))
        for link in description.links
    )
    return assemble(replace(description, links=links))


def main(path: str = "lola_drives.png") -> None:
    """Draw both side by side."""
    model = ts.robots.lola(drives="elastic")
    figure = Figure(figsize=(8.0, 7.0), dpi=100)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    azimuth = np.radians(VIEW[0])
    to_the_right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    for place, robot in ((0.0, model), (DISTANCE, with_bones(model))):
        draw(robot, view=VIEW, size=(700, 700), position=place * to_the_right, ax=axes)
    axes.set_xlim(-0.55, 1.55)
    axes.set_ylim(-0.25, 1.85)
    figure.savefig(path, dpi=100)
    rotors = sum(name.endswith("_rotor") for name in model.bodies)
    print(f"{rotors} rotors and {model.nb - rotors} other bodies in {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
