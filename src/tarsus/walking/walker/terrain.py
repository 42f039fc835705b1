"""Grounds to walk on that begin level: ramps, kerbs and stairs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tarsus.contact import Block, Compliant, Ground, Plane
from tarsus.contact.ground import Surface
from tarsus.contact.laws import ContactLaw
from tarsus.errors import ArgumentError, DtypeError
from tarsus.simulation.argument_kinds import check_finite, check_positive, check_whole
from tarsus.spatial import pose, rotation_y
from tarsus.walking.steps.stairs import Stairs

LONG, WIDE, DEEP = 100.0, 10.0, 2.0
"""Of blocks [m]."""
FLIGHT = 2.0
"""Width of stairs [m]."""
SPARE = 1.15
"""Least clearance of feet that step over an edge that they are not told of, in its height: between 3.3 cm, with which
HRP-2 falls at every second place of kerbs of 3 cm, and 3.6 cm, with which it falls at few."""
STEEPEST = math.radians(45.0)
"""[rad]."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Course(Ground):
    """A ground that begins level, and where it ends to be: walks that do not come there say so.

    Attributes
    ----------
    surfaces : tuple of Plane, Block, HeightField, TriangleMesh
    name : str
        What comes then.
    start : float
        From which x on [m].
    edge : float
        Height of the edges there [m]; 0 where there are none.
    """

    name: str
    start: float
    edge: float

    def __init__(self, name: str, start: float, *surfaces: Surface | Iterable[Surface], edge: float = 0.0) -> None:
        Ground.__init__(self, *surfaces)
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "start", float(start))
        object.__setattr__(self, "edge", float(edge))

    def too_high(self, clearance: float) -> str:
        """That feet that rise so far [m] do not step over its edges, and what would; empty where they do."""
        least = SPARE * self.edge
        if clearance >= least:
            return ""
        return (
            f"feet rise by {clearance:.3f} m, too little for the edges of {self.edge:.3g} m of the {self.name} from "
            f"x = {self.start:.2f} m on: clearance={math.ceil(1e3 * least - 1e-9) / 1e3:.3g} or more steps over them"
        )


def ramp(angle: float, *, start: float = 1.0, law: ContactLaw | None = None) -> Course:
    """Level ground that rises along +x by `angle` [rad] from x = `start` on, or falls where it is negative.

    Both parts are 100 m long and 10 m wide, and end there.
    """
    check_finite("angle of ramp", angle, "a finite number [rad]")
    check_finite("start of ramp", start, "a finite number [m]")
    if not abs(angle) < STEEPEST:
        raise ArgumentError(f"angle of ramp is {angle!r}; expected less than {STEEPEST:.2f} rad")
    law = Compliant() if law is None else law
    R = rotation_y(-angle)
    middle = np.array([start, 0.0, 0.0]) + R @ [LONG / 2, 0.0, -DEEP / 2]
    return Course("ramp", start, _level(start, law), Block((LONG, WIDE, DEEP), pose(middle, R), law, name="ramp"))


def kerbs(
    height: float, *, start: float = 1.0, every: float = 1.0, count: int = 4, law: ContactLaw | None = None
) -> Course:
    """Level ground with `count` kerbs across it, up, down, up, ..., from x = `start` on, `every` so many metres [m].

    They are 10 m wide, the ground around them has no end.
    """
    check_finite("height of kerbs", height, "a finite number [m]")
    check_finite("start of kerbs", start, "a finite number [m]")
    check_positive("every of kerbs", every, "a number above 0 [m]")
    check_whole("count of kerbs", count, least=1)
    law = Compliant() if law is None else law
    # Below higher ground the lower one goes on: where both only met, the tip of a foot at a kerb had neither below it.
    surfaces: list[Surface] = [Plane(law, (0.0, 0.0, min(0.0, height)), name="ground")]
    edges = [-LONG, *(start + k * every for k in range(count)), start + LONG]
    for k in range(0 if height < 0 else 1, count + 1, 2):  # the parts between edges that are higher
        middle = ((edges[k] + edges[k + 1]) / 2, 0.0, max(0.0, height) - DEEP / 2)
        surfaces.append(Block((edges[k + 1] - edges[k], WIDE, DEEP), pose(middle), law, name=f"kerb {k}"))
    return Course("kerbs", start, surfaces, edge=abs(height))


def flight(stairs: Stairs, *, law: ContactLaw | None = None) -> Course:
    """Level ground with stairs of a width of 2 m across it."""
    if not isinstance(stairs, Stairs):
        raise DtypeError(f"stairs is {stairs!r}; expected Stairs")
    law = Compliant() if law is None else law
    lowest = min(0.0, stairs.count * stairs.rise)
    surfaces: list[Surface] = [Plane(law, (0.0, 0.0, lowest), name="ground")]
    for k in range(1, stairs.count + 1):  # the ground behind each riser that goes up, before each one that goes down
        riser, top = stairs.start + (k - 1) * stairs.run, (k if stairs.rise > 0 else k - 1) * stairs.rise
        middle = riser + (LONG / 2 if stairs.rise > 0 else -LONG / 2)
        block = Block(
            (LONG, FLIGHT, top - lowest + DEEP), pose((middle, 0.0, (top + lowest - DEEP) / 2)), law, name=f"step {k}"
        )
        surfaces.append(block)
    return Course("stairs", stairs.start, surfaces, edge=abs(stairs.rise))


def _level(end: float, law: ContactLaw) -> Block:
    """Level ground up to x = `end`."""
    return Block((LONG, WIDE, DEEP), pose((end - LONG / 2, 0.0, -DEEP / 2)), law, name="ground")
