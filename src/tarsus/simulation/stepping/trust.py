"""Whether robots that are stepped from outside can be trusted: energy from nothing, impulses that did not settle."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import final

import numpy as np

from tarsus.arrays import FloatArray
from tarsus.errors import SimulationWarning
from tarsus.simulation.integration_check import (
    added_beyond,
    exchanged_until,
    told_addition,
    unsettled_problem,
)

LOOKED_AT = 1000
"""Steps after which the energy of all robots is looked at."""


@final
class Trust:
    """Tells each kind of problem of a simulation once."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._next = LOOKED_AT

    def is_due(self, step: int) -> bool:
        """Whether energies are to be looked at now; the next time is `LOOKED_AT` steps later."""
        if "energy" in self._told or step < self._next:
            return False
        self._next = step + LOOKED_AT
        return True

    def tell(self, kind: str, problem: str | None) -> None:
        """Warn whoever called the simulation, the first time that there is a problem of this kind."""
        if problem is None or kind in self._told:
            return
        self._told.add(kind)
        warnings.warn(problem, SimulationWarning, stacklevel=4)

    def tell_unsettled(self, unsettled: int, steps: int) -> None:
        """Warn of impulses that did not settle, in so many steps of all robots."""
        if unsettled > 0:
            self.tell("unsettled", unsettled_problem(unsettled, steps))

    def tell_energy(self, energy: Mapping[str, FloatArray], weight: FloatArray, time: float, dt: float) -> None:
        """Warn of energy that the integrator added since the start or the last reset."""
        beyond = distrust_of(energy, weight)
        if not beyond.max(initial=0.0) > 1.0:
            return
        place = tuple(map(int, np.unravel_index(np.argmax(beyond), beyond.shape)))
        exchanged = _exchanged(energy, weight)
        told = told_addition("semi-implicit-euler", float(energy["integration"][place]), float(exchanged[place]), time,
                             place, beyond > 1.0)  # fmt: skip
        self.tell("energy", f"{told} since its reset: try a smaller dt than {dt:g} s")


def distrust_of(energy: Mapping[str, FloatArray], weight: FloatArray) -> FloatArray:
    """How many times more than it may the integrator added to each robot, by its present audit; shape (*batch,)."""
    return added_beyond(energy["integration"], _exchanged(energy, weight), weight)


def _exchanged(energy: Mapping[str, FloatArray], weight: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", over="ignore"):
        return exchanged_until({name: part[None] for name, part in energy.items()}, weight) + np.finfo(float).tiny
