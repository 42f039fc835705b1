"""How far the volumes of a foot reach around its sole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from tarsus.arrays import FloatArray
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
    def of(cls, biped: Biped, height: float = 0.0) -> Self:
        """The larger of both feet where it stands; sideways also what the leg has up to a height above the sole [m]."""
        found = np.array([_extent(biped, leg, height) for leg in biped.legs])
        front, back, outside, inside = (float(x) for x in found.max(axis=0))
        return cls(front, back, outside, inside)


def leg_segments(biped: Biped, leg: Leg, *, foot: bool = False) -> tuple[str, ...]:
    """Segments with volumes that a leg moves, from the pelvis on; those of its foot alone where `foot` says so."""
    model = biped.model
    first = leg.foot if foot else model.joints[leg.joints[0]].child
    return tuple(name for name in model.volumes if first in carriers(model, model.frames[name].body))


def _extent(biped: Biped, leg: Leg, height: float) -> tuple[float, float, float, float]:
    model = biped.model
    names = leg_segments(biped, leg, foot=True)
    if not names:
        raise ArgumentError(
            f"foot {leg.foot!r} of {model.name!r} has no collision volumes; make some by ts.collision.fit(model)"
        )
    low, high = box_around(np.concatenate(_boxes(biped, leg, names)))
    beside = [box for box in _boxes(biped, leg, leg_segments(biped, leg)) if box[0][2] < height]
    wide = box_around(np.concatenate([(low, high), *beside]))
    left, right = float(wide[1][1]), float(-wide[0][1])
    sides = (left, right) if leg.left else (right, left)
    return float(high[0]), float(-low[0]), *sides


def _boxes(biped: Biped, leg: Leg, names: Sequence[str]) -> list[tuple[FloatArray, FloatArray]]:
    """Boxes around the volumes of segments, seen from the sole: lowest and highest coordinates [m]."""
    model = biped.model
    X_SW = inverse_pose(frame_pose(model, biped.q, leg.sole))
    found = []
    for name in names:
        X = X_SW @ frame_pose(model, biped.q, name)
        for volume in model.volumes[name]:
            low, high = box_around(volume.vertices @ X[:3, :3].T + X[:3, 3])
            found.append((low - volume.radius, high + volume.radius))
    return found
