"""Batches of different quantities called in turn, a new result array each time: how programs call them."""

from __future__ import annotations

import time
from dataclasses import dataclass

from benchmarks import ours
from benchmarks.contestants import Contestant
from benchmarks.quantity import QUANTITIES, States
from benchmarks.timing import Effort, race

ROUNDS = 40
"""Calls of every quantity; the median counts, because fresh memory is to be seen, not the best case."""


@dataclass(frozen=True)
class AlternatingRow:
    """Times per state [s] of one quantity among the others.

    Attributes
    ----------
    ours : float
        Called in turn with all other quantities, with a new result.
    alone : float
        Called again and again with `out=`, the best block.
    peer_time : float
        The first peer's loop over prepared rows.
    """

    robot: str
    quantity: str
    states: int
    peer: str
    ours: float
    alone: float
    peer_time: float

    @property
    def ratio(self) -> float:
        """How much faster than the peer."""
        return self.peer_time / self.ours


def measure_alternating(contestant: Contestant, states: States, effort: Effort) -> list[AlternatingRow]:
    """Rows for a batch of all the states, against the first peer."""
    peer = contestant.peers[0]
    taken = _in_turn(contestant, states)
    rows = []
    for quantity in QUANTITIES:
        theirs = peer.batch(quantity, states)
        if theirs is None:
            continue
        into = ours.statement(contestant.model, quantity, states, contestant.frame, out=True)
        alone, peer_time = race([into, theirs], effort)
        median = sorted(taken[quantity])[ROUNDS // 2]
        rows.append(
            AlternatingRow(contestant.name, quantity, len(states), peer.name, median / len(states), alone, peer_time)
        )
    return rows


def _in_turn(contestant: Contestant, states: States) -> dict[str, list[float]]:
    """Durations of single calls [s]; the latest result of each quantity is alive while the others run."""
    taken: dict[str, list[float]] = {quantity: [] for quantity in QUANTITIES}
    latest = {}
    for _ in range(ROUNDS):
        for quantity in QUANTITIES:
            start = time.perf_counter()
            result = ours.evaluate(contestant.model, quantity, states, contestant.frame)
            taken[quantity].append(time.perf_counter() - start)
            latest[quantity] = result
    return taken
