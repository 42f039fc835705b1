"""Volume of the convex hull of what a link is made of."""

from __future__ import annotations

import numpy as np

from tarsus.collision.fitting.facets import Facets
from tarsus.collision.fitting.piece import spread_directions

_DIRECTIONS = spread_directions(600)
"""Points of a ball that stand for it: their hull has 1 % less volume."""


def hull_volume(facets: Facets) -> float:
    """Volume of the convex hull of facets [m^3]; 0 where they are flat."""
    from scipy.spatial import ConvexHull, QhullError

    centers, radii = facets.balls()
    round_ = radii > 0.0
    around = centers[round_, None] + radii[round_, None, None] * _DIRECTIONS
    try:
        return float(ConvexHull(np.concatenate([centers, around.reshape(-1, 3)])).volume)
    except QhullError:
        return 0.0
