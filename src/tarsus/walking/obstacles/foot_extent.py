"""How far the volumes of a foot reach around its sole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from tarsus.dynamics import frame_pose
from tarsus.errors import ArgumentError
from tarsus.geometry.bounding_box import box_around
from tarsus.spatial import inverse_pose
from tarsus.walking.biped.biped import Biped
from tarsus.walking.biped.leg import Leg, carriers


@dataclass(frozen=True)
class FootExtent:
    """From the middle of a sole to the edges of the box around both feet, seen from above; all above 0.

    Attributes
    ----------
    front, back : float
        To the toe and to the heel [m].
    outside, inside : float
        Away from the other foot, and towards it [m].
    """

    front: float
    back: float
    outside: float
    inside: float

    @classmethod
    def of(cls, biped: Biped) -> Self:
        """The larger of both feet, where it stands."""
        found = np.array([_extent(biped, leg) for leg in biped.legs])
        front, back, outside, inside = (float(x) for x in found.max(axis=0))
        return cls(front, back, outside, inside)


def leg_segments(biped: Biped, leg: Leg, *, foot: bool = False) -> tuple[str, ...]:
    """Segments with volumes that a leg moves, from the pelvis on; those of its foot alone where `foot` says so."""
    model = biped.model
    first = leg.foot if foot else model.joints[leg.joints[0]].child
    return tuple(name for name in model.volumes if first in carriers(model, model.frames[name].body))


def _extent(biped: Biped, leg: Leg) -> tuple[float, float, float, float]:
    model = biped.model
    names = leg_segments(biped, leg, foot=True)
    if not names:
        raise ArgumentError(
            f"foot {leg.foot!r} of {model.name!r} has no collision volumes; make some by ts.collision.fit(model)"
        )
    X_SW = inverse_pose(frame_pose(model, biped.q, leg.sole))
    lows, highs = [], []
    for name in names:
        X = X_SW @ frame_pose(model, biped.q, name)
        for volume in model.volumes[name]:
            low, high = box_around(volume.vertices @ X[:3, :3].T + X[:3, 3])
            lows.append(low - volume.radius)
            highs.append(high + volume.radius)
    low, high = np.min(lows, axis=0), np.max(highs, axis=0)
    left, right = float(high[1]), float(-low[1])
    sides = (left, right) if leg.left else (right, left)
    return float(high[0]), float(-low[0]), *sides
