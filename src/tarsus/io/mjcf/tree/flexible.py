"""What of a <flexcomp> moves by itself, and how much it weighs.

Points that are pinned, or all of one that is rigid, are a skin on the body around it: MuJoCo gives them no mass. Every
other point is a body with an equal share of the mass.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from lxml import etree

from tarsus.io.mjcf.settings.defaults import Element
from tarsus.io.xml import Report, tag_of

MAX_POINTS = 1_000_000
"""Most points of a flexible body whose pins are counted."""


class FlexibleMass(NamedTuple):
    """Mass of the points of a flexible body that are not pinned [kg]; `exact` unless pins could not be counted."""

    mass: float
    exact: bool

    @property
    def is_rigid(self) -> bool:
        """Whether nothing moves by itself."""
        return self.exact and self.mass == 0.0

    def __str__(self) -> str:
        return f"{'' if self.exact else 'up to '}{self.mass:g} kg"


def flexible_mass(node: etree._Element, report: Report) -> FlexibleMass:
    """Mass of what a <flexcomp> adds to its body."""
    mass = Element(node, report, None).number("mass", 1.0)
    pins = [child for child in node if tag_of(child) == "pin"]
    if node.get("rigid") == "true":
        return FlexibleMass(0.0, True)
    if not pins:
        return FlexibleMass(mass, True)
    sizes = _points(node)
    if sizes is None or node.get("dof", "full") not in ("full", "radial", "2d"):
        return FlexibleMass(mass, False)
    pinned = np.zeros(sizes, dtype=bool)
    if not all(_pin(child, pinned) for child in pins):
        return FlexibleMass(mass, False)
    return FlexibleMass(mass * float(np.mean(~pinned)), True)


def _points(node: etree._Element) -> tuple[int, ...] | None:
    """Points along the axes of a grid, as many as it has dimensions, or in a row; None where the file does not tell."""
    kind, dimensions = node.get("type", "grid"), _integers(node.get("dim", "2"))
    if kind == "grid":
        counts = _integers(node.get("count", "10 10 10"))
    elif kind == "direct":
        counts = [len(node.get("point", "").split()) // 3]
    else:
        return None
    if not counts or not dimensions or min(counts) < 1 or math.prod(counts) > MAX_POINTS:
        return None
    axes, others = counts[: dimensions[0]], counts[dimensions[0] :]
    return tuple(axes) if math.prod(others) == 1 else None


def _pin(node: etree._Element, pinned: npt.NDArray[np.bool_]) -> bool:
    """Mark the points of one <pin>; False where it names others than there are."""
    flat, n = pinned.reshape(-1), pinned.ndim
    single, between, cells, blocks = (_integers(node.get(name, "")) for name in ("id", "range", "grid", "gridrange"))
    if single is None or between is None or cells is None or blocks is None:
        return False
    boxes = [(flat, [k], [k]) for k in single]
    boxes += [(flat, between[i : i + 1], between[i + 1 : i + 2]) for i in range(0, len(between), 2)]
    boxes += [(pinned, cells[i : i + n], cells[i : i + n]) for i in range(0, len(cells), n)]
    boxes += [(pinned, blocks[i : i + n], blocks[i + n : i + 2 * n]) for i in range(0, len(blocks), 2 * n)]
    for points, low, high in boxes:
        if len(low) != points.ndim or len(high) != points.ndim:
            return False
        if not all(0 <= a <= b < size for a, b, size in zip(low, high, points.shape, strict=True)):
            return False
        points[tuple(slice(a, b + 1) for a, b in zip(low, high, strict=True))] = True
    return True


def _integers(text: str) -> list[int] | None:
    words = text.split()
    if len(words) > 4 * MAX_POINTS or any(len(word) > 9 or not word.lstrip("-").isdecimal() for word in words):
        return None
    try:
        return [int(word) for word in words]
    except ValueError:
        return None
