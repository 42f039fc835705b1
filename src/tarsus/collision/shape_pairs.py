"""Pairs of links whose shapes are looked at where their volumes are too coarse to tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.collision_model import CollisionModel, NearPair
from tarsus.collision.obstacle import Obstacle
from tarsus.collision.segment_pairs import Pair
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.model.model import Model

NEAR = 0.02
"""Distance of volumes [m] from which on shapes need not be looked at."""


class ShapePairs:
    """Distances of pairs of links, at least: those of their volumes, or of their shapes where that is not enough.

    Shapes are made of many triangles; each pair of them is looked at in those configurations alone in which its volumes
    are nearer than 2 cm.

    Parameters
    ----------
    model : Model
        With volumes of all links.
    shapes : mapping of str to sequence of SweptSphere
        Surfaces of the links, in their frames.
    pairs : sequence of (str, str)

    Attributes
    ----------
    model : Model
    pairs : tuple of (str, str)
    volumes : mapping of str to tuple of SweptSphere
        Volumes and surfaces of all links.
    obstacles : tuple
        None.
    fine : tuple of CollisionModel
        The shapes of each pair.
    """

    def __init__(self, model: Model, shapes: Mapping[str, Sequence[SweptSphere]], pairs: Sequence[Pair]) -> None:
        self.model, self._shapes = model, shapes
        self._coarse = CollisionModel(model, include=list(pairs))
        self.pairs = self._coarse.pairs
        self.obstacles: tuple[Obstacle, ...] = ()
        self.volumes = {
            name: (*model.volumes[name], *shapes[name])
            for name in model.volumes
            if any(name in pair for pair in self.pairs)
        }
        self.fine = tuple(
            CollisionModel(model, {name: shapes[name] for name in pair}, include=[pair]) for pair in self.pairs
        )

    def __repr__(self) -> str:
        return f"<ShapePairs of {self.model.name}: {len(self.pairs)} pairs>"

    def restricted(self, pairs: Iterable[Pair]) -> ShapePairs:
        """The same with some of its pairs."""
        chosen = set(pairs)
        return ShapePairs(self.model, self._shapes, [pair for pair in self.pairs if pair in chosen])

    def distances(self, q: npt.ArrayLike) -> FloatArray:
        """Bounds of the signed distances of all pairs from below, shape (..., n_pairs) [m].

        Parameters
        ----------
        q : array_like, shape (..., nq)
        """
        at = np.asarray(q, dtype=float)
        rows = at.reshape(-1, self.model.nq)
        result = np.array(self._coarse.distances(rows))
        for k, scene in enumerate(self.fine):
            near = np.flatnonzero(result[:, k] < NEAR)
            if near.size:
                result[near, k] = np.maximum(result[near, k], scene.distances(rows[near])[:, 0])
        return result.reshape(*at.shape[:-1], len(self.pairs))

    def clearance(self, q: npt.ArrayLike) -> FloatArray:
        """The smallest of them, shape (...) [m]."""
        return np.asarray(self.distances(q).min(axis=-1))

    def nearest(self, q: npt.ArrayLike, count: int = 1) -> tuple[NearPair, ...]:
        """The `count` nearest pairs of one configuration (nq,), with points of their shapes."""
        found = [scene.nearest(q)[0] for scene in self.fine]
        return tuple(sorted(found, key=lambda near: near.distance)[:count])
