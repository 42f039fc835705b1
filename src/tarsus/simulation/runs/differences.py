"""What robots of one batch have of their own: bodies, friction, and the world they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from tarsus import _native
from tarsus.arrays import BoolArray, FloatArray
from tarsus.simulation.world import World


@final
@dataclass(frozen=True, eq=False)
class Differences:
    """Numbers of n robots that differ from the model and the ground; None where they do not.

    Attributes
    ----------
    inertias : ndarray, shape (n, nb, 10)
        See `body_inertias`.
    friction : ndarray, shape (n,)
        Coefficient in place of that of all surfaces.
    worlds : tuple of n World
    """

    inertias: FloatArray | None = None
    friction: FloatArray | None = None
    worlds: tuple[World, ...] | None = None

    def set_in(self, core: _native.SimulatorCore) -> None:
        """Hand them to the native core."""
        core.set_bodies(self.inertias)
        core.set_friction(self.friction)
        if self.worlds is not None:
            core.set_worlds(tuple(world.core for world in self.worlds))

    def of(self, chosen: npt.NDArray[np.intp]) -> Differences:
        """Those of some robots, by their numbers."""
        return Differences(
            None if self.inertias is None else np.ascontiguousarray(self.inertias[chosen]),
            None if self.friction is None else np.ascontiguousarray(self.friction[chosen]),
            None if self.worlds is None else tuple(self.worlds[i] for i in chosen),
        )

    def changed(self, new: Differences, chosen: BoolArray, present: FloatArray) -> Differences:
        """With the numbers of `new` of the robots of a mask (n,); `present` are the inertias of all, (n, nb, 10)."""
        inertias, friction = self.inertias, self.friction
        if new.inertias is not None:
            inertias = np.where(chosen[:, None, None], new.inertias, present)
        if new.friction is not None:
            friction = new.friction if friction is None else np.where(chosen, new.friction, friction)
        return Differences(inertias, friction, self.worlds)
