"""Which bodies of a model touch each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.contact.laws import Compliant, ContactLaw, LeastConstraint, PseudoCoulomb, ViscoElasticSole
from tarsus.contact.laws.native_law import law_number, law_parameters
from tarsus.contact.solids import Solid, solids
from tarsus.dynamics import body_poses
from tarsus.errors import ArgumentError, UnknownNameError, nearest

if TYPE_CHECKING:
    from tarsus.model import Model

PairLaw = Compliant | PseudoCoulomb | ViscoElasticSole | LeastConstraint
"""Laws between two bodies."""

_OVERLAP = 1e-4
"""Bodies of a robot that are deeper than this in each other in the reference pose do not touch [m]."""


_DEEP = 2e-3
"""Bodies that touch with solved impulses and begin deeper in each other than this are told [m]."""
_MOST_LIFT, _LEAST_ENERGY = 0.1, 1e-3
"""A start is told whose springs lift a body higher than this [m], beside this energy [J]."""
_ROBOTS_LOOKED_AT = 32
"""Robots of a batch whose start is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Bodies that touch each other, and the law between them.

    Attributes
    ----------
    between : "all", or sequence of str and pairs of str
        "all": all bodies with collision shapes, but neighbours in the tree and those of one robot that overlap in the
        reference pose. A name: that body and all others, but the same. Two names: these two bodies whatever they are.
    exclude : sequence of pairs of str
        Two bodies each that do not touch, whatever `between` says.
    law : contact law, optional
        `Compliant`, `PseudoCoulomb`, `ViscoElasticSole` or `LeastConstraint`. By default `LeastConstraint()` where the
        ground has that law, else `Compliant()`.
    overlapping : bool
        Whether bodies of one robot touch that overlap in the reference pose; they are pushed apart then.
    """

    between: Literal["all"] | Sequence[str | tuple[str, str]] = "all"
    exclude: Sequence[tuple[str, str]] = ()
    law: PairLaw | None = None
    overlapping: bool = False

    def __post_init__(self) -> None:
        if self.law is not None and not isinstance(self.law, PairLaw):
            raise ArgumentError(
                f"law of Pairs is {self.law!r}; expected Compliant, PseudoCoulomb, ViscoElasticSole or "
                "LeastConstraint; Rigid is for ground only"
            )

    def law_beside(self, ground: Iterable[ContactLaw]) -> PairLaw:
        """The law between bodies, beside the laws of the ground."""
        if self.law is not None:
            return self.law
        return LeastConstraint() if any(isinstance(law, LeastConstraint) for law in ground) else Compliant()


@dataclass(frozen=True, slots=True, eq=False)
class ChosenPairs:
    """Pairs of solids of a model.

    Attributes
    ----------
    solids : tuple of Solid
    pairs : tuple of pairs of int
        Numbers of two solids.
    law : contact law
    overlapping : dict of pairs of str to float
        Bodies that do not touch because they overlap in the reference pose, and how deep [m].
    flat : tuple of str
        Collision shapes without volume, which touch no bodies.
    """

    solids: tuple[Solid, ...]
    pairs: tuple[tuple[int, int], ...]
    law: PairLaw
    overlapping: dict[tuple[str, str], float]
    flat: tuple[str, ...]

    def problem(self) -> str | None:
        """What was left out and nobody asked for, in words."""
        told = []
        if self.overlapping:
            worst = sorted(self.overlapping, key=lambda pair: -self.overlapping[pair])
            names = ", ".join(f"{a} and {b} (by {self.overlapping[a, b]:.2g} m)" for a, b in worst[:4])
            more = f" and {len(worst) - 4} more" if len(worst) > 4 else ""
            told.append(
                f"{len(worst)} pair{'s' if len(worst) > 1 else ''} of bodies overlap in the reference pose and do not "
                f"touch each other: {names}{more}; "
                "name them in Pairs(exclude=...), or let them touch by Pairs(overlapping=True)"
            )
        if self.flat:
            told.append(f"collision shapes without volume touch no bodies: {', '.join(self.flat[:4])}")
        return "; ".join(told) or None


NO_PAIRS = ChosenPairs((), (), Compliant(), {}, ())


def pairs_of(value: Any) -> Pairs | None:
    """What `pairs=` says: None, "all", a sequence of names, or `Pairs`."""
    if value is None or isinstance(value, Pairs):
        return value
    if value == "all":
        return Pairs()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ArgumentError(f'pairs is {value!r}; expected None, "all", names of bodies, pairs of names, or Pairs')
    return Pairs(tuple(value))


def choose_pairs(model: Model, wanted: Pairs, ground: Iterable[ContactLaw] = ()) -> ChosenPairs:
    """The pairs of solids that are wanted, beside a ground of these laws.

    Left out are pairs that the model's file excludes (`model.collision_exclusions`), neighbours in the tree, and bodies
    of one robot that overlap in the reference pose, if they are not named one by one.
    """
    named, single = _names(model, wanted)
    excluded = {_key(model, pair, "exclude") for pair in wanted.exclude}
    excluded |= {_key(model, pair, "exclude") for pair in model.collision_exclusions if _parts(model, pair)} - named
    bodies = tuple(name for name, body in model.bodies.items() if body.collisions)
    candidates: list[tuple[str, str]] = []
    for a, b in combinations(bodies, 2):
        pair = (a, b)
        asked = wanted.between == "all" or a in single or b in single
        if pair in excluded or not (pair in named or (asked and not _neighbours(model, a, b))):
            continue
        candidates.append(pair)
    used = tuple(name for name in bodies if any(name in pair for pair in candidates))
    found, flat = solids(model, used)
    on = {name: [k for k, solid in enumerate(found) if solid.body == name] for name in used}
    chosen = [(i, j) for a, b in candidates for i in on[a] for j in on[b]]
    overlapping: dict[tuple[str, str], float] = {}
    if not wanted.overlapping:
        for (i, j), depth in _depths(model, found, chosen, model.reference).items():
            pair = (found[i].body, found[j].body)
            if depth > _OVERLAP and pair not in named and not _apart(model, *pair):
                overlapping[pair] = max(depth, overlapping.get(pair, 0.0))
    kept = tuple((i, j) for i, j in chosen if (found[i].body, found[j].body) not in overlapping)
    return ChosenPairs(found, kept, wanted.law_beside(ground), overlapping, flat)


def _names(model: Model, wanted: Pairs) -> tuple[set[tuple[str, str]], set[str]]:
    """Pairs of two names, and single names."""
    named: set[tuple[str, str]] = set()
    single: set[str] = set()
    for entry in () if wanted.between == "all" else wanted.between:
        if isinstance(entry, str):
            single.add(_body(model, entry))
        else:
            named.add(_key(model, entry, "between"))
    for name in single | {name for pair in named for name in pair}:
        if not model.bodies[name].collisions:
            raise ArgumentError(f"body {name!r} has no collision shapes to touch with")
    return named, single


def _key(model: Model, pair: Any, where: str) -> tuple[str, str]:
    """Two bodies in the order of the model."""
    names = () if isinstance(pair, str) or not isinstance(pair, Iterable) else tuple(pair)
    if len(names) != 2:
        raise ArgumentError(f"{where} of Pairs holds {pair!r}; expected names of two bodies")
    a, b = (_body(model, name) for name in names)
    if a == b:
        raise ArgumentError(f"{where} of Pairs holds {pair!r}: {a!r} is one body")
    return (a, b) if model.bodies[a].index < model.bodies[b].index else (b, a)


def _parts(model: Model, pair: tuple[str, str]) -> bool:
    """Whether two links are of different bodies of the model."""
    return all(name in model.frames for name in pair) and len({model.frames[name].body for name in pair}) == 2


def _body(model: Model, name: Any) -> str:
    """The body of a frame."""
    if name not in model.frames:
        raise UnknownNameError(f"body {name!r} not found{nearest(str(name), model.bodies)}")
    return model.frames[name].body


def _path(model: Model, name: str) -> list[str]:
    """A body and all that carry it."""
    path = [name]
    while (parent := model.bodies[path[-1]].parent) is not None:
        path.append(parent)
    return path


def _way(model: Model, a: str, b: str) -> list[str]:
    """Bodies whose joints are between two bodies."""
    first, second = _path(model, a), _path(model, b)
    return [name for name in (*first, *second) if (name in first) != (name in second)]


def _apart(model: Model, a: str, b: str) -> bool:
    """Whether a free joint is between two bodies: they are not parts of one robot."""
    return any(model.joints[model.bodies[name].joint].kind == "free" for name in _way(model, a, b))


def _neighbours(model: Model, a: str, b: str) -> bool:
    """Whether two bodies are joined, perhaps through bodies without shapes, by less than six freedoms."""
    indices = [model.joints[model.bodies[name].joint].v_index for name in _way(model, a, b)]
    if sum(index.stop - index.start for index in indices) >= 6:
        return False
    for one, other in ((a, b), (b, a)):
        carriers = [name for name in _path(model, one)[1:] if model.bodies[name].collisions]
        if carriers and carriers[0] == other:
            return True
    return False


def overlap_problem(model: Model, chosen: ChosenPairs, q: FloatArray) -> str | None:
    """Bodies that begin so deep in each other that they are thrown apart, in words.

    Told where the spring of a contact holds more than lifts the lighter of the two bodies by 0.1 m, and where bodies
    that touch with solved impulses are deeper in each other than 2 mm. Of a batch q (..., nq) the first robots are
    looked at.
    """
    gravity = max(float(np.linalg.norm(model.gravity)), 1.0)
    for state in q.reshape(math.prod(q.shape[:-1]), model.nq)[:_ROBOTS_LOOKED_AT]:
        for (i, j), depth in _depths(model, chosen.solids, chosen.pairs, state).items():
            bodies = [chosen.solids[k].body for k in (i, j)]
            free = [model.bodies[b].inertia.mass for b in bodies if model.bodies[b].index > 0 or model.base != "fixed"]
            begin = f"{bodies[0]} and {bodies[1]} begin {depth:.2g} m deep in each other"
            if isinstance(chosen.law, LeastConstraint):
                if depth > _DEEP:
                    return f"{begin}; solved impulses push them apart slowly, wherever that leads"
                continue
            held = 0.5 * chosen.law.stiffness * depth**2
            if held > _MOST_LIFT * gravity * min(free) + _LEAST_ENERGY:
                return f"{begin}: springs of {held:.2g} J throw them apart"
    return None


def _depths(
    model: Model, found: Sequence[Solid], chosen: Sequence[tuple[int, int]], q: FloatArray
) -> dict[tuple[int, int], float]:
    """How deep pairs of solids are in each other at a configuration [m]; those that overlap."""
    poses = np.ascontiguousarray(body_poses(model, q))
    index = {name: body.index for name, body in model.bodies.items()}
    place = [poses[index[solid.body]] for solid in found]
    centre = [X[:3, :3] @ solid.centre + X[:3, 3] for X, solid in zip(place, found, strict=True)]
    near = [(i, j) for i, j in chosen if np.linalg.norm(centre[i] - centre[j]) < found[i].reach + found[j].reach]
    if not near:
        return {}
    tables = {**NO_GROUND, **solid_tables(model, found), **pair_tables(found, near, Compliant()), "all_nodes": 0}
    world = _native.make_world(model, tables)
    deepest = {}
    for k, (i, j) in enumerate(near):
        contacts = _native.pair_contacts(model, world, k, place[i].copy(), place[j].copy())
        deepest[i, j] = float(contacts[:, 0].max())
    return {pair: depth for pair, depth in deepest.items() if depth > 0.0}


NO_GROUND: dict[str, Any] = {
    "surfaces": 0, "surface_kind": np.zeros(0, dtype=np.int32), "surface_data": np.zeros(0),
    "law_parameters": np.zeros(0), "heights": 0, "height": np.zeros(0),
    "triangles": 0, "tree_nodes": 0, "triangle_corner": np.zeros(0), "triangle_normal": np.zeros(0),
    "triangle_rim": np.zeros(0, dtype=np.int32), "tree_box": np.zeros(0),
    "features": 0, "feature_kind": np.zeros(0, dtype=np.int32), "feature_data": np.zeros(0),
}  # fmt: skip
"""Native tables without surfaces and features."""


def solid_tables(model: Model, found: Sequence[Solid]) -> dict[str, Any]:
    """Solids as native code reads them."""
    kinds = [(model.bodies[s.body].index, len(s.corners), len(s.faces), len(s.edges)) for s in found]
    offsets = [(*n, n @ s.corners[face[0]]) for s in found for face, n in zip(s.faces, s.normals, strict=True)]
    corner = np.array([c for s in found for c in s.corners], dtype=float).reshape(-1)
    loops = np.array([c for s in found for face in s.faces for c in face], dtype=np.int32)
    edges = np.array([e for s in found for e in s.edges], dtype=np.int32).reshape(-1)
    return {
        "solids": len(found),
        "solid_kind": np.array(kinds, dtype=np.int32).reshape(-1),
        "solid_data": np.array([(*s.centre, s.reach, s.radius) for s in found], dtype=float).reshape(-1),
        "corners": len(corner) // 3,
        "corner": corner,
        "faces": len(offsets),
        "face_kind": np.array([len(face) for s in found for face in s.faces], dtype=np.int32),
        "face_data": np.array(offsets, dtype=float).reshape(-1),
        "face_corners": len(loops),
        "face_corner": loops,
        "edges": len(edges) // 4,
        "edge": edges,
    }


def slots_of(first: Solid, second: Solid) -> int:
    """Contacts that two solids may have: as in native/contact/solid_contacts.hpp."""
    least = min(len(first.corners), len(second.corners))
    return 1 if least == 1 else 2 if least == 2 else 5


def pair_tables(found: Sequence[Solid], pairs: Sequence[tuple[int, int]], law: ContactLaw) -> dict[str, Any]:
    """Pairs of solids as native code reads them."""
    rows = [(i, j, law_number(law), slots_of(found[i], found[j])) for i, j in pairs]
    return {
        "pairs": len(rows),
        "pair": np.array(rows, dtype=np.int32).reshape(-1),
        "pair_parameters": np.tile(law_parameters(law), len(rows)),
    }
