"""Proofs that nothing collides between samples, by bisection: distances less how far anything moves in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from tarsus.arrays import BoolArray, FloatArray, IndexArray
from tarsus.collision.segment_pairs import Pair
from tarsus.errors import ConstraintError, SingularityError
from tarsus.ik.reaching.lever_arms import Scene, coupled_numerically, lever_arms
from tarsus.ik.reaching.moving_space import MovingSpace

RESOLVED = 2e-4
"""Motion [m] below which a part of a way is not divided further: what is still undecided counts as a collision."""
ROOM = 5e-4
"""Beyond the margin that places of a way have [m], so that what is near them is proven to be free in a few parts."""
COARSE = 0.05
"""Motion [m] into which ways are divided before anything is looked at."""
CHANGING = 1.5
"""By how much more than at the middle of a part joints may move whose ratios to others change."""
LEAST_REACH = 0.05
"""Of a freedom [m/rad], so that none counts for nothing."""
CHUNK = 4096
"""Configurations that are looked at together."""

Part = Callable[[IndexArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
"""Of numbers (k,) of ways and where parts of them begin and end (k,), from 0 to 1: configurations (k, nq) in their
middle, and how far each freedom moves at most between there and any other place of the part (k, nv)."""


class SweptClearance:
    """Distances of one or several scenes, at configurations and all the way between them.

    Attributes
    ----------
    space : MovingSpace
    scenes : tuple of CollisionModel and ShapePairs
    margin : float
        Distance that all pairs must have [m]; those that are nearer at the start keep half of what they have there.
    rooms : list of ndarray, shape (n_pairs,)
        Distance that the pairs of each scene have at places of a way, a little more than they must have [m].
    met : Counter of pairs
        How often a pair was in the way.
    looked : int
        Configurations whose distances were computed.
    """

    def __init__(self, space: MovingSpace, scenes: Sequence[Scene], margin: float) -> None:
        self.space, self.margin = space, margin
        self.scenes: tuple[Scene, ...] = tuple(scene for scene in scenes if scene.pairs)
        self.met: Counter[Pair] = Counter()
        self.looked = 0
        self._L = [lever_arms(scene, space.lower, space.upper).T for scene in self.scenes]
        self._margins = [_margins(scene, space.q0, margin) for scene in self.scenes]
        self.rooms = [np.where(kept == margin, margin + ROOM, kept) for kept in self._margins]
        self._coupled = not space.model.coordinates.independent.all()
        self._changing = CHANGING if coupled_numerically(space.model) else 1.0

    def free(self, q: FloatArray) -> BoolArray:
        """Which configurations (n, nq) have all pairs at least the margin apart, and a little more."""
        result = self.closing(q)
        for scene, rooms in zip(self.scenes, self.rooms, strict=True):
            rows = np.flatnonzero(result)
            if rows.size:
                self.looked += rows.size
                alike = rooms.min() == rooms.max()
                spare = scene.clearance(q[rows]) - rooms[0] if alike else (scene.distances(q[rows]) - rooms).min(-1)
                result[rows] = spare > 0
                hit = rows[spare <= 0]
                if hit.size:
                    self.met[scene.nearest(q[hit[0]])[0].pair] += 1
        return result

    def reach_of_freedoms(self) -> FloatArray:
        """How far anything goes at most when a freedom moves by one, shape (nv,); ones where nothing is looked at."""
        model = self.space.model
        if not self.scenes:
            return np.ones(model.nv)
        most = np.max([L.max(axis=-1) for L in self._L], axis=0)
        if self._coupled:
            most = (np.abs(model.coupling_matrix(self.space.q0)) * most[:, None]).max(axis=0)
        return np.asarray(np.maximum(most, LEAST_REACH))

    def closing(self, q: FloatArray) -> BoolArray:
        """Which configurations (n, nq) have loops that close."""
        result = np.ones(len(q), dtype=bool)
        if self._changing == 1.0:
            return result
        try:
            self.space.model.joint_positions(q)
        except (ConstraintError, SingularityError):
            for k, row in enumerate(q):
                try:
                    self.space.model.joint_positions(row)
                except (ConstraintError, SingularityError):
                    result[k] = False
        return result

    def ways_free(self, q: FloatArray, way: FloatArray) -> BoolArray:
        """Which straight ways from q (n, nq) along way (n, nv) are free from end to end: proven, not sampled."""
        model = self.space.model

        def part(ids: IndexArray, begin: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
            middle = model.integrate(q[ids], way[ids], (begin + end) / 2)
            return middle, np.abs(way[ids]) * ((end - begin) / 2)[:, None]

        return self.parts_free(len(q), part)

    def parts_free(self, count: int, part: Part) -> BoolArray:
        """Which of `count` ways are free, whose parts a function gives."""
        result = np.ones(count, dtype=bool)
        for number in range(len(self.scenes)):
            self._scene_free(number, part, result)
        return result

    def _scene_free(self, number: int, part: Part, result: BoolArray) -> None:
        """Bisect what is still free in `result`; ways that are not are taken out of it."""
        ids = np.flatnonzero(result)
        if ids.size == 0:
            return
        q, moved = part(ids, np.zeros(len(ids)), np.ones(len(ids)))
        if self._changing != 1.0:
            result[ids[~self.closing(q)]] = False
            q, moved, ids = q[result[ids]], moved[result[ids]], ids[result[ids]]
        need = (self._tree(q, moved) @ self._L[number]).max(axis=-1, initial=0.0)
        ids, begin, end = _divided(ids, np.ceil(need / COARSE))
        while ids.size:
            keep = result[ids]
            ids, begin, end = ids[keep], begin[keep], end[keep]
            now = slice(0, CHUNK)
            if ids.size == 0:
                return
            decided, hit = self._decided(number, part, ids[now], begin[now], end[now])
            result[ids[now][hit]] = False
            open_ = ~decided & ~hit
            i, b, e = ids[now][open_], begin[now][open_], end[now][open_]
            half = (b + e) / 2
            ids = np.concatenate([ids[CHUNK:], i, i])
            begin, end = np.concatenate([begin[CHUNK:], b, half]), np.concatenate([end[CHUNK:], half, e])

    def _decided(
        self, number: int, part: Part, ids: IndexArray, begin: FloatArray, end: FloatArray
    ) -> tuple[BoolArray, BoolArray]:
        """Which parts are free all along, and which are not."""
        scene, L = self.scenes[number], self._L[number]
        q, moved = part(ids, begin, end)
        closing = self.closing(q)
        need, distance = np.zeros((len(ids), L.shape[1])), np.full((len(ids), L.shape[1]), -np.inf)
        if closing.any():
            self.looked += int(np.count_nonzero(closing))
            need[closing] = self._tree(q[closing], moved[closing]) @ L
            distance[closing] = scene.distances(q[closing])
        room = distance - self._margins[number]
        spare = (room - need).min(axis=-1)
        worst = room.argmin(axis=-1)
        tight = (spare <= 0) & (need[np.arange(len(ids)), (room - need).argmin(axis=-1)] < RESOLVED)
        hit = (room[np.arange(len(ids)), worst] <= 0) | tight
        for k in np.flatnonzero(hit)[:1]:
            self.met[scene.pairs[worst[k]]] += 1
        return spare > 0, hit

    def _tree(self, q: FloatArray, moved: FloatArray) -> FloatArray:
        """How far every joint moves, those that follow others included, shape (k, nv_tree)."""
        if not self._coupled:
            return moved
        G = np.abs(self.space.model.coupling_matrix(q))
        tree: FloatArray = (G @ moved[..., None])[..., 0] * self._changing
        return tree

    def nearest(self, q: FloatArray) -> tuple[Pair, float]:
        """The pair with the least distance at a configuration (nq,), and that distance [m]."""
        found = [scene.nearest(q)[0] for scene in self.scenes]
        least = min(found, key=lambda near: near.distance)
        return least.pair, least.distance


def _margins(scene: Scene, q0: FloatArray, margin: float) -> FloatArray:
    """Distance that each pair keeps, shape (n_pairs,) [m]: half of what it has at the start where that is near."""
    begin = scene.distances(q0)
    return np.where(begin >= margin + ROOM, margin, np.minimum(margin, np.maximum(0.0, begin) / 2))


def _divided(ids: IndexArray, parts: FloatArray) -> tuple[IndexArray, FloatArray, FloatArray]:
    """Equal parts of every way: its number, begin and end."""
    counts = np.maximum(parts.astype(int), 1)
    repeated = np.repeat(ids, counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    number = np.arange(len(repeated)) - first
    share = 1.0 / np.repeat(counts, counts)
    return repeated, number * share, (number + 1) * share
