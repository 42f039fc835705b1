"""Two threads against one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks import ours
from benchmarks.contestants import Contestant
from benchmarks.quantity import States
from benchmarks.timing import Effort, race

QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "joint_screws")


@dataclass(frozen=True)
class ThreadRow:
    """Times per state [s] on one and on two threads, results into a prepared array."""

    robot: str
    quantity: str
    states: int
    one: float
    two: float

    @property
    def ratio(self) -> float:
        """How much faster two threads are."""
        return self.one / self.two


def measure_threads(contestant: Contestant, states: States, effort: Effort) -> Iterator[ThreadRow]:
    """Rows for a batch of all the states."""
    for quantity in QUANTITIES:
        pair = [
            ours.statement(contestant.model, quantity, states, contestant.frame, out=True, threads=n) for n in (1, 2)
        ]
        yield ThreadRow(contestant.name, quantity, len(states), *race(pair, effort))
