"""Few swept spheres around the facets of one link."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.collision.fitting.facets import Facets
from tarsus.collision.fitting.partition import MOST_AT_ONCE, Part, Partitions, Parts, along
from tarsus.collision.fitting.piece import spread_directions, starts
from tarsus.collision.fitting.tightest import enclosing_radius, tightest
from tarsus.geometry.surface import simplified
from tarsus.geometry.swept_sphere import SweptSphere

POLISHING = 120
"""Steps of the fits that are kept."""
SEARCHED = 3000
"""Facets of a link in which partitions are searched; of larger meshes, a coarser one is cut first."""
SIMPLER = 1.04
"""A line or a point is taken where its volume is at most this times that of the triangle: distances cost less."""
TIGHT = 1.08
"""A link is not cut where one volume is at most this times its convex hull."""
MARGIN = 1e-4
"""Share of the size of a link that is added to the radii, so that neighbouring volumes overlap where a link was cut."""
ROUNDING = 1e-14
"""Share of the distance from the origin that is added as well."""
JITTER = 0.05
"""Share of the length of a piece by which the corners of some starts are moved."""
_DIRECTIONS = spread_directions(120)
"""In which the outermost balls are taken for a kept fit; the radius counts all of them."""


def enclose(facets: Facets, hull: float, max_volumes: int, min_gain: float, seed: int) -> tuple[SweptSphere, ...]:
    """Swept spheres whose union encloses the facets.

    Parameters
    ----------
    facets : Facets
        At least one.
    hull : float
        Volume of their convex hull [m^3].
    max_volumes : int
    min_gain : float
        Share of the enclosed volume that each further one must save.
    seed : int
    """
    rng = np.random.default_rng(seed)
    search = Partitions(_coarser(facets), rng)
    tight = search.whole.volume <= TIGHT * hull
    parts = (search.whole,) if tight else _chosen(search, max_volumes, min_gain)
    far = float(np.abs(facets.corners).max())
    margin = MARGIN * float(np.linalg.norm(search.whole.piece.extent)) + ROUNDING * far
    pieces = [(part, piece) for part in parts if len(piece := along(facets, part.path))]
    found = _polished([part for part, _ in pieces], [piece for _, piece in pieces], rng)
    return tuple(SweptSphere(volume.vertices, volume.radius + margin) for volume in found)


def _chosen(search: Partitions, max_volumes: int, min_gain: float) -> Parts:
    """The partition that further volumes improve too little; parts are cut again where one search found too few."""
    parts: Parts = (search.whole,)
    open_ = list(parts)
    while len(parts) < max_volumes and open_:
        part = open_.pop(int(np.argmax([p.volume for p in open_])))
        found = search.best(part, max_volumes - len(parts) + 1)
        others = tuple(p for p in parts if p is not part)
        best = _by_gain({count: (*others, *pieces) for count, pieces in found.items()}, search, min_gain)
        parts = (*others, *found[best])
        open_ += found[best] if best == MOST_AT_ONCE else ()
    return parts


def _by_gain(found: dict[int, Parts], search: Partitions, min_gain: float) -> int:
    """How many pieces pay: the number from which no larger one saves enough for each further volume."""
    union = {count: search.union(parts) for count, parts in found.items()}
    best = 1
    for count in sorted(union):
        if count > best and union[best] - union[count] >= (count - best) * min_gain * union[best]:
            best = count
    return best


def _polished(parts: Sequence[Part], several: Sequence[Facets], rng: np.random.Generator) -> list[SweptSphere]:
    """The smallest volumes found around pieces, each of the simplest kind that is about as small."""
    pieces = [part.piece for part in parts]
    balls = [facets.balls() for facets in several]
    centers, radii = _outermost(balls)
    kept = np.stack([part.triangle for part in parts])[:, None]
    size = np.array([piece.extent.max() for piece in pieces])[:, None, None, None]
    first = np.concatenate(
        [starts(pieces), kept, kept + JITTER * size * rng.normal(size=(len(parts), 2, 3, 3))], axis=1
    )
    many, kinds = first.shape[1], np.array([3, 2, 1])
    begin = np.repeat(first[:, None], 3, axis=1).reshape(-1, 3, 3)
    centers, radii = np.repeat(centers, 3 * many, axis=0), np.repeat(radii, 3 * many, axis=0)
    corners = np.tile(np.repeat(kinds, many), len(parts))
    fits = tightest(begin, centers, radii, POLISHING, corners=corners)
    volume = fits.volume.reshape(len(parts), 3, many)
    best = np.take_along_axis(
        fits.triangles.reshape(len(parts), 3, many, 3, 3), np.argmin(volume, axis=2)[:, :, None, None, None], axis=2
    )[:, :, 0]
    return [_simplest(triangles, *ball) for triangles, ball in zip(best, balls, strict=True)]


def _simplest(triangles: FloatArray, centers: FloatArray, radii: FloatArray) -> SweptSphere:
    """Of a triangle, a line and a point, the simplest whose volume around all balls is about the smallest."""
    triangle, line, point = (_exact(triangles[k, : 3 - k], centers, radii) for k in range(3))
    smallest = min(volume.volume for volume in (triangle, line, point))
    return next(volume for volume in (point, line, triangle) if volume.volume <= SIMPLER * smallest)


def _exact(vertices: FloatArray, centers: FloatArray, radii: FloatArray) -> SweptSphere:
    """The volume on given vertices that encloses all balls."""
    triangle = vertices[np.minimum(np.arange(3), len(vertices) - 1)]
    return SweptSphere(vertices, float(enclosing_radius(triangle[None], centers[None], radii[None])[0]))


def _outermost(balls: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    """The outermost balls of each set in many directions, (b, n, 3) and (b, n)."""
    places = [np.argmax(c @ _DIRECTIONS.T + r[:, None], axis=0) for c, r in balls]
    chosen = [(c[k], r[k]) for (c, r), k in zip(balls, places, strict=True)]
    return np.stack([c for c, _ in chosen]), np.stack([r for _, r in chosen])


def _coarser(facets: Facets) -> Facets:
    """Facets with large meshes simplified: good enough to search cuts in, not to enclose."""
    if len(facets) <= SEARCHED:
        return facets
    parts: list[Facets] = []
    for label in np.unique(facets.shape):
        one = facets.chosen(facets.shape == label)
        if len(one) > SEARCHED // 2 and not one.radius.any():
            corners = one.corners.reshape(-1, 3)
            vertices, faces, _ = simplified(corners, np.arange(len(corners)).reshape(-1, 3), SEARCHED // 2)
            if len(faces):
                one = Facets(vertices[faces], np.zeros(len(faces)), np.full(len(faces), label))
        parts.append(one)
    return Facets(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("corners", "radius", "shape")))
