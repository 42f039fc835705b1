"""Links of equal or mirrored shape: what was fitted to one of them fits the other."""

from __future__ import annotations

from itertools import product

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.fitting.facets import Facets
from tarsus.geometry.swept_sphere import SweptSphere

RESOLUTION = 1e-7
"""Share of the size of a link to which corners must agree."""


class KnownLinks:
    """Volumes of links, found again by their facets and by their mirror images in the planes of their axes."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[FloatArray, tuple[SweptSphere, ...]]] = {}

    def find(self, facets: Facets) -> tuple[SweptSphere, ...] | None:
        """Volumes of a link with the same balls, mirrored if need be; whether they enclose it must be checked."""
        signs, volumes = self._known.get(_key(facets, np.ones(3)), (np.ones(3), ()))
        return tuple(SweptSphere(volume.vertices * signs, volume.radius) for volume in volumes) or None

    def add(self, facets: Facets, volumes: tuple[SweptSphere, ...]) -> None:
        """Remember a link with all its mirror images."""
        for signs in product((1.0, -1.0), repeat=3):
            self._known.setdefault(_key(facets, np.array(signs)), (np.array(signs), volumes))


def _key(facets: Facets, signs: FloatArray) -> bytes:
    centers, radii = facets.balls()
    size = float(np.abs(centers).max(initial=0.0) + radii.max(initial=0.0)) or 1.0
    step = 10.0 ** np.ceil(np.log10(RESOLUTION * size))
    rows = np.rint(np.column_stack([centers * signs, radii]) / step).astype(np.int64)
    return np.unique(rows, axis=0).tobytes()
