"""The state of robots in the layout of the native core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

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
    """

    q: FloatArray
    v: FloatArray
    contact: ContactState
    work: FloatArray
    step_size: FloatArray
    tau: FloatArray

    def copy(self) -> State:
        """The same state in arrays of its own."""
        return State(
            self.q.copy(), self.v.copy(), self.contact.copy(), self.work.copy(), self.step_size.copy(), self.tau.copy()
        )

    def assign(self, other: State, chosen: BoolArray | slice = slice(None)) -> None:
        """Take over the numbers of another state of as many robots, of all or of those of a mask (n,)."""
        for array, value in zip(self._arrays(), other._arrays(), strict=True):
            array[chosen] = value[chosen]

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
        }

    def _arrays(self) -> tuple[FloatArray, ...]:
        return self.q, self.v, self.contact.displacement, self.contact.force, self.work, self.step_size, self.tau
