"""A four-legged robot of no particular make, for learning and benchmarks."""

from __future__ import annotations

import numpy as np

from tarsus.geometry.shapes import Shape
from tarsus.model.builder import ModelBuilder
from tarsus.model.model import Model
from tarsus.robots._primitives import BLACK, GRAPHITE, ORANGE, SILVER, both, box, capsule, cylinder, sphere
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose

LEGS = ("fl", "fr", "rl", "rr")
"""Front left, front right, rear left, rear right."""

_TRUNK = (0.38, 0.18, 0.11)
_HIP = (0.19, 0.05)
_SIDE = 0.085
_LINK = 0.20
_FOOT_RADIUS = 0.02
_THIGH_ANGLE, _KNEE_ANGLE = 0.8, -1.6


def quadruped() -> Model:
    """Four-legged robot of 12 kg with a free base, 12 joints and ball feet.

    Legs are called ``fl``, ``fr``, ``rl`` and ``rr``; joints ``<leg>_hip`` (abduction, about x), ``<leg>_thigh`` and
    ``<leg>_knee`` (about y); the frames ``<leg>_foot`` are the centres of the balls that it stands on, of radius
    0.02 m, and ``<leg>_sole`` their lowest points in the reference pose, in which the base is 0.299 m above the ground.

    Notes
    -----
    ESTIMATE: all numbers. They are round ones of the size of electric robots that are sold: trunk of 7.6 kg and
    0.38 m x 0.18 m x 0.11 m, hips of 0.5 kg, thighs of 0.5 kg and shanks of 0.1 kg, both 0.2 m long; 24 N m and
    25 rad/s at every joint, an armature of 0.005 kg m^2.
    """
    builder = ModelBuilder("quadruped", base="free")
    builder.add_link("trunk", Inertia.of_box(7.6, _TRUNK), **both(_TRUNK_SHAPES))
    for leg in LEGS:
        _add_leg(builder, leg)
    builder.reference["base.z"] = 2.0 * _LINK * float(np.cos(_THIGH_ANGLE)) + _FOOT_RADIUS
    return builder.build()


def _add_leg(builder: ModelBuilder, leg: str) -> None:
    front, left = 1.0 if leg[0] == "f" else -1.0, 1.0 if leg[1] == "l" else -1.0
    drive = {"tau_max": 24.0, "v_max": 25.0, "armature": 0.005}
    builder.add_link(f"{leg}_hip_link", Inertia.of_box(0.5, (0.08, 0.07, 0.08)), **both(
        (cylinder(0.04, (0.0, 0.02 * left, 0.0), (0.0, 0.06 * left, 0.0), GRAPHITE),)))  # fmt: skip
    builder.add_link(f"{leg}_thigh_link", Inertia.of_box(0.5, (0.05, 0.04, _LINK), com=(0.0, 0.0, -0.06)), **both(
        (capsule(0.022, (0.0, 0.0, 0.0), (0.0, 0.0, -_LINK), SILVER),)))  # fmt: skip
    builder.add_link(f"{leg}_shank_link", Inertia.of_box(0.1, (0.025, 0.025, _LINK), com=(0.0, 0.0, -0.1)), **both(
        (capsule(0.013, (0.0, 0.0, 0.0), (0.0, 0.0, -_LINK + 0.03), GRAPHITE),
         sphere(_FOOT_RADIUS, (0.0, 0.0, -_LINK), BLACK))))  # fmt: skip
    builder.add_joint(f"{leg}_hip", "revolute", "trunk", f"{leg}_hip_link", axis=(1, 0, 0),
                      pose=pose((front * _HIP[0], left * _HIP[1], 0.0)), q_min=-0.9, q_max=0.9, **drive)  # fmt: skip
    builder.add_joint(f"{leg}_thigh", "revolute", f"{leg}_hip_link", f"{leg}_thigh_link", axis=(0, 1, 0),
                      pose=pose((0.0, left * _SIDE, 0.0)), q_min=-1.2, q_max=3.0, **drive)  # fmt: skip
    builder.add_joint(f"{leg}_knee", "revolute", f"{leg}_thigh_link", f"{leg}_shank_link", axis=(0, 1, 0),
                      pose=pose((0.0, 0.0, -_LINK)), q_min=-2.7, q_max=-0.6, **drive)  # fmt: skip
    builder.reference[f"{leg}_thigh"], builder.reference[f"{leg}_knee"] = _THIGH_ANGLE, _KNEE_ANGLE
    builder.add_frame(f"{leg}_foot", f"{leg}_shank_link", pose((0.0, 0.0, -_LINK)))
    # In the reference pose the shank leans by thigh + knee: down is there along -z turned back by it.
    lean = _THIGH_ANGLE + _KNEE_ANGLE
    down = _FOOT_RADIUS * np.array([np.sin(lean), 0.0, -np.cos(lean)])
    builder.add_frame(f"{leg}_sole", f"{leg}_shank_link", pose(np.array([0.0, 0.0, -_LINK]) + down))


_TRUNK_SHAPES: tuple[Shape, ...] = (
    box(_TRUNK, (0.0, 0.0, 0.0), ORANGE),
    box((0.06, 0.12, 0.06), (0.21, 0.0, 0.02), BLACK),
)
