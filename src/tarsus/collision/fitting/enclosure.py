"""Whether volumes enclose a surface: a bound on how far it sticks out of their union, which needs no partition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.fitting.facets import Facets
from tarsus.collision.fitting.union_volume import as_triangles
from tarsus.geometry.closest_on_triangle import closest_weights
from tarsus.geometry.swept_sphere import SweptSphere

MOST_HALVINGS = 100
"""Of a triangle; each halves an edge, so that this reaches far below a micrometre."""
MOST_FACETS = 500_000
"""Parts of triangles that are looked at in one go."""


def protrusion(volumes: Sequence[SweptSphere], facets: Facets, tolerance: float = 0.0) -> float:
    """How far the facets stick out of the union of the volumes [m]; at most `tolerance` where they are enclosed.

    A volume is convex, so a triangle is inside it as soon as its corners are. A triangle that is in no single volume is
    halved along its longest edge until its parts are, or until a corner is found that is outside all of them. Thickness
    is counted: a facet is inside where its balls are.

    Parameters
    ----------
    volumes : sequence of SweptSphere
        In the frame of the facets.
    facets : Facets
    tolerance : float
        What may stick out [m].

    Returns
    -------
    outside : float
        How far the worst corner found is outside; where none is, an upper bound that is at most `tolerance` unless
        parts of triangles became too small to go on, which is told by the bound [m]. Negative inside.
    """
    if len(facets) == 0:
        return -np.inf
    if not volumes:
        return np.inf
    triangles, radius = as_triangles(volumes)
    corners, thickness = facets.corners, facets.radius
    bound = -np.inf
    for _ in range(MOST_HALVINGS):
        reach = _reach(triangles, radius, corners) + thickness[:, None]
        worst_corner = float(reach.min(axis=0).max())
        if worst_corner > tolerance:
            return worst_corner
        whole = reach.max(axis=-1).min(axis=0)  # of the best single volume
        open_ = whole > tolerance
        bound = max(bound, float(whole[~open_].max(initial=-np.inf)))
        if not open_.any():
            return bound
        if np.count_nonzero(open_) > MOST_FACETS:
            break
        corners, thickness = _halved(corners[open_]), np.tile(thickness[open_], 2)
    return float(whole.max())


def _reach(triangles: FloatArray, radius: FloatArray, corners: FloatArray) -> FloatArray:
    """Signed distance of corners (m, 3, 3) from each volume, negative inside, shape (volumes, m, 3)."""
    points = np.broadcast_to(corners.reshape(1, -1, 3), (len(triangles), 3 * len(corners), 3))
    _, away = closest_weights(triangles, points)
    distance = np.sqrt(np.einsum("bni,bni->bn", away, away)) - radius[:, None]
    return np.asarray(distance.reshape(len(triangles), -1, 3))


def _halved(corners: FloatArray) -> FloatArray:
    """Triangles cut in two through the middle of their longest edges, shape (2 m, 3, 3)."""
    edge = np.roll(corners, -1, axis=1) - corners
    first = np.argmax(np.einsum("mij,mij->mi", edge, edge), axis=1)
    rows, order = np.arange(len(corners))[:, None], (first[:, None] + np.arange(3)) % 3
    a, b, c = np.moveaxis(corners[rows, order], 1, 0)
    middle = (a + b) / 2.0
    return np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
