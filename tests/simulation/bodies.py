"""Small bodies that tests of contact and simulation share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import tarsus as ts
from tarsus.model.shapes import Box, Capsule, Shape, Sphere

GRAVITY = 9.81
"""[m/s^2]."""


def ball(radius: float = 0.1, mass: float = 1.0) -> ts.Model:
    """A free solid sphere whose collision shape is itself."""
    builder = ts.ModelBuilder("ball", base="free")
    return builder.add_link(
        "ball", ts.Inertia.of_sphere(mass, radius), collisions=[Shape(Sphere(radius), name="skin")]
    ).build()


def box(size: tuple[float, float, float] = (0.4, 0.3, 0.2), mass: float = 10.0) -> ts.Model:
    """A free solid box whose collision shape is itself."""
    builder = ts.ModelBuilder("box", base="free")
    return builder.add_link("box", ts.Inertia.of_box(mass, size), collisions=[Shape(Box(size), name="skin")]).build()


def particle(mass: float = 1.0) -> ts.Model:
    """A mass that slides along x, y and z without turning; the frame `point` is its place."""
    builder = ts.ModelBuilder("particle")
    builder.add_link("ground")
    parent = "ground"
    for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))):
        last = name == "z"
        builder.add_link("point" if last else name, ts.Inertia.of_sphere(mass, 0.1) if last else None)
        builder.add_joint(name, "prismatic", parent, "point" if last else name, axis=axis)
        parent = name
    return builder.build()


def rod(length: float = 1.0, mass: float = 1.0) -> ts.Model:
    """A thin free rod along z with contact frames at its ends; moves in the sagittal plane."""
    thin = ts.Inertia.of_box(mass, (1e-9, 1e-9, length))
    builder = ts.ModelBuilder("rod", base="planar").add_link("rod", thin)
    for name, z in (("low", -0.5 * length), ("high", 0.5 * length)):
        builder.add_frame(name, "rod", pose((0, 0, z)))
    return builder.build()


def capsule(radius: float = 0.05, length: float = 0.3, mass: float = 2.0) -> ts.Model:
    """A free capsule along z whose collision shape is itself."""
    builder = ts.ModelBuilder("capsule", base="free")
    inertia = ts.Inertia.of_cylinder(mass, radius, length)
    return builder.add_link("capsule", inertia, collisions=[Shape(Capsule(radius, length), name="skin")]).build()


def point_pendulum(links: int = 1, mass: float = 1.0) -> ts.Model:
    """Point masses 1 m apart below one another, hinged about -y: angles from the downward vertical towards +x."""
    tiny = 1e-14  # a point has no inertia of its own; joints need some
    inertia = ts.Inertia(mass, (0.0, 0.0, -1.0), tiny * np.eye(3))
    builder = ts.ModelBuilder("pendulum").add_link("link0")
    for i in range(1, links + 1):
        place = (0.0, 0.0, 0.0 if i == 1 else -1.0)
        builder.add_link(f"link{i}", inertia)
        builder.add_joint(f"joint{i}", "revolute", f"link{i - 1}", f"link{i}", axis=(0, -1, 0), position=place)
    return builder.build()


def tumbler(moments: npt.ArrayLike, gravity: npt.ArrayLike = (0.0, 0.0, 0.0)) -> ts.Model:
    """A body of 1 kg on a ball joint at its centre of mass."""
    builder = ts.ModelBuilder("tumbler", gravity=gravity).add_link("ground")
    builder.add_link("body", ts.Inertia(1.0, (0.0, 0.0, 0.0), np.diag(np.asarray(moments, dtype=float))))
    return builder.add_joint("ball", "spherical", "ground", "body").build()


def rimless_wheel(spokes: int = 8, inertia: float = 1e-3) -> ts.Model:
    """Hub of 1 kg, spokes of 1 m without mass with frames at their ends; moves in the sagittal plane."""
    hub = ts.Inertia(1.0, (0.0, 0.0, 0.0), inertia * np.eye(3))
    builder = ts.ModelBuilder("wheel", base="planar").add_link("hub", hub)
    for k in range(spokes):
        a = 2 * np.pi * k / spokes
        builder.add_frame(f"spoke{k}", "hub", pose((-np.sin(a), 0.0, -np.cos(a))))
    return builder.build()


def pose(position: npt.ArrayLike, pitch: float = 0.0) -> Any:
    """X with a turn about y, shape (4, 4)."""
    X = np.eye(4)
    c, s = np.cos(pitch), np.sin(pitch)
    X[:3, :3] = [[c, 0, s], [0, 1, 0], [-s, 0, c]]
    X[:3, 3] = position
    return X


def about_y(pitch: float) -> list[float]:
    """Quaternion (w, x, y, z) of a turn about y."""
    return [np.cos(0.5 * pitch), 0.0, np.sin(0.5 * pitch), 0.0]


def drift(run: ts.Trajectory) -> float:
    """Largest deviation of the total energy from its start [J]."""
    from tarsus.recording.energies import total_energy

    total = total_energy(run.energy)
    return float(np.abs(total - total[0]).max())
