"""Contacts that are switched on and off while a run goes on."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tarsus.errors import ArgumentError, ShapeError, UnknownNameError, nearest
from tarsus.simulation.runs.robots import Robots
from tarsus.simulation.world import World


def switch_contacts(robots: Robots, names: str | Iterable[str], on: npt.ArrayLike) -> None:
    """Switch contacts of some names, or all of bodies of that name, in robots where `on` (*batch,) tells to.

    Raises
    ------
    UnknownNameError
        For names of neither.
    ShapeError
        Where `on` is no truth value, or not one for every robot.
    """
    if robots.world.rigid:
        raise ArgumentError("contacts with ground of the law Rigid cannot be switched")
    chosen = _chosen(robots.world, [names] if isinstance(names, str) else list(names))
    value = np.asarray(on)
    if value.dtype != bool or value.shape not in ((), robots.batch):
        expected = "a truth value" if robots.single else f"one truth value, or those of shape {robots.batch}"
        raise ShapeError(f"on is {value.dtype} of shape {value.shape}; expected {expected}")
    off = np.zeros((robots.count, robots.world.count)) if robots.off is None else robots.off.copy()
    off[:, chosen] = np.broadcast_to(~value, robots.batch).reshape(-1, 1)
    if not np.array_equal(off, np.zeros_like(off) if robots.off is None else robots.off):
        robots.switch_off(off)


def _chosen(world: World, names: list[str]) -> list[int]:
    """Native numbers of the contacts of these names, or on bodies of these names."""
    found: list[int] = []
    for name in names:
        same = [i for i, pair in enumerate(zip(world.names, world.bodies, strict=True)) if name in pair]
        if not same:
            known = tuple(dict.fromkeys((*world.names, *world.bodies)))
            raise UnknownNameError(f"contact or touching body {name!r} not found{nearest(name, known)}")
        found.extend(same)
    return [world.native_number(i) for i in found]
