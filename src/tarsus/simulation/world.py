"""Grounds and contactors as the tables that the native simulation reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus import _native
from tarsus.arrays import FloatArray
from tarsus.contact import Block, Contactor, Ground, LeastConstraint, Rigid, Surface
from tarsus.contact.contactors import Feature, contactors, features
from tarsus.contact.pairs import NO_PAIRS, ChosenPairs, Pairs, choose_pairs, pair_tables, slots_of, solid_tables
from tarsus.contact.surface_tables import surface_tables
from tarsus.simulation.fingerprint import Fingerprint, digest, mixed_lengths

if TYPE_CHECKING:
    from tarsus.model import Model

_FEATURES = _native.enumeration("FeatureKind")


class World:
    """What a robot can touch and what it touches with, ready for native runs.

    Parameters
    ----------
    edges : bool, optional
        Whether edges of the robot are contacts; by default where there is a block, at which alone they matter.

    Attributes
    ----------
    names : tuple of str
        Names of the contacts as they are recorded: those with the ground, those of pairs of bodies on the first body,
        and the same on the second.
    bodies : tuple of str
        Body that each of these is on.
    count : int
        Contacts of the native core, in the order of contact states: those of pairs once.
    pairs : ChosenPairs
        Bodies that touch each other.
    rigid : bool
        Whether some ground has the law `Rigid`.
    solves_impulses : bool
        Whether some ground, or bodies that touch each other, have forces in steps only, not at an instant.
    ground : Ground or None
    """

    def __init__(
        self,
        model: Model,
        ground: Ground | None,
        contacts: Iterable[Contactor] | None,
        pairs: Pairs | None = None,
        *,
        all_nodes: bool,
        edges: bool | None = None,
    ) -> None:
        surfaces: tuple[Surface, ...] = ground.surfaces if ground is not None else ()
        self._told = contacts is not None
        if contacts is None:
            contacts = contactors(model) if surfaces else ()
        found = features(model, contacts) if surfaces else features(model, contacts)[:0]
        if not (has_block(surfaces) if edges is None else edges):
            found = tuple(feature for feature in found if feature.end is None)
        self.ground, self._model = ground, model
        self.rigid = any(isinstance(surface.law, Rigid) for surface in surfaces)
        self.features = found
        laws = [surface.law for surface in surfaces]
        self.pairs = NO_PAIRS if pairs is None else choose_pairs(model, pairs, laws)
        between = [self.pairs.law] if self.pairs.pairs else []
        self.solves_impulses = any(isinstance(law, LeastConstraint) for law in (*laws, *between))
        here, there = _pair_names(self.pairs)
        grounded = [(name, feature.body) for feature in found for name in _contact_names(feature)]
        listed = (*grounded, *here, *there)
        self.names, self.bodies = tuple(name for name, _ in listed), tuple(body for _, body in listed)
        self.count = len(grounded) + len(here)
        self._twice = len(here)
        solid, chosen = self.pairs.solids, self.pairs.pairs
        self.core = _native.make_world(model, {**surface_tables(surfaces), **_feature_tables(model, found),
                                               **solid_tables(model, solid),
                                               **pair_tables(solid, chosen, self.pairs.law),
                                               "all_nodes": int(all_nodes)})  # fmt: skip

    def difference(self, other: World) -> str | None:
        """What differs from another world in which contacts remember something else, for a person; None if nothing."""
        if self is other:
            return None
        if self.names != other.names:
            return "other contacts"
        here, there = (_laws(world) for world in (self, other))
        if here != there:
            return f"laws of contact {there}, here {here}"
        tables = [surface_tables(() if world.ground is None else world.ground.surfaces) for world in (self, other)]
        if not all(np.array_equal(tables[0][name], tables[1][name]) for name in tables[0]):
            return "surfaces in other places or of another form"
        if self.touching_digest() != other.touching_digest():
            return "contacts of the same names at other places, or other shapes of bodies that touch each other"
        return None

    def touching_digest(self) -> str:
        """A text that is another one for other places and radii of contacts, and other solids of pairs."""
        solid, chosen = self.pairs.solids, self.pairs.pairs
        of_pairs = {**solid_tables(self._model, solid), **pair_tables(solid, chosen, self.pairs.law)} if chosen else {}
        return digest(_feature_tables(self._model, self.features), of_pairs)

    def fingerprint(self) -> Fingerprint:
        """What contacts depend on, beside the robot's state; places of those that were told.

        Which points of meshes touch may change with their last bits, and recordings keep these in single precision.
        """
        surfaces = () if self.ground is None else self.ground.surfaces
        table = _feature_tables(self._model, self.features)
        return {
            "ground": digest(_laws(self), surface_tables(surfaces)),
            "contacts": digest(self.names, table["feature_kind"]),
            "places of contacts": mixed_lengths(table["feature_data"]) if self._told else [],
        }

    def native_number(self, number: int) -> int:
        """Number in the native core of a contact of `names`."""
        return number if number < self.count else number - self._twice

    def recorded(self, native: FloatArray, sign: float) -> FloatArray:
        """Vectors of all native contacts, shape (..., count, 3), as those of `names`; on second bodies with a sign."""
        if self._twice == 0:
            return native
        return np.concatenate([native, sign * native[..., self.count - self._twice :, :]], axis=-2)


def _laws(world: World) -> str:
    """Laws of the surfaces, and of bodies that touch each other, with their parameters."""
    surfaces = () if world.ground is None else world.ground.surfaces
    between = [f"between bodies {world.pairs.law}"] if world.pairs.pairs else []
    return ", ".join([str(surface.law) for surface in surfaces] + between) or "none"


def _pair_names(chosen: ChosenPairs) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Names and bodies of all contacts of pairs: on the first bodies, on the second ones."""
    here, there = [], []
    for i, j in chosen.pairs:
        a, b = chosen.solids[i], chosen.solids[j]
        for k in range(slots_of(a, b)):
            here.append((f"{a.name}|{b.name}.{k}", a.body))
            there.append((f"{b.name}|{a.name}.{k}", b.body))
    return here, there


def has_block(surfaces: Iterable[Surface]) -> bool:
    """Whether one of them has edges."""
    return any(isinstance(surface, Block) for surface in surfaces)


def _contact_names(feature: Feature) -> tuple[str, ...]:
    return (feature.name,) if feature.end is None else (f"{feature.name}<", f"{feature.name}>")


def _feature_tables(model: Model, found: tuple[Feature, ...]) -> dict[str, Any]:
    kinds = [(_FEATURES["point" if f.end is None else "segment"], model.bodies[f.body].index) for f in found]
    data: list[FloatArray] = [np.concatenate([f.start, f.start if f.end is None else f.end, [f.radius]]) for f in found]
    return {
        "features": len(found),
        "feature_kind": np.array(kinds, dtype=np.int32).reshape(-1),
        "feature_data": np.array(data, dtype=float).reshape(-1),
    }
