"""Pairs of segments that are not worth looking at, found by samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tarsus.arrays import FloatArray
from tarsus.collision.segment_pairs import Pair
from tarsus.errors import ArgumentError

if TYPE_CHECKING:
    from tarsus.collision.collision_model import CollisionModel

_CHUNK = 4096
"""Configurations that are looked at together."""


@dataclass(frozen=True, slots=True, eq=False)
class Pruning:
    """A collision model with fewer pairs, and what was left out.

    Attributes
    ----------
    scene : CollisionModel
        With the pairs that are left.
    samples : int
        Configurations that were looked at.
    margin : float
        Distance up to which a pair counts as touching [m].
    never : dict of pairs to float
        Pairs that never came as near as the margin, with the smallest distance that was seen [m].
    always : dict of pairs to float
        Pairs that overlapped in every configuration, with the largest distance that was seen [m].
    """

    scene: CollisionModel
    samples: int
    margin: float
    never: dict[Pair, float]
    always: dict[Pair, float]

    def __str__(self) -> str:
        lines = [
            f"{self.samples} configurations: {len(self.scene.pairs)} pairs are left, {len(self.never)} never come as "
            f"near as {self.margin:g} m, {len(self.always)} always overlap"
        ]
        lines += [f"  never   {a} - {b}  (at least {d:.4g} m)" for (a, b), d in self.never.items()]
        lines += [f"  always  {a} - {b}  (at most {d:.4g} m)" for (a, b), d in self.always.items()]
        return "\n".join(lines)


def extreme_distances(
    scene: CollisionModel, samples: int | npt.ArrayLike, rng: np.random.Generator | None, threads: int
) -> tuple[FloatArray, FloatArray, int]:
    """Smallest and largest distance of every pair, and the number of configurations."""
    model = scene.model
    if isinstance(samples, int) and not isinstance(samples, bool):
        if samples < 1:
            raise ArgumentError(f"samples is {samples}, expected at least 1")
        count = samples
        random = np.random.default_rng(0) if rng is None else rng
        chunks = (model.random(random, min(_CHUNK, count - begin)) for begin in range(0, count, _CHUNK))
    else:
        given = np.asarray(samples, dtype=float).reshape(-1, model.nq)
        count = len(given)
        if count == 0:
            raise ArgumentError("samples is empty, expected some configurations")
        chunks = (given[begin : begin + _CHUNK] for begin in range(0, count, _CHUNK))
    least, most = np.full(len(scene.pairs), np.inf), np.full(len(scene.pairs), -np.inf)
    for q in chunks:
        distance = scene.distances(q, threads=threads)
        least, most = np.minimum(least, distance.min(0)), np.maximum(most, distance.max(0))
    return least, most, count
