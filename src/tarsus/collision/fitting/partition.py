"""Cutting a link into few pieces, each in a volume of its own.

Swept spheres are convex: a piece is inside its volume as soon as its corners are. So the union of the volumes encloses
the link when its pieces cover it, which cutting guarantees. The search tries cuts across the axes of the piece, along
the diagonals of its box and between shapes, then the same once more in every part; what it minimises is the volume of
the union, of which what several volumes share is counted by sampling.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tarsus.arrays import BoolArray, FloatArray
from tarsus.collision.fitting.cutting import Cut, PlaneCut, ShapeCut
from tarsus.collision.fitting.facets import Facets
from tarsus.collision.fitting.piece import Piece, pieces_of, starts
from tarsus.collision.fitting.tightest import tightest
from tarsus.collision.fitting.union_volume import contains

SCREENING = 25
"""Steps of the fits that compare cuts."""
SAMPLES = 600
"""Points of a link at which volumes that share them are counted."""
SHARES = (0.3, 0.4, 0.5, 0.6, 0.7)
"""Where a piece is cut across an axis, as shares of its length."""
SHARES_AGAIN = (0.35, 0.5, 0.65)
"""Where its parts are."""
MOST_SHAPES = 8
"""Links with more shapes are not cut between them."""
MOST_AT_ONCE = 4
"""Pieces that one search makes: two cuts behind each other on both sides."""
FEW = 3
"""Cuts of each of two parts that are combined with each other."""


Path = tuple[tuple[Cut, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A piece with the volume that a short fit found.

    Attributes
    ----------
    piece : Piece
    path : tuple of (Cut, int)
        The cuts that lead to it from the whole link, with the side it is on.
    triangle : ndarray, shape (3, 3)
        Of the volume around it [m].
    volume : float
        [m^3].
    inside : ndarray of bool, shape (SAMPLES,)
        Which of the sampled points are in the volume.
    """

    piece: Piece
    path: Path
    triangle: FloatArray
    volume: float
    inside: BoolArray


Parts = tuple[Part, ...]


class Partitions:
    """Partitions of the facets of one link; points to sample are drawn from `rng`."""

    def __init__(self, facets: Facets, rng: np.random.Generator) -> None:
        (whole,) = pieces_of([facets])
        high = 0.6 * whole.extent
        self._points = whole.middle + rng.uniform(-high, high, (SAMPLES, 3)) @ whole.axes
        self._cell = float(np.prod(2.0 * high)) / SAMPLES
        self.whole = self._parts([whole], [()])[0]

    def union(self, parts: Sequence[Part]) -> float:
        """Volume of the union: the sum without what is counted more than once [m^3]."""
        count = np.sum([part.inside for part in parts], axis=0)
        return sum(part.volume for part in parts) - self._cell * float(np.maximum(count - 1, 0).sum())

    def best(self, part: Part, limit: int) -> dict[int, Parts]:
        """The best partition found of a part into each number of pieces up to four, and to `limit`."""
        found: dict[int, Parts] = {1: (part,)}
        if limit >= 2:
            groups = self._halves([part], SHARES)[0]
            self._keep(found, (pair for pairs in groups for pair in pairs))
        if limit >= 3:
            pairs = [min(pairs, key=self.union) for pairs in groups if pairs]
            again = self._halves([half for pair in pairs for half in pair], SHARES_AGAIN)
            for k, (left, right) in enumerate(pairs):
                lefts, rights = (sorted((p for g in x for p in g), key=self.union) for x in again[2 * k : 2 * k + 2])
                self._keep(found, ((*pair, right) for pair in lefts))
                self._keep(found, ((left, *pair) for pair in rights))
                if limit >= 4:
                    self._keep(found, ((*a, *b) for a, b in product(lefts[:FEW], rights[:FEW])))
        return found

    def _keep(self, found: dict[int, Parts], candidates: Iterable[Parts]) -> None:
        for parts in candidates:
            if len(parts) not in found or self.union(parts) < self.union(found[len(parts)]):
                found[len(parts)] = parts

    def _halves(self, parts: Sequence[Part], shares: Sequence[float]) -> list[list[list[Parts]]]:
        """Every part in two, in every way to cut: part, direction of the cut, cut."""
        places: list[tuple[int, int]] = []
        halves: list[Facets] = []
        paths: list[Path] = []
        for k, part in enumerate(parts):
            for group, cuts in enumerate(_cuts(part.piece, shares)):
                for cut in cuts:
                    pair = cut.apply(part.piece.facets)
                    if len(pair[0]) and len(pair[1]):
                        places.append((k, group))
                        halves += pair
                        paths += [(*part.path, (cut, side)) for side in (0, 1)]
        fitted = self._parts(pieces_of(halves), paths)
        found: list[list[list[Parts]]] = [[[] for _ in range(_GROUPS)] for _ in parts]
        for number, (k, group) in enumerate(places):
            found[k][group].append((fitted[2 * number], fitted[2 * number + 1]))
        return found

    def _parts(self, pieces: Sequence[Piece], paths: Sequence[Path]) -> list[Part]:
        """Short fits of pieces, all at once, the better one from two starts."""
        if not pieces:
            return []
        centers, radii = np.stack([p.centers for p in pieces]), np.stack([p.radii for p in pieces])
        first = starts(pieces)
        one, two = (tightest(first[:, k], centers, radii, SCREENING, single=True) for k in range(2))
        better = one.volume <= two.volume
        triangles = np.where(better[:, None, None], one.triangles, two.triangles)
        radius, volume = (np.where(better, a, b) for a, b in ((one.radius, two.radius), (one.volume, two.volume)))
        inside = contains(triangles, radius, self._points)
        rows = zip(pieces, paths, triangles, volume, inside, strict=True)
        return [Part(piece, path, t, float(v), i) for piece, path, t, v, i in rows]


def along(facets: Facets, path: Path) -> Facets:
    """What a path of cuts leaves of facets."""
    for cut, side in path:
        facets = cut.apply(facets)[side]
    return facets


_GROUPS = 5
"""Directions of cuts: three axes, diagonals, between shapes."""


def _cuts(piece: Piece, shares: Sequence[float]) -> list[list[Cut]]:
    """Cuts to try by direction: across each of the axes, along diagonals of its box, between shapes."""
    groups: list[list[Cut]] = []
    for k, axis in enumerate(piece.axes):
        middle = float(piece.middle @ axis)
        groups.append([PlaneCut(axis, middle + (share - 0.5) * float(piece.extent[k])) for share in shares])
    diagonals: list[Cut] = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        for side in (1.0, -1.0):
            normal = piece.extent[j] * piece.axes[i] + side * piece.extent[i] * piece.axes[j]
            normal = normal / np.linalg.norm(normal)
            diagonals.append(PlaneCut(normal, float(piece.middle @ normal)))
    labels = np.unique(piece.facets.shape)
    several = 2 <= len(labels) <= MOST_SHAPES
    between: list[Cut] = [ShapeCut(labels[k : k + 1]) for k in range(len(labels) - (len(labels) == 2)) if several]
    return [*groups, diagonals, between]
