"""Postures between stances, where the straight way between two of them cannot be gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from tarsus.collision.collision_model import CollisionModel
from tarsus.control.stances.stance import Stance
from tarsus.control.stances.transfer import LIFT, transfer
from tarsus.errors import ArgumentError
from tarsus.model import Model

FINE = 3
"""Postures that are looked for in each part of a way."""


def with_waypoints(
    model: Model,
    stances: Sequence[Stance],
    parts: Mapping[str, int],
    *,
    collision: CollisionModel | None = None,
    lift: float = LIFT,
) -> list[Stance]:
    """The stances, with postures in between on the ways to some of them.

    The straight way of joints may lead across joint limits, or a limb through an obstacle. The postures are those of
    `transfer`, in which a limb that comes to a contact goes up, across and down.

    Parameters
    ----------
    parts : mapping of str to int
        By the names of stances, into how many parts the way there is divided.
    collision : CollisionModel, optional
        Whose pairs do not touch there.
    lift : float
        Height of the way of a limb [m].

    Raises
    ------
    ArgumentError
        Where there is no way.
    """
    found = [stances[0]]
    for before, after in pairwise(stances):
        count = parts.get(after.name, 1)
        if count > 1:
            way = transfer(model, before, after, points=FINE * count, collision=collision, load=1.0, lift=lift)
            if not way.success:
                raise ArgumentError(f"{model.name!r} finds no way to {after.name!r}: {way.reason}")
            found += [
                replace(before, name=f"{after.name}, {k} of {count}", q=q, moved="")
                for k, q in enumerate(way.q[FINE:-1:FINE], start=1)
            ]
        found.append(after)
    return found
