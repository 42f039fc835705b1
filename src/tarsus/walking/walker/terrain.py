"""Grounds to walk on that begin level: ramps and kerbs."""

from __future__ import annotations

import math

import numpy as np

from tarsus.contact import Block, Compliant, Ground, Plane
from tarsus.contact.ground import Surface
from tarsus.contact.laws import ContactLaw
from tarsus.errors import ArgumentError
from tarsus.spatial import pose, rotation_y

LONG, WIDE, DEEP = 100.0, 10.0, 2.0
"""Of blocks [m]."""
STEEPEST = math.radians(45.0)
"""[rad]."""


def ramp(angle: float, *, start: float = 1.0, law: ContactLaw | None = None) -> Ground:
    """Level ground that rises along +x by `angle` [rad] from x = `start` on, or falls where it is negative."""
    if not (math.isfinite(start) and abs(angle) < STEEPEST):
        raise ArgumentError(f"ramp: angle is {angle!r}, start {start!r}; expected less than {STEEPEST:.2f} rad")
    law = law or Compliant()
    R = rotation_y(-angle)
    middle = np.array([start, 0.0, 0.0]) + R @ [LONG / 2, 0.0, -DEEP / 2]
    return Ground(_level(start, law), Block((LONG, WIDE, DEEP), pose(middle, R), law, name="ramp"))


def kerbs(
    height: float, *, start: float = 1.0, every: float = 1.0, count: int = 4, law: ContactLaw | None = None
) -> Ground:
    """Level ground with `count` kerbs across it, up, down, up, ..., from x = `start` on, `every` so many metres [m]."""
    if not (math.isfinite(height) and every > 0 and count >= 1):
        raise ArgumentError(
            f"kerbs: found height {height!r}, every {every!r}, count {count!r}; expected numbers above 0"
        )
    law = law or Compliant()
    # Below higher ground the lower one goes on: where both only met, the tip of a foot at a kerb had neither below it.
    surfaces: list[Surface] = [Plane(law, (0.0, 0.0, min(0.0, height)), name="ground")]
    edges = [-LONG, *(start + k * every for k in range(count)), start + LONG]
    for k in range(0 if height < 0 else 1, count + 1, 2):  # the parts between edges that are higher
        middle = ((edges[k] + edges[k + 1]) / 2, 0.0, max(0.0, height) - DEEP / 2)
        surfaces.append(Block((edges[k + 1] - edges[k], WIDE, DEEP), pose(middle), law, name=f"kerb {k}"))
    return Ground(surfaces)


def _level(end: float, law: ContactLaw) -> Block:
    """Level ground up to x = `end`."""
    return Block((LONG, WIDE, DEEP), pose((end - LONG / 2, 0.0, -DEEP / 2)), law, name="ground")
