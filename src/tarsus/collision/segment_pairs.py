"""Which segments of a robot and which obstacles are looked at, Buschmann 2014 (5.33)-(5.34)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from tarsus.errors import ArgumentError, UnknownNameError, nearest
from tarsus.model.model import Model

Pair = tuple[str, str]
"""Names of two segments, the robot's first; that of an obstacle comes second."""

Selection = Iterable[str | tuple[str, str]]
"""Names, which stand for all pairs of a segment, and pairs of names."""


def segment_pairs(
    model: Model,
    segments: Sequence[str],
    obstacles: Sequence[str],
    include: Selection | None,
    exclude: Selection,
    adjacent: bool,
) -> tuple[Pair, ...]:
    """All pairs of segments on different bodies and of segments and obstacles, less those that are left out.

    Left out are segments on one body, neighbours (unless `adjacent`, or both are named in `include`), pairs of
    `model.collision_exclusions` (unless named), what `include` does not have, and what `exclude` has.
    """
    names = (*segments, *obstacles)
    wanted = None if include is None else _selection("include", include, names)
    unwanted = _selection("exclude", exclude, names)
    excluded = _excluded_bodies(model)
    neighbours = set() if adjacent else _neighbours(model, {model.frames[name].body for name in segments})
    pairs: list[Pair] = []
    for a, b in (*combinations(segments, 2), *((s, o) for s in segments for o in obstacles)):
        named = wanted is not None and frozenset((a, b)) in wanted
        if _has(unwanted, a, b) or (wanted is not None and not _has(wanted, a, b)):
            continue
        if b in segments:
            bodies = frozenset((model.frames[a].body, model.frames[b].body))
            if len(bodies) == 1 or (not named and (bodies in neighbours or bodies in excluded)):
                if named and len(bodies) == 1:
                    raise ArgumentError(f"include has the pair {(a, b)}, but both are on body {next(iter(bodies))!r}")
                continue
        pairs.append((a, b))
    return tuple(pairs)


def _has(selection: set[Any], a: str, b: str) -> bool:
    return a in selection or b in selection or frozenset((a, b)) in selection


def _selection(what: str, given: Selection, names: Sequence[str]) -> set[Any]:
    """Names, and sets of two names."""
    if isinstance(given, str):
        raise ArgumentError(f"{what} must be a list of names and pairs of names, not the single name {given!r}")
    chosen: set[Any] = set()
    for entry in given:
        parts = (entry,) if isinstance(entry, str) else tuple(entry)
        if len(parts) not in (1, 2) or len(set(parts)) != len(parts):
            raise ArgumentError(f"{what} has {entry!r}; expected a name or a pair of two names")
        for name in parts:
            if name not in names:
                raise UnknownNameError(
                    f"{what} has the name {name!r}, which is neither a segment nor an obstacle"
                    f"{nearest(str(name), names)}"
                )
        chosen.add(parts[0] if len(parts) == 1 else frozenset(parts))
    return chosen


def _excluded_bodies(model: Model) -> set[frozenset[str]]:
    """Pairs of bodies that the model's file excludes; links are frames of their bodies."""
    return {
        frozenset(model.frames[name].body for name in pair)
        for pair in model.collision_exclusions
        if all(name in model.frames for name in pair)
    }


def _neighbours(model: Model, bodies: set[str]) -> set[frozenset[str]]:
    """Bodies that are connected by joints, directly or through bodies without volumes, with less than six freedoms."""
    found: set[frozenset[str]] = set()
    for name in bodies:
        freedoms, carrier = _freedoms(model, name), model.bodies[name].parent
        while carrier is not None and carrier not in bodies:
            freedoms, carrier = freedoms + _freedoms(model, carrier), model.bodies[carrier].parent
        if carrier is not None and freedoms < 6:
            found.add(frozenset((name, carrier)))
    return found


def _freedoms(model: Model, body: str) -> int:
    """Of the joint that carries a body."""
    index = model.joints[model.bodies[body].joint].v_index
    return int(index.stop - index.start)
