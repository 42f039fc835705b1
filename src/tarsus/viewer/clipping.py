"""The part of a surface above the plane z = 0: what lies below the ground is not seen."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.geometry.surface import Surface


def above_ground(surface: Surface) -> Surface:
    """Triangles above z = 0; those that cross the plane are cut along it."""
    both = np.concatenate([surface.corners, surface.normals], axis=-1)
    above = both[..., 2] > 0.0
    count = above.sum(axis=1)
    # Turn each triangle that is cut so that the corner alone on its side comes first.
    alone = np.argmax(above == (count == 1)[:, None], axis=1)
    order = (alone[:, None] + np.arange(3)) % 3
    a, b, c = np.moveaxis(both[np.arange(len(both))[:, None], order], 1, 0)
    ab, ac = _crossing(a, b), _crossing(a, c)
    kept = np.concatenate(
        [
            both[count == 3],
            np.stack([a, ab, ac], axis=1)[count == 1],
            np.stack([ab, b, c], axis=1)[count == 2],
            np.stack([ab, c, ac], axis=1)[count == 2],
        ]
    )
    return Surface(kept[..., :3], kept[..., 3:])


def _crossing(a: FloatArray, b: FloatArray) -> FloatArray:
    """Points where the lines from a to b (n, 6), positions and normals, meet z = 0; anything where they do not."""
    fall = a[:, 2] - b[:, 2]
    share = np.divide(a[:, 2], fall, out=np.zeros_like(fall), where=fall != 0.0)[:, None]
    found = (1.0 - share) * a + share * b
    found[:, 2] = 0.0
    return np.asarray(found)
