"""Positions and orientations of MJCF elements: quat, axisangle, euler, xyaxes, zaxis and fromto."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.io.mjcf.settings.compiler import Compiler
from tarsus.io.mjcf.settings.defaults import Element
from tarsus.io.urdf.shapes import IDENTITY
from tarsus.io.xml import Report

_SIZES = {"quat": 4, "axisangle": 4, "euler": 3, "xyaxes": 6, "zaxis": 3}
_SMALLEST = 1e-14
"""Vectors shorter than this have no direction, the limit that MuJoCo uses."""


Rows = list[list[float]]
"""Rotation matrix as plain numbers, which is quicker than small arrays."""
_UPRIGHT: Rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def read_pose(element: Element, compiler: Compiler, report: Report) -> FloatArray:
    """Pose (4, 4) of an element in the frame around it."""
    position = element.numbers("pos", 3)
    rotation = read_rotation(element, compiler, report)
    if rotation is None and position is None:
        return IDENTITY
    return pose_of([0.0, 0.0, 0.0] if position is None else position.tolist(), rotation)


def read_rotation(element: Element, compiler: Compiler, report: Report) -> Rows | None:
    """Rotation of an element, None where there is none; what it says itself wins over what its default class says."""
    given = [(found.level, name, found.node) for name in _SIZES if (found := element.holder(name)) is not None]
    if not given:
        return None
    level, name, node = max(given, key=lambda entry: entry[0])
    if sum(1 for entry in given if entry[0] == level) > 1:
        names = ", ".join(entry[1] for entry in given if entry[0] == level)
        report.error("several-orientations", f"more than one orientation is given: {names}", node, names)
        return None
    values = element.numbers(name, _SIZES[name])
    rotation = None if values is None else _rotation(name, values.tolist(), compiler.of(element.node))
    if rotation is None and values is not None:
        report.error("zero-rotation", f"{name} gives no orientation: a vector in it is zero", node, node.get(name, ""))
    return rotation


def orientations_given(node: etree._Element) -> bool:
    """Whether an element itself says something about its orientation."""
    return any(node.get(name) is not None for name in _SIZES)


def pose_of(position: Sequence[float], rotation: Rows | None = None) -> FloatArray:
    """Pose (4, 4) of plain numbers."""
    (a, b, c), (x, y, z) = rotation or _UPRIGHT, position
    return np.array([[*a, x], [*b, y], [*c, z], [0.0, 0.0, 0.0, 1.0]])


def compose(X_AB: FloatArray, X_BC: FloatArray) -> FloatArray:
    """X_AC, without effort where one of the two is `IDENTITY`."""
    if X_AB is IDENTITY:
        return X_BC
    return X_AB if X_BC is IDENTITY else X_AB @ X_BC


def _rotation(name: str, values: list[float], compiler: Compiler) -> Rows | None:
    if name == "quat":
        return rotation_of_quaternion(values)
    if name == "axisangle":
        axis = unit(values[:3])
        return None if axis is None else rotation_about(axis, compiler.angle(values[3]))
    if name == "euler":
        return euler_rotation([compiler.angle(value) for value in values], compiler.eulerseq)
    if name == "zaxis":
        return rotation_to_z(values)
    x = unit(values[:3])
    if x is None:
        return None
    along = sum(a * b for a, b in zip(x, values[3:], strict=True))
    y = unit([b - along * a for a, b in zip(x, values[3:], strict=True)])
    if y is None:
        return None
    z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
    return [[x[i], y[i], z[i]] for i in range(3)]


def unit(vector: Sequence[float]) -> list[float] | None:
    """Return the unit vector, or None if there is no direction."""
    largest = max(map(abs, vector))
    if not _SMALLEST < largest < math.inf:
        return None
    scaled = [value / largest for value in vector]
    norm = math.sqrt(sum(value * value for value in scaled))
    return [value / norm for value in scaled]


def rotation_of_quaternion(quaternion: Sequence[float]) -> Rows | None:
    """Rotation of a quaternion (w, x, y, z) of any length, or None if it is zero."""
    q = unit(quaternion)
    if q is None:
        return None
    w, x, y, z = q
    return [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]


def rotation_about(axis: Sequence[float], angle: float) -> Rows:
    """Rotation about a unit axis."""
    c, s = math.cos(angle), math.sin(angle)
    d = 1.0 - c
    x, y, z = axis
    return [
        [c + d * x * x, d * x * y - s * z, d * x * z + s * y],
        [d * x * y + s * z, c + d * y * y, d * y * z - s * x],
        [d * x * z - s * y, d * y * z + s * x, c + d * z * z],
    ]


def euler_rotation(angles: Sequence[float], sequence: str) -> Rows:
    """Rotation of three angles [rad]; lower case letters turn about moved axes, upper case ones about fixed axes."""
    R = _UPRIGHT
    for angle, letter in zip(angles, sequence, strict=True):
        step = rotation_about(_UPRIGHT["xyz".index(letter.lower())], angle)
        R = _product(R, step) if letter.islower() else _product(step, R)
    return R


def _product(A: Rows, B: Rows) -> Rows:
    return [[a[0] * B[0][j] + a[1] * B[1][j] + a[2] * B[2][j] for j in range(3)] for a in A]


def rotation_to_z(direction: Sequence[float]) -> Rows | None:
    """Return the smallest rotation that takes the z axis to a direction; about x where it is opposite."""
    z = unit(direction)
    if z is None:
        return None
    sine = math.hypot(z[0], z[1])
    axis = [1.0, 0.0, 0.0] if sine < _SMALLEST else [-z[1] / sine, z[0] / sine, 0.0]
    return rotation_about(axis, math.atan2(sine, z[2]))
