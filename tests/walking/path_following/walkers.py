"""The walk that tests of path following share: shah7 on a falling step, pressure from heel to toe."""

from functools import cache

import numpy as np

import tarsus as ts
from tarsus.walking import PathLaw, PlanarBiped, PressureTarget, PressureTiming, SpeedMap, falling_step

BIPED = PlanarBiped(ts.robots.shah7())
PATH = falling_step(BIPED)
TARGET = PressureTarget(-0.015, 0.045)
LAW = PathLaw(BIPED, PATH, PressureTiming(TARGET, BIPED.limits()))


@cache
def periodic():
    """The periodic step of LAW."""
    return SpeedMap(LAW).periodic_step(2.5)


@cache
def with_feedback():
    """The same walk with a pressure that depends on s'."""
    target = PressureTarget(-0.015, 0.045, gain=0.1, rate=periodic().rate_along, heel=-0.065, toe=0.065)
    return PathLaw(BIPED, PATH, PressureTiming(target, BIPED.limits()))


def point_mass(height=0.98, leg_mass=1e-9):
    """A biped with all mass at its hips: 10 kg on legs of 2 x 0.5 m that weigh next to nothing."""
    builder = ts.ModelBuilder("point mass", base="planar")
    builder.add_link("hips", ts.Inertia.of_sphere(10.0, 1e-3))
    light = ts.Inertia.of_sphere(leg_mass, 0.05)
    for side in ("r", "l"):
        for above, name, joint, z in (("hips", "thigh", "hip", 0.0), ("thigh", "shank", "knee", -0.5),
                                      ("shank", "foot", "ankle", -0.5)):  # fmt: skip
            parent = above if above == "hips" else f"{side}_{above}"
            builder.add_link(f"{side}_{name}", light)
            builder.add_joint(
                f"{side}_{joint}", "revolute", parent, f"{side}_{name}", position=(0, 0, z), axis=(0, 1, 0)
            )
        for frame, x in (("sole", 0.0), ("heel", -0.1), ("toe", 0.1)):
            builder.add_frame(f"{side}_{frame}", f"{side}_foot", ts.pose((x, 0.0, 0.0)))
    return PlanarBiped(builder.build())


def states(count, seed=3):
    """Random states of BIPED on its flat foot, near the path: joint angles, rates, q, v."""
    rng = np.random.default_rng(seed)
    theta = PATH.at(rng.uniform(0, 1, count)).theta + rng.uniform(-0.2, 0.2, (count, 6))
    rates = rng.normal(size=(count, 6))
    q = BIPED.placed(theta)
    return theta, rates, q, BIPED.velocity(q, rates)
