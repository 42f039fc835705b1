"""Worlds of the robots of a batch: one ground for all, or one for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tarsus.contact import Contactor, Ground, Rigid
from tarsus.contact.pairs import Pairs
from tarsus.errors import ArgumentError, DtypeError, ShapeError
from tarsus.simulation.world import World, has_block

if TYPE_CHECKING:
    from tarsus.model import Model


def worlds_of(
    model: Model,
    ground: Ground | Sequence[Ground] | None,
    contacts: Iterable[Contactor] | None,
    count: int,
    pairs: Pairs | None = None,
) -> tuple[World, tuple[World, ...] | None]:
    """The world of all robots, or one of them and those of each; all have the same contacts."""
    if ground is None or isinstance(ground, Ground):
        _refuse_rigid(() if ground is None else (ground,))
        return World(model, ground, contacts, pairs, all_nodes=True), None
    if not isinstance(ground, Sequence) or not all(isinstance(each, Ground) for each in ground):
        raise DtypeError(f"ground is {ground!r}; expected a Ground, or a list of one for each robot")
    if len(ground) != count:
        raise ShapeError(f"ground holds {len(ground)} grounds; expected {count}, one for each robot")
    _refuse_rigid(ground)
    if not all(each.surfaces for each in ground):
        raise ArgumentError("a ground in a list has no surface; expected some in each")
    contacts = None if contacts is None else tuple(contacts)
    edges = any(has_block(each.surfaces) for each in ground)
    made = {id(each): each for each in ground}
    worlds = {key: World(model, each, contacts, pairs, all_nodes=True, edges=edges) for key, each in made.items()}
    first = next((world for world in worlds.values() if world.solves_impulses), worlds[id(ground[0])])
    return first, tuple(worlds[id(each)] for each in ground)


def _refuse_rigid(grounds: Sequence[Ground]) -> None:
    if any(isinstance(surface.law, Rigid) for each in grounds for surface in each.surfaces):
        raise ArgumentError("ground of the law Rigid cannot be stepped: it is integrated from event to event")
