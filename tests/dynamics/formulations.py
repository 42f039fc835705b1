"""The methods of forward and inverse dynamics, and the robots on which they must agree."""

from functools import cache

import numpy as np
from robot_data import robot_data_path
from sample_models import zoo

import tarsus as ts
from tarsus.arrays import FloatArray

FORWARD = (
    "articulated-body",
    "composite-body",
    "composite-body-sparse",
    "newton-euler",
    "newton-euler-sparse",
    "denoc",
    "gauss",
)
INVERSE = ("recursive", "newton-euler", "denoc", "gauss")

AGREEMENT = 1e-9
"""Between any two methods, as a share of the largest entry: the rounding of the mass matrix (1e-16) times its
condition number, which is up to 1e6 where light fingers hang on heavy arms."""

ROBOTS = ("coil", "dill", "hrp2", "talos", "icub", "shah7", "zoo-free", "zoo-planar", "zoo-fixed")


@cache
def robot(name: str) -> ts.Model:
    """Chains, trees, humanoids, a planar biped, and trees with every kind of joint."""
    match name.split("-"):
        case ["coil"]:
            return ts.robots.coil(32)
        case ["dill"]:
            return ts.robots.dill(5)
        case ["hrp2"]:
            return ts.robots.hrp2()
        case ["shah7"]:
            return ts.robots.shah7()
        case ["talos"]:
            return ts.load(robot_data_path("talos_data/robots/talos_reduced.urdf"), base="free")
        case ["icub"]:
            return ts.load(robot_data_path("icub_description/robots/icub_reduced.urdf"), base="free")
        case ["zoo", base]:
            return zoo(base).build()
    raise ValueError(name)


def predecessors(model: ts.Model) -> list[int]:
    """The degree of freedom before each one on the way to the root, -1 where there is none."""
    last, before = {"world": -1}, [-1] * model.nv
    for joint in model.joints.values():
        end = last[joint.parent]
        for k in range(joint.v_index.start, joint.v_index.stop):
            before[k], end = end, k
        last[joint.child] = end
    return before


def branch_pattern(model: ts.Model) -> FloatArray:
    """Lower triangular: one where the column's degree of freedom is the row's or on its way to the root."""
    before = predecessors(model)
    pattern = np.eye(model.nv)
    for k in range(model.nv):
        i = before[k]
        while i >= 0:
            pattern[k, i] = 1.0
            i = before[i]
    return pattern
