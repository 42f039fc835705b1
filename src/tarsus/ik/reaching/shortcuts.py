"""Ways made shorter by trying straight ones between their places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.ik.reaching.extension import Extension


def length(extension: Extension, weights: FloatArray, way: FloatArray) -> float:
    """Length of a way (n, nq)."""
    steps = extension.space.way(way[:-1], way[1:])
    return float(np.linalg.norm(weights * steps, axis=-1).sum())


def shortened(
    extension: Extension,
    weights: FloatArray,
    way: FloatArray,
    rng: np.random.Generator,
    tries: int,
    ended: Callable[[], bool],
) -> FloatArray:
    """A way (n, nq) of the same ends that is shorter where straight ways between its places are free.

    Places are nodes and, every other time, anywhere between them (Geraerts and Overmars 2007, partial shortcuts of
    all freedoms together).
    """
    for attempt in range(tries):
        if len(way) < 3 or ended():
            return way
        whole = _whole(extension, way) if attempt == 0 else None
        if whole is not None:
            return whole
        steps = extension.space.way(way[:-1], way[1:])
        along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(weights * steps, axis=-1))])
        a, b = np.sort(rng.uniform(0.0, along[-1], 2))
        i, j = int(np.searchsorted(along, a, "right")) - 1, int(np.searchsorted(along, b, "left"))
        i, j = min(i, len(way) - 2), max(j, 1)
        if j - i < 2:
            continue
        first, last = way[i], way[j]
        if extension.keep is None and attempt % 2:  # with tasks to keep, places between nodes are off them
            first = extension.space.model.integrate(way[i], steps[i], (a - along[i]) / (along[i + 1] - along[i]))
            last = extension.space.model.integrate(
                way[j - 1], steps[j - 1], (b - along[j - 1]) / (along[j] - along[j - 1])
            )
        nodes, arrived = extension.towards(first, last)
        if not arrived:
            continue
        middle = np.concatenate([first[None], nodes])
        if length(extension, weights, middle) < (b - a if first is not way[i] else along[j] - along[i]) - 1e-9:
            way = _joined(extension, way[: i + 1], middle, way[j:])
    return way


def _whole(extension: Extension, way: FloatArray) -> FloatArray | None:
    nodes, arrived = extension.towards(way[0], way[-1])
    return np.concatenate([way[:1], nodes]) if arrived else None


def _joined(extension: Extension, *parts: FloatArray) -> FloatArray:
    """Parts one after the other, without places that repeat."""
    way = np.concatenate(parts)
    apart = np.abs(extension.space.way(way[:-1], way[1:])).max(axis=-1) > 1e-12
    return np.asarray(way[np.concatenate([[True], apart])])
