"""Mechanisms with kinematic loops that several tests share."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import tarsus as ts
from tarsus.arrays import FloatArray
from tarsus.model import Loop
from tarsus.spatial import pose, rotation_matrix_from_rotation_vector

LENGTHS = (1.0, 0.4, 0.9, 0.7)
"""Ground, crank, coupler and rocker [m] of a crank-rocker: 1.0 + 0.4 < 0.9 + 0.7."""
DOUBLE_ROCKER = (1.0, 0.8, 0.5, 0.9)
"""Nothing turns round but the coupler: 0.5 + 1.0 < 0.8 + 0.9 with the coupler as the shortest."""


def rod(length: float, mass: float = 1.0) -> ts.Inertia:
    """Uniform rod along x from the origin, without symmetry about x that could hide a mistake."""
    return ts.Inertia.of_box(mass, (length, 0.04, 0.06), com=(0.5 * length, 0.0, 0.0))


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> FloatArray:
    return pose((x, y, z))


def four_bar(
    lengths: tuple[float, float, float, float] = LENGTHS, kind: str = "revolute", **keywords: Any
) -> ts.ModelBuilder:
    """Planar four-bar about z, its tree with two branches: `crank` and `coupler`, `rocker`; the loop is `knee`."""
    ground, crank, coupler, rocker = lengths
    b = ts.ModelBuilder("four-bar", gravity=(0.0, -9.81, 0.0), **keywords)
    b.add_link("ground").add_link("crank", rod(crank)).add_link("coupler", rod(coupler)).add_link("rocker", rod(rocker))
    b.add_joint("a", "revolute", "ground", "crank")
    b.add_joint("b", "revolute", "crank", "coupler", position=(crank, 0.0, 0.0))
    b.add_joint("d", "revolute", "ground", "rocker", position=(ground, 0.0, 0.0))
    b.add_loop(Loop("knee", kind, "coupler", "rocker", at(coupler), at(rocker)))
    b.reference = {"a": 1.0, "b": -0.5, "d": 1.5}
    return b


def double_rocker(leader: str | None = "a") -> ts.ModelBuilder:
    """Led by its crank, which has dead points, by another joint, or (None) by the one that is chosen, the coupler."""
    builder = four_bar(DOUBLE_ROCKER)
    if leader is not None:
        builder.add_loop(replace(builder._loops.pop(), independent=(leader,)))
    return builder


def chain_four_bar(lengths: tuple[float, float, float, float] = LENGTHS, **keywords: Any) -> ts.ModelBuilder:
    """The same four-bar with its tree as one chain, closed at the ground."""
    ground, crank, coupler, rocker = lengths
    b = ts.ModelBuilder("chain", gravity=(0.0, -9.81, 0.0), **keywords)
    b.add_link("ground").add_link("crank", rod(crank)).add_link("coupler", rod(coupler)).add_link("rocker", rod(rocker))
    b.add_joint("a", "revolute", "ground", "crank")
    b.add_joint("b", "revolute", "crank", "coupler", position=(crank, 0.0, 0.0))
    b.add_joint("c", "revolute", "coupler", "rocker", position=(coupler, 0.0, 0.0), child_pose=_turned_end(rocker))
    b.add_loop(Loop("pivot", "revolute", "rocker", "ground", at(), at(ground)))
    b.reference = {"a": 1.0, "b": -0.5, "c": 1.0}
    return b


def _turned_end(length: float) -> FloatArray:
    """Pose of the rocker's frame (at its ground pivot) in the frame at its far end."""
    return at(-length)


def slider_crank(cut: str = "pin", crank: float = 0.4, rod_length: float = 1.1) -> ts.ModelBuilder:
    """Crank about z, rod, slider along x; the loop is the `pin` of the slider or its `guide`."""
    b = ts.ModelBuilder("slider-crank", gravity=(0.0, -9.81, 0.0))
    b.add_link("ground").add_link("crank", rod(crank)).add_link("rod", rod(rod_length))
    b.add_link("slider", ts.Inertia.of_box(2.0, (0.1, 0.1, 0.1)))
    b.add_joint("turn", "continuous", "ground", "crank")
    b.add_joint("swing", "revolute", "crank", "rod", position=(crank, 0.0, 0.0))
    b.reference = {"turn": 0.7, "swing": -0.9}
    if cut == "pin":
        b.add_joint("slide", "prismatic", "ground", "slider", axis=(1.0, 0.0, 0.0))
        b.add_loop(Loop("pin", "revolute", "rod", "slider", at(rod_length), at()))
        b.reference["slide"] = 1.3
    else:
        b.add_joint("wrist", "revolute", "rod", "slider", position=(rod_length, 0.0, 0.0))
        b.add_loop(Loop("guide", "prismatic", "ground", "slider", axis=(1.0, 0.0, 0.0)))
        b.reference["wrist"] = 0.2
    return b


def scissor_lift_builder(start: float = 0.725, **limits: float) -> ts.ModelBuilder:
    """Two legs of 1 m crossed in their middle, one foot on the ground, one on the slider that leads: flat at 1 m."""
    b = ts.ModelBuilder("scissor lift").add_link("ground").add_link("left", rod(1.0)).add_link("right", rod(1.0))
    b.add_link("slider", ts.Inertia.of_box(0.5, (0.1, 0.1, 0.1)))
    b.add_joint("slide", "prismatic", "ground", "slider", axis=(1, 0, 0), **limits)
    b.add_joint("l", "revolute", "ground", "left", axis=(0, -1, 0))
    b.add_joint("r", "revolute", "slider", "right", axis=(0, -1, 0))
    b.add_loop(Loop("cross", "revolute", "left", "right", at(0.5), at(0.5), axis=(0, 1, 0), independent=("slide",)))
    b.reference = {"slide": start, "l": float(np.arccos(start)), "r": float(np.pi - np.arccos(start))}
    return b


def scissor_lift(start: float = 0.725, **limits: float) -> ts.Model:
    """Its model."""
    return scissor_lift_builder(start, **limits).build()


def four_bar_row(count: int) -> ts.ModelBuilder:
    """IFToMM A02: `count` square loops side by side, cranks up, rods of 1 m and 1 kg; crank 0 leads."""
    inertia = ts.Inertia(1.0, (0.5, 0.0, 0.0), np.diag([1e-9, 1.0 / 12.0, 1.0 / 12.0]))
    b = ts.ModelBuilder("four-bar row", gravity=(0.0, -9.81, 0.0)).add_link("ground")
    for i in range(count + 1):
        b.add_link(f"crank{i}", inertia)
        b.add_joint(f"a{i}", "continuous", "ground", f"crank{i}", position=(float(i), 0.0, 0.0))
        b.reference[f"a{i}"] = 0.5 * np.pi
    for i in range(count):
        b.add_link(f"bar{i}", inertia)
        b.add_joint(f"b{i}", "continuous", f"crank{i}", f"bar{i}", position=(1.0, 0.0, 0.0))
        b.add_loop(Loop(f"loop{i}", "revolute", f"bar{i}", f"crank{i + 1}", at(1.0), at(1.0), independent=("a0",)))
        b.reference[f"b{i}"] = -0.5 * np.pi
    return b


def serial_four_bars(count: int, lengths: tuple[float, float, float, float] = LENGTHS) -> ts.ModelBuilder:
    """Four-bars in series: each stands on the coupler of the one before."""
    ground, crank, coupler, rocker = lengths
    b = ts.ModelBuilder("serial", gravity=(0.0, -9.81, 0.0)).add_link("ground")
    carrier, place = "ground", np.zeros(3)
    for i in range(count):
        b.add_link(f"crank{i}", rod(crank)).add_link(f"coupler{i}", rod(coupler)).add_link(f"rocker{i}", rod(rocker))
        b.add_joint(f"a{i}", "revolute", carrier, f"crank{i}", position=place)
        b.add_joint(f"b{i}", "revolute", f"crank{i}", f"coupler{i}", position=(crank, 0.0, 0.0))
        b.add_joint(f"d{i}", "revolute", carrier, f"rocker{i}", position=place + np.array([ground, 0.0, 0.0]))
        b.add_loop(Loop(f"knee{i}", "revolute", f"coupler{i}", f"rocker{i}", at(coupler), at(rocker)))
        b.reference |= {f"a{i}": 1.0, f"b{i}": -0.5, f"d{i}": 1.5}
        carrier, place = f"coupler{i}", np.array([0.3, 0.2, 0.1])
    return b


def bennett(twist: float = 0.6, lengths: tuple[float, float] = (1.0, 0.8)) -> ts.ModelBuilder:
    """Bennett's linkage: four revolute joints in space that move only because a / sin(alpha) = b / sin(beta).

    Links of lengths a, b, a, b with twists alpha, beta, alpha, beta between the axes of their ends.
    """
    a, b_ = lengths
    other = float(np.arcsin(np.sin(twist) * b_ / a))
    steps = [(a, twist), (b_, other), (a, twist), (b_, other)]

    def link(k: int) -> FloatArray:
        length, angle = steps[k]
        return pose((length, 0.0, 0.0), rotation_matrix_from_rotation_vector((angle, 0.0, 0.0)))

    b = ts.ModelBuilder("Bennett", gravity=(0.0, -9.81, 2.0)).add_link("ground")
    for k, name in enumerate(("one", "two", "three")):
        b.add_link(name, rod(steps[k + 1][0] if k < 3 else 1.0))
        parent = "ground" if k == 0 else ("one", "two")[k - 1]
        b.add_joint(f"j{k + 1}", "revolute", parent, name, pose=link(k))
    b.add_loop(Loop("last", "revolute", "three", "ground", link(3), at()))
    b.reference = {"j1": 1.0, "j2": 2.2, "j3": -1.0}
    return b


def space_rod(kind: str = "spherical") -> ts.ModelBuilder:
    """Crank about z and rocker about x joined by a rod with a universal joint and a ball: one degree of freedom."""
    b = ts.ModelBuilder("space rod").add_link("ground")
    b.add_link("crank", rod(0.25)).add_link("rod", rod(1.2)).add_link("rocker", rod(0.6))
    b.add_joint("turn", "continuous", "ground", "crank")
    b.add_joint("cross", "universal", "crank", "rod", position=(0.25, 0.0, 0.0), axis=(0, 0, 1), axis2=(0, 1, 0))
    tilt = rotation_matrix_from_rotation_vector((0.0, -0.5 * np.pi, 0.0))  # x of the rocker points up
    b.add_joint("rock", "revolute", "ground", "rocker", position=(0.9, 0.2, -0.2), rotation=tilt, actuated=False)
    b.add_loop(Loop("ball", kind, "rod", "rocker", at(1.2), at(0.6)))
    b.reference = {"turn": 0.5}
    return b


def ball_rod() -> ts.ModelBuilder:
    """The same rod with the ball at the crank, as a dependent joint of the tree, and the cross as the loop."""
    b = ts.ModelBuilder("ball rod").add_link("ground")
    b.add_link("crank", rod(0.25)).add_link("rod", rod(1.2)).add_link("rocker", rod(0.6))
    b.add_joint("turn", "continuous", "ground", "crank")
    b.add_joint("ball", "spherical", "crank", "rod", position=(0.25, 0.0, 0.0))
    tilt = rotation_matrix_from_rotation_vector((0.0, -0.5 * np.pi, 0.0))
    b.add_joint("rock", "revolute", "ground", "rocker", position=(0.9, 0.2, -0.2), rotation=tilt, actuated=False)
    b.add_link("flag", rod(0.3)).add_joint("wave", "spherical", "rocker", "flag", position=(0.2, 0.0, 0.0))
    b.add_loop(Loop("cross", "universal", "rod", "rocker", at(1.2), at(0.6)))
    b.reference = {"turn": 2.5}
    return b


def parallel_ankle() -> ts.ModelBuilder:
    """Foot on a universal joint, moved by two motors with rods: two degrees of freedom, led by the motors."""
    b = ts.ModelBuilder("ankle").add_link("shin", rod(0.4))
    b.add_link("foot", ts.Inertia.of_box(1.0, (0.2, 0.1, 0.05), com=(0.03, 0.0, -0.05)))
    b.add_joint("ankle", "universal", "shin", "foot", axis=(1, 0, 0), axis2=(0, 1, 0), actuated=False)
    for side, y in (("left", 0.06), ("right", -0.06)):
        b.add_link(f"{side}_arm", rod(0.05, 0.2)).add_link(f"{side}_rod", ts.Inertia.of_box(0.1, (0.01, 0.02, 0.3)))
        b.add_joint(f"{side}_motor", "revolute", "shin", f"{side}_arm", axis=(0, 1, 0), position=(0.0, y, 0.3))
        b.add_joint(
            f"{side}_cross", "universal", f"{side}_arm", f"{side}_rod", axis=(1, 0, 0), axis2=(0, 1, 0),
            position=(0.05, 0.0, 0.0), actuated=False,
        )  # fmt: skip
        b.add_loop(Loop(f"{side}_ball", "spherical", f"{side}_rod", "foot", at(0, 0, -0.3), at(0.05, y, 0.0)))
    return b


def walker() -> ts.ModelBuilder:
    """A free-floating trunk with a leg whose knee is a four-bar, a foot behind it and a wheel geared to its rocker."""
    ground, crank, coupler, rocker = LENGTHS
    b = ts.ModelBuilder("walker", base="free")
    b.add_link("trunk", ts.Inertia.of_box(5.0, (0.2, 0.3, 0.4), com=(0.02, 0.01, -0.03)))
    b.add_link("thigh", rod(1.0)).add_joint("hip", "spherical", "trunk", "thigh", position=(0.0, 0.1, -0.2))
    b.add_link("crank", rod(crank)).add_link("coupler", rod(coupler)).add_link("rocker", rod(rocker))
    b.add_joint("a", "revolute", "thigh", "crank", position=(0.1, 0.0, 0.02))
    b.add_joint("b", "revolute", "crank", "coupler", position=(crank, 0.0, 0.0))
    b.add_joint("d", "revolute", "thigh", "rocker", position=(0.1 + ground, 0.0, 0.02), armature=0.02, damping=0.1)
    b.add_loop(Loop("knee", "revolute", "coupler", "rocker", at(coupler), at(rocker)))
    b.add_link("foot", rod(0.2)).add_joint("ankle", "revolute", "coupler", "foot", axis=(0, 1, 0), position=(0.9, 0, 0))
    b.add_link("wheel", ts.Inertia.of_box(0.3, (0.1, 0.1, 0.02)))
    b.add_joint("spin", "continuous", "rocker", "wheel", position=(0.2, 0.0, 0.0)).add_coupling("spin", "d", -3.0, 0.2)
    b.reference = {"a": 1.0, "b": -0.5, "d": 1.5}
    return b


def cam() -> ts.ModelBuilder:
    """A lift that follows a wheel by a polynomial of degree three."""
    b = ts.ModelBuilder("cam").add_link("ground")
    b.add_link("wheel", ts.Inertia.of_box(1.0, (0.3, 0.2, 0.1), com=(0.05, 0.0, 0.0)))
    b.add_link("lift", ts.Inertia.of_box(2.0, (0.1, 0.1, 0.2)))
    b.add_joint("turn", "revolute", "ground", "wheel", axis=(0, 1, 0), q_min=-2.0, q_max=2.0)
    b.add_joint("up", "prismatic", "ground", "lift", axis=(0, 0, 1), stiffness=30.0, rest=0.1, damping=0.4)
    return b.add_loop(Loop("cam", "polynomial", "up", "turn", coefficients=(0.1, 0.2, -0.05, 0.03)))


def differential() -> ts.ModelBuilder:
    """Two motors in parallel: roll is the half sum, pitch the half difference of the motors' angles."""
    b = ts.ModelBuilder("differential").add_link("shin", rod(0.4))
    for k, side in enumerate(("left", "right")):
        b.add_link(f"{side}_rotor", ts.Inertia.of_box(0.3, (0.05, 0.02, 0.05)))
        b.add_joint(f"{side}", "continuous", "shin", f"{side}_rotor", axis=(0, 1, 0), position=(0, 0.1 * k, 0))
    b.add_link("cross", ts.Inertia.of_box(0.2, (0.1, 0.02, 0.02))).add_link("foot", rod(0.2))
    b.add_joint("roll", "revolute", "shin", "cross", axis=(1, 0, 0), position=(0, 0, -0.4), damping=0.3)
    b.add_joint("pitch", "revolute", "cross", "foot", axis=(0, 1, 0), stiffness=4.0, rest=0.3)
    b.add_coupling("roll", "left", 0.5, 0.1, further={"right": 0.5})
    return b.add_coupling("pitch", "left", 0.5, further={"right": -0.5})


MECHANISMS = {
    "four-bar": four_bar,
    "four-bar as a chain": chain_four_bar,
    "four-bar with a ball": lambda: four_bar(kind="spherical"),
    "double rocker": lambda: double_rocker(),
    "parallelogram": lambda: four_bar((1.0, 0.4, 1.0, 0.4)),
    "slider-crank": slider_crank,
    "slider-crank by its guide": lambda: slider_crank("guide"),
    "serial four-bars": lambda: serial_four_bars(3),
    "row of four-bars": lambda: four_bar_row(3),
    "Bennett": bennett,
    "space rod": space_rod,
    "ball rod": ball_rod,
    "ankle": parallel_ankle,
    "walker": walker,
    "cam": cam,
    "differential": differential,
}
"""Builders of all of them."""
FREEDOM = {
    "four-bar": 1, "four-bar as a chain": 1, "four-bar with a ball": 1, "double rocker": 1, "parallelogram": 1,
    "slider-crank": 1, "slider-crank by its guide": 1, "serial four-bars": 3, "row of four-bars": 1, "Bennett": 1,
    "space rod": 1, "ball rod": 4, "ankle": 2, "walker": 11, "cam": 1, "differential": 2,
}  # fmt: skip
"""Degrees of freedom that they have."""


@cache
def mechanism(name: str) -> ts.Model:
    """The model of that name."""
    return MECHANISMS[name]().build()


@cache
def opened(name: str) -> ts.Model:
    """Its spanning tree."""
    return MECHANISMS[name]().build(couplings="cut")


def configurations(name: str, seed: int, shape: tuple[int, ...] = ()) -> FloatArray:
    """Random configurations, near the reference where the mechanism has dead points."""
    model, rng = mechanism(name), np.random.default_rng(seed)
    if name in ("ankle", "double rocker", "space rod", "ball rod"):
        return model.integrate(model.reference, 0.2 * rng.uniform(-1.0, 1.0, (*shape, model.nv)))
    return model.random(rng, shape)
