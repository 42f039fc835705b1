"""The state of robots in the layout of the native core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import numpy.typing as npt

from tarsus.arrays import BoolArray, FloatArray
from tarsus.simulation.runs.contact_state import ContactState


@final
@dataclass(frozen=True, eq=False)
class State:
    """State of n robots; native steps write into these arrays.

    Attributes
    ----------
    q : ndarray, shape (n, native nq)
        Configurations in the native layout.
    v : ndarray, shape (n, nv)
    contact : ContactState
        What contacts remember from step to step.
    work : ndarray, shape (n, WORKS)
        Sums over time of the energy audit [J].
    step_size : ndarray, shape (n,)
        Last step of the native adaptive integrator [s]; 0 before the first.
    tau : ndarray, shape (n, nv)
        Torques of the joint law in the last step; no part of what the next one needs.
    constraint_force : ndarray, shape (n, rows)
        The same of the multipliers of constraints.
    """

    q: FloatArray
    v: FloatArray
    contact: ContactState
    work: FloatArray
    step_size: FloatArray
    tau: FloatArray
    constraint_force: FloatArray

    def copy(self) -> State:
        """The same state in arrays of its own."""
        return State(
            self.q.copy(), self.v.copy(), self.contact.copy(), self.work.copy(), self.step_size.copy(), self.tau.copy(),
            self.constraint_force.copy(),
        )  # fmt: skip

    def assign(self, other: State, chosen: BoolArray | slice = slice(None)) -> None:
        """Take over the numbers of another state of as many robots, of all or of those of a mask (n,)."""
        for array, value in zip(self._arrays(), other._arrays(), strict=True):
            array[chosen] = value[chosen]

    def put(self, chosen: npt.NDArray[np.intp], other: State) -> None:
        """Take over the numbers of another state of fewer robots, which become those with these numbers."""
        for array, value in zip(self._arrays(), other._arrays(), strict=True):
            array[chosen] = value

    def part(self, chosen: npt.NDArray[np.intp]) -> State:
        """The state of some robots, by their numbers, in arrays of its own."""
        q, v, displacement, force, work, step_size, tau, constraint = (array[chosen] for array in self._arrays())
        return State(q, v, ContactState(displacement, force), work, step_size, tau, constraint)

    def rows(self, chosen: npt.NDArray[np.intp], others: Sequence[State]) -> State:
        """A state whose robot i is that of the state number chosen[i] among `others`."""
        mixed = self.copy()
        for number in np.unique(chosen):
            mixed.assign(others[number], chosen == number)
        return mixed

    def fits(self, other: State) -> bool:
        """Whether another state has arrays of the same shapes."""
        return all(a.shape == b.shape for a, b in zip(self._arrays(), other._arrays(), strict=True))

    def table(self) -> dict[str, Any]:
        """Arrays under the names that native runs read."""
        return {
            "q": self.q,
            "v": self.v,
            "displacement": self.contact.displacement,
            "contact_force": self.contact.force,
            "work": self.work,
            "step_size": self.step_size,
            "tau": self.tau,
            "constraint_force": self.constraint_force,
        }

    def _arrays(self) -> tuple[FloatArray, ...]:
        contact = self.contact
        return (
            self.q, self.v, contact.displacement, contact.force, self.work, self.step_size, self.tau,
            self.constraint_force,
        )  # fmt: skip
