"""Frames of bodies that fly alone, moved to their centre of mass and principal axes (`align` of free joints)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from lxml import etree

from tarsus.arrays import FloatArray
from tarsus.geometry.shapes import Mesh
from tarsus.io.mjcf.settings.compiler import Compiler
from tarsus.io.mjcf.settings.defaults import Element
from tarsus.io.mjcf.settings.orientation import compose, read_pose
from tarsus.io.mjcf.shapes.geoms import Geom
from tarsus.io.xml import Report, tag_of
from tarsus.spatial.inertia import Inertia
from tarsus.spatial.pose import pose
from tarsus.spatial.quaternion import quaternion_product, rotation_matrix_from_quaternion

_SMALL = 1e-12
"""Of entries beside the diagonal, and of differences of moments, as in MuJoCo."""
_TURNS = 500


def wants_alignment(joints: Sequence[etree._Element], has_children: bool, compiler: Compiler) -> bool:
    """Whether a body moves freely, carries no others, and `align` or `alignfree` ask for its inertial frame."""
    if has_children or len(joints) != 1:
        return False
    if tag_of(joints[0]) != "freejoint" and joints[0].get("type") != "free":
        return False
    given = joints[0].get("align", "auto")
    return given == "true" or (given == "auto" and compiler.of(joints[0]).alignfree)


def inertial_frame(
    inertia: Inertia,
    inertial: tuple[etree._Element, FloatArray] | None,
    geoms: Sequence[Geom],
    compiler: Compiler,
    report: Report,
) -> FloatArray | None:
    """Pose X_BI of the inertial frame of a body B, with the axes that MuJoCo chooses; None where that is not known.

    They are those of an <inertial> with `diaginertia`, those of the geom where a body has one with mass, and otherwise
    found from the moments about the centre of mass.

    Parameters
    ----------
    inertial : (element, ndarray) or None
        The <inertial> that counts, and the pose of the frame it stands in.
    geoms : sequence of Geom
        Those that count, where there is no <inertial>.
    """
    if inertial is not None:
        node, X_BF = inertial
        if node.get("fullinertia") is None:
            return compose(X_BF, read_pose(Element(node, report, None), compiler, report))
    weighing = [geom for geom in geoms if geom.inertia is not None]
    if inertial is None and len(weighing) == 1:
        shape = weighing[0].shape
        if shape is None or isinstance(shape.geometry, Mesh):
            return None
        return shape.pose
    if not np.isfinite(inertia.moments).all():
        return None
    return pose(inertia.com, principal_axes(inertia.moments))


def principal_axes(moments: FloatArray) -> FloatArray:
    """Axes (3, 3) in which moments of inertia are diagonal and fall, as columns.

    Jacobi's method on quaternions, in the order of MuJoCo's mju_eig3: other orders find other signs.
    """
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(_TURNS):
        R = rotation_matrix_from_quaternion(turn)
        D = R.T @ moments @ R
        row, column = max(((0, 1), (0, 2), (1, 2)), key=lambda place: _off_diagonal(D, *place))
        if abs(D[row, column]) < _SMALL:
            break
        tau = (D[column, column] - D[row, row]) / (2.0 * D[row, column])
        t = math.copysign(1.0, tau) / (abs(tau) + math.hypot(1.0, tau))
        axis, half = 3 - row - column, 0.5 * math.atan(t)
        turn = _turned(turn, axis, math.cos(half), math.sin(half) if axis == 1 else -math.sin(half))
    R = rotation_matrix_from_quaternion(turn)
    values = np.diag(R.T @ moments @ R).tolist()
    for first in (0, 1, 0):  # from the largest moment to the least
        if values[first] + _SMALL < values[first + 1]:
            values[first], values[first + 1] = values[first + 1], values[first]
            turn = _turned(turn, (first + 2) % 3, math.sqrt(0.5), math.sqrt(0.5))
    return rotation_matrix_from_quaternion(turn)


def _off_diagonal(D: FloatArray, row: int, column: int) -> tuple[float, int]:
    """By which entries are compared; of equal ones the last counts."""
    return abs(float(D[row, column])), row + column


def _turned(turn: FloatArray, axis: int, cosine: float, sine: float) -> FloatArray:
    step = np.zeros(4)
    step[0], step[axis + 1] = cosine, sine
    product: FloatArray = quaternion_product(turn, step)
    return product / np.linalg.norm(product)
